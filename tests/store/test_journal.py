"""The journal: what a change did can be told and undone, for a while, and never outlives what it is about."""

from __future__ import annotations

from libra.ground.records import MemoryType
from libra.store import forget, journal, memories, revisions, search, undoing
from libra.store.journal import Entry, JournalParams, change
from libra.store.writer import WriteTx
from tests.store.support import Handle

_PARAMS = JournalParams()
_DAY = journal.DAY_MS


def _get(h: Handle, item: int) -> memories.MemoryRow:
    found = h.read(lambda s: memories.get(s, item))
    assert found is not None
    return found


def _last(h: Handle) -> Entry:
    found = h.read(lambda s: journal.last(s, "u"))
    assert found is not None
    return found


def _supersede(h: Handle, old: int, new: int, now_ms: int = 50) -> None:
    def job(tx: WriteTx) -> None:
        with change(tx, "supersede", "u", [old], now_ms, _PARAMS) as made:
            revisions.supersede(tx, old, new, now_ms)
            made.made.append(new)

    h.do(job)


def test_undoing_a_supersession_brings_the_old_one_back(h: Handle) -> None:
    """All its columns and relations are as before, it is found again, and the entry is marked."""
    a = h.remember("Server A runs Postgres 15.", n=1)
    c = h.remember("Server A runs Postgres 17.", n=3)
    before = _get(h, a)
    _supersede(h, a, c)
    entry = _last(h)
    assert (entry.verb, entry.actor, entry.item_ids, entry.made) == ("supersede", "libra", [a, c], [c])
    assert entry.changed[a]["active"] == [1, 0]
    assert h.read(lambda s: undoing.moved_on(s, entry)) == []
    h.do(lambda tx: undoing.undo(tx, entry, 60))
    assert _get(h, a) == before
    assert [m.item_id for m in h.read(lambda s: memories.history(s, c))] == [c]
    assert h.read(lambda s: journal.last(s, "u")) is None
    kept = h.read(lambda s: journal.get(s, entry.id))
    assert kept is not None
    assert kept.undone_ms == 60


def test_undoing_gives_back_the_earlier_successor(h: Handle) -> None:
    """A that was followed by C, then by B in between, is followed by C again."""
    a, b, c = (h.remember(text, n=n) for n, text in ((1, "a"), (2, "b"), (3, "c")))
    _supersede(h, a, c)
    _supersede(h, a, b)
    h.do(lambda tx: undoing.undo(tx, _last(h), 60))
    assert _get(h, a).superseded_by == c
    assert {m.item_id for m in h.read(lambda s: memories.history(s, a))} == {a, c}


def test_a_merge_gives_the_old_words_back_and_keeps_later_tellings(h: Handle) -> None:
    """The wording is the only text in the journal, once; confirmations that came since stay counted."""
    said, again = h.say("the API listens on port 70", "the API is on port seventy", first=50)
    memory = h.remember("the API is on port seventy", n=1)
    rows = h.read(lambda s: search.rows(s, [said, again]))

    def job(tx: WriteTx) -> None:
        with change(tx, "merge", "u", [memory], 9, _PARAMS):
            revisions.merge(tx, memory, "the API listens on port 70", "h2", rows[said], 9)

    h.do(job)
    assert h.value("SELECT before FROM journal").count("port") == 1  # type: ignore[union-attr]
    h.do(lambda tx: revisions.confirm(tx, memory, rows[again], 10))
    assert _get(h, memory).confirmations == 3
    h.do(lambda tx: undoing.undo(tx, _last(h), 60))
    row = _get(h, memory)
    assert (row.text, row.ts_ms, row.confirmations) == ("the API is on port seventy", 1000, 2)
    assert h.read(lambda s: memories.tellings(s, memory)) == [again]


