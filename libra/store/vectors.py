"""Vectors of items: what waits for the model, what came from it, and what becomes of it when the model changes.

A vector belongs to the fingerprint of the model that made it. The database says which fingerprint is current; a row of
another one counts as pending, whatever its state, and is never compared (lessons.md C82–C84, cases B10, B11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from libra.ground.errors import Conflict
from libra.ground.vectors import Vector, is_usable, sign_bits, to_blob
from libra.store import bits, items, meta
from libra.store.changes import AddedChunk
from libra.store.mirror import VectorMirror
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx

__all__ = [
    "ChunkVectors", "Stored", "VectorCounts", "VectorMirror", "begin_model", "counts", "current_model", "fail", "has", "is_good",
    "pending", "put", "ready_after", "retry_failed", "waiting",
]  # fmt: skip

PENDING, READY, FAILED = 0, 1, 2
"""States of a chunk."""
_FINGERPRINT = "model.fingerprint"
_DIMS = "model.dims"
_BITS_IN_BYTE = 8


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """The vectors of one item: ``(start, end, vector)`` for each window, a span of characters of its text."""

    item_id: int
    windows: list[tuple[int, int, Vector]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stored:
    """What :func:`put` did.

    Attributes:
        items: Items whose vectors are searchable now.
        windows: Their vectors.
        refused: Items with a NaN, zero or missing vector; they are marked as failed, and text search has them.
        gone: Items that are no longer there.
    """

    items: int
    windows: int
    refused: list[int]
    gone: list[int]


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """Chunks by state; ``stale`` of the pending ones have a vector of another model."""

    pending: int
    ready: int
    failed: int
    stale: int


def current_model(s: Reader) -> tuple[str, int] | None:
    """Return fingerprint and dims of the model whose vectors are searched, or None before the first one."""
    fingerprint = meta.get(s, _FINGERPRINT)
    return None if fingerprint is None else (str(fingerprint), int(meta.get(s, _DIMS)))


def begin_model(tx: WriteTx, fingerprint: str, dims: int) -> bool:
    """Make this the database's model; return False if it is already.

    Rows of other fingerprints are pending from now on; a vector that this very model made earlier is ready at
    once. Nothing is deleted and no text is touched.

    Raises:
        ValueError: ``dims`` is no positive multiple of 8.
    """
    if dims <= 0 or dims % _BITS_IN_BYTE:
        raise ValueError(dims)
    if current_model(tx) == (fingerprint, dims):
        return False
    meta.put(tx, _FINGERPRINT, fingerprint)
    meta.put(tx, _DIMS, dims)
    tx.run("UPDATE chunk SET state = 0 WHERE state = 2")
    tx.changes.model = (fingerprint, dims)
    if tx.vectors:
        bits.rebuild(tx)
    else:
        meta.put(tx, bits.BEHIND, 1)
    return True


def pending(s: Reader, limit: int) -> list[tuple[int, int, str]]:
    """Return ``(chunk id, item id, whole text)`` of items that need vectors, newest first, one row an item.

    First those that have none, then those of another model.
    """
    found = s.rows(
        "SELECT chunk.id, item.id, item.text FROM chunk JOIN item ON item.id = chunk.item_id"
        " WHERE chunk.state = 0 AND chunk.fingerprint IS NULL ORDER BY chunk.id DESC LIMIT ?",
        (limit,),
    )
    model = current_model(s)
    if len(found) < limit and model is not None:
        found += s.rows(
            "SELECT max(chunk.id), item.id, item.text FROM chunk JOIN item ON item.id = chunk.item_id WHERE chunk.id IN"
            " (SELECT id FROM chunk WHERE state = 1 AND fingerprint < ?1"
            "  UNION ALL SELECT id FROM chunk WHERE state = 1 AND fingerprint > ?1 LIMIT ?2)"
            " GROUP BY item.id ORDER BY item.id DESC",
            (model[0], limit - len(found)),
        )
    once: dict[int, tuple[int, int, str]] = {}
    for chunk, item, text in found:
        once.setdefault(item, (chunk, item, text))
    return list(once.values())


def ready_after(s: Reader, after: int, limit: int) -> list[tuple[int, str]]:
    """Return ``(item id, text)`` of the next items, by id, that have a vector of the present model."""
    model = current_model(s)
    if model is None:
        return []
    found = s.rows(
        "SELECT id, text FROM item WHERE id > ?1 AND EXISTS (SELECT 1 FROM chunk WHERE chunk.item_id = item.id"
        " AND +chunk.state = 1 AND +chunk.fingerprint = ?2) ORDER BY id LIMIT ?3",
        (after, model[0], limit),
    )
    return [(item, text) for item, text in found]


def has(s: Reader, item_id: int, fingerprint: str) -> bool:
    """Say whether an item has vectors of a model."""
    return (
        s.value(
            "SELECT 1 FROM chunk WHERE item_id = ? AND +state = 1 AND +fingerprint = ? LIMIT 1",
            (item_id, fingerprint),
        )
        is not None
    )


def put(tx: WriteTx, rows: Sequence[ChunkVectors], fingerprint: str) -> Stored:
    """Replace the chunks of these items by windows with vectors.

    Args:
        tx: The transaction.
        rows: One entry an item; vectors of shape ``(dims,)``, L2-normalised.
        fingerprint: Of the model that made them.

    Raises:
        Conflict: The database's model is another one by now: embed again (``model_changed``).
    """
    model = current_model(tx)
    if model is None or model[0] != fingerprint:
        raise Conflict("the embedding model has changed meanwhile", reason="model_changed")
    found = _items(tx, [row.item_id for row in rows])
    gone = [row.item_id for row in rows if row.item_id not in found]
    good = [row for row in rows if row.item_id in found and is_good(row, model[1])]
    refused = [row.item_id for row in rows if row.item_id in found and not is_good(row, model[1])]
    items.drop_vectors(tx, [row.item_id for row in good])
    first = int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'chunk'") or 0) + 1
    added: list[AddedChunk] = []
    chunks: list[tuple[object, ...]] = []
    for row in good:
        for window, (start, end, vector) in enumerate(row.windows):
            chunk_id = first + len(chunks)
            chunks.append((chunk_id, row.item_id, window, start, end, READY, fingerprint, to_blob(vector)))
            added.append(AddedChunk(chunk_id, row.item_id, *found[row.item_id], vector))
    tx.many(
        "INSERT INTO chunk(id, item_id, window, start, end_, state, fingerprint, vector) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        chunks,
    )
    bits.add(tx, [(c.chunk_id, sign_bits(c.vector).tobytes()) for c in added])
    tx.changes.added.extend(added)
    fail(tx, refused)
    return Stored(len(good), len(chunks), refused, gone)


def is_good(row: ChunkVectors, dims: int) -> bool:
    """Say whether all vectors of an item can be searched: of that many components, finite, not zero."""
    return bool(row.windows) and all(v.shape == (dims,) and is_usable(v) for _, _, v in row.windows)


def _items(tx: WriteTx, ids: Sequence[int]) -> dict[int, tuple[int, str | None, int, int, bool]]:
    """Return kind, type, scope, time and active mark of the items that are there."""
    found = tx.rows(
        "SELECT id, kind, type, scope_id, ts_ms, active FROM item WHERE id IN (SELECT value FROM json_each(?))",
        (json_list(ids),),
    )
    return {i: (kind, type_, scope, ts, bool(active)) for i, kind, type_, scope, ts, active in found}


def fail(tx: WriteTx, item_ids: Sequence[int]) -> None:
    """Mark items as having no usable vector: one failed chunk each, which is not tried again with this model."""
    if not item_ids:
        return
    items.drop_vectors(tx, item_ids)
    items.add_pending(
        tx,
        tx.rows(
            "SELECT id, text FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(item_ids),)
        ),
    )
    tx.run(
        "UPDATE chunk SET state = 2 WHERE item_id IN (SELECT value FROM json_each(?))", (json_list(item_ids),)
    )


def retry_failed(tx: WriteTx) -> int:
    """Queue the failed chunks once more; return how many."""
    return tx.run("UPDATE chunk SET state = 0 WHERE state = 2")


def waiting(s: Reader) -> int:
    """Return how many chunks are pending, without a look at the ready ones."""
    model = current_model(s)
    found = int(s.value("SELECT count(*) FROM chunk WHERE state = 0"))
    if model is None:
        return found
    return found + int(
        s.value(
            "SELECT (SELECT count(*) FROM chunk WHERE state = 1 AND fingerprint < ?1)"
            " + (SELECT count(*) FROM chunk WHERE state = 1 AND fingerprint > ?1)",
            (model[0],),
        )
    )


def counts(s: Reader) -> VectorCounts:
    """Return how many chunks wait, are ready, and have failed, by the database's present model."""
    found = s.rows("SELECT state, fingerprint, count(*) FROM chunk GROUP BY state, fingerprint")
    model = current_model(s)
    by = dict.fromkeys((PENDING, READY, FAILED), 0)
    stale = 0
    for state, fingerprint, number in found:
        if state == READY and (model is None or fingerprint != model[0]):
            stale += number
        else:
            by[state] += number
    return VectorCounts(by[PENDING] + stale, by[READY], by[FAILED], stale)
