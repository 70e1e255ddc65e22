"""Turns: each event once, whatever file it stands in; lineage of copies; tails."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.errors import NotFound
from libra.ground.records import Cursor, Role, SessionRef
from libra.store import cursors, sessions, turns, undo, voices
from libra.store.store import Store
from libra.store.turns import TurnRow
from libra.store.visibility import Visible
from libra.store.writer import WriteTx
from tests.store.support import QUICK, Handle, session, turn


def _texts(h: Handle, key: str, limit: int = 10**6, **how: bool) -> list[str]:
    return [r.text for r in h.read(lambda s: turns.tail(s, f"claude-code:{key}", limit, **how))]


def _parent(h: Handle, key: str) -> str | None:
    found = h.read(lambda s: sessions.find(s, f"claude-code:{key}"))
    assert found is not None
    return found.parent_key


# ------------------------------------------------------------------ identity


def test_append_keeps_everything(h: Handle) -> None:
    """A stored turn comes back with all that was handed in."""
    row = replace(
        turn("hello", 7),
        speaker="Ada",
        line=12,
        metadata={"a": [1, "é"]},
        tokens=42,
        source_path="/x/s.jsonl",
    )
    ref = session(agent="main", project="p", cwd="/w")
    done = h.append([row], ref, Cursor("/x/s.jsonl", "claude-code", lines=12))
    assert (done.accepted, done.duplicates, done.forgotten) == (1, 0, 0)
    (got,) = h.read(lambda s: turns.tail(s, ref.key, 1))
    assert got.id == done.new_ids[0]
    assert got.uid == done.uids[0]
    assert (got.text, got.tokens, got.ts_ms, got.role, got.speaker) == ("hello", 42, 7000, "user", "Ada")
    assert (got.session_key, got.scope, got.seq) == (ref.key, f"session:{ref.key}", 1)
    assert (got.agent, got.project, got.external_id, got.origin) == ("main", "p", row.external_id, "owner")
    assert (got.line, got.source_path, got.metadata) == (12, "/x/s.jsonl", {"a": [1, "é"]})
    assert got.active
    assert not got.covered


def test_known_events_change_nothing(h: Handle) -> None:
    """The same batch again, a batch that holds a row twice, and a lost cursor: no new row (B02, C25)."""
    rows = [turn(f"text {n}", n) for n in range(5)]
    first = h.append([*rows, rows[2]])
    again = h.append(rows)
    assert (first.accepted, first.duplicates) == (5, 1)
    assert (again.accepted, again.duplicates, again.new_ids) == (0, 5, [])
    assert again.uids == first.uids[:5]
    assert first.uids[5] == first.uids[2]
    assert h.value("SELECT count(*) FROM item") == 5


def test_same_content_with_another_id_is_the_same_turn(h: Handle) -> None:
    """Replayed entries come with new ids: role, time and text decide (C20)."""
    first = h.append([turn("hello", 3)])
    other = turn("hello  ", 3, event="ffffffff-0000-0000-000000000003")
    assert h.append([other]).uids == first.uids
    assert h.append([turn("hello", 4)]).accepted == 1


def test_users_do_not_share_turns(h: Handle) -> None:
    """The same event told by two users is two turns, each in its own session; sessions of one key stay apart."""
    a = h.append([turn("hello", 1)], session("s1", "ada"))
    b = h.append([turn("hello", 1)], session("s1", "ben"))
    assert (a.accepted, b.accepted) == (1, 1)
    assert a.uids != b.uids
    for user, done in (("ada", a), ("ben", b)):
        found = h.read(lambda s, user=user: turns.tail(s, "claude-code:s1", 1, visible=Visible(user)))
        assert [r.uid for r in found] == done.uids


def test_cursor_moves_with_the_rows(h: Handle) -> None:
    """Rows and cursor are one transaction; a batch without turns may move the cursor alone."""
    cursor = Cursor(
        "/x/a.jsonl", "claude-code", lines=3, inode=2**64 - 1, positions={"s": (5, "g")}, parser={"k": [1]}
    )

    def failing(tx: WriteTx) -> None:
        turns.append(tx, session(), [turn("a")], cursor, 1)
        raise KeyError

    with pytest.raises(KeyError):
        h.do(failing)
    assert h.read(lambda s: cursors.get(s, cursor.path)) is None
    assert h.value("SELECT count(*) FROM item") == 0
    h.append([], cursor=cursor)
    assert h.read(lambda s: cursors.get(s, cursor.path)) == cursor
    h.append([turn("a")], cursor=replace(cursor, lines=4))
    (row,) = h.read(cursors.every)
    assert row.cursor == replace(cursor, lines=4)
    assert (row.turns, row.state) == (1, "ok")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 12), max_size=8), min_size=1, max_size=5))
def test_any_batches_store_each_event_once(batches: list[list[int]]) -> None:
    """However events are cut into batches and repeated, each is stored once and has one uid."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "libra.db", QUICK)
        h = Handle(store)
        uids: dict[int, str] = {}
        for n, batch in enumerate(batches):
            done = h.append([turn(f"event {e}", e) for e in batch], session(f"s{n % 2}"))
            assert done.accepted + done.duplicates == len(batch)
            for event, uid in zip(batch, done.uids, strict=True):
                assert uids.setdefault(event, uid) == uid
        events = {e for batch in batches for e in batch}
        assert h.value("SELECT count(*) FROM turn") == len(events)
        assert len(set(uids.values())) == len(events)
        store.close()


