"""The one thread that writes: a bounded queue of jobs, futures that are set after COMMIT, none before."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import apsw

from libra.ground.errors import StoreBusy, StoreDamaged, StoreError, StoreFailing, StoreFull
from libra.store.changes import IndexChanges
from libra.store.connection import LIMIT, translate
from libra.store.housekeeping import Housekeeping, HousekeepingParams
from libra.store.sql import Bindings, Reader, Row

T = TypeVar("T")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WriterParams(HousekeepingParams):
    """Settings of the writer, with those of its housekeeping.

    Attributes:
        queue_limit: Jobs that may wait; more block their callers.
        batch_limit: Waiting jobs that may share one transaction.
        busy_ms: How long a job is tried while another process holds the lock (field case B18).
        patience_ms: How long a transaction of patient jobs alone waits for company; any other job ends the wait.
    """

    queue_limit: int = 1024
    batch_limit: int = 64
    busy_ms: int = 15_000
    patience_ms: int = 25


class WriteTx(Reader):
    """What a job works with: the write transaction and the changes that the vector mirror must follow."""

    def __init__(self, con: apsw.Connection, *, vectors: bool) -> None:
        self._con = con
        self.vectors = vectors
        """Whether sqlite-vec is loaded."""
        self.changes = IndexChanges()
        self.empty_wal = False
        """Set by a job that removed something for good: no frame of it may stay in the WAL."""

    def run(self, sql: str, bindings: Bindings = ()) -> int:
        """Run one statement; return how many rows it changed."""
        self._con.execute(sql, bindings)
        return self._con.changes()

    def many(self, sql: str, bindings: Iterable[Bindings]) -> None:
        """Run one statement for each of the bindings."""
        self._con.executemany(sql, bindings)

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Return all rows of a SELECT, or of a statement with RETURNING."""
        return self._con.execute(sql, bindings).fetchall()

    def insert(self, sql: str, bindings: Bindings = ()) -> int:
        """Run an INSERT; return the new row's id."""
        self._con.execute(sql, bindings)
        return self._con.last_insert_rowid()


class _Job(Generic[T]):
    """A piece of work and the future that reports it."""

    __slots__ = ("alone", "error", "full_sync", "future", "patient", "result", "work")

    def __init__(
        self,
        work: Callable[[WriteTx], T],
        *,
        full_sync: bool,
        patient: bool,
        alone: Callable[[apsw.Connection], T] | None = None,
    ) -> None:
        self.work = work
        self.alone = alone
        self.full_sync = full_sync
        self.patient = patient
        self.future: Future[T] = Future()
        self.result: T | None = None
        self.error: BaseException | None = None


def _nothing(_tx: WriteTx) -> None:
    return None


