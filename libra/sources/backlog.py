"""What is to be read next: what just changed, then what its host is about to delete, then history, newest first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from libra.sources.slices import TalkFile


@dataclass(frozen=True, slots=True)
class BacklogParams:
    """Debouncing of changed files.

    Attributes:
        debounce_s: A file is read when it was quiet for so long ...
        longest_s: ... or this long after its first change.
    """

    debounce_s: float = 0.03
    longest_s: float = 0.5


@dataclass(slots=True)
class _Due:
    file: TalkFile
    first_s: float
    last_s: float
    not_before_s: float = 0.0


@dataclass(slots=True)
class Backlog:
    """Not locked: its owner is."""

    params: BacklogParams = field(default_factory=BacklogParams)
    _live: dict[str, _Due] = field(default_factory=dict)
    _heap: list[tuple[bool, int, str]] = field(default_factory=list)
    _history: dict[str, TalkFile] = field(default_factory=dict)

    def changed(self, file: TalkFile, now_s: float) -> None:
        """Note that a file changed now."""
        due = self._live.get(file.path)
        if due is None:
            self._live[file.path] = _Due(file, now_s, now_s)
        else:
            due.last_s = now_s

    def history(self, file: TalkFile, mtime_ns: int, *, dying: bool = False) -> None:
        """Note a file that has something to be read, last changed at ``mtime_ns``.

        Those that their host is about to delete (``dying``) come first, the oldest of them before all.
        """
        if file.path not in self._history and file.path not in self._live:
            heapq.heappush(self._heap, (not dying, mtime_ns if dying else -mtime_ns, file.path))
            self._history[file.path] = file

    def later(self, file: TalkFile, now_s: float, delay_s: float) -> None:
        """Note a file that could not be read, to be tried again after a while."""
        self._live[file.path] = _Due(file, now_s, now_s, now_s + delay_s)

    def pop(self, now_s: float) -> TalkFile | None:
        """Return the file to be read now, None if there is none yet."""
        for path, due in self._live.items():
            if self._at(due) <= now_s:
                del self._live[path]
                self._history.pop(path, None)
                return due.file
        while self._heap:
            _, _, path = heapq.heappop(self._heap)
            file = self._history.pop(path, None)
            if file is not None:
                return file
        return None

    def wait_s(self, now_s: float) -> float | None:
        """Return how long until something is to be read; None if nothing is."""
        if self._history:
            return 0.0
        return max(min(self._at(due) for due in self._live.values()) - now_s, 0.0) if self._live else None

    def __len__(self) -> int:
        return len(self._live) + len(self._history)

    def _at(self, due: _Due) -> float:
        quiet = min(due.last_s + self.params.debounce_s, due.first_s + self.params.longest_s)
        return max(quiet, due.not_before_s)
