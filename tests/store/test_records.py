"""Receipts, requests, cursors, sessions, statistics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libra.ground.records import Cursor
from libra.store import cursors, meta, receipts, requests, sessions, stats
from libra.store.receipts import Receipt
from tests.store.support import Handle, session, turn, unit


def test_receipts(h: Handle) -> None:
    """A receipt comes back whole; its lines are known in their session; old ones go."""
    one = Receipt("r1", 1_000, "s1", "q", 10, 100, [{"id": "a", "tier": "hard"}], ["embedding: none"])
    h.do(lambda tx: receipts.keep(tx, one, ["l1", "l2"]))
    assert h.read(lambda s: receipts.get(s, "r1")) == one
    assert h.read(lambda s: receipts.get(s, "r9")) is None
    anywhere = replace(one, id="r2", session_key=None, created_ms=2_000)
    h.do(lambda tx: receipts.keep(tx, anywhere, ["l3"]))
    h.do(
        lambda tx: receipts.keep(tx, replace(one, id="r3", session_key="s2", created_ms=3_000), ["l1", "l4"])
    )
    assert h.read(lambda s: receipts.injected_hashes(s, "s1")) == {"l1", "l2", "l3"}
    assert h.read(lambda s: receipts.injected_hashes(s, "s2")) == {"l1", "l3", "l4"}
    assert h.read(receipts.injected_hashes) == {"l1", "l2", "l3", "l4"}
    assert h.read(lambda s: receipts.receipt_of_line(s, "l1")) == "r3"
    assert h.read(lambda s: receipts.receipt_of_line(s, "l9")) is None
    newest = h.read(receipts.newest)
    assert newest is not None
    assert newest.id == "r3"
    late = replace(one, id="r4", created_ms=3_001 + receipts.KEPT_MS)
    h.do(lambda tx: receipts.keep(tx, late, ["l1"]))
    assert h.value("SELECT count(*) FROM receipt") == 1
    assert h.read(receipts.injected_hashes) == {"l1"}


def test_requests(h: Handle) -> None:
    """A repeated request finds its answer; after a week it is let go."""
    assert h.read(lambda s: requests.get(s, "x")) is None
    h.do(lambda tx: requests.put(tx, "x", {"accepted": 1, "ids": ["a", None]}, 1_000))
    assert h.read(lambda s: requests.get(s, "x")) == {"accepted": 1, "ids": ["a", None]}
    h.do(lambda tx: requests.put(tx, "y", {}, 2_000 + requests.KEPT_MS))
    assert h.read(lambda s: requests.get(s, "x")) is None


def test_source_states(h: Handle) -> None:
    """A state keeps since when it holds; reading a source makes it ok again; its turns are counted."""
    path = "/x/a.jsonl"
    h.do(lambda tx: cursors.mark_state(tx, path, "claude-code", "unreadable", 10))
    h.do(lambda tx: cursors.mark_state(tx, path, "claude-code", "unreadable", 20))
    (row,) = h.read(cursors.every)
    assert (row.state, row.state_ms, row.cursor, row.host) == ("unreadable", 10, None, "claude-code")
    h.append([turn("a")], cursor=Cursor(path, "claude-code", bad_lines=2, waiting_bytes=7))
    (row,) = h.read(cursors.every)
    assert (row.state, row.state_ms, row.last_read_ms, row.turns) == ("ok", 5_000, 5_000, 1)
    h.do(lambda tx: cursors.mark_state(tx, path, "claude-code", "gone", 30))
    assert h.value("SELECT count(*) FROM turn") == 1
    assert h.read(lambda s: cursors.get(s, path)) is not None
    found = h.read(stats.collect)
    assert (found.sources, found.bad_lines, found.waiting_lines) == ({"gone": 1}, 2, 1)
    assert not h.do(lambda tx: cursors.drop(tx, "/none"))


def test_rows_without_a_cursor_name_their_file(h: Handle) -> None:
    """A turn may name its file without a cursor; the file is known then, but not as read."""
    h.append([replace(turn("a"), source_path="/y/b.jsonl")])
    (row,) = h.read(cursors.every)
    assert (row.path, row.cursor, row.turns) == ("/y/b.jsonl", None, 1)
    assert h.read(lambda s: cursors.get(s, "/y/b.jsonl")) is None


def test_sessions(h: Handle) -> None:
    """A session's facts are completed, never emptied; lists are newest first."""
    h.say("a", ref=session("s1", agent="main"))
    h.say("b", ref=session("s1", project="p"), first=9)
    h.say("c", ref=session("s2", "other"), first=5)
    found = h.read(lambda s: sessions.find(s, "claude-code:s1"))
    assert found is not None
    assert (found.agent, found.project, found.first_ms, found.last_ms) == ("main", "p", 1_000, 9_000)
    assert h.read(lambda s: sessions.get(s, found.id)) == found
    assert h.read(lambda s: sessions.get(s, 99)) is None
    assert [r.key for r in h.read(sessions.every)] == ["claude-code:s1", "claude-code:s2"]
    assert [r.user for r in h.read(lambda s: sessions.every(s, "other"))] == ["other"]
    assert h.read(lambda s: sessions.find(s, "claude-code:s1", "other")) is None
    h.do(lambda tx: sessions.mark_gone(tx, found.key, 77))
    h.do(lambda tx: sessions.mark_gone(tx, found.key, 88))
    assert h.value("SELECT gone_ms FROM session WHERE id = ?", (found.id,)) == 77
    assert h.value("SELECT count(*) FROM turn") == 3


def test_statistics(h: Handle) -> None:
    """Counts by kind, scope and state."""
    empty = h.read(stats.collect)
    assert (empty.kinds["turn"], empty.last_learnt_ms, empty.last_injected_ms) == (0, None, None)
    ids = h.say("a", "b")
    h.remember("m")
    h.begin()
    h.embed({ids[0]: unit(1)})
    h.do(lambda tx: receipts.keep(tx, Receipt("r", 9_000, None, "q", 1, 2)))
    found = h.read(stats.collect)
    assert (found.kinds["turn"], found.kinds["memory"], found.sessions, found.archived) == (2, 1, 1, 0)
    assert found.scopes == {"user:u": {"memory": 1}}
    assert (found.gate_waiting, found.vectors.ready, found.vectors.pending) == (2, 1, 2)
    assert (found.last_learnt_ms, found.last_injected_ms, found.receipts) == (5_000, 9_000, 1)


def test_meta(h: Handle) -> None:
    """Facts about the database are set, changed and removed."""
    assert h.read(lambda s: meta.get(s, "k")) is None
    h.do(lambda tx: meta.put(tx, "k", "v"))
    h.do(lambda tx: meta.put(tx, "k", 5))
    assert h.read(lambda s: meta.get(s, "k")) == 5
    h.do(lambda tx: meta.put(tx, "k", None))
    assert h.read(lambda s: meta.get(s, "k")) is None


@pytest.mark.parametrize("inode", [0, 2**63, 2**64 - 1, 2**127])
def test_wide_file_ids(h: Handle, inode: int) -> None:
    """File ids of 64 and 128 bits come back as they were (NTFS, ReFS, ZFS)."""
    cursor = Cursor("/x", "codex", device=inode, inode=inode)
    h.do(lambda tx: cursors.put(tx, cursor, 1))
    assert h.read(lambda s: cursors.get(s, "/x")) == cursor
