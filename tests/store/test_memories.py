"""Durable memories: one row a fact, history kept."""

from __future__ import annotations

from libra.ground.records import Kind, MemoryType
from libra.store import memories, revisions, search, turns
from libra.store.tombstones import text_hash
from libra.store.visibility import Filter, Visible
from tests.store.support import Handle, session, unit

_FILT = Filter(Visible("", scopes=("user:u",)), frozenset({Kind.MEMORY}))


def _get(h: Handle, item: int) -> memories.MemoryRow:
    found = h.read(lambda s: memories.get(s, item))
    assert found is not None
    return found


def test_insert_keeps_everything(h: Handle) -> None:
    """A memory comes back with all its parts; its source counts as its first telling."""
    (said,) = h.say("My sister Linh lives in Da Nang.")
    memory = h.remember(
        "My sister Linh lives in Da Nang.", confidence=0.6, priority=80, ttl_ms=5, expires_ms=99_000, subject="sister",
        slot="lives in", source_turn=said, signals={"g": 0.5},
    )  # fmt: skip
    row = _get(h, memory)
    assert (row.type, row.confidence, row.priority, row.ttl_ms, row.expires_ms) == (
        "fact",
        0.6,
        80,
        5,
        99_000,
    )
    assert (row.subject, row.slot, row.source_turn, row.signals) == ("sister", "lives in", said, {"g": 0.5})
    assert (row.confirmations, row.recalls, row.active, row.archived_ms) == (1, 0, True, None)
    assert h.read(lambda s: memories.source_turns(s, [memory, 999])) == {memory: said}
    assert h.read(lambda s: memories.tellings(s, memory)) == [said]
    assert h.read(lambda s: memories.get(s, said)) is None


def test_b24_telling_again_confirms(h: Handle) -> None:
    """Three tellings in three sessions: one memory, the same id, three confirmations; a repeated job adds none."""
    text = "My sister Linh lives in Da Nang."
    said = [h.say(text, ref=session(f"s{n}"), first=n * 10)[0] for n in (1, 2, 3)]
    memory = h.remember(text, source_turn=said[0])
    for turn_id in (*said, *said):
        assert [m.item_id for m in h.read(lambda s: memories.of_hash(s, "u", text_hash(text)))] == [memory]
        h.do(lambda tx, t=turn_id: revisions.confirm(tx, memory, search.rows(tx, [t])[t], 1))
    assert _get(h, memory).confirmations == 3
    assert h.do(lambda tx: revisions.confirm(tx, memory, None, 1, confidence=0.95))
    assert (_get(h, memory).confirmations, _get(h, memory).confidence) == (4, 0.95)
    assert h.value("SELECT count(*) FROM memory") == 1


def test_superseding_keeps_history(h: Handle) -> None:
    """The old one is archived with confidence 0 and out of the active index; the line can be read."""
    a = h.remember("Server A runs Postgres 15.", n=1, subject="server a", slot="postgres")
    b = h.remember("Server B runs Postgres 16.", n=2, subject="server b", slot="postgres")
    c = h.remember("Server A runs Postgres 17.", n=3, subject="server a", slot="postgres")
    h.do(lambda tx: revisions.supersede(tx, a, c, 50))
    row = _get(h, a)
    assert (row.superseded_by, row.confidence, row.archived_ms, row.active) == (c, 0, 50, False)
    assert [m.item_id for m in h.read(lambda s: memories.history(s, c))] == [a, c]
    assert [m.item_id for m in h.read(lambda s: memories.history(s, b))] == [b]
    assert {i for i, _ in h.read(lambda s: search.text_candidates(s, '"postgres"', _FILT, 9))} == {b, c}
    assert (_get(h, a).valid_from_ms, _get(h, a).valid_to_ms, _get(h, c).valid_to_ms) == (1000, 3000, None)
    late = h.remember("Server A runs Postgres 16.", n=2, subject="server a", slot="postgres")
    h.do(lambda tx: (revisions.supersede(tx, late, c, 60), revisions.supersede(tx, a, late, 60)))
    assert (_get(h, a).superseded_by, _get(h, a).valid_to_ms, _get(h, a).archived_ms) == (late, 2000, 50)
    assert [m.item_id for m in h.read(lambda s: memories.history(s, c))] == [a, late, c]
    line = h.read(lambda s: memories.slot_line(s, "u", "server a", ("postgres", "postgres")))
    assert [m.item_id for m in line] == [a, late, c]


def test_expiry_and_archive(h: Handle) -> None:
    """Due memories are listed until they are archived; archive search still finds them."""
    due = h.remember("due heron", n=1, expires_ms=100)
    later = h.remember("later heron", n=2, expires_ms=200)
    h.remember("eternal heron", n=3)
    assert h.read(lambda s: memories.expired(s, 100)) == [due]
    assert h.do(lambda tx: revisions.archive(tx, [due], 101)) == 1
    assert h.do(lambda tx: revisions.archive(tx, [due], 102)) == 0
    assert _get(h, due).archived_ms == 101
    assert h.read(lambda s: memories.expired(s, 300)) == [later]
    everything = Filter(_FILT.visible, _FILT.kinds, active_only=False)
    assert len(h.read(lambda s: search.text_candidates(s, '"heron"', _FILT, 9))) == 2
    assert len(h.read(lambda s: search.text_candidates(s, '"heron"', everything, 9))) == 3
    assert h.read(lambda s: memories.of_hash(s, "u", text_hash("due heron"))) == []


