"""Lists of items in a fixed order, page by page.

A page begins after a place, so that what is added or removed meanwhile shifts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from libra.ground.records import Kind
from libra.store.sql import Reader
from libra.store.visibility import Filter, Visible, conditions, select


class Order(StrEnum):
    """The orders that the database keeps by itself."""

    NEWEST = "newest"
    OLDEST = "oldest"
    PRIORITY = "priority"
    LEARNT = "learnt"
    """By when it was stored, the last first, whenever it was said."""


class Place(NamedTuple):
    """Where an item stands in an order: its key there, then its number among those of the same key."""

    key: int
    item_id: int


_KEYS = {
    Order.NEWEST: ("item.ts_ms", "DESC", "<"),
    Order.OLDEST: ("item.ts_ms", "ASC", ">"),
    Order.PRIORITY: ("memory.priority", "DESC", "<"),
    Order.LEARNT: ("item.created_ms", "DESC", "<"),
}
_OF_MEMORY = "JOIN memory ON memory.item_id = item.id"


def page(s: Reader, filt: Filter, order: Order, k: int, after: Place | None) -> list[Place]:
    """Return the next ``k`` items of a list.

    Args:
        s: The state to read.
        filt: What may stand in the list. By priority only memories do.
        order: Its order.
        k: How many.
        after: The last place of the page before; None for the first page.
    """
    key, way, past = _KEYS[order]
    where, values = conditions(filt)
    if after is not None:
        where += f" AND ({key}, item.id) {past} (:key, :id)"
        values |= {"key": after.key, "id": after.item_id}
    sql, bindings = select(
        f"{key}, item.id", filt.visible, joins=_OF_MEMORY if order is Order.PRIORITY else "", where=where,
        tail=f"ORDER BY 1 {way}, 2 {way} LIMIT :k", bindings={**values, "k": k},
    )  # fmt: skip
    return [Place(*row) for row in s.rows(sql, bindings)]


class Sure(NamedTuple):
    """How sure a memory was when it was touched last; 0 for a superseded one."""

    item_id: int
    type: str | None
    confidence: float
    touched_ms: int


def confidences(s: Reader, filt: Filter) -> list[Sure]:
    """Return what the present confidence of every memory of a filter follows from, in no order."""
    where, values = conditions(filt)
    sql, bindings = select(
        "item.id, item.type, iif(memory.superseded_by IS NULL, memory.confidence, 0.0), memory.touched_ms", filt.visible,
        joins=_OF_MEMORY, where=f"{where} AND item.kind = {int(Kind.MEMORY)}", bindings=values,
    )  # fmt: skip
    return [Sure(*row) for row in s.rows(sql, bindings)]


def every(s: Reader, filt: Filter) -> Sequence[int]:
    """Return the ids of all items of a filter, ascending."""
    where, values = conditions(filt)
    sql, bindings = select("item.id", filt.visible, where=where, tail="ORDER BY item.id", bindings=values)
    return [row[0] for row in s.rows(sql, bindings)]


def by_prefix(s: Reader, prefix: str, *, visible: Visible | None) -> list[str]:
    """Return the uids of the visible items that begin like this, ascending."""
    sql, bindings = select(
        "item.uid", visible, where="item.uid >= :low AND item.uid < :high", tail="ORDER BY item.uid",
        bindings={"low": prefix, "high": prefix + chr(0x10FFFF)},
    )  # fmt: skip
    return [row[0] for row in s.rows(sql, bindings)]
