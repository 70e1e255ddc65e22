"""Cut a person's turns into episodes: a pause of half an hour or more starts a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EpisodeParams:
    """When an episode ends.

    Attributes:
        gap_ms: The pause that starts a new episode. Source: reference-systems.md RB-12.
    """

    gap_ms: int = 30 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Episode:
    """A stretch of turns without a long pause: indexes ``[first, end)`` into the times given."""

    first: int
    end: int
    start_ms: int
    end_ms: int


def episodes(times_ms: Sequence[int], params: EpisodeParams) -> list[Episode]:
    """Return the episodes of turns in their given order.

    Args:
        times_ms: Epoch ms of each turn. A time before its neighbour's counts as no pause.
        params: The pause.
    """
    out: list[Episode] = []
    first = 0
    latest = 0
    for i, at in enumerate(times_ms):
        if i and at - latest >= params.gap_ms:
            out.append(Episode(first, i, min(times_ms[first:i]), latest))
            first = i
        latest = at if i == first else max(latest, at)
    if times_ms:
        out.append(Episode(first, len(times_ms), min(times_ms[first:]), latest))
    return out
