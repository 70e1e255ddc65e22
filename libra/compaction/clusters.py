"""Which turns are compacted together, and which are the tail that stays raw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from libra.ground.records import Role


@dataclass(frozen=True, slots=True)
class ClusterParams:
    """Sizes of clusters and tail.

    Attributes:
        target: Turns of a cluster (k).
        fewest: With fewer turns there is nothing to do.
        tail_turns: Turns at the end of a session that always stay raw (m).

    Source: memory-model.md §6 and §8.
    """

    target: int = 20
    fewest: int = 2
    tail_turns: int = 4


def clusters(n: int, params: ClusterParams) -> list[range]:
    """Return the clusters of ``n`` items in time order, as index ranges that partition them.

    ``c = ceil(max(n,1)/k)``, item i goes to cluster ``floor(i*c/max(n,1))``; with fewer than two there are
    none.

    Source: memory-model.md §8.
    """
    if n < params.fewest:
        return []
    count = math.ceil(max(n, 1) / params.target)
    starts = [-(-c * n // count) for c in range(count)]  # the first i with floor(i*count/n) == c
    return [range(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True)]


def tail_start(roles: Sequence[Role], params: ClusterParams) -> int:
    """Return the index of the first turn of the mandatory tail.

    The tail is the shortest suffix with at least ``tail_turns`` turns that splits no bundle: a tool's result
    stays with its call, an answer with the question right before it. Only question → answer is joined,
    else a dialogue that alternates would be one bundle from its first turn on (reference-systems.md 2.1).

    Args:
        roles: Of all turns of the session, in order.
        params: ``tail_turns``.
    """
    start = max(len(roles) - params.tail_turns, 0)
    while 0 < start < len(roles) and roles[start] is Role.TOOL:
        start -= 1
    if 0 < start < len(roles) and roles[start] is Role.ASSISTANT and roles[start - 1] is Role.USER:
        start -= 1
    return start
