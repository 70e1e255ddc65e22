"""C96: turns that a person took back leave use with all that was made of them, and come back with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from libra.ground.records import Cursor
from libra.store import memories, revisions, search, turns, undo
from libra.store.turns import TurnRow
from libra.store.writer import WriteTx
from tests.store.support import Handle, session, turn

FILE = Cursor("/home/dev/s1.jsonl", "claude-code")


def hand_over(h: Handle, rows: Sequence[TurnRow], key: str = "s1") -> dict[int, bool]:
    """Append rows of a file and settle what it says about known ones, as the engine does."""

    def job(tx: WriteTx) -> dict[int, bool]:
        done = turns.append(tx, session(key), rows, FILE, 5_000)
        undo.settle(tx, done.undone, 5_000)
        return done.undone

    return h.do(job)


def active(h: Handle, item: int) -> bool:
    """Whether an item is in use."""
    return bool(h.value("SELECT active FROM item WHERE id = ?", (item,)))


def test_a_turn_is_taken_back_and_comes_back(h: Handle) -> None:
    """Handed over again as undone, the turn and the memory of it alone leave; as standing again, both return."""
    rows = [turn("keep", 1), turn("We use Postgres.", 2)]
    hand_over(h, rows)
    said = h.value("SELECT item_id FROM turn WHERE content_key = ?", (rows[1].content_key,))
    assert isinstance(said, int)
    memory = h.remember("We use Postgres.", source_turn=said)
    assert hand_over(h, [rows[0], replace(rows[1], undone=True)]) == {said: True}
    assert (active(h, said), active(h, memory)) == (False, False)
    assert hand_over(h, [replace(rows[1], undone=True)]) == {}
    assert hand_over(h, rows) == {said: False}
    assert (active(h, said), active(h, memory)) == (True, True)
    assert h.value("SELECT count(*) FROM relation WHERE kind = 'undone'") == 0


def test_a_memory_that_others_told_too_stays(h: Handle) -> None:
    """Only what rests on undone turns alone goes."""
    first, second = h.say("Linh lives in Da Nang.", "Linh lives in Da Nang, you know.")
    memory = h.remember("Linh lives in Da Nang.", source_turn=first)
    h.do(lambda tx: revisions.confirm(tx, memory, search.rows(tx, [second])[second], 1))
    h.do(lambda tx: undo.settle(tx, {first: True}, 1))
    assert active(h, memory)
    h.do(lambda tx: undo.settle(tx, {second: True}, 1))
    assert not active(h, memory)
    h.do(lambda tx: undo.settle(tx, {first: False}, 1))
    assert active(h, memory)


def test_what_an_undone_memory_replaced_is_back(h: Handle) -> None:
    """An update that is taken back leaves the old truth in force; redone, it replaces it again."""
    old_turn, new_turn = h.say("A runs 15.", "A runs 17.")
    old = h.remember("A runs 15.", n=1, source_turn=old_turn, confidence=0.8)
    new = h.remember("A runs 17.", n=2, source_turn=new_turn, confidence=0.7)
    h.do(lambda tx: revisions.supersede(tx, old, new, 3_000))
    h.do(lambda tx: undo.settle(tx, {new_turn: True}, 4_000))
    row = h.read(lambda s: memories.get(s, old))
    assert (active(h, old), active(h, new), row and row.superseded_by) == (True, False, None)
    assert row is not None
    assert row.confidence > 0
    h.do(lambda tx: undo.settle(tx, {new_turn: False}, 5_000))
    assert (active(h, old), active(h, new)) == (False, True)


def test_an_archived_memory_is_not_brought_back_by_a_redo(h: Handle) -> None:
    """What had expired or was archived before the undo stays archived."""
    (said,) = h.say("Call Ben tomorrow.")
    memory = h.remember("Call Ben tomorrow.", source_turn=said)
    h.do(lambda tx: revisions.archive(tx, [memory], 2_000))
    h.do(lambda tx: undo.settle(tx, {said: True}, 3_000))
    h.do(lambda tx: undo.settle(tx, {said: False}, 4_000))
    assert not active(h, memory)


def test_a_copy_in_another_session_has_no_say(h: Handle) -> None:
    """A fork that left a branch does not take the parent's turns away, nor bring back what the parent undid."""
    rows = [turn("plan", 1), turn("detail", 2)]
    hand_over(h, rows)
    assert hand_over(h, [replace(row, undone=True) for row in rows], "fork") == {}


def test_undone_turns_wait_for_the_gate_until_they_are_back(h: Handle) -> None:
    """No memory is made of an undone turn; it is looked at once it stands again."""
    row = turn("Always use tabs.", 1)
    hand_over(h, [replace(row, undone=True)])
    assert h.read(lambda s: turns.pending_gate(s, 10)) == []
    assert h.value("SELECT active FROM item") == 0
    hand_over(h, [row])
    assert [r.text for r in h.read(lambda s: turns.pending_gate(s, 10))] == ["Always use tabs."]


def test_what_the_source_no_longer_holds_is_taken_back(h: Handle) -> None:
    """A host that deletes what was undone: of this session and this source only, never what came another way."""
    rows = [turn("plan", 1), turn("wrong", 2)]
    hand_over(h, rows)
    hand_over(h, [turn("other session", 3)], "s2")
    h.say("by another way", first=9)
    there = frozenset({rows[0].external_id or ""})

    def job(tx: WriteTx) -> dict[int, bool]:
        gone = undo.absent(tx, session("s1"), FILE.path, there)
        undo.settle(tx, gone, 5_000)
        return gone

    assert list(h.do(job).values()) == [True]
    left = h.read(lambda s: s.rows("SELECT text FROM item WHERE active = 0"))
    assert [row[0] for row in left] == ["wrong"]
