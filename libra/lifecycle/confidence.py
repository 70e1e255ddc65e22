"""How sure a memory is: starts low, rises with use and confirmation, falls to nothing when superseded."""

from __future__ import annotations

import math
from dataclasses import dataclass

from libra.ground.records import MemoryType
from libra.lifecycle.types import DAY_MS, TYPES


@dataclass(frozen=True, slots=True)
class ConfidenceParams:
    """Confidences in [0, 1].

    Attributes:
        start: A memory that the gate admitted.
        confirmed: The person said yes to it, or corrected it by a tool call; never lowers a higher one.
        replacement: A memory that superseded another.
        superseded: What was superseded.
        recall_gain: Share of the distance to 1 that each used recall adds.
        daily_loss: Share that ephemeral types lose a day.

    Source: memory-model.md §4.
    """

    start: float = 0.6
    confirmed: float = 0.95
    replacement: float = 0.8
    superseded: float = 0.0
    recall_gain: float = 0.10
    daily_loss: float = 0.05


def confirmed(confidence: float, params: ConfidenceParams) -> float:
    """Return the confidence after the person confirmed or corrected a memory."""
    return min(max(confidence, params.confirmed), 1.0)


def recalled(confidence: float, params: ConfidenceParams) -> float:
    """Return the confidence after a recall that was used: 10 % of the remaining distance to 1 is added.

    A superseded memory (0) stays where it is.
    """
    if confidence <= params.superseded:
        return confidence
    return min(confidence + params.recall_gain * (1.0 - confidence), 1.0)


def as_of(
    confidence: float, kind: MemoryType, touched_ms: int, now_ms: int, params: ConfidenceParams
) -> float:
    """Return the confidence at a time: ephemeral types lose 5 % a day since they were last touched.

    It is worked out when it is read and never written back, so that reading twice does not decay twice. A
    time before ``touched_ms`` loses nothing.

    Args:
        confidence: As stored, [0, 1].
        kind: Only types that expire lose any.
        touched_ms: When it was made, confirmed or last recalled, epoch ms.
        now_ms: The time asked about, epoch ms.
        params: Strengths.
    """
    if not TYPES[kind].ephemeral or now_ms <= touched_ms:
        return confidence
    days = (now_ms - touched_ms) / DAY_MS
    return confidence * math.pow(1.0 - params.daily_loss, days)
