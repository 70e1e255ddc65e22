"""What the tray says by itself: a new problem once, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence


class News:
    """Knows which problems a person has been told.

    Args:
        again_s: A problem that was away for so long is a new one when it comes back; until then it only flickers.
    """

    def __init__(self, again_s: float = 3_600.0) -> None:
        self._again_s = again_s
        self._seen_s: dict[str, float] = {}

    def fresh(self, problems: Sequence[str], now_s: float) -> list[str]:
        """Return those problems that are to be told now.

        Args:
            problems: What is wrong now.
            now_s: Seconds of a clock that does not go back.
        """
        kept = {p: s for p, s in self._seen_s.items() if now_s - s < self._again_s}
        new = [problem for problem in problems if problem not in kept]
        self._seen_s = kept | dict.fromkeys(problems, now_s)
        return new
