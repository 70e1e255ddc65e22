"""Retention: the words of old, covered turns go, their ids, places and summaries stay.

Unlike :mod:`libra.store.forget` this leaves no tombstones, since the turn is still there to be known again: a transcript
that is read anew brings none of it back.
"""

from __future__ import annotations

from collections.abc import Sequence

from libra.store import items, sidewords
from libra.store.sql import Reader, json_list
from libra.store.turns import PURGED, WAITING
from libra.store.visibility import select
from libra.store.writer import WriteTx


def due(s: Reader, before_ms: int, limit: int) -> list[int]:
    """Return covered turns that arrived before a time, are through the gate and still have their words, oldest first."""
    sql, values = select(
        "item.id", None, source="turn JOIN item ON item.id = turn.item_id",
        where=f"turn.covered_by IS NOT NULL AND turn.gated NOT IN ({WAITING}, {PURGED})"
        " AND item.created_ms < :before AND item.ts_ms < :before",
        tail="ORDER BY item.id LIMIT :most", bindings={"before": before_ms, "most": limit},
    )  # fmt: skip
    found = s.rows(sql, values)
    return [row[0] for row in found]


def purge(tx: WriteTx, item_ids: Sequence[int], now_ms: int) -> int:
    """Take out the words of those of these turns that are covered; return how many there were.

    Submit the job with ``full_sync=True``: after the commit the WAL is emptied, and secure deletion has blanked what the pages
    held. Vectors and index entries go with the words.
    """
    ids = [
        row[0]
        for row in tx.rows(
            f"SELECT item_id FROM turn WHERE covered_by IS NOT NULL AND gated NOT IN ({WAITING}, {PURGED})"
            " AND item_id IN (SELECT value FROM json_each(?)) ORDER BY item_id",
            (json_list(item_ids),),
        )
    ]
    marks = json_list(ids)
    items.drop_words(tx, ids)
    tx.run(
        f"UPDATE turn SET gated = {PURGED}, metadata = json_object('purged_ms', ?2)"
        " WHERE item_id IN (SELECT value FROM json_each(?1))",
        (marks, now_ms),
    )
    if ids:
        sidewords.take_out(tx)
        tx.empty_wal = True
    return len(ids)