def test_the_world_may_have_moved_on(h: Handle) -> None:
    """What changed again since, and what is gone or shelved, stands in the way, by name."""
    a, b, c = (h.remember(text, n=n) for n, text in ((1, "a"), (2, "b"), (3, "c")))
    _supersede(h, a, b)
    first = _last(h)
    _supersede(h, b, c)
    assert h.read(lambda s: undoing.moved_on(s, first)) == [(b, "active")]
    second = _last(h)
    h.do(lambda tx: revisions.set_confidence(tx, b, 0.1, 7))
    assert h.read(lambda s: undoing.moved_on(s, second)) == []  # confidence was no part of that change
    h.do(lambda tx: revisions.supersede(tx, b, a, 8))
    assert {column for _, column in h.read(lambda s: undoing.moved_on(s, second))} == {
        "superseded_by",
        "valid_to_ms",
    }


def test_other_types_are_put_back_in_the_mirror_too(h: Handle) -> None:
    """A type that is undone is undone everywhere; what a person has set stays through a change of type."""
    memory = h.remember("fix the build")
    h.do(lambda tx: tx.run("UPDATE memory SET priority = 99, priority_manual = 1"))

    def job(tx: WriteTx) -> None:
        with change(tx, "retype", "u", [memory], 9, _PARAMS):
            revisions.retype(tx, memory, MemoryType.TODO, 55, 10**12)

    h.do(job)
    row = _get(h, memory)
    assert (row.type, row.priority, row.expires_ms, row.priority_manual) == ("todo", 99, 10**12, True)

    def back(tx: WriteTx) -> dict[int, str | None]:
        undoing.undo(tx, _last(h), 60)
        return dict(tx.changes.types)

    assert h.do(back) == {memory: "fact"}
    assert (_get(h, memory).type, _get(h, memory).expires_ms) == ("fact", None)


def test_nothing_done_is_nothing_noted(h: Handle) -> None:
    """A change that changes nothing leaves no entry."""
    memory = h.remember("x")

    def job(tx: WriteTx) -> int | None:
        with change(tx, "archive", "u", [memory, 999], 9, _PARAMS) as made:
            pass
        return made.id

    assert h.do(job) is None
    assert h.count("journal") == 0


def test_it_is_bounded_by_age_and_number(h: Handle) -> None:
    """Old entries go when new ones come."""
    a, b = h.remember("a", n=1), h.remember("b", n=2)
    few = JournalParams(undo_days=30, kept=2)

    def job(tx: WriteTx, confidence: float, at_ms: int) -> None:
        with change(tx, "confirm", "u", [a], at_ms, few):
            revisions.set_confidence(tx, a, confidence, at_ms)

    for n in range(1, 5):
        h.do(lambda tx, n=n: job(tx, n / 10, n))
    assert [e.at_ms for e in h.read(lambda s: journal.newest(s, "u", 9))] == [4, 3]
    h.do(lambda tx: job(tx, 0.9, 4 + 31 * _DAY))
    assert [e.at_ms for e in h.read(lambda s: journal.newest(s, "u", 9))] == [4 + 31 * _DAY]
    assert h.read(lambda s: journal.newest(s, "other", 9)) == []
    assert [e.at_ms for e in h.read(lambda s: journal.of_item(s, a, 9))] == [4 + 31 * _DAY]
    assert h.read(lambda s: journal.of_item(s, b, 9)) == []


def test_forgetting_takes_the_journal_along(h: Handle) -> None:
    """An earlier wording of a forgotten memory is nowhere."""
    (said,) = h.say("the hint is the zanzibar bike", first=50)
    memory = h.remember("the hint is a zanzibar bicycle", n=1)
    rows = h.read(lambda s: search.rows(s, [said]))

    def job(tx: WriteTx) -> None:
        with change(tx, "merge", "u", [memory], 9, _PARAMS):
            revisions.merge(tx, memory, "the hint is the zanzibar bike", "h2", rows[said], 9)

    h.do(job)
    h.do(lambda tx: forget.forget(tx, [memory], 99))
    assert (h.count("journal"), h.count("journal_item")) == (0, 0)
