"""Isolation: no read for a caller returns anything outside of what it may see, and no read goes around the builder."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from libra.ground.records import DocumentText, Kind, Node, NodeTier, Scope, SessionRef
from libra.store import documents, memories, search, summaries, turns, visibility
from libra.store.snapshot import Snapshot
from libra.store.store import Store
from libra.store.summaries import SummaryRow
from libra.store.visibility import Filter, Visible
from tests.store.support import DIMS, QUICK, Handle, session, turn, unit

USERS = ("ada", "ben")
SHARED = ("user:ada", "user:ben", "agent:x", "agent:y", "project:p", "project:q", "global")
WORD = "heron"


@dataclass(frozen=True, slots=True)
class World:
    """A store with something of every kind in every scope, all about herons, all near one vector."""

    h: Handle
    ids: list[int]
    scopes: dict[int, tuple[str, str]]
    """Item id → name and owner of its scope."""

    def allowed(self, visible: Visible) -> set[int]:
        """Return the items that the caller may see, worked out anew without SQL."""
        return {i for i, (name, owner) in self.scopes.items() if _may(visible, name, owner)}


def _may(visible: Visible, name: str, owner: str) -> bool:
    if name in visible.scopes:
        return True
    own = name.startswith("session:") and bool(visible.user) and owner == visible.user
    return own and (visible.every_session or name == f"session:{visible.session_key}")


def _document(n: int, scope: str) -> tuple[DocumentText, list[Node]]:
    doc = DocumentText(f"/w/{n}/CLAUDE.md", "", "any", Scope.parse(scope), instructions=True)
    tiers = (NodeTier.HARD, NodeTier.SOFT, NodeTier.LORE)
    nodes = [
        Node(tier, "list_item", f"{tier.value} {WORD} of {scope}", i, i + 1, i + 1, i + 1, tokens=3)
        for i, tier in enumerate(tiers)
    ]
    return doc, nodes


def _fill_session(h: Handle, ref: SessionRef, first: int) -> None:
    ids = h.say(*(f"{WORD} turn {n} of {ref.key} {ref.user}" for n in range(6)), ref=ref, first=first)
    row = h.read(lambda s: search.rows(s, ids[:1]))[ids[0]]
    assert row.session_id is not None
    summary = SummaryRow(
        f"sum-{row.session_id}",
        row.session_id,
        1,
        f"{WORD} summary {ref.key} {ref.user}",
        4,
        9,
        "extractive",
        1,
        1,
        1,
        1,
        9,
    )
    h.do(lambda tx: summaries.commit(tx, summary, ids[:3], ids[:1], 9))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield the filled store."""
    h = Handle(Store.open(tmp_path_factory.mktemp("world") / "libra.db", QUICK))
    first = 1
    for user, key in itertools.product(USERS, ("s1", "s2")):
        _fill_session(h, session(key, user), first)
        first += 100
    for user in USERS:
        h.remember(f"{WORD} memory of {user}", user)
    for n, scope in enumerate(SHARED):
        doc, nodes = _document(n, scope)
        h.do(lambda tx, d=doc, ns=nodes, n=n: documents.replace(tx, d, f"x{n}", ns, degraded=False, now_ms=9))
    h.begin()
    found = h.read(
        lambda s: s.rows(
            "SELECT item.id, scope.name, scope.owner FROM item JOIN scope ON scope.id = item.scope_id"
        )
    )
    ids = [row[0] for row in found]
    h.embed({i: unit(1) + 0.01 * unit(i + 10) for i in ids})
    yield World(h, ids, {i: (name, owner) for i, name, owner in found})
    h.store.close()


VIEWS = [
    Visible("ada", "claude-code:s1", ("user:ada", "global")),
    Visible("ada", "claude-code:s1", ("user:ada", "agent:x", "project:p", "global")),
    Visible("ben", "claude-code:s1", ("user:ben", "agent:y", "project:q")),
    Visible("ada", "claude-code:s1", (), every_session=False),
    Visible("ada", "claude-code:none", ("global",), every_session=False),
    Visible("", None, ("global",)),
    Visible("", "claude-code:s1", ()),
    Visible("cyd", "claude-code:s1", ("user:cyd",)),
    Visible("cyd", None, ("session:claude-code:s2",)),
    Visible("ada' OR 1=1 --", None, ("x' OR '1'='1", "session:%", "session:claude-code:s1' --")),
]

Read = Callable[[Snapshot, World, Visible], list[int]]


def _filter(visible: Visible) -> Filter:
    return Filter(visible, frozenset(Kind), active_only=False)


