"""Documents: replaced as a whole, never lost by a refused look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libra.ground.records import DocumentText, Kind, Modality, Node, NodeTier, Scope
from libra.store import documents, search, vectors
from libra.store.visibility import Filter, Visible
from tests.store.support import Handle, unit

_DOC = DocumentText(
    "/w/CLAUDE.md", "…", "claude-code", Scope.parse("project:p"), instructions=True, size=9, mtime_ns=10**18
)
_VIEW = Visible("u", scopes=("user:u", "project:p", "global"))


def _node(text: str, tier: NodeTier = NodeTier.HARD, n: int = 0) -> Node:
    return Node(tier, "list_item", text, n, n + 1, n + 1, n + 2, ("Rules", "Git"), 5, (Modality.OBLIGATION,))


def _put(
    h: Handle, *nodes: Node, doc: DocumentText = _DOC, mark: str | None = None, degraded: bool = False
) -> bool:
    mark = mark if mark is not None else "|".join(n.text + n.tier for n in nodes)
    return h.do(lambda tx: documents.replace(tx, doc, mark, nodes, degraded=degraded, now_ms=7_000))


def _rules(h: Handle, *scopes: str) -> list[str]:
    return [r.text for r in h.read(lambda s: documents.directives(s, scopes or _VIEW))]


def test_directives_carry_their_place(h: Handle) -> None:
    """A directive knows file, lines, heading, tier and form."""
    assert _put(
        h,
        _node("Never force-push."),
        _node("Prefer tabs.", NodeTier.SOFT, 5),
        _node("Lore.", NodeTier.LORE, 9),
    )
    hard, soft = h.read(lambda s: documents.directives(s, ("project:p",)))
    assert (hard.text, hard.tier, hard.block, hard.path) == (
        "Never force-push.",
        NodeTier.HARD,
        "list_item",
        "/w/CLAUDE.md",
    )
    assert (hard.line_start, hard.line_end, hard.heading) == (1, 2, ("Rules", "Git"))
    assert (hard.modalities, hard.scope, hard.host, hard.tokens) == (
        (Modality.OBLIGATION,),
        "project:p",
        "claude-code",
        5,
    )
    assert (hard.degraded, hard.document_state) == (False, "present")
    assert soft.tier is NodeTier.SOFT
    (state,) = h.read(documents.states).values()
    assert (state.size, state.mtime_ns, state.tokens_hard, state.tokens_soft) == (9, 10**18, 5, 5)
    lore = h.read(lambda s: search.text_candidates(s, '"lore"', Filter(_VIEW, frozenset({Kind.LORE})), 5))
    row = h.read(lambda s: search.rows(s, [lore[0][0]]))[lore[0][0]]
    assert (row.source_path, row.line, row.heading, row.ts_ms) == (
        "/w/CLAUDE.md",
        10,
        ("Rules", "Git"),
        10**12,
    )


def test_unchanged_digest_is_no_work(h: Handle) -> None:
    """The same text again changes nothing but the file's times."""
    assert _put(h, _node("a"))
    before = h.read(lambda s: s.rows("SELECT id, uid FROM item"))
    assert not _put(h, _node("a"), doc=replace(_DOC, size=99))
    assert h.read(lambda s: s.rows("SELECT id, uid FROM item")) == before
    assert h.read(documents.states)["/w/CLAUDE.md"].size == 99


def test_replacing_keeps_equal_nodes(h: Handle) -> None:
    """Nodes that stand in both keep uid and vector; the others go from every index."""
    _put(h, _node("keep me", n=0), _node("heron rule", n=1), _node("twice", n=2), _node("twice", n=3))
    h.begin()
    ids = dict(h.read(lambda s: s.rows("SELECT text, id FROM item")))
    h.embed({i: unit(i) for i in range(1, 5)})
    assert _put(h, _node("new first", n=0), _node("twice", n=1), _node("keep me", n=2))
    assert _rules(h) == ["new first", "twice", "keep me"]
    after = dict(h.read(lambda s: s.rows("SELECT text, id FROM item")))
    assert after["keep me"] == ids["keep me"]
    assert set(after) == {"new first", "twice", "keep me"}
    assert h.read(lambda s: search.text_candidates(s, '"heron"', Filter(_VIEW, frozenset(Kind)), 5)) == []
    assert h.read(vectors.counts).ready == 2
    assert h.read(vectors.counts).pending == 1
    assert h.read(lambda s: s.rows("PRAGMA foreign_key_check")) == []


def test_changed_tier_moves_between_lore_and_rules(h: Handle) -> None:
    """A text that becomes lore is no rule any more."""
    _put(h, _node("text"))
    _put(h, _node("text", NodeTier.LORE))
    assert _rules(h) == []
    assert h.value("SELECT count(*) FROM item WHERE kind = 6") == 1
    _put(h, _node("text", NodeTier.SOFT))
    assert _rules(h) == ["text"]


