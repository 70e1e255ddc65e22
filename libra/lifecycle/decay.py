"""How age weighs on the rank of a memory, and when it expires."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from libra.ground.records import MemoryType
from libra.lifecycle.types import DAY_MS, TYPES


class DecayModel(StrEnum):
    """How age weighs on the rank."""

    HALF_LIFE = "half-life"
    WEIBULL = "weibull"


@dataclass(frozen=True, slots=True)
class DecayParams:
    """How use slows down ageing.

    Attributes:
        reinforcement: Weight of the logarithm of manual recalls.
        longest: Largest stretch of a half-life.
        model: ``half-life``, or ``weibull`` for curves with tiers (:mod:`libra.lifecycle.weibull`).

    Source: memory-model.md §5; reference-systems.md LP-5.
    """

    reinforcement: float = 0.5
    longest: float = 3.0
    model: str = DecayModel.HALF_LIFE.value

    def __post_init__(self) -> None:
        """Refuse a model that does not exist.

        Raises:
            ValueError: It is none of :class:`DecayModel`.
        """
        if self.model not in set(DecayModel):
            raise ValueError(f"model is one of {', '.join(DecayModel)}")


def stretch(recalls: int, params: DecayParams) -> float:
    """Return the factor by which use lengthens half-lives: ``1 + 0.5 ln(1 + recalls)``, in [1, 3]."""
    return 1.0 if recalls <= 0 else min(1.0 + params.reinforcement * math.log1p(recalls), params.longest)


def effective_age_ms(age_ms: float, recalls: int, params: DecayParams) -> float:
    """Return the age that recency sees: the true age over the stretch; ages in the future count as zero."""
    return max(age_ms, 0.0) / stretch(recalls, params)


def freshness(kind: MemoryType, age_ms: float, recalls: int, params: DecayParams) -> float:
    """Return the rank weight of a type at an age, in (0, 1]: halved once per (stretched) half-life.

    Types without a half-life stay at 1.
    """
    return halved(effective_age_ms(age_ms, recalls, params), TYPES[kind].half_life_days)


def halved(effective_ms: float, half_life_days: int | None) -> float:
    """Return what is left of 1 at an effective age, in (0, 1]; all of it without a half-life."""
    return 1.0 if half_life_days is None else math.pow(0.5, effective_ms / (half_life_days * DAY_MS))