# ------------------------------------------------------------------ lineage

_EVENTS = {n: turn(f"u{n}", n) for n in range(1, 12)}


def _file(h: Handle, key: str, events: Sequence[int], batch: int = 100) -> None:
    for start in range(0, len(events), batch):
        h.append([_EVENTS[n] for n in events[start : start + batch]], session(key))


@pytest.mark.parametrize("order", ["AB", "BA", "ABAB", "BABA"])
@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_b02_resumed_copy(h: Handle, order: str, batch: int) -> None:
    """B repeats A and goes on: 5 turns, B is A's child, whichever file was read first and in what batches."""
    files = {"A": [1, 2, 3, 4], "B": [1, 2, 3, 4, 5]}
    for key in order:
        _file(h, key, files[key], batch)
    assert h.value("SELECT count(*) FROM turn") == 5
    assert (_parent(h, "A"), _parent(h, "B")) == (None, "claude-code:A")
    assert _texts(h, "B") == ["u5", "u4", "u3", "u2", "u1"]
    assert _texts(h, "A") == ["u4", "u3", "u2", "u1"]
    assert _texts(h, "B", with_lineage=False) == ["u5"]


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("ABC")])
@pytest.mark.parametrize("batch", [2, 100])
def test_chain_of_copies(h: Handle, order: str, batch: int) -> None:
    """C goes on from B, which goes on from A: a chain, in every order of reading."""
    files = {"A": [1, 2, 3], "B": [1, 2, 3, 4, 5], "C": [1, 2, 3, 4, 5, 6]}
    for key in order:
        _file(h, key, files[key], batch)
    assert h.value("SELECT count(*) FROM turn") == 6
    assert _texts(h, "C") == ["u6", "u5", "u4", "u3", "u2", "u1"]
    assert _texts(h, "B") == ["u5", "u4", "u3", "u2", "u1"]
    assert _texts(h, "A") == ["u3", "u2", "u1"]
    assert (_parent(h, "A"), _parent(h, "B"), _parent(h, "C")) == (None, "claude-code:A", "claude-code:B")


@pytest.mark.parametrize("order", ["AB", "BA"])
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_fork_does_not_see_what_its_parent_said_later(h: Handle, order: str, batch: int) -> None:
    """A goes on after the fork: each branch ends in its own turns, with the shared beginning below."""
    files = {"A": [1, 2, 3, 4, 5], "B": [1, 2, 3, 8, 9]}
    for key in order:
        _file(h, key, files[key], batch)
    assert _texts(h, "A") == ["u5", "u4", "u3", "u2", "u1"]
    assert _texts(h, "B") == ["u9", "u8", "u3", "u2", "u1"]
    assert h.value("SELECT count(*) FROM turn") == 7
    assert {_parent(h, "A"), _parent(h, "B")} in ({None, "claude-code:A"}, {None, "claude-code:B"})


def test_original_that_goes_on_stays_the_parent(h: Handle) -> None:
    """After B was linked below A, new turns in A and a second reading of B change nothing."""
    _file(h, "A", [1, 2, 3])
    _file(h, "B", [1, 2, 3, 5])
    _file(h, "A", [7])
    _file(h, "B", [1, 2, 3, 5])
    assert (_parent(h, "A"), _parent(h, "B")) == (None, "claude-code:A")
    assert _texts(h, "A") == ["u7", "u3", "u2", "u1"]
    assert _texts(h, "B") == ["u5", "u3", "u2", "u1"]


@st.composite
def _copies(draw: st.DrawFn) -> list[list[int]]:
    """Return files: each a copy of the beginning of an earlier one, or of nothing, with events of its own."""
    files: list[list[int]] = []
    following = 1
    for _ in range(draw(st.integers(2, 5))):
        source = draw(st.sampled_from(files)) if files else []
        shared = source[: draw(st.integers(0, len(source)))]
        own = list(range(following, following + draw(st.integers(0 if shared else 1, 4))))
        following += len(own)
        files.append([*shared, *own])
    return files


@settings(max_examples=40, deadline=None)
@given(files=_copies(), batch=st.sampled_from([1, 2, 3, 100]), data=st.data())
def test_any_copies_are_shown_whole(files: list[list[int]], batch: int, data: st.DataObject) -> None:
    """In whatever order and pieces copies are read: each event once, and each session's talk is its file's."""
    rest = {
        n: [events[i : i + batch] for i in range(0, len(events), batch)] for n, events in enumerate(files)
    }
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "libra.db", QUICK)
        h = Handle(store)
        while open_files := [n for n in rest if rest[n]]:
            n = data.draw(st.sampled_from(open_files))
            h.append([turn(f"u{e}", e) for e in rest[n].pop(0)], session(f"f{n}"))
        assert h.value("SELECT count(*) FROM turn") == len({e for events in files for e in events})
        assert h.read(lambda s: s.rows("PRAGMA foreign_key_check")) == []
        for n, events in enumerate(files):
            assert _texts(h, f"f{n}")[::-1] == [f"u{e}" for e in events]
        store.close()


