"""The store: opens the database, and gives out the writer, snapshots and the vector mirror."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import apsw

from libra.ground.errors import StoreDamaged, StoreError, StoreReadOnly
from libra.ground.records import Clock
from libra.store import backup, bits, connection, meta, migrations
from libra.store.allowed import AllowedRows
from libra.store.backup import BackupParams
from libra.store.filesystem import is_local
from libra.store.health import examine
from libra.store.mirror import VectorMirror
from libra.store.seen import SeenScopes
from libra.store.snapshot import Snapshot, SnapshotPool
from libra.store.writer import Writer, WriterParams, WriteTx
from libra.text.redact import REDACTION

__all__ = ["Snapshot", "Store", "StoreParams", "WriteTx"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoreParams:
    """Settings of the store.

    Attributes:
        writer: Settings of the writing thread.
        readers: Snapshots at the same time.
        reader_wait_ms: How long a request waits for one.
        busy_ms: How long a read waits for another process's lock.
        cache_kib: Page cache of the writer; each reader has a quarter.
        most_bytes: The database does not grow beyond this: what comes is then refused, and read again when there is room.
        check_bytes: A database up to this size is checked whole at start (``quick_check``), a larger one in part.
        whole_most_rows: Up to so many vectors are held in memory in half precision (15 MB of 384 components): reading the
            best from the database is the dearest step of a search in a store of that size.
        codes_most_bytes: More vectors are held in memory in half a byte a component as long as that takes no more (a million of
            384 components: 200 MB); in a larger store their signs are, a quarter of it, and more is read from the database.
        vectors: False to do without sqlite-vec (tests of the fall-back).
        backup: Copies.
    """

    writer: WriterParams = field(default_factory=WriterParams)
    readers: int = 8
    reader_wait_ms: int = 10_000
    busy_ms: int = 10_000
    cache_kib: int = 16_384
    most_bytes: int = 20 * 1000**3
    check_bytes: int = 96 * 1024 * 1024
    whole_most_rows: int = 20_000
    codes_most_bytes: int = 256 * 1024 * 1024
    vectors: bool = True
    backup: BackupParams = field(default_factory=BackupParams)


class Store:
    """The open database. Made by :meth:`open`, ended by :meth:`close`.

    Attributes:
        path: The database file.
        read_only: Nothing can be written: the folder is read-only or the database is damaged.
        damaged: What is wrong with the database, if it is damaged.
        vec_available: sqlite-vec is loaded; without it vectors are searched by NumPy over the float rows.
        vec_reason: Why it is not.
        journal: ``wal``, or ``delete`` on a foreign file system.
        vectors: The vectors in memory.
        scopes: Which scopes callers see.
        allowed: Which of the vectors callers' filters let through.
        copying: Held by who rewrites copies: the worker and a scrub must not do so at once.
    """

    def __init__(self, path: Path, params: StoreParams, clock: Clock) -> None:
        self.path = path
        self.read_only = False
        self.damaged: StoreDamaged | None = None
        self.vec_reason: str | None = None
        self.journal = "wal"
        self._params = params
        self._clock = clock
        self._immutable = False
        self._writer: Writer | None = None
        self._pool = SnapshotPool(self._open_reader, path, params.readers, params.reader_wait_ms)
        self.vectors = VectorMirror(self._pool.lend, params.codes_most_bytes, params.whole_most_rows)
        self.scopes = SeenScopes()
        self.allowed = AllowedRows()
        self.copying = threading.Lock()

    @classmethod
    def open(cls, path: Path, params: StoreParams | None = None, clock: Clock | None = None) -> Store:
        """Open the database at ``path``, making it if there is none, and bring it to the present schema.

        A damaged database is opened read-only, so that what can be read is of use; see :attr:`damaged`. One that
        cannot be read at all is left as it is.

        Raises:
            StoreDamaged: Nothing can be read; the message names the newest backup.
            StoreReadOnly: There is no database and none can be made.
            StoreFull, StoreBusy, StoreError: The database could not be opened or migrated.
        """
        store = cls(path.absolute(), params or StoreParams(), clock or _now_ms)
        store._open()
        return store

    def _open(self) -> None:
        found = examine(self.path, self._params.check_bytes, self._params.busy_ms)
        if found.damage is not None:
            damage = self._name_backup(found.damage)
            if not found.readable:
                raise damage
            self.damaged, self.read_only = damage, True
        elif found.writable:
            try:
                self._open_writer()
            except StoreReadOnly:
                if not found.exists:
                    raise
                self.read_only = True
        else:
            self.read_only = True
        if self.read_only:
            self._open_read_only()

    def _open_writer(self) -> None:
        with connection.translated(self.path), _files(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            wal = is_local(self.path.parent)
            # Private from the first byte: SQLite gives the WAL the database's rights.
            self.path.touch(mode=0o600)
            self.path.chmod(0o600)
            backup.sweep(self.path)
        self.journal = "wal" if wal else "delete"
        con = connection.open_writer(
            self.path,
            busy_ms=self._params.busy_ms,
            cache_kib=self._params.cache_kib,
            wal=wal,
            most_bytes=self._params.most_bytes,
        )
        try:
            migrations.migrate(con, self.path, lambda label: self._set_aside(con, label))
            self.vec_reason = connection.load_vectors(con) if self._params.vectors else "switched off"
            self._writer = Writer(
                con, self.path, self._params.writer, vectors=self.vec_available, wal=wal,
                published=self.vectors.apply, expire=self._pool.expire, damaged=self._found_damage,
            )  # fmt: skip
        except BaseException:
            con.close()
            raise
        self._settle_bits()
        self._settle_rules()

    def _settle_rules(self) -> None:
        """An empty database has nothing that newer rules for secrets would have to go over."""
        with self.snapshot() as s:
            empty = (
                meta.get(s, backup.REDACTION_KEY) is None and s.value("SELECT 1 FROM item LIMIT 1") is None
            )
        if empty:
            self.write(lambda tx: meta.put(tx, backup.REDACTION_KEY, REDACTION)).result()

    def _settle_bits(self) -> None:
        """Build the bit index again if it fell behind while sqlite-vec was missing."""
        if not self.vec_available:
            return
        with self.snapshot() as s:
            behind = meta.get(s, bits.BEHIND)
        if behind:
            self.write(bits.rebuild).result()

    def _open_read_only(self) -> None:
        """Make sure that reading works, if need be without shared memory (a read-only file system)."""
        try:
            with self.snapshot() as s:
                s.value("SELECT count(*) FROM sqlite_schema")
        except StoreError:
            wal = self.path.with_name(self.path.name + "-wal")
            with contextlib.suppress(OSError):
                if wal.stat().st_size:
                    raise
            self._immutable = True
            with self.snapshot() as s:
                s.value("SELECT count(*) FROM sqlite_schema")

    def _open_reader(self) -> tuple[apsw.Connection, bool]:
        con = connection.open_reader(
            self.path,
            busy_ms=self._params.busy_ms,
            cache_kib=self._params.cache_kib // 4,
            immutable=self._immutable,
        )
        reason = connection.load_vectors(con) if self._params.vectors else "switched off"
        if self.read_only:
            self.vec_reason = reason
        return con, reason is None

    # -------------------------------------------------------------- use

    def write(
        self, job: Callable[[WriteTx], T], *, full_sync: bool = False, patient: bool = False
    ) -> Future[T]:
        """Queue a job for the writer; see :meth:`Writer.submit`. A read-only store answers with the reason."""
        if self._writer is None or self.read_only:
            refused: Future[T] = Future()
            refused.set_exception(
                self.damaged or StoreReadOnly("the store is read-only", where=str(self.path))
            )
            return refused
        return self._writer.submit(job, full_sync=full_sync, patient=patient)

    def settle(self, wait_s: float = 1.0) -> None:
        """Wait until what was queued for the writer so far can be read, patient jobs too, for ``wait_s`` seconds at the most.

        Who shows what was just queued calls this first: a patient job (:meth:`write`) may begin a moment later.
        """
        if self._writer is not None and not self.read_only:
            with contextlib.suppress(StoreError, TimeoutError):
                self._writer.submit(lambda _tx: None).result(wait_s)

    def vacuum(self) -> Future[None]:
        """Write the database file anew; see :meth:`Writer.vacuum`. A read-only store answers with the reason."""
        if self._writer is None or self.read_only:
            return self.write(lambda _tx: None)
        return self._writer.vacuum()

    def snapshot(self, wait_s: float | None = None) -> AbstractContextManager[Snapshot]:
        """Return a context in which all reads see one state of the database; see :meth:`SnapshotPool.lend`."""
        return self._pool.lend(wait_s)

    @property
    def vec_available(self) -> bool:
        """Whether sqlite-vec is loaded."""
        return self.vec_reason is None

    @property
    def full(self) -> bool:
        """Whether the last write found the disk full; the next one that succeeds clears it."""
        return self._writer is not None and self._writer.full

    @property
    def at_limit(self) -> bool:
        """Whether it was ``most_bytes`` that the last write reached, rather than the end of the disk."""
        return self.full and self._writer is not None and self._writer.at_limit

    @property
    def failing(self) -> bool:
        """Whether the last write met a disk that refuses; the next one that succeeds clears it."""
        return self._writer is not None and self._writer.failing

    @property
    def queued(self) -> int:
        """Jobs that wait for the writer."""
        return self._writer.waiting if self._writer is not None else 0

    @property
    def most_bytes(self) -> int:
        """How large the database may become."""
        return self._params.most_bytes

    @property
    def wal_most_bytes(self) -> int:
        """The size of the WAL above which something is wrong (lessons C62)."""
        return self._params.writer.wal_most_bytes

    def sizes(self) -> dict[str, int]:
        """Return bytes: ``db_bytes``, ``wal_bytes``, ``free_bytes`` (unused pages), ``mirror_bytes``, ``backups_bytes``."""
        with self.snapshot() as s:
            free = s.value("PRAGMA freelist_count") * s.value("PRAGMA page_size")
        return {
            "db_bytes": _size(self.path),
            "wal_bytes": _size(self.path.with_name(self.path.name + "-wal")),
            "free_bytes": free,
            "mirror_bytes": self.vectors.nbytes,
            "backups_bytes": sum(copy.bytes for copy in backup.every(self.backups)),
        }

    def back_up(self, label: str = "manual") -> Path:
        """Copy the database to the folder of backups while it is in use; return the copy."""
        con = connection.open_reader(
            self.path, busy_ms=self._params.busy_ms, cache_kib=2048, immutable=self._immutable
        )
        try:
            return self._back_up(con, label)
        finally:
            con.close()

    def close(self) -> None:
        """Finish the queued writes, close everything. May be called twice."""
        self.vectors.close()
        if self._writer is not None:
            self._pool.close()
            self._writer.close()
        self._pool.close()

    # -------------------------------------------------------------- damage

    @property
    def backups(self) -> Path:
        """The folder of the copies."""
        return self.path.parent / "backups"

    def daily_is_due(self) -> bool:
        """Say whether something has changed since a daily copy that is a day old, or was never made."""
        now_ms, params = self._clock(), self._params.backup
        if not params.daily or self.read_only:
            return False
        last = backup.newest_ms(self.backups, backup.DAILY, now_ms)
        if last is None:
            with self.snapshot() as s:
                first = s.value("SELECT created_ms FROM item ORDER BY id LIMIT 1")
            return first is not None and now_ms - int(first) >= _DAY_MS
        wal = self.path.with_name(self.path.name + "-wal")
        return now_ms - last >= _DAY_MS and max(_changed_ms(self.path), _changed_ms(wal)) > last

    def _back_up(self, con: apsw.Connection, label: str) -> Path:
        with _files(self.path):
            return backup.back_up(con, self.path, self.backups, label, self._clock(), self._params.backup)

    def _set_aside(self, con: apsw.Connection, label: str) -> Path:
        with _files(self.path):
            return backup.set_aside(con, self.path, self.backups, label, self._clock(), self._params.backup)

    def pack_copy(self, given_up: set[str]) -> Path | None:
        """Pack a copy that was only set aside; return the packed one, None if there is none.

        Args:
            given_up: Copies that could not be packed; one that is damaged is noted here and left as it is.

        Raises:
            StoreError: There is no room.
        """
        with self.copying:
            waiting = (file for file in backup.unpacked_copies(self.backups) if file.name not in given_up)
            copy = next(waiting, None)
            if copy is None:
                return None
            try:
                return backup.pack_one(copy, self._clock())
            except StoreDamaged:
                given_up.add(copy.name)
                raise

    def _name_backup(self, damage: StoreDamaged) -> StoreDamaged:
        newest = backup.newest_backup(self.backups)
        hint = f"newest backup: {newest}" if newest else "there is no backup"
        return StoreDamaged(f"{damage.message}; {hint}", hint=hint, where=str(self.path))

    def _found_damage(self, damage: StoreDamaged) -> None:
        """Stop writing: the writer met a damaged page."""
        self.damaged = self._name_backup(damage)
        self.read_only = True


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


_DAY_MS = 86_400_000


def _changed_ms(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@contextlib.contextmanager
def _files(path: Path) -> Iterator[None]:
    """Translate the operating system's refusals."""
    try:
        yield
    except OSError as error:
        raise connection.translate_os(error, path) from error
