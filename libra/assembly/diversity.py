"""Near-duplicates of something already taken sink behind the rest (memory model §5, Diversity)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from libra.ground.vectors import Vector


@dataclass(frozen=True, slots=True)
class DiversityParams:
    """``head`` bounds the work: the step is quadratic in it (lessons C66)."""

    relevance_share: float = 0.7
    near_duplicate: float = 0.85
    head: int = 50


def diversify(
    scores: Sequence[float], vectors: Sequence[Vector | None], params: DiversityParams
) -> list[int]:
    """Return the new order of a ranked list.

    Maximal marginal relevance over the first ``head`` items, taken only to push near-duplicates down:
    among items that resemble nothing taken so far, the ranked order stays. On LoCoMo full re-ranking by
    MMR cost recall (benchmarks.md §5), sinking near-duplicates did not.

    Args:
        scores: Best first.
        vectors: Unit vectors, None where there is none.
        params: Weights.

    Returns:
        A permutation of ``range(len(scores))``.

    Source: Carbonell and Goldstein 1998 for the marginal relevance of a duplicate.
    """
    head = min(len(scores), params.head)
    usable = [i for i in range(head) if vectors[i] is not None]
    if len(usable) <= 1:
        return list(range(len(scores)))
    matrix = np.stack([v for v in (vectors[i] for i in usable) if v is not None])
    alike = np.tril(matrix @ matrix.T, -1)
    nearest = dict(zip(usable, alike.max(axis=1).tolist(), strict=True))
    kept = [i for i in range(head) if nearest.get(i, 0.0) <= params.near_duplicate]
    sunk = [i for i in range(head) if nearest.get(i, 0.0) > params.near_duplicate]
    share = params.relevance_share
    sunk.sort(key=lambda i: (-(share * scores[i] - (1 - share) * nearest[i]), i))
    return kept + sunk + list(range(head, len(scores)))
