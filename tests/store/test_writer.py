"""The writing thread: order, savepoints, groups, other processes' locks, the WAL."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from libra.ground.errors import StoreBusy, StoreError
from libra.store import turns
from libra.store.store import Store, StoreParams
from libra.store.writer import WriterParams, WriteTx
from tests.store.support import QUICK, Handle, session, turn

_HOLD = """
import apsw, sys
con = apsw.Connection(sys.argv[1])
con.set_busy_timeout(10000)
con.execute(sys.argv[2]).fetchall()
if len(sys.argv) > 3:
    con.execute(sys.argv[3]).fetchall()
print("held", flush=True)
sys.stdin.readline()
con.execute("ROLLBACK")
print("released", flush=True)
"""


class Holder:
    """Another process that keeps a transaction open until it is told to end it."""

    def __init__(self, db: Path, *statements: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(db), *statements],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "held"

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def release(self) -> None:
        """End the transaction."""
        assert self.process.stdin is not None
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                self.process.stdin.write("\n")
                self.process.stdin.flush()
            self._line()

    def end(self) -> None:
        """End the process."""
        self.release()
        self.process.communicate(timeout=10)


@contextlib.contextmanager
def holding(db: Path, *statements: str) -> Iterator[Holder]:
    """Keep a transaction open in another process."""
    holder = Holder(db, *statements)
    try:
        yield holder
    finally:
        holder.end()


def _blocked(h: Handle) -> threading.Event:
    """Stop the writer in a job until the event is set, so that what follows waits together."""
    entered, gate = threading.Event(), threading.Event()

    def job(_tx: WriteTx) -> None:
        entered.set()
        gate.wait(10)

    h.store.write(job)
    assert entered.wait(5)
    return gate


def test_jobs_run_in_order_on_one_thread(h: Handle) -> None:
    """Every job sees what the earlier ones did, and all run on the thread ``libra-writer``."""
    seen: list[tuple[int, str]] = []

    def job(tx: WriteTx, n: int) -> int:
        seen.append((n, threading.current_thread().name))
        tx.run("INSERT INTO meta(key, value) VALUES(?, ?)", (f"k{n}", n))
        return int(tx.value("SELECT count(*) FROM meta WHERE key LIKE 'k%'"))

    futures = [h.store.write(lambda tx, n=n: job(tx, n)) for n in range(100)]
    assert [f.result(10) for f in futures] == list(range(1, 101))
    assert seen == [(n, "libra-writer") for n in range(100)]


def test_failed_job_leaves_nothing_and_spares_its_neighbours(h: Handle) -> None:
    """Jobs of one transaction have a savepoint each."""
    gate = _blocked(h)

    def bad(tx: WriteTx) -> None:
        tx.run("INSERT INTO meta(key, value) VALUES('bad', 1)")
        raise KeyError("mine")

    before = h.store.write(lambda tx: tx.run("INSERT INTO meta(key, value) VALUES('before', 1)"))
    failed = h.store.write(bad)
    refused = h.store.write(lambda tx: tx.run("INSERT INTO meta(key, value) VALUES('before', 2)"))
    after = h.store.write(lambda tx: tx.run("INSERT INTO meta(key, value) VALUES('after', 1)"))
    gate.set()
    assert before.result(5) == 1
    with pytest.raises(KeyError):
        failed.result(5)
    with pytest.raises(StoreError):
        refused.result(5)
    assert after.result(5) == 1
    with h.store.snapshot() as s:
        assert [r[0] for r in s.rows("SELECT key FROM meta WHERE key NOT LIKE '%.%' ORDER BY key")] == [
            "after",
            "before",
        ]


def test_future_is_set_only_after_commit(h: Handle, db: Path) -> None:
    """Whoever has the result can read the row, from any connection."""
    import apsw

    other = apsw.Connection(str(db))
    for n in range(20):
        h.do(lambda tx, n=n: tx.run("INSERT INTO meta(key, value) VALUES(?, 1)", (f"k{n}",)))
        assert other.execute("SELECT count(*) FROM meta WHERE key LIKE 'k%'").get == n + 1
    other.close()


def test_cancelled_job_does_not_run(h: Handle) -> None:
    """A future that is cancelled while it waits is skipped."""
    gate = _blocked(h)
    ran = threading.Event()
    future = h.store.write(lambda _tx: ran.set())
    assert future.cancel()
    gate.set()
    h.do(lambda _tx: None)
    assert not ran.is_set()


def test_full_queue_blocks_then_refuses(db: Path) -> None:
    """The queue is bounded: a caller waits for room, and is told when there is none."""
    store = Store.open(db, StoreParams(writer=WriterParams(queue_limit=2, busy_ms=50)))
    h = Handle(store)
    gate = _blocked(h)
    waiting: list[Future[None]] = [store.write(lambda _tx: None) for _ in range(2)]
    assert store.queued == 2
    with pytest.raises(StoreBusy) as caught:
        store.write(lambda _tx: None)
    assert caught.value.reason == "queue_full"
    gate.set()
    assert [f.result(5) for f in waiting] == [None, None]
    store.close()


def test_snapshot_does_not_see_later_writes(h: Handle) -> None:
    """One snapshot is one state, however long it is used."""
    h.say("one")
    with h.store.snapshot() as s:
        h.say("two", first=2)
        assert s.value("SELECT count(*) FROM turn") == 1
        with h.store.snapshot() as t:
            assert t.value("SELECT count(*) FROM turn") == 2
        assert s.value("SELECT count(*) FROM fts_word WHERE fts_word MATCH 'two'") == 0


def test_snapshot_cannot_write(h: Handle) -> None:
    """Readers are read-only connections."""
    with h.store.snapshot() as s, pytest.raises(StoreError):
        s.rows("DELETE FROM meta")


def test_readers_are_bounded(db: Path) -> None:
    """When all readers are lent, the next one waits and is then refused."""
    store = Store.open(db, StoreParams(readers=1, reader_wait_ms=30))
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.snapshot():
            held.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    for wait_s in (None, 0.0):
        with pytest.raises(StoreBusy), store.snapshot(wait_s):
            pass
    done.set()
    holder.join(60)
    with store.snapshot() as s:
        assert s.value("SELECT 1") == 1
    store.close()


def test_threads_that_need_a_second_state_do_not_wait_for_each_other(db: Path) -> None:
    """Eight answers that each look up the rules of their person anew stood still for ten seconds, and failed."""
    store = Store.open(db, StoreParams(readers=2, reader_wait_ms=60_000))
    both = threading.Barrier(2)
    seen: list[int] = []

    def ask() -> None:
        with store.snapshot():
            both.wait(60)
            with store.snapshot(0.0) as second:
                seen.append(second.value("SELECT 1"))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == [1, 1]
    store.close()


def test_leaked_snapshot_is_ended(db: Path) -> None:
    """A snapshot that is kept open is ended by the store; its next read says so (lessons C62)."""
    store = Store.open(db, StoreParams(writer=WriterParams(read_limit_ms=10, idle_ms=10)))
    h = Handle(store)
    with store.snapshot() as s:
        s.started -= 1.0
        h.say("one")
        h.do(lambda _tx: None)
        with pytest.raises(StoreBusy) as caught:
            s.rows("SELECT 1")
        assert caught.value.reason == "read_too_long"
    with store.snapshot() as s:
        assert s.value("SELECT count(*) FROM turn") == 1
    store.close()


@pytest.mark.parametrize(("keep", "ended"), [(1, True), (10**9, False)])
def test_an_old_read_is_ended_early_only_where_it_does_harm(db: Path, keep: int, *, ended: bool) -> None:
    """On a machine that gave Libra no processor for seconds, `remember` failed for a read that stood in nobody's way."""
    store = Store.open(db, StoreParams(writer=WriterParams(read_limit_ms=60_000, wal_keep_bytes=keep)))
    h = Handle(store)
    with store.snapshot() as s:
        s.started -= 100.0
        h.say("one")
        h.do(lambda _tx: None)
        if ended:
            with pytest.raises(StoreBusy):
                s.rows("SELECT 1")
        else:
            assert s.rows("SELECT 1") == [(1,)]
    store.close()