def test_parent_named_by_the_host(h: Handle) -> None:
    """A subagent's session is linked to its parent, but its talk does not go on into the parent's."""
    h.say("parent says")
    child = session("child", parent_key="claude-code:s1", kind="subagent")
    h.say("child says", ref=child, first=10)
    assert _parent(h, "child") == "claude-code:s1"
    assert _texts(h, "child") == ["child says"]


def test_parent_unknown_yet_and_cycles(h: Handle) -> None:
    """A parent that was not read yet gets a row; a circle of parents is not closed."""
    h.say("b", ref=session("b", parent_key="claude-code:a"))
    assert _parent(h, "b") == "claude-code:a"
    h.say("a", ref=session("a", parent_key="claude-code:b"), first=2)
    assert _parent(h, "a") is None
    h.say("c", ref=SessionRef("c", "u", parent_key="c"), first=3)


# ------------------------------------------------------------------ reading


def test_tail_stops_at_the_limit_after_sixteen_turns(h: Handle) -> None:
    """Newest first; the turn that reaches the limit is the last, but there are never fewer than 16."""
    h.append([replace(turn(f"t{n}", n), tokens=10) for n in range(100)])
    assert len(_texts(h, "s1", 1)) == 16
    assert len(_texts(h, "s1", 155)) == 16
    assert len(_texts(h, "s1", 505)) == 51
    assert len(_texts(h, "s1", 10**6)) == 100
    assert _texts(h, "s1", 1)[:2] == ["t99", "t98"]
    assert _texts(h, "nobody") == []


def test_tail_is_in_order_of_time_then_place(h: Handle) -> None:
    """An older part of a session that is read later stands where it belongs; equal times keep their order."""
    h.append([turn(t, n, ts_ms=5000) for n, t in enumerate(("c", "d", "e"), 10)])
    h.append([turn("a", 1, ts_ms=1000), turn("b", 2, ts_ms=2000)])
    assert _texts(h, "s1") == ["e", "d", "c", "b", "a"]


def test_undone_turns_leave_tail_and_index(h: Handle) -> None:
    """What the person undid is kept but not used (C96), and comes back when it is redone."""
    ids = h.say("keep", "undo me")
    h.do(lambda tx: undo.set_undone(tx, ids[1:]))
    assert _texts(h, "s1") == ["keep"]
    assert h.value("SELECT active FROM item WHERE id = ?", (ids[1],)) == 0
    h.do(lambda tx: undo.set_undone(tx, ids[1:], undone=False))
    assert _texts(h, "s1") == ["undo me", "keep"]


def test_gate_queue(h: Handle) -> None:
    """Waiting turns come in order of arrival, until they are marked; the column is the queue."""
    h.append([turn("a", 1), replace(turn("b", 2), gated=turns.NOT_ELIGIBLE), turn("c", 3)])
    waiting = h.read(lambda s: turns.pending_gate(s, 10))
    assert [r.text for r in waiting] == ["a", "c"]
    assert [r.text for r in h.read(lambda s: turns.pending_gate(s, 1))] == ["a"]
    assert h.read(lambda s: turns.pending_gate(s, 10, with_vectors=True)) == []
    h.do(lambda tx: turns.mark_gated(tx, [waiting[0].id]))
    assert [r.text for r in h.read(lambda s: turns.pending_gate(s, 10))] == ["c"]


def test_partners(h: Handle) -> None:
    """A request's partner is the first answer after it, an answer's the request before it."""
    roles = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.USER]
    ids = h.append([turn(f"t{n}", n, role=role) for n, role in enumerate(roles)]).new_ids
    found = h.read(lambda s: turns.partners(s, ids))
    assert found == {ids[0]: ids[1], ids[1]: ids[0], ids[3]: ids[0]}


def test_speakers_and_owner(h: Handle) -> None:
    """Names of those who speak, only in what the caller sees; the owner is the session's user."""
    rows: list[TurnRow] = [replace(turn("a", 1), speaker="Ada"), replace(turn("b", 2), speaker="Ben")]
    ids = h.append(rows).new_ids
    h.append([replace(turn("c", 3), speaker="Zoe")], session("z", "other"))
    assert h.read(lambda s: voices.visible_names(s, Visible("u"))) == ["Ada", "Ben"]
    assert h.read(lambda s: turns.owner_of(s, ids[0])) == "u"
    with pytest.raises(NotFound):
        h.read(lambda s: turns.owner_of(s, 999))


def test_turns_of_and_uncovered(h: Handle) -> None:
    """All turns of a session, oldest first."""
    h.say("a", "b", "c")
    for read in (turns.turns_of, turns.uncovered):
        assert [r.text for r in h.read(lambda s, read=read: read(s, "claude-code:s1"))] == ["a", "b", "c"]
        assert h.read(lambda s, read=read: read(s, "claude-code:none")) == []
