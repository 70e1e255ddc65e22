"""What a person does not want in the prompts of a place: a project, an agent, a host, a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx


def put(tx: WriteTx, place: str, item_ids: Iterable[int], now_ms: int) -> None:
    """Keep items out of a place's prompts."""
    tx.many(
        "INSERT OR IGNORE INTO never(place, item_id, created_ms) VALUES(?, ?, ?)",
        ((place, item, now_ms) for item in item_ids),
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