# ------------------------------------------------------------------ other processes


@pytest.mark.slow
def test_b18_busy_writer_for_four_seconds(db: Path) -> None:
    """Another process holds the write lock for 4 s: all 20 calls succeed, in order, within 15 s."""
    store = Store.open(db)
    h = Handle(store)
    started = time.monotonic()
    with holding(db, "BEGIN IMMEDIATE") as holder:
        futures = [
            store.write(lambda tx, n=n: turns.append(tx, session(), [turn(f"text {n}", n)], None, 1))
            for n in range(20)
        ]
        timer = threading.Timer(4.0, holder.release)
        timer.start()
        assert [f.result(15).accepted for f in futures] == [1] * 20
        timer.join()
    assert 3.0 < time.monotonic() - started < 15
    assert h.value("SELECT count(*) FROM turn") == 20
    store.close()


def test_busy_for_too_long_is_an_error(db: Path) -> None:
    """When the lock stays, the call fails clearly, nothing is stored, and later calls work."""
    store = Store.open(db, StoreParams(writer=WriterParams(busy_ms=100), busy_ms=100))
    h = Handle(store)
    with holding(db, "BEGIN IMMEDIATE"):
        with pytest.raises(StoreBusy):
            h.say("lost")
        assert h.read(lambda s: s.value("SELECT count(*) FROM turn")) == 0
    assert h.say("kept")
    store.close()