class _Lost(Exception):
    """The whole transaction is gone, not only the savepoint of one job."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


class Writer:
    """Owns the write connection. Jobs run in the order in which they were submitted.

    A job is a function of the transaction and may be run again if the transaction is lost, so it must not
    change anything outside of it.
    """

    def __init__(
        self,
        con: apsw.Connection,
        path: Path,
        params: WriterParams,
        *,
        vectors: bool,
        wal: bool,
        published: Callable[[IndexChanges], None],
        expire: Callable[[int], int],
        damaged: Callable[[StoreDamaged], None],
    ) -> None:
        self._con = con
        self._path = path
        self._params = params
        self._vectors = vectors
        self._always_full = not wal
        self._published = published
        self._house = Housekeeping(con, path, params, busy_ms=params.busy_ms, expire=expire)
        self._damaged = damaged
        self._queue: queue.Queue[_Job[Any] | None] = queue.Queue(params.queue_limit)
        self._closed = threading.Event()
        self._ended = threading.Event()
        self._full_sync = not wal
        self._held: _Job[Any] | None = None
        self.full = False
        """The last write found no room."""
        self.at_limit = False
        """It was our own limit that was reached, not the disk's."""
        self.failing = False
        """The last write met a disk that refuses."""
        self._thread = threading.Thread(target=self._run, name="libra-writer", daemon=True)
        self._thread.start()

    def submit(
        self, work: Callable[[WriteTx], T], *, full_sync: bool = False, patient: bool = False
    ) -> Future[T]:
        """Queue a job; the future has its result once it is committed.

        Args:
            work: Runs on the writer's thread under its own savepoint. What it raises becomes the future's
                exception, and nothing of it is stored.
            full_sync: Survive a power cut too (compaction and forget).
            patient: Nobody waits for it: it may begin a moment later, and leaves the processor to the caller.

        Raises:
            StoreBusy: The queue stayed full.
            StoreError: The store is closed.
        """
        return self._queued(_Job(work, full_sync=full_sync, patient=patient))

    def vacuum(self) -> Future[None]:
        """Queue the rewriting of the whole file: afterwards nothing is in it but what is stored (no job runs meanwhile)."""
        return self._queued(_Job(_nothing, full_sync=True, patient=False, alone=self._house.vacuum))

    def _queued(self, job: _Job[T]) -> Future[T]:
        if self._closed.is_set():
            raise StoreError("the store is closed", reason="closed")
        try:
            self._queue.put(job, timeout=self._params.busy_ms / 1000)
        except queue.Full:
            raise StoreBusy("too many writes are waiting", reason="queue_full") from None
        if self._ended.is_set():
            # It slipped in behind the end of the queue: nobody else will look there.
            self._refuse_rest()
        return job.future

    @property
    def waiting(self) -> int:
        """Jobs that have not started."""
        return self._queue.qsize()

    def close(self) -> None:
        """Finish what is queued, shorten the WAL, close the connection."""
        if not self._closed.is_set():
            self._closed.set()
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        ended = False
        self._house.after_start()
        while not ended:
            try:
                job = self._held or self._queue.get(timeout=self._house.wait_s)
            except queue.Empty:
                self._house.when_idle()
                continue
            self._held = None
            batch, ended = self._gather(job)
            if batch and batch[0].alone is not None:
                self._do_alone(batch[0])
            elif batch:
                self._commit(batch)
                self._house.after_jobs()
        self._ended.set()
        self._refuse_rest()
        self._house.checkpoint()
        with contextlib.suppress(apsw.Error):
            self._con.close()

    def _gather(self, job: _Job[Any] | None) -> tuple[list[_Job[Any]], bool]:
        """Return the jobs that may share the next transaction, and whether the queue has ended."""
        batch: list[_Job[Any]] = []
        begins = time.monotonic() + self._params.patience_ms / 1000
        patient = True
        while job is not None:
            if job.alone is not None:
                if batch:
                    self._held = job
                elif job.future.set_running_or_notify_cancel():
                    batch.append(job)
                return batch, False
            patient = patient and job.patient
            if job.future.set_running_or_notify_cancel():
                batch.append(job)
            if len(batch) >= self._params.batch_limit:
                return batch, False
            try:
                left_s = begins - time.monotonic() if patient else 0.0
                job = self._queue.get(timeout=left_s) if left_s > 0 else self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _refuse_rest(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._queue.get_nowait()
                if job is not None and job.future.set_running_or_notify_cancel():
                    job.future.set_exception(StoreError("the store is closed", reason="closed"))

    def _commit(self, batch: Sequence[_Job[Any]]) -> None:
        """Commit the jobs together; if the transaction as a whole is lost, each alone."""
        tx = None
        try:
            tx = self._transact(batch)
        except _Lost as lost:
            if len(batch) > 1:
                for job in batch:
                    self._commit([job])
                return
            batch[0].error = lost.cause
        if tx is not None:
            if any(job.error is None for job in batch):
                self.full = self.failing = False
            self._publish(tx.changes)
            if tx.empty_wal:
                self._house.empty_wal()
        for job in batch:
            if job.error is None:
                job.future.set_result(job.result)
            else:
                error = translate(job.error, self._path)
                if isinstance(error, StoreFull):
                    self.full, self.at_limit = True, error.reason == LIMIT
                self.failing = self.failing or isinstance(error, StoreFailing)
                if isinstance(error, StoreDamaged):
                    self._damaged(error)
                job.future.set_exception(error)

    def _do_alone(self, job: _Job[Any]) -> None:
        """Run a job that may be in no transaction."""
        try:
            result = job.alone(self._con) if job.alone is not None else None
        except BaseException as error:  # noqa: BLE001 - handed to who waits for it
            job.future.set_exception(translate(error, self._path))
        else:
            job.future.set_result(result)

    def _publish(self, changes: IndexChanges) -> None:
        """Tell the mirror. It is committed: whatever goes wrong now may not reach the jobs or end the thread."""
        try:
            self._published(changes)
        except Exception:  # noqa: BLE001 - logged; the mirror drops its rows and loads them again
            _LOG.exception("the vector mirror could not follow and will be loaded again")

    def _transact(self, batch: Sequence[_Job[Any]]) -> WriteTx:
        deadline = time.monotonic() + self._params.busy_ms / 1000
        try:
            self._set_sync(full=any(job.full_sync for job in batch))
            self._until(deadline, "BEGIN IMMEDIATE")
            tx = WriteTx(self._con, vectors=self._vectors)
            for job in batch:
                self._attempt(tx, job)
            self._until(deadline, "COMMIT")
        except apsw.Error as error:
            self._rollback()
            raise _Lost(error) from error
        except _Lost:
            self._rollback()
            raise
        return tx

    def _attempt(self, tx: WriteTx, job: _Job[Any]) -> None:
        """Run one job under its own savepoint."""
        job.error = None
        kept = tx.changes
        tx.changes = IndexChanges()
        self._con.execute("SAVEPOINT job")
        try:
            job.result = job.work(tx)
        except BaseException as error:
            tx.changes = kept
            if not self._con.in_transaction:
                raise _Lost(error) from error
            job.error = error
            self._con.execute("ROLLBACK TO job")
            self._con.execute("RELEASE job")
        else:
            self._con.execute("RELEASE job")
            kept.extend(tx.changes)
            tx.changes = kept

    def _until(self, deadline: float, statement: str) -> None:
        """Run a statement that may meet another process's lock; the busy time-out paces the tries."""
        while True:
            try:
                self._con.execute(statement)
            except apsw.BusyError:
                if time.monotonic() >= deadline:
                    raise
            else:
                return

    def _rollback(self) -> None:
        if self._con.in_transaction:
            with contextlib.suppress(apsw.Error):
                self._con.execute("ROLLBACK")

    def _set_sync(self, *, full: bool) -> None:
        full = full or self._always_full
        if full != self._full_sync:
            self._con.pragma("synchronous", "FULL" if full else "NORMAL")
            self._full_sync = full
