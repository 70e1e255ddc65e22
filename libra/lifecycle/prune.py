"""Which memories are not worth their place any more; they go to the archive, and come back with undo."""

from __future__ import annotations

from dataclasses import dataclass

_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class PruneParams:
    """When a memory is put away for being of no use.

    Attributes:
        automatic: Do it once a day, when nothing else is to be done; else only when somebody asks.
        sure_below: Surer than this stays ...
        sure_days: ... and so does what is younger than this.
        unused_days: What never helped in so many days is put away.
        spare_priority: What matters as much as this, or was given its priority by hand, stays.

    Source: reference-systems.md RB-9 (which deletes); spared are rules, decisions and who the person is.
    """

    automatic: bool = False
    sure_below: float = 0.05
    sure_days: int = 30
    unused_days: int = 60
    spare_priority: int = 75


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a memory's use.

    Attributes:
        confidence: As of now, [0, 1].
        age_ms: Since it was told last.
        recalls: How often it helped.
        confirmations: How often it was told.
        priority: 0–100; ``by_hand`` if a person has set it.
    """

    confidence: float
    age_ms: int
    recalls: int
    confirmations: int
    priority: int
    by_hand: bool


def why(memory: Kept, params: PruneParams) -> str | None:
    """Return why a memory is put away, None if it stays."""
    if memory.by_hand or memory.priority >= params.spare_priority:
        return None
    if memory.confidence < params.sure_below and memory.age_ms > params.sure_days * _DAY_MS:
        return "unsure"
    never = memory.recalls == 0 and memory.confirmations <= 1
    return "unused" if never and memory.age_ms > params.unused_days * _DAY_MS else None
