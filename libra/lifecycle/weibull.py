"""Weibull decay with tiers, as an option in place of plain half-lives: what matters and helps fades late and never wholly.

Source: reference-systems.md 2.3, Decay engine and Tiers. A tier is not kept: it follows from what is known, so that it is never
out of date.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum


class DecayTier(StrEnum):
    """How firmly a memory stands."""

    CORE = "core"
    WORKING = "working"
    PERIPHERAL = "peripheral"


_BETA = {DecayTier.CORE: 0.8, DecayTier.WORKING: 1.0, DecayTier.PERIPHERAL: 1.3}
"""Shape of the curve: under 1 it falls fast at first and long thereafter, over 1 it holds and then falls."""
_FLOOR = {DecayTier.CORE: 0.9, DecayTier.WORKING: 0.7, DecayTier.PERIPHERAL: 0.5}
_WEIGHTS = (0.4, 0.3, 0.3)
"""Of recency, frequency, and of what the memory is worth by itself."""
_CORE = (10, 0.7, 0.8)
"""Uses, composite and importance from which on a memory is core."""
_DULL, _DULL_DAYS, _FEW = 0.15, 60.0, 3
"""Under this composite, or older than this with fewer uses, a memory is peripheral."""


@dataclass(frozen=True, slots=True)
class WeibullParams:
    """Its two constants.

    Attributes:
        half_life_days: Of a memory that does not matter at all.
        importance: How much longer what matters lasts: ``half_life · e^(importance · priority / 100)``.
    """

    half_life_days: float = 30.0
    importance: float = 1.5


def freshness(
    importance: float,
    confidence: float,
    recalls: int,
    age_days: float,
    idle_days: float,
    params: WeibullParams,
) -> tuple[DecayTier, float]:
    """Return the tier of a memory and the weight of its rank, in [0, 1].

    Args:
        importance: Priority over 100, [0, 1].
        confidence: As of now, [0, 1].
        recalls: How often it helped.
        age_days: Since it was told.
        idle_days: Since it was told, confirmed or recalled last.
        params: Strengths.
    """
    age_days, idle_days = max(age_days, 0.0), max(idle_days, 0.0)
    half_life = params.half_life_days * math.exp(params.importance * importance)
    gap_days = max(age_days - idle_days, 0.0) / recalls if recalls else age_days
    frequency = 1.0 - math.exp(-recalls / 5.0)
    if recalls > 1:
        frequency *= 0.5 + 0.5 * math.exp(-gap_days / 30.0)
    own = importance * confidence

    def composite(tier: DecayTier) -> float:
        recency = math.exp(-math.log(2.0) * (idle_days / half_life) ** _BETA[tier])
        return sum(w * part for w, part in zip(_WEIGHTS, (recency, frequency, own), strict=True))

    tier = _tier(importance, recalls, age_days, composite(DecayTier.WORKING))
    return tier, min(max(_FLOOR[tier], composite(tier)), 1.0)


def _tier(importance: float, recalls: int, age_days: float, plain: float) -> DecayTier:
    uses, worth, matters = _CORE
    if recalls >= uses and plain >= worth and importance >= matters:
        return DecayTier.CORE
    dull = plain < _DULL or (age_days > _DULL_DAYS and recalls < _FEW)
    return DecayTier.PERIPHERAL if dull else DecayTier.WORKING
