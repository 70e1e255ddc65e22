"""List and recent: what is kept, page by page, without a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps
from libra.engine.keeping import is_pinned
from libra.engine.paging import After, Sort
from libra.engine.search import hit
from libra.engine.which import Which, filter_of
from libra.ground.errors import InvalidParams
from libra.ground.records import Kind, MemoryType, Who
from libra.lifecycle import confidence
from libra.store import listing, memories, search
from libra.store.listing import Order, Place
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter

_MEMORIES = frozenset({Kind.MEMORY})
_FINE = 10**9
"""A confidence as a whole number, so that a place in the list is exact."""
_SHOWN_CHARS = 1_000
"""Of a longer text the beginning is listed; ``get`` shows it whole."""


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The parameters of ``list``: what, in which order, how many, after which."""

    which: Which = field(default_factory=Which)
    archive: bool = False
    sort: Sort = Sort.NEWEST
    k: int = 20
    after: After | None = None


def list_(deps: Deps, who: Who | None, asked: ListRequest) -> dict[str, Any]:
    """Answer the method ``list``: memories, or the kinds asked for; ``next`` is there while more follow.

    Raises:
        Forbidden: A scope was asked for that the caller may not see.
        InvalidParams: Other things than memories are to be sorted by what only memories have, or ``after`` is of
            a list in another order.
    """
    if asked.sort in (Sort.PRIORITY, Sort.CONFIDENCE) and (asked.which.kinds or _MEMORIES) != _MEMORIES:
        raise InvalidParams(f"sort: only memories have a {asked.sort.value}", where="sort")
    if asked.after is not None and asked.after.sort != asked.sort:
        raise InvalidParams("after: this is a page of a list in another order", where="after")
    kinds = asked.which.kinds or _MEMORIES
    filt = filter_of(deps, who, asked.which, kinds, active_only=not asked.archive, others=True)
    at_ms = deps.clock() if asked.after is None else asked.after.at_ms
    after = None if asked.after is None else Place(asked.after.key, asked.after.item_id)
    with deps.store.snapshot() as snapshot:
        if asked.sort is Sort.CONFIDENCE:
            places = surest(deps, snapshot, filt, at_ms)
            found = [place for place in places if after is None or place < after][: asked.k + 1]
        else:
            found = listing.page(snapshot, filt, Order(asked.sort), asked.k + 1, after)
        shown = entries_of(deps, snapshot, found[: asked.k], filt)
    more = len(found) > asked.k
    last = After(asked.sort.value, at_ms, *found[asked.k - 1]).text if more else None
    return {"items": shown, **({"next": last} if more else {})}


def surest(deps: Deps, snapshot: Snapshot, filt: Filter, at_ms: int) -> list[Place]:
    """Return the memories of a filter by confidence, surest first: it follows from the age, which no index knows."""
    params = deps.params.lifecycle.confidence
    return sorted(
        (
            Place(
                round(
                    _FINE * confidence.as_of(row.confidence, _type(row.type), row.touched_ms, at_ms, params)
                ),
                row.item_id,
            )
            for row in listing.confidences(snapshot, filt)
        ),
        reverse=True,
    )


def recent(deps: Deps, who: Who | None, k: int) -> dict[str, Any]:
    """Answer the method ``recent``: the memories that were learnt last, whenever they were said."""
    filt = filter_of(deps, who, Which(), _MEMORIES, active_only=True)
    with deps.store.snapshot() as snapshot:
        found = listing.page(snapshot, filt, Order.LEARNT, k, None)
        return {"items": entries_of(deps, snapshot, found, filt)}


def entries_of(deps: Deps, snapshot: Snapshot, places: Sequence[Place], filt: Filter) -> list[dict[str, Any]]:
    """Return the wire form of a list's items, in its order."""
    ids = [place.item_id for place in places]
    rows = search.rows(snapshot, ids, filt)
    kept = memories.of_items(snapshot, list(rows))
    return [_entry(deps, rows[item], kept.get(item)) for item in ids if item in rows]


def _entry(deps: Deps, item: ItemRow, kept: MemoryRow | None) -> dict[str, Any]:
    out = hit(item, 1.0, None)
    del out["score"]
    out["learnt"] = item.created_ms
    if len(item.text) > _SHOWN_CHARS:
        out |= {"text": item.text[:_SHOWN_CHARS], "cut": True}
    if kept is not None:
        out |= {
            "confidence": round(confidence_now(kept, deps.clock(), deps.params.lifecycle), 6),
            "priority": kept.priority,
            "confirmations": kept.confirmations,
            "expires": kept.expires_ms,
            "pinned": is_pinned(kept),
            "superseded": kept.superseded_by is not None,
        }
    return out


def _type(word: str | None) -> MemoryType:
    return MemoryType(word or MemoryType.FACT.value)
