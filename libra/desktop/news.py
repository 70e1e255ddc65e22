"""What the tray says by itself: a new problem once, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NewsParams:
    """``again_s``: a problem that was away for so long is a new one when it comes back; until then it only flickers."""

    again_s: float = 3_600.0


class News:
    """Knows which problems a person has been told.

    Args:
        params: Bounds.
    """

    def __init__(self, params: NewsParams | None = None) -> None:
        self._params = params or NewsParams()
        self._seen_s: dict[str, float] = {}

    def fresh(self, problems: Sequence[str], now_s: float) -> list[str]:
        """Return those problems that are to be told now.

        Args:
            problems: What is wrong now.
            now_s: Seconds of a clock that does not go back.
        """
        kept = {p: s for p, s in self._seen_s.items() if now_s - s < self._params.again_s}
        new = [problem for problem in problems if problem not in kept]
        self._seen_s = kept | dict.fromkeys(problems, now_s)
        return new