def test_merging_takes_the_newer_wording(h: Handle) -> None:
    """A near-duplicate adds support; only a newer one changes the words; the uid stays."""
    old, new = h.say("the API is on port 70", "the API listens on port 70")
    memory = h.remember("the API is on port seventy", n=50)
    uid = _get(h, memory).uid
    rows = h.read(lambda s: search.rows(s, [old, new]))
    h.do(lambda tx: revisions.merge(tx, memory, "older words", "h1", rows[old], 9))
    assert _get(h, memory).text == "the API is on port seventy"
    later = rows[new]._replace(ts_ms=90_000)
    h.do(lambda tx: revisions.merge(tx, memory, "the API listens on port 70", "h2", later, 9))
    h.do(lambda tx: revisions.merge(tx, memory, "the API listens on port 70", "h2", later, 9))
    row = _get(h, memory)
    assert (row.text, row.content_hash, row.confirmations, row.uid) == (
        "the API listens on port 70",
        "h2",
        3,
        uid,
    )
    assert row.ts_ms == 90_000
    assert len(h.read(lambda s: search.text_candidates(s, '"listens"', _FILT, 9))) == 1
    assert h.read(lambda s: search.text_candidates(s, '"seventy"', _FILT, 9)) == []
    assert h.read(lambda s: memories.tellings(s, memory)) == [old, new]


def test_claims_of_a_session(h: Handle) -> None:
    """The latest active memories of one talk, newest first; none without a session."""
    h.say("x")
    session_id = h.value("SELECT id FROM session")
    ids = [h.remember(f"fact {n}", n=n, session_id=session_id) for n in range(1, 6)]
    h.remember("elsewhere", n=9)
    h.do(lambda tx: revisions.archive(tx, ids[-1:], 1))
    found = h.read(lambda s: memories.claims_known(s, "u", session_id, 3))  # type: ignore[arg-type]
    assert [m.item_id for m in found] == [ids[3], ids[2], ids[1]]
    assert h.read(lambda s: memories.claims_known(s, "u", None, 3)) == []
    assert h.read(lambda s: memories.claims_known(s, "other", session_id, 3)) == []  # type: ignore[arg-type]


def test_recalls_and_types(h: Handle) -> None:
    """A used recall is counted; another type is found by filter, in the mirror too."""
    memory = h.remember("fix the build")
    h.begin()
    h.embed({memory: unit(1)})
    h.store.vectors.view()
    h.do(lambda tx: revisions.recalled(tx, {memory: 0.64}, 33))
    row = _get(h, memory)
    assert (row.recalls, row.last_recalled_ms, row.confidence) == (1, 33, 0.64)
    h.do(lambda tx: revisions.retype(tx, memory, MemoryType.TODO, 55, 10**12))
    todo = Filter(_FILT.visible, _FILT.kinds, types=("todo",))
    fact = Filter(_FILT.visible, _FILT.kinds, types=("fact",))
    assert [i for i, _ in h.read(lambda s: search.vector_candidates(s, h.store, unit(1), todo, 5))] == [
        memory
    ]
    assert h.read(lambda s: search.vector_candidates(s, h.store, unit(1), fact, 5)) == []


def test_memory_outlives_its_turn_row(h: Handle) -> None:
    """A memory points to its turn only while that is there."""
    (said,) = h.say("a")
    memory = h.remember("a fact", source_turn=said)
    h.do(lambda tx: tx.run("DELETE FROM item WHERE id = ?", (said,)))
    assert _get(h, memory).source_turn is None
    assert h.read(lambda s: memories.tellings(s, memory)) == []
    assert h.read(lambda s: turns.pending_gate(s, 5)) == []


def test_related_goes_one_hop(h: Handle) -> None:
    """A hop leads to what told a memory, what took its place and what else is about its subject; never to another owner."""
    (said,) = h.say("Server A runs Postgres 15.")
    a15 = h.remember(
        "Server A runs Postgres 15.", n=1, subject="server a", slot="runs postgres", source_turn=said
    )
    a17 = h.remember("Server A runs Postgres 17.", n=2, subject="server a", slot="runs postgres")
    port = h.remember("Server A's port is 80.", n=3, subject="server a", slot="port")
    h.remember("Server B's port is 81.", n=4, subject="server b", slot="port")
    h.remember("Server A's port is 90.", "other", n=5, subject="server a", slot="port")
    h.do(lambda tx: revisions.supersede(tx, a15, a17, 50))
    found = h.read(lambda s: memories.related(s, [a15, said, port]))
    assert set(found) == {
        (a15, said, "told_by"),
        (a15, a17, "superseded_by"),
        (a15, a17, "same_subject"),
        (a15, port, "same_subject"),
        (said, a15, "tells"),
        (port, a17, "same_subject"),
    }
    assert (a17, a15, "supersedes") in h.read(lambda s: memories.related(s, [a17]))
    assert h.read(lambda s: memories.related(s, [a15], Visible("", scopes=("user:other",)))) == []
    assert h.read(lambda s: memories.related(s, [])) == []


def test_what_a_person_says_of_themselves_is_not_all_related(h: Handle) -> None:
    """Nearly all memories are about the person: only the same slot relates two of them; the newest come first, up to a limit."""
    tea = h.remember("I like tea.", n=1, subject="user", slot="likes tea")
    h.remember("I live in Hue.", n=2, subject="user", slot="lives in")
    uses = [h.remember(f"I use tool {n}.", n=n, subject="user", slot="uses") for n in range(3, 7)]
    assert h.read(lambda s: memories.related(s, [tea])) == []
    found = h.read(lambda s: memories.related(s, uses[:1], most=2))
    assert [other for _, other, _ in found] == [uses[3], uses[2]]
