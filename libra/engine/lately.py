"""What the tray tells of the last hours: where something was learnt, the session in use, what was injected today."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Any

from libra.engine.deps import Deps
from libra.store import lately
from libra.store.lately import Today
from libra.store.snapshot import Snapshot


class Lately:
    """Answers from the database; today's injections are only added up anew when there is a new one.

    Args:
        deps: Shared parts.
    """

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, int], Today] | None = None

    def fields(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the fields of ``status``: ``learnt``, ``talk`` and ``today``."""
        learnt, talk = lately.learnt(snapshot), lately.talk(snapshot)
        return {
            "learnt": None if learnt is None else learnt._asdict(),
            "talk": None if talk is None else talk._asdict(),
            "today": self._today(snapshot)._asdict(),
        }

    def _today(self, snapshot: Snapshot) -> Today:
        now = datetime.fromtimestamp(self._deps.clock() / 1000, tz=self._deps.zone)
        midnight_ms = int(now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp() * 1000)
        key = (midnight_ms, lately.newest_receipt(snapshot))
        with self._lock:
            if self._known is None or self._known[0] != key:
                self._known = key, lately.injected_since(snapshot, midnight_ms)
            return self._known[1]
