"""The vectors' sign bits in memory, with what a search filters by: an immutable view for readers, grown after COMMIT.

Searching 100,000 rows of bits takes about a millisecond; the best are scored again from the float rows
(feasibility.md §3). Readers take the present :class:`View` and never wait; the writer appends into spare room behind the
rows that a view covers and publishes a new view, so that an insert never copies what is there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from libra.ground.vectors import from_blob, sign_bits
from libra.store import bits, meta
from libra.store.changes import AddedChunk, IndexChanges
from libra.store.snapshot import Snapshot
from libra.store.sql import json_list

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

_WORD_BITS = 64
_FIRST_ROOM = 1024
_LOAD_ROWS = 10_000
_DEAD_SHARE = 0.25
_HALF_ROWS = 20_000
"""Up to so many rows the vectors themselves are held too, in half precision (15 MB of 384 components): reading
the best 256 from the database is the dearest step of a search in a store of that size."""


@dataclass(frozen=True, slots=True)
class View:
    """Rows of one state; arrays have ``n`` entries and are not written to within them.

    Attributes:
        fingerprint: The model whose vectors these are.
        dims: Components of a vector.
        words: Shape ``(dims / 64, n)``: sign bits, one row a word, so that a scan runs along memory.
        alive: False where the vector was deleted or replaced.
        half: The vectors, shape ``(n, dims)``; without rows when there are too many to hold.
    """

    fingerprint: str
    dims: int
    n: int
    words: npt.NDArray[np.uint64]
    chunk: Ints
    item: Ints
    scope: npt.NDArray[np.int32]
    ts: Ints
    kind: npt.NDArray[np.uint8]
    type: npt.NDArray[np.uint16]
    active: Bools
    alive: Bools
    half: npt.NDArray[np.float16]

    @property
    def holds_vectors(self) -> bool:
        """Whether :attr:`half` has every row."""
        return len(self.half) == self.n


def empty_view(fingerprint: str = "", dims: int = 0) -> View:
    """Return a view without rows."""
    count = -(-dims // _WORD_BITS)
    return View(
        fingerprint, dims, 0,
        words=np.zeros((count, 0), np.uint64), chunk=np.zeros(0, np.int64), item=np.zeros(0, np.int64),
        scope=np.zeros(0, np.int32), ts=np.zeros(0, np.int64), kind=np.zeros(0, np.uint8),
        type=np.zeros(0, np.uint16), active=np.zeros(0, np.bool_), alive=np.zeros(0, np.bool_),
        half=np.zeros((0, dims), np.float16),
    )  # fmt: skip


_COLUMNS = ("chunk", "item", "scope", "ts", "kind", "type", "active", "alive")


class VectorMirror:
    """Holds the present view; loaded at the first search, kept up to date by the writer."""

    def __init__(self, lend: Callable[[], AbstractContextManager[Snapshot]]) -> None:
        self._lend = lend
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._view: View | None = None
        self._late: list[IndexChanges] | None = None
        self._room: dict[str, npt.NDArray[Any]] = {}
        self._types: dict[str | None, int] = {None: 0}

    def view(self) -> View:
        """Return the present rows, loading them the first time.

        Raises:
            StoreError: They could not be read.
        """
        view = self._view
        return view if view is not None else self._load()

    def type_codes(self, types: Iterable[str]) -> list[int]:
        """Return the codes of memory types in :attr:`View.type`; unknown types have none."""
        with self._lock:
            return [self._types[t] for t in types if t in self._types]

    @property
    def loaded(self) -> bool:
        """Whether the vectors are in memory."""
        return self._view is not None

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""
        with self._lock:
            return sum(array.nbytes for array in self._room.values())

    def drop(self) -> None:
        """Let the memory go; the next search loads again."""
        with self._lock:
            self._view, self._room = None, {}

    # -------------------------------------------------------------- loading

    def _load(self) -> View:
        """Read all rows, a part a snapshot, so that no read lasts long. What is committed meanwhile is applied after."""
        with self._loading:
            while self._view is None:
                with self._lock:
                    self._late, self._room = [], {}
                try:
                    fresh = self._read()
                except BaseException:
                    with self._lock:
                        self._late = None
                    raise
                with self._lock:
                    late, self._late = self._late or [], None
                    if any(changes.model for changes in late):
                        continue
                    for changes in late:
                        fresh = self._applied(fresh, changes, again=True)
                    self._view = fresh
            return self._view

    def _read(self) -> View:
        with self._lend() as s:
            fingerprint, dims = meta.get(s, "model.fingerprint"), meta.get(s, "model.dims")
            fresh = empty_view(fingerprint or "", int(dims or 0))
            held = bits.stored(s, fresh.dims)
            few = _count(s, fresh.fingerprint) <= _HALF_ROWS
        after: int | None = 0
        while after is not None and fresh.dims:
            with self._lend() as s:
                part = _stored(s, fresh, after, held, self._type_code, floats=few)
            after = None if part is None else int(part.chunk[-1])
            fresh = fresh if part is None else self._append(fresh, part)
        return fresh

    # -------------------------------------------------------------- changing

    def apply(self, changes: IndexChanges) -> None:
        """Follow a committed transaction. Called by the writer only, before the futures of its jobs are set."""
        if changes.empty:
            return
        with self._lock:
            if self._late is not None:
                self._late.append(changes)
            elif changes.model is not None:
                # Vectors that the new model made earlier are ready again: only the database knows which.
                self._view, self._room = None, {}
            elif self._view is not None:
                try:
                    self._view = self._applied(self._view, changes)
                except BaseException:
                    self._view = None
                    raise

    def _applied(self, view: View, changes: IndexChanges, *, again: bool = False) -> View:
        """Return the view after the changes.

        Args:
            view: The rows before.
            changes: Of one transaction.
            again: The rows may hold some of the changes already; these then change nothing.
        """
        if view.n:
            view = self._marked(view, changes)
        known = set(view.chunk[view.alive].tolist()) if again else set()
        added = [c for c in changes.added if c.chunk_id not in known and c.vector.shape[-1] == view.dims]
        if added:
            view = self._append(view, _part(added, self._type_code))
        dead = view.n - int(np.count_nonzero(view.alive))
        return self._closed_up(view) if dead > _FIRST_ROOM and dead > _DEAD_SHARE * view.n else view

    def _marked(self, view: View, changes: IndexChanges) -> View:
        """Return the view with marks changed in copies: what readers hold stays as it is."""
        new: dict[str, Any] = {}
        if changes.removed_items:
            # A replaced item's new vectors come in the same changes; its newest chunk here is older than those.
            gone = _members(view.item, changes.removed_items)
            fresh = [c.chunk_id for c in changes.added]
            if fresh:
                gone &= view.chunk < min(fresh)
            new["alive"] = view.alive & ~gone
        for name, values in (("active", changes.active), ("scope", changes.scopes)):
            if values:
                new[name] = _changed(getattr(view, name), view.item, values)
        if changes.types:
            new["type"] = _changed(
                view.type, view.item, {i: self._type_code(t) for i, t in changes.types.items()}
            )
        for name, column in new.items():
            # The spare room must stay behind the new copy.
            room = np.empty(self._room[name].shape, column.dtype)
            room[: view.n] = column
            self._room[name] = room
            new[name] = room[: view.n]
        return replace(view, **new) if new else view

    def _append(self, view: View, part: View) -> View:
        """Return the view with the rows of ``part`` behind it, written into spare room."""
        n = view.n + part.n
        holds = n <= _HALF_ROWS and view.holds_vectors and part.holds_vectors
        if not self._room or self._room["chunk"].shape[0] < n:
            size = max(_FIRST_ROOM, n + n // 2)
            room: dict[str, npt.NDArray[Any]] = {"words": np.empty((view.words.shape[0], size), np.uint64)}
            room["words"][:, : view.n] = view.words
            for name in _COLUMNS:
                old = getattr(view, name)
                room[name] = np.empty(size, old.dtype)
                room[name][: view.n] = old
            if holds:
                room["half"] = np.empty((min(size, _HALF_ROWS), view.dims), np.float16)
                room["half"][: view.n] = view.half
            self._room = room
        self._room["words"][:, view.n : n] = part.words
        for name in _COLUMNS:
            self._room[name][view.n : n] = getattr(part, name)
        columns: dict[str, Any] = {name: self._room[name][:n] for name in _COLUMNS}
        if holds:
            self._room["half"][view.n : n] = part.half
            columns["half"] = self._room["half"][:n]
        else:
            self._room.pop("half", None)
            columns["half"] = view.half[:0]
        return replace(view, n=n, words=self._room["words"][:, :n], **columns)

    def _closed_up(self, view: View) -> View:
        """Return the view without its dead rows."""
        keep = np.flatnonzero(view.alive)
        columns = {name: getattr(view, name)[keep] for name in _COLUMNS}
        half = view.half[keep] if view.holds_vectors else view.half[:0]
        part = replace(view, n=len(keep), words=view.words[:, keep], half=half, **columns)
        self._room = {}
        return self._append(empty_view(view.fingerprint, view.dims), part)

    def _type_code(self, name: str | None) -> int:
        return self._types.setdefault(name, len(self._types))


def _members(column: Ints, ids: Sequence[int]) -> Bools:
    """Return where ``column`` holds one of ``ids``."""
    return np.isin(column, np.asarray(ids, np.int64))


def _changed(column: npt.NDArray[Any], item: Ints, values: dict[int, Any]) -> npt.NDArray[Any]:
    """Return a copy of ``column`` with the values of some items changed."""
    ids = np.array(sorted(values), np.int64)
    where = np.flatnonzero(_members(item, ids.tolist()))
    out = column.copy()
    new = np.array([values[int(i)] for i in ids], column.dtype)
    out[where] = new[np.searchsorted(ids, item[where])]
    return out


def words_of(packed: npt.NDArray[np.uint8], dims: int) -> npt.NDArray[np.uint64]:
    """Return packed bits as words of 64, missing bits zero.

    Args:
        packed: Shape ``(n, dims / 8)``.
        dims: Components of a vector.

    Returns:
        Shape ``(ceil(dims / 64), n)``.
    """
    count = -(-dims // _WORD_BITS)
    padded = np.zeros((packed.shape[0], count * _WORD_BITS // 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _part(chunks: Sequence[AddedChunk], code: Callable[[str | None], int]) -> View:
    """Return new rows as a view of their own."""
    vectors = np.stack([c.vector for c in chunks])
    dims = vectors.shape[1]
    return View(
        "", dims, len(chunks), words_of(sign_bits(vectors), dims),
        np.array([c.chunk_id for c in chunks], np.int64), np.array([c.item_id for c in chunks], np.int64),
        np.array([c.scope_id for c in chunks], np.int32), np.array([c.ts_ms for c in chunks], np.int64),
        np.array([c.kind for c in chunks], np.uint8), np.array([code(c.type) for c in chunks], np.uint16),
        np.array([c.active for c in chunks], np.bool_), np.ones(len(chunks), np.bool_), vectors.astype(np.float16),
    )  # fmt: skip


def _stored(
    s: Snapshot, model: View, after: int, held: bits.Held, code: Callable[[str | None], int], *, floats: bool
) -> View | None:
    """Return the next ready rows of the model after a chunk id, or None. Bits come from the bit index where it has them."""
    vector = "chunk.vector" if floats else "NULL"
    found = s.rows(
        f"SELECT chunk.id, chunk.item_id, item.scope_id, item.ts_ms, item.kind, item.type, item.active, {vector}"
        " FROM chunk JOIN item ON item.id = chunk.item_id"
        " WHERE chunk.state = 1 AND chunk.fingerprint = ? AND chunk.id > ? ORDER BY chunk.id LIMIT ?",
        (model.fingerprint, after, _LOAD_ROWS),
    )
    if not found:
        return None
    chunk, item, scope, ts, kind, type_, active, blobs = zip(*found, strict=True)
    ids = np.array(chunk, np.int64)
    half = np.zeros((0, model.dims), np.float16)
    if floats:
        half = np.frombuffer(b"".join(blobs), "<f4").reshape(len(ids), model.dims).astype(np.float16)
    return View(
        model.fingerprint, model.dims, len(ids), words_of(_bits_for(s, ids, held, model.dims), model.dims),
        ids, np.array(item, np.int64), np.array(scope, np.int32), np.array(ts, np.int64),
        np.array(kind, np.uint8), np.array([code(t) for t in type_], np.uint16),
        np.array(active, np.bool_), np.ones(len(ids), np.bool_), half,
    )  # fmt: skip


def _count(s: Snapshot, fingerprint: str) -> int:
    return int(s.value("SELECT count(*) FROM chunk WHERE state = 1 AND fingerprint = ?", (fingerprint,)))


def _bits_for(s: Snapshot, ids: Ints, held: bits.Held, dims: int) -> npt.NDArray[np.uint8]:
    """Return the bits of chunks: from the bit index, else from the float rows."""
    have, packed = held
    out = np.zeros((len(ids), dims // 8), np.uint8)
    place = np.minimum(np.searchsorted(have, ids), max(len(have) - 1, 0))
    there = have[place] == ids if len(have) else np.zeros(len(ids), np.bool_)
    out[there] = packed[place[there]]
    missing = ids[~there]
    if len(missing):
        floats: dict[int, bytes] = dict(
            s.rows(
                "SELECT id, vector FROM chunk WHERE id IN (SELECT value FROM json_each(?))",
                (json_list(missing.tolist()),),
            )
        )
        out[~there] = sign_bits(np.stack([from_blob(floats[i]) for i in missing.tolist()]))
    return out
