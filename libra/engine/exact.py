"""The latest prompts word for word, in memory only: on disk stand ids, so that what is forgotten is nowhere else."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

import orjson

_MOST_BYTES: Final = 2_000_000
_KEPT: Final = ("id", "kind", "source", "why")
"""What a receipt shows of each item and does not find in the database."""


class Exact:
    """Keeps what ``assemble`` answered by receipt, a bounded number of bytes of it. Any thread may call it.

    They are kept as JSON: as objects an answer takes ten times the room of its words, and hardly one is ever looked at.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def add(self, receipt_id: str, query: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer with what was asked."""
        items = [{name: item[name] for name in _KEPT if name in item} for item in answer.get("items", ())]
        told = [query, {"text": answer["text"], "items": items}]
        try:
            kept = orjson.dumps(told)
        except TypeError:  # not every string of a caller within the process can be written as UTF-8
            kept = json.dumps(told, ensure_ascii=False).encode("utf-8", "surrogatepass")
        with self._lock:
            self._answers[receipt_id] = kept
            self._bytes += len(kept)
            while self._bytes > _MOST_BYTES and len(self._answers) > 1:
                _, old = self._answers.popitem(last=False)
                self._bytes -= len(old)

    def of(self, receipt_id: str) -> tuple[str, Mapping[str, Any]] | None:
        """Return what was asked and answered, or None if it is no longer kept."""
        with self._lock:
            kept = self._answers.get(receipt_id)
        if kept is None:
            return None
        query, answer = json.loads(kept.decode("utf-8", "surrogatepass"))
        return query, answer

    def clear(self) -> None:
        """Keep none of them any longer: something was forgotten, and no text says which of them held it."""
        with self._lock:
            self._answers.clear()
            self._bytes = 0
