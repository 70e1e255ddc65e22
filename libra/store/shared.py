"""What a person has shared with a scope: read there by all who see that scope, changed by nobody but its owner.

The memory itself stays where it is; who may read it is added in the one place that decides that
(:mod:`libra.store.visibility`). It is read only while it holds: what was replaced, archived or taken back is its owner's again.
"""

from __future__ import annotations

from collections.abc import Sequence

from libra.store.sql import Reader, json_list
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx


def put(tx: WriteTx, place: str, item_ids: Sequence[int], now_ms: int) -> list[int]:
    """Share items with a scope; return those that were not yet."""
    found = tx.rows(
        "INSERT OR IGNORE INTO shared(place, item_id, created_ms) SELECT ?, value, ? FROM json_each(?) RETURNING item_id",
        (place, now_ms, json_list(item_ids)),
    )
    return [row[0] for row in found]


def take_back(tx: WriteTx, place: str, item_ids: Sequence[int]) -> list[int]:
    """Share items, and what has taken their places since, with a scope no longer; return those that were."""
    found = tx.rows(
        "WITH RECURSIVE line(id) AS (SELECT value FROM json_each(?2) UNION SELECT memory.superseded_by FROM line"
        "  JOIN memory ON memory.item_id = line.id WHERE memory.superseded_by IS NOT NULL)"
        " DELETE FROM shared WHERE place = ?1 AND item_id IN line RETURNING item_id",
        (place, json_list(item_ids)),
    )
    return [row[0] for row in found]


def follow(tx: WriteTx, item_id: int, successor: int) -> None:
    """Share what a person has put in a memory's place as that was: nobody reads what no longer holds."""
    tx.run(
        "INSERT OR IGNORE INTO shared(place, item_id, created_ms) SELECT place, ?2, created_ms FROM shared WHERE item_id = ?1",
        (item_id, successor),
    )


def places_of(s: Reader, item_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the scopes that items are shared with, in order of their names; items that are not are left out."""
    found: dict[int, list[str]] = {}
    for item, place in s.rows(
        "SELECT item_id, place FROM shared WHERE item_id IN (SELECT value FROM json_each(?)) ORDER BY place",
        (json_list(item_ids),),
    ):
        found.setdefault(item, []).append(place)
    return found


def of_places(s: Reader, places: Sequence[str]) -> list[int]:
    """Return the items that are shared with any of these scopes."""
    found = s.rows(
        "SELECT DISTINCT item_id FROM shared WHERE place IN (SELECT value FROM json_each(?)) ORDER BY 1",
        (json_list(places),),
    )
    return [row[0] for row in found]


def of_owner(s: Reader, owner: str) -> list[tuple[str, str, str]]:
    """Return id, scope and words of what a user shares and what holds, in order of scopes and times."""
    return _listed(s, Visible("", scopes=(f"user:{owner}",)), "1", {})


def with_reader(s: Reader, sees: Visible) -> list[tuple[str, str, str]]:
    """Return id, scope and words of what others share with somebody's scopes."""
    own = {"own": f"user:{sees.reader}", "places": json_list(sees.scopes)}
    return _listed(
        s, sees, "scope.name <> :own AND shared.place IN (SELECT value FROM json_each(:places))", own
    )


def _listed(s: Reader, sees: Visible, where: str, bindings: dict[str, str]) -> list[tuple[str, str, str]]:
    sql, values = select(
        "item.uid, shared.place, item.text", sees, source="shared CROSS JOIN item ON item.id = shared.item_id",
        where=f"item.active = 1 AND {where}", tail="ORDER BY shared.place, item.ts_ms, item.id", bindings=dict(bindings),
    )  # fmt: skip
    return [(uid, place, text) for uid, place, text in s.rows(sql, values)]
