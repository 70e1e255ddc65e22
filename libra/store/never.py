"""What a person does not want in the prompts of a place: a project, an agent, a host, a session."""

from __future__ import annotations

from collections.abc import Sequence

from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx


def put(tx: WriteTx, place: str, item_ids: Sequence[int], now_ms: int) -> int:
    """Keep items out of a place's prompts; return how many were not yet."""
    return tx.run(
        "INSERT OR IGNORE INTO never(place, item_id, created_ms) SELECT ?, value, ? FROM json_each(?)",
        (place, now_ms, json_list(item_ids)),
    )


_FOLLOWED = "('told_by', 'merged_from', 'superseded_by')"


def follow(tx: WriteTx, item_id: int) -> None:
    """Keep a memory's later tellings and its successor out of where it is kept out: in other words it would come back."""
    tx.run(
        "INSERT OR IGNORE INTO never(place, item_id, created_ms) SELECT never.place, relation.to_id, never.created_ms FROM never"
        f" CROSS JOIN relation ON relation.from_id = never.item_id AND relation.kind IN {_FOLLOWED} WHERE never.item_id = ?",
        (item_id,),
    )


def take_back(tx: WriteTx, place: str, item_ids: Sequence[int]) -> int:
    """Let items into a place's prompts again; return how many were kept out."""
    kept = tx.rows(
        "DELETE FROM never WHERE place = ? AND item_id IN (SELECT value FROM json_each(?)) RETURNING item_id",
        (place, json_list(item_ids)),
    )
    return len(kept)


def here(s: Reader, places: Sequence[str]) -> tuple[int, ...]:
    """Return the items that are kept out of any of these places."""
    found = s.rows(
        "SELECT DISTINCT item_id FROM never WHERE place IN (SELECT value FROM json_each(?)) ORDER BY item_id",
        (json_list(places),),
    )
    return tuple(row[0] for row in found)


def places_of(s: Reader, item_id: int) -> list[str]:
    """Return the places that an item is kept out of."""
    return [row[0] for row in s.rows("SELECT place FROM never WHERE item_id = ? ORDER BY place", (item_id,))]
