"""The latest prompts word for word, in memory only: on disk stand ids, so that what is forgotten is nowhere else."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

_MOST_CHARS: Final = 2_000_000


class Exact:
    """Keeps answers of ``assemble`` by receipt, a bounded number of characters of them. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, tuple[str, Mapping[str, Any]]] = OrderedDict()
        self._chars = 0

    def add(self, receipt_id: str, query: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer with what was asked."""
        with self._lock:
            self._answers[receipt_id] = query, answer
            self._chars += len(answer["text"])
            while self._chars > _MOST_CHARS and len(self._answers) > 1:
                _, (_, old) = self._answers.popitem(last=False)
                self._chars -= len(old["text"])

    def of(self, receipt_id: str) -> tuple[str, Mapping[str, Any]] | None:
        """Return what was asked and answered, or None if it is no longer kept."""
        with self._lock:
            return self._answers.get(receipt_id)

    def clear(self) -> None:
        """Keep none of them any longer: something was forgotten, and no text says which of them held it."""
        with self._lock:
            self._answers.clear()
            self._chars = 0
