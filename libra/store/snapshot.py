"""Read snapshots: a small pool of read-only connections, one transaction a snapshot, none for ever."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from libra.ground.errors import StoreBusy, StoreError
from libra.store.connection import NO_READER, READ_TOO_LONG, translate
from libra.store.sql import Bindings, Reader, Row

_STEPS = 2_000
"""Of SQLite's machine between two looks at the clock: some 0.1 ms."""


def _too_long() -> StoreBusy:
    return StoreBusy("the read took too long and was ended", reason=READ_TOO_LONG)


class Snapshot(Reader):
    """One consistent state of the database; every read of a request goes through the same one.

    A snapshot that is kept open holds back the cleaning of the WAL, so it is ended by the store after
    ``read_limit_ms`` and refuses further reads (lessons.md C62).
    """

    def __init__(self, con: apsw.Connection, path: Path, *, vectors: bool) -> None:
        self._con = con
        self._path = path
        self._lock = threading.Lock()
        self._ended = False
        self.vectors = vectors
        """Whether sqlite-vec is loaded."""
        self.started = time.monotonic()

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Return all rows of a SELECT.

        Raises:
            StoreError: The read failed, or the snapshot was kept for too long.
        """
        with self._lock:
            if self._ended:
                raise _too_long()
            try:
                return self._con.execute(sql, bindings).fetchall()
            except apsw.Error as error:
                raise translate(error, self._path) from error

    @contextlib.contextmanager
    def until(self, end_s: float) -> Iterator[None]:
        """End what is read within the block at ``end_s`` of the monotonic clock; the snapshot can be read on afterwards.

        Raises:
            StoreBusy: The time was over (``read_too_long``).
        """
        if time.monotonic() >= end_s:
            raise _too_long()
        self._con.set_progress_handler(lambda: time.monotonic() >= end_s, _STEPS)
        try:
            yield
        finally:
            self._con.set_progress_handler(None)

    def begin(self) -> None:
        """Take the state of now: SQLite fixes it at the first read."""
        self.rows("BEGIN")
        self.rows("SELECT 1 FROM meta LIMIT 1")

    def end(self) -> None:
        """Let the state go."""
        with self._lock:
            if not self._ended:
                self._ended = True
                with contextlib.suppress(apsw.Error):
                    self._con.execute("ROLLBACK")

    def cut_off(self) -> None:
        """Let the state go from another thread: a running read is interrupted."""
        self._con.interrupt()
        self.end()


class SnapshotPool:
    """Lends snapshots; opens connections as they are needed, for at most ``limit`` threads at a time.

    A thread that has one and needs another state beside it is not held up: threads that each wait for a second one, while all are
    lent, would wait for each other.
    """

    def __init__(
        self, open_one: Callable[[], tuple[apsw.Connection, bool]], path: Path, limit: int, wait_ms: int
    ) -> None:
        self._open_one = open_one
        self._path = path
        self._wait_s = wait_ms / 1000
        self._free: list[tuple[apsw.Connection, bool]] = []
        self._out: set[Snapshot] = set()
        self._lock = threading.Lock()
        self._limit = limit
        self._slots = threading.BoundedSemaphore(limit)
        self._own = threading.local()
        self._closed = False

    @contextlib.contextmanager
    def lend(self, wait_s: float | None = None) -> Iterator[Snapshot]:
        """Yield a snapshot of the present state.

        Args:
            wait_s: How long to wait for a connection at the most; None for as long as the settings say.

        Raises:
            StoreBusy: All connections stayed in use.
            StoreError: The database could not be read.
        """
        held = getattr(self._own, "held", 0)
        wait_s = self._wait_s if wait_s is None else min(wait_s, self._wait_s)
        if not held and not self._slots.acquire(timeout=wait_s):
            raise StoreBusy("too many reads at once", reason=NO_READER)
        self._own.held = held + 1
        try:
            con, vectors = self._take()
            snapshot = Snapshot(con, self._path, vectors=vectors)
            try:
                snapshot.begin()
                with self._lock:
                    self._out.add(snapshot)
                yield snapshot
            finally:
                snapshot.end()
                self._give(snapshot, con, vectors=vectors)
        finally:
            self._own.held -= 1
            if not held:
                self._slots.release()

    def _take(self) -> tuple[apsw.Connection, bool]:
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed", reason="closed")
            if self._free:
                return self._free.pop()
        return self._open_one()

    def _give(self, snapshot: Snapshot, con: apsw.Connection, *, vectors: bool) -> None:
        with self._lock:
            self._out.discard(snapshot)
            if not self._closed and len(self._free) < self._limit:
                self._free.append((con, vectors))
                return
        con.close()

    def expire(self, limit_ms: int) -> int:
        """End every snapshot older than ``limit_ms``; return how many there were."""
        old = time.monotonic() - limit_ms / 1000
        with self._lock:
            late = [s for s in self._out if s.started < old]
        for snapshot in late:
            snapshot.cut_off()
        return len(late)

    def close(self) -> None:
        """Close the connections; those that are lent close when they come back."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for con, _ in free:
            con.close()