@pytest.mark.slow
def test_b19_wal_is_cut_after_a_leaked_reader(db: Path) -> None:
    """Behind another process's reader the WAL grows; when the reader ends it is cut within the idle interval."""
    params = WriterParams(idle_ms=20, idle_most_ms=200, checkpoint_wait_ms=20, wal_keep_bytes=500_000)
    store = Store.open(db, StoreParams(writer=params))
    h = Handle(store)
    h.say("first")
    with holding(db, "BEGIN", "SELECT count(*) FROM turn") as holder:
        for batch in range(2):
            rows = [turn(f"{batch} {i} " + "word " * 100, 10 + batch * 1000 + i) for i in range(400)]
            h.append(rows)
        assert store.sizes()["wal_bytes"] > params.wal_keep_bytes
        holder.release()
        _until(lambda: store.sizes()["wal_bytes"] == 0, 20)
    assert h.value("SELECT count(*) FROM turn") == 801
    store.close()


def test_free_pages_are_given_back(h: Handle) -> None:
    """After much was deleted the file shrinks bit by bit while nothing happens (C63)."""
    h.do(
        lambda tx: tx.many(
            "INSERT INTO meta(key, value) VALUES(?, zeroblob(4000000))", [(f"k{n}",) for n in range(4)]
        )
    )
    writer = h.store._writer
    assert writer is not None
    _until(lambda: writer._house.wait_s is None, 20)
    pages = h.value("PRAGMA page_count")
    h.do(lambda tx: tx.run("DELETE FROM meta"))
    assert isinstance(pages, int)
    _until(lambda: writer._house.wait_s is None, 20)
    assert h.value("PRAGMA page_count") < pages * 0.6  # type: ignore[operator]
    assert h.value("PRAGMA freelist_count") < 2048 + 1000  # type: ignore[operator]


def test_job_behind_the_end_is_refused(h: Handle) -> None:
    """A job that slips into the queue after its end is answered, not forgotten."""
    writer = h.store._writer
    assert writer is not None
    h.store.close()
    writer._closed.clear()
    with pytest.raises(StoreError, match="closed"):
        writer.submit(lambda _tx: None).result(1)


def test_idle_store_keeps_a_small_wal(h: Handle) -> None:
    """A WAL under the limit is left alone, and the writer sleeps until there is work."""
    h.say("small")
    writer = h.store._writer
    assert writer is not None
    _until(lambda: writer._house.wait_s is None, 5)
    assert h.store.sizes()["wal_bytes"] > 0


def _until(true: object, timeout_s: float) -> None:
    """Wait for a condition, paced by an event that is never set."""
    end = time.monotonic() + timeout_s
    never = threading.Event()
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "timed out"
        never.wait(0.02)


# ------------------------------------------------------------------ starts and kills

_FIRST_START = """
import sys
from pathlib import Path
from libra.ground.records import Role, SessionRef, content_key
from libra.store import turns
from libra.store.store import Store
print("ready", flush=True)
sys.stdin.readline()
store = Store.open(Path(sys.argv[1]))
row = turns.TurnRow(Role.USER, sys.argv[2], 1, content_key(Role.USER, 1, sys.argv[2]))
store.write(lambda tx: turns.append(tx, SessionRef("s", "u"), [row], None, 1)).result(20)
store.close()
print("done", flush=True)
"""


def test_two_first_starts_at_once(db: Path) -> None:
    """Several processes make the same new database together: one schema, and every row is there (lessons C72)."""
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _FIRST_START, str(db), f"hello {n}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for n in range(3)
    ]  # fmt: skip
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        out, err = process.communicate(timeout=40)
        assert (out, err, process.returncode) == ("done\n", "", 0)
    store = Store.open(db, QUICK)
    with store.snapshot() as s:
        assert s.value("SELECT count(*) FROM turn") == 3
        assert s.value("SELECT count(*) FROM session") == 1
    store.close()


