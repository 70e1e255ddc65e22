"""Open connections to the database the one right way, and translate the driver's errors once."""

from __future__ import annotations

import contextlib
import errno
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from libra.ground.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFailing,
    StoreFull,
    StoreReadOnly,
)

JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024
"""What a WAL is cut down to when it restarts (lessons.md C62)."""
READ_TOO_LONG = "read_too_long"
"""The reason of "busy" where a read was ended, after its time or after what a snapshot may take."""
NO_READER = "readers"
"""The reason of "busy" where all reading connections stayed in use."""
LIMIT = "limit"
"""The reason of "full" where the file may not grow although the disk has room."""
_ROOM_BYTES = 64 * 1024 * 1024
_ALMOST_NOTHING_BYTES = 1024 * 1024
_IO_FULL = (apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMOPEN)
_DISK = "the disk cannot be read or written", "look at the disk, and copy the data folder"
_MEANS: tuple[tuple[tuple[type[apsw.Error], ...], type[StoreError], str, str | None, str | None], ...] = (
    ((apsw.BusyError, apsw.LockedError), StoreBusy,
     "another process holds the database", "close the other program", None),
    ((apsw.CorruptError, apsw.NotADBError), StoreDamaged,
     "the database is damaged", "restore the newest backup", None),
    ((apsw.InterruptError,), StoreBusy, "the read took too long and was ended", None, READ_TOO_LONG),
    ((apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError), StoreReadOnly,
     "the database cannot be opened or written", "check its rights", None),
    ((apsw.IOError,), StoreFailing, *_DISK, None),
)  # fmt: skip
"""What else the driver's errors mean: class, message, hint, and the reason where it is not the class's own."""


def translate(error: BaseException, path: Path) -> BaseException:
    """Return the :class:`StoreError` that says what the driver's ``error`` means; others come back unchanged.

    The driver's own message names tables and columns at most, never a value, so it may be kept.
    """
    if not isinstance(error, apsw.Error):
        return error
    where = str(path)
    if _is_full(error, path):
        return StoreFull("the disk is full: nothing was stored", hint="free some space", where=where)
    if isinstance(error, apsw.FullError):
        return _limit(path)
    for drivers, ours, message, hint, reason in _MEANS:
        if isinstance(error, drivers):
            return ours(message, hint=hint, reason=reason, where=where)
    return StoreError(f"the database refused: {error}", where=where)


def _limit(path: Path) -> StoreFull:
    """Return the error for "full" where the disk may have room: then it is our own limit that was reached."""
    where = str(path)
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free > _ROOM_BYTES:
            return StoreFull(
                "the database has grown to its limit: nothing was stored",
                reason=LIMIT,
                hint="forget something, or raise store.most_bytes in the settings",
                where=where,
            )
    return StoreFull("the disk is full: nothing was stored", hint="free some space", where=where)


def _is_full(error: apsw.Error, path: Path) -> bool:
    """Say whether an I/O error stands for a full disk (the shared-memory file cannot grow either)."""
    if not isinstance(error, apsw.IOError) or getattr(error, "extendedresult", 0) not in _IO_FULL:
        return False
    try:
        return shutil.disk_usage(path.parent).free < _ALMOST_NOTHING_BYTES
    except OSError:
        return False


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise our errors for the driver's within the block."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error


def open_writer(
    path: Path, *, busy_ms: int, cache_kib: int, wal: bool, most_bytes: int | None = None
) -> apsw.Connection:
    """Open the one connection that writes, creating the file if it is not there.

    Args:
        path: The database.
        busy_ms: How long a statement waits for another process's lock (lessons.md C15).
        cache_kib: Page cache.
        wal: False on a network or foreign file system, where shared memory cannot be trusted (C70).
        most_bytes: The file does not grow beyond this; None for SQLite's own limit.

    Raises:
        StoreError: As :func:`translate` says.
    """
    with translated(path):
        con = apsw.Connection(str(path))
        con.set_busy_timeout(busy_ms)
        if not con.pragma("page_count"):
            # Free pages can then be given back bit by bit (lessons.md C63); too late once there are tables.
            con.pragma("auto_vacuum", "INCREMENTAL")
        _set_journal(con, wal=wal, wait_s=busy_ms / 1000)
        con.pragma("synchronous", "NORMAL" if wal else "FULL")
        con.pragma("foreign_keys", value=True)
        con.pragma("secure_delete", value=True)
        con.pragma("journal_size_limit", JOURNAL_LIMIT_BYTES)
        con.pragma("cache_size", -cache_kib)
        con.pragma("temp_store", "MEMORY")
        con.pragma("recursive_triggers", value=True)
        if most_bytes is not None:
            con.pragma("max_page_count", max(most_bytes // con.pragma("page_size"), 1))
        return con


def _set_journal(con: apsw.Connection, *, wal: bool, wait_s: float) -> None:
    """Switch the journal mode; SQLite does not call the busy handler for this, so it is tried again here.

    Waiting for the write lock goes through the busy handler, which paces the loop.
    """
    end = time.monotonic() + wait_s
    while True:
        try:
            con.pragma("journal_mode", "WAL" if wal else "DELETE")
        except apsw.BusyError:
            if time.monotonic() >= end:
                raise
            with contextlib.suppress(apsw.BusyError):
                con.execute("BEGIN IMMEDIATE")
                con.execute("ROLLBACK")
        else:
            return


def open_reader(path: Path, *, busy_ms: int, cache_kib: int, immutable: bool = False) -> apsw.Connection:
    """Open a connection that can only read.

    Args:
        path: The database, which must exist.
        busy_ms: As for the writer.
        cache_kib: Page cache.
        immutable: Nothing can change the file (it lies on a read-only file system): no locks, no
            shared memory.

    Raises:
        StoreError: As :func:`translate` says.
    """
    with translated(path):
        name = path.absolute().as_uri() + "?mode=ro" + ("&immutable=1" if immutable else "")
        con = apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        con.set_busy_timeout(busy_ms)
        con.pragma("query_only", value=True)
        con.pragma("cache_size", -cache_kib)
        con.pragma("temp_store", "MEMORY")
        return con


def load_vectors(con: apsw.Connection) -> str | None:
    """Load sqlite-vec into ``con``; return None, or the reason why vectors stay outside of SQL.

    Source: lessons.md C85.
    """
    try:
        import sqlite_vec

        con.enable_load_extension(enable=True)
        try:
            con.load_extension(sqlite_vec.loadable_path())
        finally:
            con.enable_load_extension(enable=False)
    except (ImportError, OSError, AttributeError, apsw.Error) as error:
        return f"sqlite-vec cannot be loaded: {type(error).__name__}"
    return None


def translate_os(error: OSError, path: Path) -> StoreError:
    """Return the :class:`StoreError` that says what the operating system's refusal means."""
    where = str(path)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull("the disk is full: nothing was stored", hint="free some space", where=where)
    if error.errno == errno.EIO:
        return StoreFailing(_DISK[0], hint=_DISK[1], where=where)
    return StoreReadOnly(
        f"the data folder cannot be used: {error.strerror}", hint="check its rights", where=where
    )
