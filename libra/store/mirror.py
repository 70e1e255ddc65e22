"""The vectors' sign bits in memory, with what a search filters by: an immutable view for readers, grown after COMMIT.

Searching 100,000 rows of bits takes about a millisecond; the best are scored again from the float rows
(feasibility.md §3). Readers take the present :class:`View` and never wait; the writer appends into spare room behind the
rows that a view covers and publishes a new view, so that an insert never copies what is there.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from libra.ground.errors import StoreError
from libra.ground.vectors import sign_bits
from libra.store import bits, items, meta
from libra.store.changes import AddedChunk, IndexChanges
from libra.store.codes import coded
from libra.store.loading import at_most, stored_part
from libra.store.places import Places
from libra.store.snapshot import Snapshot
from libra.store.view import Ints, View, empty_view, words_of

__all__ = ["VectorMirror", "View"]

_FIRST_ROOM = 1024
_LOAD_ROWS = 2_000
_DEAD_SHARE = 0.25
_PATIENCE_S = 0.1
"""So long a search waits for the rows of a large store that are still being loaded; then it takes those that are there."""


_COLUMNS = ("chunk", "item", "scope", "ts", "kind", "type", "active", "alive")
_OPTIONAL = ("half", "code", "step")


class VectorMirror:
    """Holds the present view; loaded in the background or at the first search, kept up to date by the writer."""

    def __init__(
        self,
        lend: Callable[[], AbstractContextManager[Snapshot]],
        codes_most_bytes: int,
        whole_most_rows: int,
    ) -> None:
        self._lend = lend
        self._whole_most_rows = whole_most_rows
        self._codes_most_bytes = codes_most_bytes
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._view: View | None = None
        self._part: View | None = None
        self._loader: threading.Thread | None = None
        self._failed: BaseException | None = None
        self._closed = False
        self._late: list[IndexChanges] | None = None
        self._room: dict[str, npt.NDArray[Any]] = {}
        self._types: dict[str | None, int] = {None: 0}
        self._places = Places()
        self._numbers = itertools.count(1)

    def view(self) -> View:
        """Return the present rows, loading them the first time.

        Raises:
            StoreError: They could not be read.
        """
        view = self._view
        return view if view is not None else self._load()

    def present(self) -> View:
        """Return the rows that are in memory: all of them, or of a large store that is still being read the newest.

        Everything that is found is read from the database afterwards, so that rows that have changed while others were being
        loaded do no harm.

        Raises:
            StoreError: They could not be read.
        """
        view = self._view
        if view is not None:
            return view
        with self._lend() as s:
            few = at_most(s, meta.get(s, "model.fingerprint") or "", self._whole_most_rows)
        if few:
            return self._load()
        self.begin().join(_PATIENCE_S)
        with self._lock:
            view, failed, self._failed = self._view or self._part, self._failed, None
        if failed is not None:
            raise failed
        return view or empty_view()

    def begin(self) -> threading.Thread:
        """Load all rows in the background, if that is not done or under way; return the thread that does."""
        with self._lock:
            loader = self._loader
            if loader is None or not loader.is_alive():
                loader = threading.Thread(target=self._load_quietly, name="libra-vectors", daemon=True)
                self._loader = loader
                loader.start()
        return loader

    def close(self) -> None:
        """Stop loading."""
        self._closed = True
        loader = self._loader
        if loader is not None:
            loader.join()

    def type_codes(self, types: Iterable[str]) -> list[int]:
        """Return the codes of memory types in :attr:`View.type`; unknown types have none."""
        with self._lock:
            return [self._types[t] for t in types if t in self._types]

    def rows_of(self, view: View, item_ids: Sequence[int]) -> Ints:
        """Return the rows of a view that are of these items, dead ones too."""
        return self._places.rows(view, item_ids)

    @property
    def loaded(self) -> bool:
        """Whether the vectors are in memory."""
        return self._view is not None

    @property
    def missing(self) -> str:
        """What a question should know of vectors that are still being read; empty when all are there."""
        if self._view is not None:
            return ""
        part = self._part
        there = 0 if part is None else part.n
        return f"vectors: of a large store only the newest {there:,} were searched; the others are still being loaded"

    @property
    def nbytes(self) -> int:
        """Bytes of memory in use."""
        with self._lock:
            return sum(array.nbytes for array in self._room.values())

    def drop(self) -> None:
        """Let the memory go; the next search loads again."""
        with self._lock:
            self._view, self._part, self._room = None, None, {}

    # -------------------------------------------------------------- loading

    def _load_quietly(self) -> None:
        try:
            self._load()
        except StoreError as error:
            with self._lock:
                self._failed = None if self._closed else error

    def _load(self) -> View:
        """Read all rows, a part a snapshot, so that no read lasts long. What is committed meanwhile is applied after."""
        with self._loading:
            while self._view is None:
                with self._lock:
                    self._late, self._room, self._part = [], {}, None
                try:
                    fresh = self._read()
                except BaseException:
                    with self._lock:
                        self._late = self._part = None
                    raise
                with self._lock:
                    late, self._late, self._part = self._late or [], None, None
                    if any(changes.model for changes in late):
                        continue
                    for changes in late:
                        fresh = self._applied(fresh, changes, again=True)
                    self._view = fresh
            return self._view

    def _read(self) -> View:
        with self._lend() as s:
            fingerprint, dims = meta.get(s, "model.fingerprint"), meta.get(s, "model.dims")
            fresh = replace(empty_view(fingerprint or "", int(dims or 0)), layout=next(self._numbers))
            few = at_most(s, fresh.fingerprint, max(self._whole_most_rows, self._most_codes(fresh.dims)))
            held = None if few else bits.stored(s, fresh.dims)
            until = items.next_id(s) - 1
        while until > 0 and fresh.dims:
            if self._closed:
                raise StoreError("the store is closed", reason="closed")
            with self._lend() as s:
                part = stored_part(s, fresh, (until - _LOAD_ROWS, until), held, self._type_code)
            until -= _LOAD_ROWS
            fresh = fresh if part is None else self._append(fresh, part)
            with self._lock:
                # A view of another model than the question's may never be searched.
                if not any(changes.model for changes in self._late or ()):
                    self._part = fresh
        return fresh

    # -------------------------------------------------------------- changing

    def apply(self, changes: IndexChanges) -> None:
        """Follow a committed transaction. Called by the writer only, before the futures of its jobs are set."""
        if changes.empty:
            return
        with self._lock:
            if self._late is not None:
                self._late.append(changes)
                if changes.model is not None:
                    self._part = None
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
            gone = self._places.rows(view, changes.removed_items)
            fresh = [c.chunk_id for c in changes.added]
            if fresh:
                gone = gone[view.chunk[gone] < min(fresh)]
            if len(gone):
                new["alive"] = view.alive.copy()
                new["alive"][gone] = False
        types = {i: self._type_code(t) for i, t in changes.types.items()}
        for name, values in (("active", changes.active), ("scope", changes.scopes), ("type", types)):
            where = self._places.rows(view, list(values))
            if len(where):
                new[name] = getattr(view, name).copy()
                new[name][where] = [values[item] for item in view.item[where].tolist()]
        for name, column in new.items():
            # The spare room must stay behind the new copy.
            room = np.empty(self._room[name].shape, column.dtype)
            room[: view.n] = column
            self._room[name] = room
            new[name] = room[: view.n]
        return replace(view, **new, marks=next(self._numbers)) if new else view

    def _append(self, view: View, part: View) -> View:
        """Return the view with the rows of ``part`` behind it, written into spare room."""
        n = view.n + part.n
        most = {
            "half": self._whole_most_rows,
            "code": self._most_codes(view.dims),
            "step": self._most_codes(view.dims),
        }
        kept = [
            name
            for name in most
            if n <= most[name] and len(getattr(view, name)) == view.n and len(getattr(part, name)) == part.n
        ]
        if not self._room or self._room["chunk"].shape[0] < n:
            size = max(_FIRST_ROOM, n + n // 2)
            room: dict[str, npt.NDArray[Any]] = {"words": np.empty((view.words.shape[0], size), np.uint64)}
            room["words"][:, : view.n] = view.words
            for name in _COLUMNS:
                old = getattr(view, name)
                room[name] = np.empty(size, old.dtype)
                room[name][: view.n] = old
            for name in kept:
                old = getattr(view, name)
                room[name] = np.empty((min(size, most[name]), *old.shape[1:]), old.dtype)
                room[name][: view.n] = old
            self._room = room
        self._room["words"][:, view.n : n] = part.words
        for name in _COLUMNS:
            self._room[name][view.n : n] = getattr(part, name)
        columns: dict[str, Any] = {name: self._room[name][:n] for name in _COLUMNS}
        for name in most:
            if name in kept:
                self._room[name][view.n : n] = getattr(part, name)
                columns[name] = self._room[name][:n]
            else:
                self._room.pop(name, None)
                columns[name] = getattr(view, name)[:0]
        return replace(view, n=n, words=self._room["words"][:, :n], **columns)

    def _closed_up(self, view: View) -> View:
        """Return the view without its dead rows."""
        keep = np.flatnonzero(view.alive)
        columns = {name: getattr(view, name)[keep] for name in _COLUMNS}
        for name in _OPTIONAL:
            old = getattr(view, name)
            columns[name] = old[keep] if len(old) == view.n else old[:0]
        part = replace(view, n=len(keep), words=view.words[:, keep], **columns)
        self._room = {}
        empty = replace(empty_view(view.fingerprint, view.dims), layout=next(self._numbers))
        return self._append(empty, part)

    def _most_codes(self, dims: int) -> int:
        """Return of how many vectors the codes may be held."""
        return self._codes_most_bytes // (dims // 2 + 4)

    def _type_code(self, name: str | None) -> int:
        return self._types.setdefault(name, len(self._types))


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
        *coded(vectors),
    )  # fmt: skip
