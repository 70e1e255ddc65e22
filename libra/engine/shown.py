"""The latest prompts' lines, in memory: what a line is half of, no hash can tell (field case B01)."""

from __future__ import annotations

import threading
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
        self._prompts: dict[str, tuple[str, ...] | None] = {}
        """Oldest first; a prompt's lines are worked out when they are asked for: the person waits for the prompt."""
        self._chars = 0

    def add(self, text: str) -> None:
        """Keep a prompt; one that is there already moves to the end."""
        with self._lock:
            known = text in self._prompts
            self._prompts[text] = self._prompts.pop(text, None)
            self._chars += 0 if known else len(text)
            while self._chars > _MOST_CHARS and len(self._prompts) > 1:
                oldest = next(iter(self._prompts))
                del self._prompts[oldest]
                self._chars -= len(oldest)

    def half(self, half: Half) -> bool:
        """Return True if it is a part of a line that stood beside its neighbour in a prompt."""
        with self._lock:
            prompts = list(self._prompts)
        return any(is_half(half, self._lines(text)) for text in reversed(prompts))

    def _lines(self, text: str) -> tuple[str, ...]:
        """Return the lines of a kept prompt in their normal form."""
        lines = self._prompts.get(text)
        if lines is None:
            lines = tuple(normal for line in text.split("\n") if (normal := normal_line(line)))
            with self._lock:
                if text in self._prompts:
                    self._prompts[text] = lines
        return lines
