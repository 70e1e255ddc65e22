"""What time and use make of memories, worked out when they are read and never written back (memory model §1, §4, §5)."""

from __future__ import annotations

from collections.abc import Iterable

from libra.assembly.ranker import Age
from libra.engine.deps import LifecycleParams
from libra.ground.records import Kind, MemoryType
from libra.lifecycle import confidence, decay, weibull
from libra.lifecycle.decay import DecayModel
from libra.lifecycle.types import DAY_MS, TYPES
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.visibility import Filter

_EPHEMERAL = frozenset(kind.value for kind, row in TYPES.items() if row.ephemeral)
"""Only these grow less sure by the day."""
_HALF_LIVES: dict[str, int | None] = {kind.value: row.half_life_days for kind, row in TYPES.items()}
_MEMORY = Kind.MEMORY


def aged(rows: Iterable[ItemRow], now_ms: int, params: LifecycleParams, filt: Filter) -> list[ItemRow]:
    """Return the rows as they stand at a time: ephemeral memories less sure by the day.

    Under a filter for an earlier time, what passed it held then, whatever took its place since.
    """
    return [_aged(row, now_ms, params, filt) if row.kind is _MEMORY else row for row in rows]


def _aged(row: ItemRow, now_ms: int, params: LifecycleParams, filt: Filter) -> ItemRow:
    held = filt.as_of_ms is not None and filt.active_only
    sure = row.confidence
    if sure is not None and row.type in _EPHEMERAL and row.touched_ms is not None:
        sure = confidence.as_of(sure, MemoryType(row.type), row.touched_ms, now_ms, params.confidence)
    elif not (row.superseded and held):
        return row
    return row._replace(confidence=sure, superseded=row.superseded and not held)


def ages(rows: Iterable[ItemRow], now_ms: int, params: LifecycleParams) -> dict[int, Age]:
    """Return the age of each memory as its rank sees it: stretched by use, weighed by its type's half-life."""
    tiers = params.decay.model == DecayModel.WEIBULL
    out: dict[int, Age] = {}
    for row in rows:
        if row.kind is _MEMORY and row.type is not None:
            effective: float = max(now_ms - row.ts_ms, 0)
            if row.recalls:
                effective = decay.effective_age_ms(effective, row.recalls, params.decay)
            fresh = (
                _of_its_tier(row, now_ms, params) if tiers else decay.halved(effective, _HALF_LIVES[row.type])
            )
            out[row.id] = Age(effective, fresh)
    return out


def _of_its_tier(row: ItemRow, now_ms: int, params: LifecycleParams) -> float:
    _, weight = weibull.freshness(
        (row.priority or 0) / 100, row.confidence or 0.0, row.recalls or 0, (now_ms - row.ts_ms) / DAY_MS,
        (now_ms - (row.touched_ms or row.ts_ms)) / DAY_MS, params.weibull,
    )  # fmt: skip
    return weight


def confidence_now(memory: MemoryRow, now_ms: int, params: LifecycleParams) -> float:
    """Return how sure a memory is at a time, in [0, 1]."""
    kind = MemoryType(memory.type or MemoryType.FACT.value)
    return confidence.as_of(memory.confidence, kind, memory.touched_ms, now_ms, params.confidence)