_KILLED = """
import sys
from pathlib import Path
import numpy as np
from libra.ground.records import Cursor, Role, SessionRef, content_key
from libra.ground.vectors import normalise
from libra.store import turns, vectors
from libra.store.store import Store
store = Store.open(Path(sys.argv[1]))
rng = np.random.default_rng(1)
ref = SessionRef("claude-code:k", "u", host="claude-code")
store.write(lambda tx: vectors.begin_model(tx, "f", 64)).result()
start = store.write(lambda tx: tx.value("SELECT coalesce(max(lines), 0) FROM source")).result()
print("running", flush=True)
n = start
while True:
    rows = [
        turns.TurnRow(Role.USER, f"turn {i} in src/app/m{i}.py 用户身份", i, content_key(Role.USER, i, f"turn {i}"))
        for i in range(n, n + 20)
    ]
    n += 20
    cursor = Cursor("/x/k.jsonl", "claude-code", lines=n)
    done = store.write(lambda tx: turns.append(tx, ref, rows, cursor, 1))
    old = store.write(lambda tx: [r[0] for r in tx.rows("SELECT item_id FROM chunk ORDER BY random() LIMIT 15")]).result()
    put = [vectors.ChunkVectors(i, [(0, 5, normalise(rng.standard_normal(64).astype("f4")))]) for i in old]
    store.write(lambda tx: vectors.put(tx, put, "f"))
    done.result()
    print(n, flush=True)
"""


@pytest.mark.slow
def test_kill_in_the_middle_of_writes(db: Path) -> None:
    """SIGKILL while turns, both indexes, vectors and the cursor are written: nothing is ever half there."""
    for kill in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(db)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        answered = 0
        for _ in range(6 + 3 * kill):
            answered = int(process.stdout.readline())
        # Once while another process keeps the write lock, too (field case B18).
        with holding(db, "BEGIN IMMEDIATE") if kill == 1 else contextlib.nullcontext():
            process.kill()
            process.communicate(timeout=10)
        store = Store.open(db, QUICK)
        assert not store.read_only
        _check_consistent(store, answered)
        store.close()


def _check_consistent(store: Store, answered: int) -> None:
    h = Handle(store)

    def look(tx: WriteTx) -> None:
        assert tx.rows("PRAGMA integrity_check") == [("ok",)]
        assert tx.rows("PRAGMA foreign_key_check") == []
        tx.run("INSERT INTO fts_word(fts_word, rank) VALUES('integrity-check', 1)")
        tx.run("INSERT INTO fts_side(fts_side) VALUES('integrity-check')")
        rows = tx.value("SELECT count(*) FROM turn")
        assert rows >= answered, "an answered write is lost"
        assert tx.value("SELECT lines FROM source") == rows, "the cursor and the rows are apart"
        assert tx.value("SELECT count(*) FROM item") == rows
        assert tx.value("SELECT count(DISTINCT item_id) FROM chunk") == rows
        assert tx.value("SELECT count(*) FROM fts_side WHERE fts_side MATCH '用户'") == rows
        chunks = {r[0] for r in tx.rows("SELECT id FROM chunk WHERE state = 1")}
        assert {r[0] for r in tx.rows("SELECT rowid FROM vec_bits")} == chunks

    h.do(look)
    with store.snapshot() as s:
        ready = s.value("SELECT count(*) FROM chunk WHERE state = 1")
    assert store.vectors.view().n == ready


_A_DAY_MS = 86_400_000


def _note(key: str, seen: list[str]) -> Callable[[WriteTx], None]:
    """Return a job that stores its name, and says when it ran."""

    def job(tx: WriteTx) -> None:
        seen.append(key)
        tx.run("INSERT INTO meta(key, value) VALUES(?, 1)", (key,))

    return job


def test_an_ordinary_job_ends_the_wait_of_patient_ones(db: Path) -> None:
    """Patient jobs alone wait for company; what somebody waits for takes them along at once, in order."""
    store = Store.open(db, StoreParams(writer=WriterParams(patience_ms=_A_DAY_MS)))
    try:
        seen: list[str] = []
        first = store.write(_note("first", seen), patient=True)
        second = store.write(_note("second", seen), patient=True)
        store.write(_note("third", seen)).result(10)
        assert first.done()
        assert second.done()
        assert seen == ["first", "second", "third"]
    finally:
        store.close()


def test_closing_ends_the_wait_of_patient_jobs(db: Path) -> None:
    """Nothing that was queued is lost, however patient it is."""
    store = Store.open(db, StoreParams(writer=WriterParams(patience_ms=_A_DAY_MS)))
    kept = store.write(_note("kept", []), patient=True)
    store.close()
    assert kept.result(0) is None
    again = Store.open(db, StoreParams())
    try:
        with again.snapshot() as s:
            assert s.value("SELECT value FROM meta WHERE key = 'kept'") == 1
    finally:
        again.close()


def test_patient_jobs_alone_are_committed_after_the_patience(db: Path) -> None:
    """Nobody has to come by for them to be stored."""
    store = Store.open(db, StoreParams(writer=WriterParams(patience_ms=1)))
    try:
        assert store.write(_note("alone", []), patient=True).result(10) is None
    finally:
        store.close()
