"""From gate scores to the chance that a memory proves useful: isotonic regression over labels from use."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CalibrationParams:
    """When and how labels move the threshold.

    Attributes:
        min_labels: Labels needed before the default threshold gives way.
        wanted: Smallest share of useful memories that is still worth keeping.
        default_threshold: Threshold until then.

    Source: memory-model.md §4, Calibration.
    """

    min_labels: int = 50
    wanted: float = 0.5
    default_threshold: float = 0.35


@dataclass(frozen=True, slots=True)
class Label:
    """One outcome: the gate score ``g`` in [0, 1] that a memory had, and whether it proved useful."""

    g: float
    useful: bool


@dataclass(frozen=True, slots=True)
class Curve:
    """A step function, non-decreasing in g.

    Attributes:
        starts: The lowest score of each block, strictly increasing.
        chances: P(useful) of each block in [0, 1], strictly increasing.
        labels: How many labels it stands on.
    """

    starts: tuple[float, ...]
    chances: tuple[float, ...]
    labels: int

    def at(self, g: float) -> float:
        """Return P(useful) at ``g``; below the first block the first block's, 0.0 for an empty curve."""
        if not self.starts:
            return 0.0
        return self.chances[max(bisect.bisect_right(self.starts, g) - 1, 0)]


def fit(labels: Sequence[Label]) -> Curve:
    """Pool adjacent violators: the non-decreasing step function nearest to the labels in squares.

    Equal scores share one block, labels whose score is no number are left out.

    Source: Ayer et al. 1955; memory-model.md §4.
    """
    sums: dict[float, tuple[int, int]] = {}
    for label in labels:
        if math.isfinite(label.g):
            useful, count = sums.get(label.g, (0, 0))
            sums[label.g] = (useful + label.useful, count + 1)
    blocks: list[tuple[float, int, int]] = []  # lowest score, useful labels, labels
    for g in sorted(sums):
        block = (g, *sums[g])
        # Whole numbers: the comparison of the two means is exact.
        while blocks and blocks[-1][1] * block[2] >= block[1] * blocks[-1][2]:
            start, useful, count = blocks.pop()
            block = (start, useful + block[1], count + block[2])
        blocks.append(block)
    return Curve(
        tuple(start for start, _, _ in blocks),
        tuple(useful / count for _, useful, count in blocks),
        sum(count for _, _, count in blocks),
    )


def threshold(curve: Curve, params: CalibrationParams) -> float:
    """Return the score from which a turn is promoted, in [0, 1].

    The smallest G with P(useful) ≥ ``wanted`` once there are enough labels; if no score reaches it, a
    score above every label's (1.0 at most), so that a gate that never helped closes instead of opening.

    Below the lowest label nothing is known, since nothing was admitted there: where that label is good enough already,
    the default stands, or the threshold would creep upwards with every look at it.
    """
    if curve.labels < params.min_labels:
        return params.default_threshold
    for block, (start, chance) in enumerate(zip(curve.starts, curve.chances, strict=True)):
        if chance >= params.wanted:
            known = min(max(start, 0.0), 1.0)
            return min(known, params.default_threshold) if block == 0 else known
    return 1.0
