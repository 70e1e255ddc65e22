"""The bit index: one sqlite-vec table of sign bits, made when the model is known, made again when it changes.

sqlite-vec's traps are kept out here (feasibility.md §3): no REPLACE and no UPSERT, a NaN never comes this far, and
deleted rows leave holes that only a rebuild closes. Without sqlite-vec nothing happens here and the index is
marked as behind; the next start that has it builds it again from the float rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from libra.ground.errors import StoreError
from libra.ground.vectors import from_blob, sign_bits
from libra.store import meta
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx

CHUNK_ROWS = 1024
"""Slots that vec0 takes at once (its default ``chunk_size``)."""
DEAD_SHARE = 0.30
"""Share of dead slots above which the table is built again."""
BEHIND = "bits.behind"
_HOLES = "bits.holes"
_READ_ROWS = 2000


Held = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]
"""Chunk ids, ascending, and their packed bits: shapes ``(n,)`` and ``(n, dims / 8)``."""


def exists(s: Reader) -> bool:
    """Say whether the table was made."""
    return s.value("SELECT 1 FROM sqlite_schema WHERE name = 'vec_bits'") is not None


def is_usable(s: Reader, *, vectors: bool) -> bool:
    """Say whether the table can be read and holds every ready vector of the present model."""
    return vectors and exists(s) and not meta.get(s, BEHIND)


def remake(tx: WriteTx, dims: int) -> None:
    """Make an empty table for vectors of ``dims`` components, dropping the old one."""
    if not tx.vectors:
        meta.put(tx, BEHIND, 1)
        return
    tx.run("DROP TABLE IF EXISTS vec_bits")
    tx.run(f"CREATE VIRTUAL TABLE vec_bits USING vec0(embedding bit[{int(dims)}])")
    meta.put(tx, _HOLES, 0)
    meta.put(tx, BEHIND, None)


def add(tx: WriteTx, rows: Sequence[tuple[int, bytes]]) -> None:
    """Insert ``(chunk id, packed bits)``; the ids are new, since chunk ids are never used twice."""
    if not rows:
        return
    if not is_usable(tx, vectors=tx.vectors):
        meta.put(tx, BEHIND, 1)
        return
    tx.many("INSERT INTO vec_bits(rowid, embedding) VALUES(?, vec_bit(?))", rows)


def remove(tx: WriteTx, chunk_ids: Sequence[int]) -> None:
    """Delete rows, and build the table again when too much of it is dead."""
    if not chunk_ids or not exists(tx):
        return
    if not is_usable(tx, vectors=tx.vectors):
        meta.put(tx, BEHIND, 1)
        return
    newest = tx.value("SELECT max(chunk_id) FROM vec_bits_chunks")
    holes = int(
        tx.value(
            "SELECT count(*) FROM vec_bits_rowids WHERE rowid IN (SELECT value FROM json_each(?)) AND chunk_id <> ?",
            (json_list(chunk_ids), newest),
        )
    )
    meta.put(tx, _HOLES, _holes(tx) + holes)
    # vec0 blanks the slot of a deleted row (a test holds it to that), so nothing of a forgotten text stays.
    tx.many("DELETE FROM vec_bits WHERE rowid = ?", ((chunk,) for chunk in chunk_ids))
    if dead_share(tx) > DEAD_SHARE:
        rebuild(tx)


def dead_share(s: Reader) -> float:
    """Return the share of slots before the newest chunk that hold nothing; 0 while there is one chunk.

    Holes in the newest chunk are used again, so they do not count (sqlite-vec #178, #220).
    """
    chunks = int(s.value("SELECT count(*) FROM vec_bits_chunks") or 0)
    if chunks <= 1:
        return 0.0
    return _holes(s) / ((chunks - 1) * CHUNK_ROWS)


def _holes(s: Reader) -> int:
    """Return the dead slots before the newest chunk: counted once, then kept up."""
    known = meta.get(s, _HOLES)
    if known is not None:
        return int(known)
    chunks = int(s.value("SELECT count(*) FROM vec_bits_chunks") or 0)
    newest = s.value("SELECT max(chunk_id) FROM vec_bits_chunks")
    live = int(s.value("SELECT count(*) FROM vec_bits_rowids WHERE chunk_id <> ?", (newest,)))
    return max(chunks - 1, 0) * CHUNK_ROWS - live


def rebuild(tx: WriteTx) -> int:
    """Make the table again from the float rows; return how many rows it has."""
    fingerprint, dims = meta.get(tx, "model.fingerprint"), meta.get(tx, "model.dims")
    if fingerprint is None or not tx.vectors:
        return 0
    remake(tx, int(dims))
    after = total = 0
    while True:
        found = tx.rows(
            "SELECT id, vector FROM chunk WHERE state = 1 AND fingerprint = ? AND id > ? ORDER BY id LIMIT ?",
            (fingerprint, after, _READ_ROWS),
        )
        if not found:
            return total
        add(tx, [(row, sign_bits(from_blob(blob)).tobytes()) for row, blob in found])
        after, total = found[-1][0], total + len(found)


def stored(s: Reader, dims: int) -> Held:
    """Return the ids (ascending) and packed bits of all rows, read from vec0's own chunks at one go.

    A scan through the virtual table costs microseconds a row; its blocks hold 1,024 rows each. This needs no
    extension. Whatever does not look as sqlite-vec 0.1 writes it is left out: the float rows stand in.

    Returns:
        Shapes ``(n,)`` and ``(n, dims / 8)``.
    """
    size = dims // 8
    nothing = np.zeros(0, np.int64), np.zeros((0, size), np.uint8)
    if not exists(s) or meta.get(s, BEHIND):
        return nothing
    try:
        found = s.rows(
            "SELECT c.validity, c.rowids, v.vectors FROM vec_bits_chunks c"
            " JOIN vec_bits_vector_chunks00 v ON v.rowid = c.chunk_id"
        )
    except StoreError:
        return nothing
    ids: list[npt.NDArray[np.int64]] = [nothing[0]]
    rows: list[npt.NDArray[np.uint8]] = [nothing[1]]
    for validity, rowids, vectors in found:
        chunk = np.frombuffer(rowids, "<i8")
        if len(vectors) != len(chunk) * size or len(validity) * 8 != len(chunk):
            return nothing
        valid = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(np.bool_)
        ids.append(chunk[valid])
        rows.append(np.frombuffer(vectors, np.uint8).reshape(len(chunk), size)[valid])
    all_ids, all_rows = np.concatenate(ids), np.concatenate(rows)
    order = np.argsort(all_ids)
    return all_ids[order], all_rows[order]
