"""Small tables of the database in memory, so that a prompt costs no query for what hardly ever changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Kept:
    """Small tables in memory until something of them changes; may be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[tuple[str, ...], Any] = {}
        self._changes = 0

    def get(self, key: tuple[str, ...], load: Callable[[], T]) -> T:
        """Return what is kept under a key; ``load`` reads it in a state of its own, since that of a caller may be older."""
        with self._lock:
            if key in self._found:
                known: T = self._found[key]
                return known
            changes = self._changes
        found = load()
        with self._lock:
            if changes == self._changes:
                self._found[key] = found
        return found

    def forget(self) -> None:
        """Read everything anew from now on: called after what was changed is stored."""
        with self._lock:
            self._found.clear()
            self._changes += 1
