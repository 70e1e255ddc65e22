"""The latest prompts' lines, in memory: what a line is half of, no hash can tell (field case B01)."""

from __future__ import annotations

import threading
from collections import deque
from typing import Final

from libra.text.halves import Half, is_half, normal_line

_MOST_CHARS: Final = 2_000_000
"""The transcript that repeats a prompt is written seconds after it."""


class Shown:
    """Keeps the lines of the latest prompts, a bounded number of characters of them, and never on disk.

    Any thread may call it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._prompts: deque[tuple[str, ...]] = deque()
        self._chars = 0

    def add(self, text: str) -> None:
        """Keep the lines of a prompt in their normal form; one that is there already moves to the end."""
        lines = tuple(normal for line in text.split("\n") if (normal := normal_line(line)))
        with self._lock:
            if lines in self._prompts:
                self._prompts.remove(lines)
                self._chars -= _chars(lines)
            self._prompts.append(lines)
            self._chars += _chars(lines)
            while self._chars > _MOST_CHARS and len(self._prompts) > 1:
                self._chars -= _chars(self._prompts.popleft())

    def half(self, half: Half) -> bool:
        """Return True if it is a part of a line that stood beside its neighbour in a prompt."""
        with self._lock:
            prompts = list(self._prompts)
        return any(is_half(half, lines) for lines in reversed(prompts))


def _chars(lines: tuple[str, ...]) -> int:
    return sum(map(len, lines))
