"""What the writer does between jobs: keep the WAL short, end reads that hold it back, give free pages back."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

_FREE_SHARE = 0.30
_FREE_PAGES = 2048
"""Free pages above both this share and this number are given back to the disk when nothing happens (lessons.md C63)."""
_GIVE_BACK_PAGES = 1000
_HARMLESS = 3
"""So many times the limit a read may last that holds back a small log only."""
_IN_MEMORY_BYTES = 128 * 1024 * 1024
"""A larger file is put together on the disk while it is written anew."""


@dataclass(frozen=True, slots=True)
class HousekeepingParams:
    """Settings of the housekeeping.

    Attributes:
        idle_ms: Quiet time before the WAL is looked at.
        idle_most_ms: Longest pause between two attempts to shorten the WAL (field case B19: within 60 s).
        wal_keep_bytes: A WAL up to this size is left alone.
        wal_most_bytes: A WAL over this size is shortened between jobs, without waiting for quiet.
        checkpoint_wait_ms: How long an attempt may wait for readers, so that jobs do not.
        read_limit_ms: Snapshots older than this are ended while the WAL is larger than it is kept (lessons.md C62); after three
            times as long any is: a machine that gives us no processor makes short reads old.
    """

    idle_ms: int = 1_000
    idle_most_ms: int = 20_000
    wal_keep_bytes: int = 4 * 1024 * 1024
    wal_most_bytes: int = 64 * 1024 * 1024
    checkpoint_wait_ms: int = 100
    read_limit_ms: int = 5_000


class Housekeeping:
    """Runs on the writer's thread, with its connection."""

    def __init__(
        self,
        con: apsw.Connection,
        path: Path,
        params: HousekeepingParams,
        *,
        busy_ms: int,
        expire: Callable[[int], int],
    ) -> None:
        self._con = con
        self._wal = path.with_name(path.name + "-wal")
        self._params = params
        self._busy_ms = busy_ms
        self._expire = expire
        self._next_trim = 0.0
        self._empty_wal = False
        self.wait_s: float | None = params.idle_ms / 1000
        """How long the writer may sleep until it looks again; None until the next job."""

    def after_start(self) -> None:
        """Empty the WAL that a crash has left: whether something was removed for good just before is not known any more."""
        if self.wal_bytes():
            self.empty_wal()

    def after_jobs(self) -> None:
        """End old reads; shorten the WAL when it has grown over all measure."""
        self.wait_s = self._params.idle_ms / 1000
        self._end_old_reads()
        now = time.monotonic()
        if now >= self._next_trim and self.wal_bytes() > self._params.wal_most_bytes:
            self.checkpoint()
            self._next_trim = now + self._params.idle_ms / 1000

    def _end_old_reads(self) -> None:
        times = 1 if self.wal_bytes() > self._params.wal_keep_bytes else _HARMLESS
        self._expire(self._params.read_limit_ms * times)

    def empty_wal(self) -> None:
        """Take care that nothing stays in the WAL: now, or as soon as the readers let it."""
        self._empty_wal = True
        self.when_idle()

    def when_idle(self) -> None:
        """Shorten the WAL; while a reader is in the way, try again ever more rarely."""
        self._end_old_reads()
        keep = 0 if self._empty_wal else self._params.wal_keep_bytes
        if self.wal_bytes() > keep:
            self.checkpoint()
        if self.wal_bytes() <= keep:
            self._empty_wal = False
            self.wait_s = self._params.idle_ms / 1000 if self._give_back() else None
        else:
            doubled = (self.wait_s or self._params.idle_ms / 1000) * 2
            self.wait_s = min(doubled, self._params.idle_most_ms / 1000)

    def _give_back(self) -> bool:
        """Shorten the file by some free pages, if there are too many; return whether there were."""
        with contextlib.suppress(apsw.Error):
            free = int(self._con.pragma("freelist_count"))
            if free < _FREE_PAGES or free < _FREE_SHARE * int(self._con.pragma("page_count")):
                return False
            self._con.execute(f"PRAGMA incremental_vacuum({_GIVE_BACK_PAGES})").fetchall()
            return int(self._con.pragma("freelist_count")) < free
        return False

    def vacuum(self, con: apsw.Connection) -> None:
        """Write the whole file anew, so that no page and no gap within one holds what was removed; then empty the WAL.

        Raises:
            apsw.Error: There is no room, or another process is in the way; the file is as it was.
        """
        if int(con.pragma("page_count")) * int(con.pragma("page_size")) > _IN_MEMORY_BYTES:
            con.pragma("temp_store", "FILE")
        try:
            con.execute("VACUUM").fetchall()
        finally:
            con.pragma("temp_store", "MEMORY")
        self.empty_wal()

    def checkpoint(self) -> None:
        """Copy the WAL into the database and cut it to nothing, waiting only a moment for readers."""
        with contextlib.suppress(apsw.Error):
            self._con.set_busy_timeout(self._params.checkpoint_wait_ms)
            try:
                self._con.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            finally:
                self._con.set_busy_timeout(self._busy_ms)

    def wal_bytes(self) -> int:
        """Return the size of the WAL file; 0 if there is none."""
        try:
            return self._wal.stat().st_size
        except OSError:
            return 0