def _sessions(read: Callable[..., object]) -> Read:
    def both(s: Snapshot, _world: World, v: Visible) -> list[int]:
        return [row.id for key in ("s1", "s2") for row in read(s, f"claude-code:{key}", visible=v)]  # type: ignore[attr-defined]

    return both


def _uids(s: Snapshot, world: World) -> list[str]:
    return [r.uid for r in search.rows(s, world.ids).values()]


READS: dict[str, Read] = {
    "vector_candidates": lambda s, w, v: [
        i for i, _ in search.vector_candidates(s, w.h.store, unit(1), _filter(v), 500)
    ],
    "text_candidates": lambda s, _w, v: [
        i for i, _ in search.text_candidates(s, f'"{WORD}"', _filter(v), 500)
    ],
    "text_candidates side": lambda s, _w, v: [
        i for i, _ in search.text_candidates(s, f'"f_{WORD}" OR "{WORD}"', _filter(v), 500, "side")
    ],
    "cosines": lambda s, w, v: list(search.cosines(s, w.h.store, w.ids, unit(1), v)),
    "cosines by filter": lambda s, w, v: list(search.cosines(s, w.h.store, w.ids, unit(1), _filter(v))),
    "vectors_of": lambda s, w, v: list(search.vectors_of(s, w.h.store, w.ids, v)),
    "rows": lambda s, w, v: list(search.rows(s, w.ids, v)),
    "rows by filter": lambda s, w, v: list(search.rows(s, w.ids, _filter(v))),
    "by_uid": lambda s, w, v: [r.id for r in search.by_uid(s, _uids(s, w), visible=v).values()],
    "neighbours": lambda s, w, v: search.neighbours(s, w.ids[:3], 9, v),
    "neighbours by filter": lambda s, w, v: search.neighbours(s, w.ids, 9, _filter(v)),
    "tail": lambda s, _w, v: [
        r.id for k in ("s1", "s2") for r in turns.tail(s, f"claude-code:{k}", 10**6, visible=v)
    ],
    "turns_of": _sessions(turns.turns_of),
    "uncovered": _sessions(turns.uncovered),
    "of_session": _sessions(summaries.of_session),
    "guidance_of": _sessions(summaries.guidance_of),
    "partners": lambda s, w, v: [i for pair in turns.partners(s, w.ids, visible=v).items() for i in pair],
    "children": lambda s, w, v: [r.id for u in _uids(s, w) for r in summaries.children(s, u, visible=v)],
    "parents": lambda s, w, v: [r.id for u in _uids(s, w) for r in summaries.parents(s, u, visible=v)],
    "as of": lambda s, _w, v: [
        i
        for i, _ in search.text_candidates(
            s, f'"{WORD}"', replace(_filter(v), active_only=True, as_of_ms=10**12), 500
        )
    ],
    "related": lambda s, w, v: [other for _, other, _ in memories.related(s, w.ids, v)],
    "directives": lambda s, _w, v: [r.id for r in documents.directives(s, v)],
}


@pytest.mark.parametrize("view", VIEWS, ids=str)
@pytest.mark.parametrize("name", READS)
def test_no_read_shows_what_is_not_visible(world: World, name: str, view: Visible) -> None:
    """Every read function, for every kind of caller: nothing outside, whatever ids are asked for."""
    with world.h.store.snapshot() as s:
        assert set(READS[name](s, world, view)) <= world.allowed(view)


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_all_that_is_visible_is_found(world: World, view: Visible) -> None:
    """The searches show everything inside: isolation does not cost finds."""
    with world.h.store.snapshot() as s:
        allowed = world.allowed(view)
        assert set(READS["rows"](s, world, view)) == allowed
        assert set(READS["text_candidates"](s, world, view)) == allowed
        assert set(READS["vector_candidates"](s, world, view)) == allowed
        assert search.any_of_kind(s, _filter(view)) == bool(allowed)


def test_session_key_names_the_callers_own_session(world: World) -> None:
    """Two users may have sessions of one key; each reads its own."""
    with world.h.store.snapshot() as s:
        for user in USERS:
            view = Visible(user, "claude-code:s1")
            texts = [r.text for r in turns.tail(s, "claude-code:s1", 10**6, visible=view)]
            assert len(texts) == 6
            assert all(text.endswith(user) for text in texts)


def test_history_and_slots_are_the_users(world: World) -> None:
    """What the gate reads of memories is the user's own."""
    h = world.h
    with h.store.snapshot() as s:
        ada = [
            r for r in search.rows(s, world.ids).values() if r.kind is Kind.MEMORY and r.text.endswith("ada")
        ]
        assert memories.get(s, ada[0].id) is not None
        (found,) = memories.of_hash(s, "ada", memories.get(s, ada[0].id).content_hash)  # type: ignore[union-attr]
        assert memories.of_hash(s, "ben", found.content_hash) == []


