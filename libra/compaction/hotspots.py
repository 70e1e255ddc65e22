"""Turns that prompts keep coming back to: they are compacted last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class HotParams:
    """What a hot spot is.

    Attributes:
        percentile: A turn is one if its share of the session's recalls lies above this percentile, [0, 1].
        least: And if it was recalled at least so often.

    Source: memory-model.md §8, Hot spots.
    """

    percentile: float = 0.9
    least: int = 2


def hot(recalls: Sequence[int], params: HotParams) -> list[int]:
    """Return the indexes of the hot spots.

    Shares have the order of counts, so that the counts are compared.

    Args:
        recalls: How often each turn of the session was recalled.
        params: Limits.
    """
    if not any(recalls):
        return []
    limit = float(np.percentile(np.asarray(recalls, dtype=np.float64), 100 * params.percentile))
    return [i for i, n in enumerate(recalls) if n >= params.least and n > limit]
