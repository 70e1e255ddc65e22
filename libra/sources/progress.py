"""How far the reading is: what the progress bar and the status show."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

_ETA_AFTER_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of the back-fill.

    Attributes:
        files_done, files_known: Transcripts read to their end, of those that are known.
        turns: Turns taken since the start of this process, known ones included.
        bytes_done, bytes_known: Of what there was to read.
        eta_s: Seconds until the rest is read at the rate so far; None if it cannot be said.
        busy: There is something left to read.
        stalled: There is, but nothing was read for a minute.
    """

    files_done: int = 0
    files_known: int = 0
    turns: int = 0
    bytes_done: int = 0
    bytes_known: int = 0
    eta_s: float | None = None
    busy: bool = False
    stalled: bool = False


@dataclass(slots=True)
class HostTally:
    """Counters of one host since the start of this process."""

    turns: int = 0
    new_turns: int = 0
    duplicates: int = 0
    forgotten: int = 0
    bad_lines: dict[str, int] = field(default_factory=dict)
    oversize_lines: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)


class Tally:
    """Counts; written by the watching thread, read by any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hosts: dict[str, HostTally] = {}
        self._known: dict[str, tuple[str, int]] = {}
        self._left: dict[str, int] = {}
        self._bytes_done = 0
        self._began_s: float | None = None
        self._last_s: float = 0.0
        self.last_taken_ms: int | None = None
        self.last_taken_from: str | None = None

    def known(self, path: str, host: str, left_bytes: int, now_s: float) -> None:
        """Note a transcript and how much of it is to be read."""
        with self._lock:
            self._known[path] = (host, left_bytes)
            if left_bytes > 0:
                if not self._left:
                    self._began_s, self._bytes_done, self._last_s = now_s, 0, now_s
                self._left[path] = left_bytes

    def advanced(self, path: str, left_bytes: int, now_s: float) -> None:
        """Note that a step of reading left this much."""
        with self._lock:
            before = self._left.pop(path, 0)
            self._bytes_done += max(before - left_bytes, 0)
            self._last_s = now_s
            if left_bytes > 0:
                self._left[path] = left_bytes

    def gone(self, path: str) -> None:
        """Note that a transcript is not there any more."""
        with self._lock:
            self._known.pop(path, None)
            self._left.pop(path, None)

    def host(self, name: str) -> HostTally:
        """Return a host's counters, to be written by the watching thread only."""
        with self._lock:
            return self._hosts.setdefault(name, HostTally())

    def progress(self, now_s: float, stall_s: float) -> Progress:
        """Return how far it is."""
        with self._lock:
            left = sum(self._left.values())
            eta_s = None
            spent_s = now_s - self._began_s if self._began_s is not None else 0.0
            if left and self._bytes_done and spent_s >= _ETA_AFTER_S:
                eta_s = left * spent_s / self._bytes_done
            return Progress(
                files_done=len(self._known) - len(self._left),
                files_known=len(self._known),
                turns=sum(tally.turns for tally in self._hosts.values()),
                bytes_done=self._bytes_done,
                bytes_known=self._bytes_done + left,
                eta_s=eta_s,
                busy=bool(self._left),
                stalled=bool(self._left) and now_s - self._last_s >= stall_s,
            )

    def hosts(self) -> dict[str, dict[str, Any]]:
        """Return the counters by host, as the status shows them."""
        with self._lock:
            out = {}
            for name in sorted({*self._hosts, *(host for host, _ in self._known.values())}):
                tally = self._hosts.get(name) or HostTally()
                found = [path for path, (host, _) in self._known.items() if host == name]
                out[name] = {
                    "found": len(found),
                    "read": sum(path not in self._left for path in found),
                    "waiting": sum(path in self._left for path in found),
                    "turns": tally.turns,
                    "new_turns": tally.new_turns,
                    "duplicates": tally.duplicates,
                    "forgotten": tally.forgotten,
                    "malformed": sum(tally.bad_lines.values()),
                    "oversize": sum(tally.oversize_lines.values()),
                    "lines_waiting": sum(tally.waiting.values()),
                    "events": dict(tally.events),
                }
            return out