def test_scope_ids_agree_with_the_clause(world: World) -> None:
    """The mirror's scopes and the statements' come from one condition."""
    with world.h.store.snapshot() as s:
        names = dict(s.rows("SELECT id, name FROM scope"))
        owners = dict(s.rows("SELECT id, owner FROM scope"))
        for view in VIEWS:
            assert set(visibility.scope_ids(s, view)) == {i for i in names if _may(view, names[i], owners[i])}
        assert visibility.scope_ids(s, None) == sorted(names)


def test_mirror_and_statement_both_filter(world: World) -> None:
    """Were the mirror's scopes stale, the statement that scores would still keep a foreign row out."""
    h = world.h
    view = Visible("", None, ("global",))
    mirror = h.store.vectors
    real = mirror.view()
    with h.store.snapshot() as s:
        (wrong,) = visibility.scope_ids(s, view)
        mirror._view = real.__class__(
            **{f: getattr(real, f) for f in real.__dataclass_fields__} | {"scope": real.scope * 0 + wrong}
        )
        try:
            found = search.vector_candidates(s, h.store, unit(1), _filter(view), 500)
        finally:
            mirror._view = real
        assert {i for i, _ in found} <= world.allowed(view)


# ------------------------------------------------------------------ nothing goes around

_READS_ITEMS = re.compile(r"\b(?:FROM|JOIN)\s+(?:item|fts_word|fts_side)\b")
_PROGRAMS_OWN = {
    # module: functions that read items for the program itself, by id and never for a caller
    "items": None,
    "loading": {"stored_part"},
    "voices": {"of_turns", "quieten"},
    "vectors": {"pending", "_items", "fail", "ready_after"},
    "lineage": None,
    "forget": None,
    "stats": None,
    "health": None,
    "schema": None,
    "schema_later": None,
    "memories": {"owners", "free_uid"},
    "revisions": {"reword", "hand_over"},
    "history": {"times_around"},
    "journal": {"look"},
    "sessions": {"mark_source_gone", "rested"},
    "undo": {"_revive", "absent", ""},
    # Ids only: whether the same words hold in the same scope.
    "reopen": {"_said"},
    "documents": {"_keep_equal", "_note"},
    # A document's own lines, to be held against those that take their place; noted in the document's scope.
    "rule_history": {"lines_of"},
    "summaries": {"commit", "protect", "details"},
    "turns": {
        "_look_up",
        "partners",
    },  # the partner is of the same session, so of the same scope
    # What comes in is looked for by uid or hash, within the user whose it is.
    "incoming": None,
    "content": {"holds", "ever", "hash_of"},
    # The whole of a copy, and the age of the database: nobody's words are given out.
    "backup": {"_described"},
    "store": {"Store"},
    "restore": {""},
    # Counts and ids for the person: no words.
    "lately": {"learnt", "injected_since"},
    "talks": {""},
    # Counted, queued and built again: no words are given out.
    "repair": None,
    "reindex": None,
    # A copy to rehearse on, by the person: the answer is about their own sessions.
    "trial": None,
    # The whole of a damaged database into a new one: nobody's words are given out.
    "recover": None,
    # Whatever holds a scrubbed word, whoever's it is: the words go, none are given out.
    "wipe": {"reword", "kinds", "uids", "origins"},
    # Everything of the made-up user, to be taken out again: ids only.
    "canary": {"items_of"},
    # Which note holds which turn's words; whoever reads the link sees only what is in view.
    "quotes": None,
}


def test_items_are_read_through_the_builder_only(root: Path) -> None:
    """Outside of the builder, SQL that reads items stands only in functions of the program's own work."""
    for path in sorted((root / "libra" / "store").glob("*.py")):
        if path.stem == "visibility":
            continue
        for function, text in _strings(path):
            if _READS_ITEMS.search(text) and not _inside_select(text):
                own = _PROGRAMS_OWN.get(path.stem, set())
                assert own is None or function in own, f"{path.stem}.{function}: {text[:80]}"


def _inside_select(text: str) -> bool:
    """Parts that are handed to the builder begin with a join, not with SELECT."""
    return "SELECT" not in text


def _strings(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body:
        name = getattr(node, "name", "")
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield name, part.value


def test_dimensions_fit() -> None:
    """The world's vectors are the support module's."""
    assert unit(1).shape == (DIMS,)
    assert turn("x").content == "x"
