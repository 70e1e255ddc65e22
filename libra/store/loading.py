"""Read what the mirror holds out of the database, some thousand items at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from libra.ground.vectors import sign_bits
from libra.store import bits
from libra.store.codes import coded
from libra.store.snapshot import Snapshot
from libra.store.sql import json_list
from libra.store.view import Ints, View, words_of


def stored_part(
    s: Snapshot,
    model: View,
    between: tuple[int, int],
    held: bits.Held | None,
    type_code: Callable[[str | None], int],
) -> View | None:
    """Return the ready rows of some items, the newest first, or None.

    Args:
        s: The state.
        model: An empty view of the model.
        between: Ids of items, from (exclusive) and to (inclusive).
        held: The bit index, to do without the vectors; None to read them and keep them too.
        type_code: Gives types their numbers.
    """
    ids, of_item, vectors = _with_vectors(s, model, between) if held is None else _without(s, model, between)
    if not len(ids):
        return None
    found = s.rows(
        "SELECT id, scope_id, ts_ms, kind, type, active FROM item WHERE id > ? AND id <= ? ORDER BY id",
        between,
    )
    item, scope, ts, kind, type_, active = zip(*found, strict=True)
    place = np.searchsorted(np.array(item, np.int64), of_item)
    packed = sign_bits(vectors) if held is None else _bits_for(s, ids, held, model.dims)
    code, step = coded(vectors)
    return View(
        model.fingerprint, model.dims, len(ids), words_of(packed, model.dims),
        ids, of_item, np.array(scope, np.int32)[place], np.array(ts, np.int64)[place], np.array(kind, np.uint8)[place],
        np.array([type_code(t) for t in type_], np.uint16)[place], np.array(active, np.bool_)[place],
        np.ones(len(ids), np.bool_), vectors.astype(np.float16), code, step,
    )  # fmt: skip


_Rows = tuple[Ints, Ints, npt.NDArray[np.float32]]
"""Ids of chunks, their items, and their vectors."""


def _with_vectors(s: Snapshot, model: View, between: tuple[int, int]) -> _Rows:
    found = s.rows(
        "SELECT id, item_id, vector FROM chunk INDEXED BY chunk_item WHERE item_id > ? AND item_id <= ?"
        " AND state = 1 AND fingerprint = ? ORDER BY item_id DESC",
        (*between, model.fingerprint),
    )
    vectors = np.frombuffer(b"".join(row[2] for row in found), "<f4").reshape(len(found), model.dims)
    return (
        np.array([row[0] for row in found], np.int64),
        np.array([row[1] for row in found], np.int64),
        vectors,
    )


def _without(s: Snapshot, model: View, between: tuple[int, int]) -> _Rows:
    """Read no row of ``chunk``, which has its vector in it, but two indexes that hold all that is asked for."""
    pairs = s.rows(
        "SELECT id, item_id FROM chunk INDEXED BY chunk_item WHERE item_id > ? AND item_id <= ? ORDER BY item_id DESC",
        between,
    )
    every, of_item = np.array(pairs, np.int64).reshape(-1, 2).T
    ready = s.rows(
        "SELECT id FROM chunk WHERE state = 1 AND fingerprint = ? AND id BETWEEN ? AND ?",
        (model.fingerprint, int(every.min(initial=0)), int(every.max(initial=0))),
    )
    there = np.isin(every, np.array(ready, np.int64).ravel())
    return every[there], of_item[there], np.zeros((0, model.dims), np.float32)


def at_most(s: Snapshot, fingerprint: str, most: int) -> bool:
    """Say whether the model has at most so many vectors, without counting all of a large store."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM chunk WHERE state = 1 AND fingerprint = ? LIMIT ?)"
    return int(s.value(sql, (fingerprint, most + 1))) <= most


def _floats(s: Snapshot, ids: Ints, dims: int) -> npt.NDArray[np.float32]:
    """Return the vectors of chunks, shape ``(n, dims)``."""
    blobs: dict[int, bytes] = dict(
        s.rows(
            "SELECT id, vector FROM chunk WHERE id IN (SELECT value FROM json_each(?))",
            (json_list(ids.tolist()),),
        )
    )
    return np.frombuffer(b"".join(blobs[i] for i in ids.tolist()), "<f4").reshape(len(ids), dims)


def _bits_for(s: Snapshot, ids: Ints, held: bits.Held, dims: int) -> npt.NDArray[np.uint8]:
    """Return the bits of chunks: from the bit index, else from the float rows."""
    have, packed = held
    out = np.zeros((len(ids), dims // 8), np.uint8)
    place = np.minimum(np.searchsorted(have, ids), max(len(have) - 1, 0))
    there = have[place] == ids if len(have) else np.zeros(len(ids), np.bool_)
    out[there] = packed[place[there]]
    missing = ids[~there]
    if len(missing):
        out[~there] = sign_bits(_floats(s, missing, dims))
    return out