@pytest.mark.parametrize("state", ["unreadable", "missing_once"])
def test_b13_a_refused_look_is_no_deletion(h: Handle, state: str) -> None:
    """An unreadable document, or one missing for the first time, stays in force (C01, B13)."""
    _put(h, _node("rule one", n=0), _node("rule two", n=1))
    assert h.do(lambda tx: documents.mark_state(tx, "/w/CLAUDE.md", state, 8_000))
    assert _rules(h) == ["rule one", "rule two"]
    found = h.read(documents.states)["/w/CLAUDE.md"]
    assert (found.state, found.state_ms) == (state, 8_000)
    assert found.first_missing_ms == (8_000 if state == "missing_once" else None)
    assert not _put(h, _node("rule one", n=0), _node("rule two", n=1))
    assert h.read(documents.states)["/w/CLAUDE.md"].state == "present"
    assert h.value("SELECT count(*) FROM item") == 2


def test_gone_document_rests_and_comes_back(h: Handle) -> None:
    """A document that is really gone is out of use, not deleted; when it is back, so are its nodes."""
    _put(h, _node("heron rule"))
    for state in ("missing_once", "gone"):
        h.do(lambda tx, state=state: documents.mark_state(tx, "/w/CLAUDE.md", state, 8_000))
    assert _rules(h) == []
    filt = Filter(_VIEW, frozenset(Kind))
    assert h.read(lambda s: search.text_candidates(s, '"heron"', filt, 5)) == []
    assert h.read(documents.states)["/w/CLAUDE.md"].first_missing_ms == 8_000
    assert _put(h, _node("heron rule"))
    assert _rules(h) == ["heron rule"]
    assert len(h.read(lambda s: search.text_candidates(s, '"heron"', filt, 5))) == 1
    assert h.value("SELECT count(*) FROM item") == 1


def test_unknown_documents(h: Handle) -> None:
    """A state of a document that was never taken is not kept; removing it does nothing."""
    assert not h.do(lambda tx: documents.mark_state(tx, "/no", "gone", 1))
    assert not h.do(lambda tx: documents.remove(tx, "/no"))


def test_removed_document_leaves_nothing(h: Handle) -> None:
    """Removing takes nodes, indexes and vectors along."""
    _put(h, _node("heron rule"))
    assert h.do(lambda tx: documents.remove(tx, "/w/CLAUDE.md"))
    for table in ("item", "node", "chunk", "document"):
        assert h.count(table) == 0


def test_order_of_directives(h: Handle) -> None:
    """Global before user before agent before project; then the documents' order, path, place."""
    for scope in ("project:p", "agent:a", "user:u", "global"):
        for order, name in ((1, "b"), (0, "z"), (0, "a")):
            doc = replace(_DOC, path=f"/{scope}/{name}", scope=Scope.parse(scope), order=order)
            _put(h, _node(f"{scope} {name} 1", n=0), _node(f"{scope} {name} 2", n=1), doc=doc)
    expected = [
        f"{scope} {name} {n}"
        for scope in ("global", "user:u", "agent:a", "project:p")
        for name in ("a", "z", "b")
        for n in (1, 2)
    ]
    assert _rules(h, "project:p", "user:u", "agent:a", "global") == expected
    assert _rules(h, "global", "agent:a") == [t for t in expected if t.startswith(("global", "agent"))]


def test_notes_are_no_directives(h: Handle) -> None:
    """A watched note gives lore only, whatever tier its nodes claim."""
    _put(h, _node("rule-like"), doc=replace(_DOC, instructions=False))
    assert _rules(h) == []


def test_degraded_load_and_scope_change(h: Handle) -> None:
    """The degraded mark is kept; a document whose scope changes moves whole."""
    _put(h, _node("rule"), degraded=True)
    assert h.read(documents.states)["/w/CLAUDE.md"].degraded
    moved = replace(_DOC, scope=Scope.parse("global"))
    assert _put(h, _node("rule"), doc=moved, mark="moved")
    assert _rules(h, "global") == ["rule"]
    assert _rules(h, "project:p") == []
    assert not h.read(documents.states)["/w/CLAUDE.md"].degraded


def test_paths_of_nodes(h: Handle) -> None:
    """Nodes know their document."""
    _put(h, _node("a", n=0), _node("b", n=1))
    ids = h.read(lambda s: documents.nodes_of(s, "/w/CLAUDE.md"))
    assert len(ids) == 2
    assert h.read(lambda s: documents.path_of(s, ids)) == dict.fromkeys(ids, "/w/CLAUDE.md")
