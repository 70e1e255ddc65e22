"""What the watching thread does next, and how other threads ask for it or wait for it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Final

from libra.sources.backlog import Backlog, BacklogParams
from libra.sources.slices import TalkFile


class Task(Enum):
    """Kinds of work, the more urgent first."""

    DOCUMENTS = "documents"
    """Go over all instruction files and notes."""
    TALK = "talk"
    """Look for transcripts in all folders."""
    CHECK = "check"
    """See to the watches and the hosts' databases."""
    READ = "read"
    """Read one slice of a transcript."""


@dataclass(frozen=True, slots=True)
class AgendaParams:
    """Waiting times after the store has refused: the first, doubled up to the longest."""

    retry_s: float = 1.0
    retry_max_s: float = 60.0


_LOOKS: Final = (Task.DOCUMENTS, Task.TALK, Task.CHECK)


class Agenda:
    """Times are seconds of the monotonic clock."""

    def __init__(self, backlog: BacklogParams, params: AgendaParams | None = None) -> None:
        self._params = params or AgendaParams()
        self._debounce_s = backlog.debounce_s
        self._longest_s = backlog.longest_s
        self._cond = threading.Condition()
        self._backlog = Backlog(backlog)
        self._at: dict[Task, float] = dict.fromkeys(_LOOKS, 0.0)
        self._begun: dict[Task, int] = dict.fromkeys(Task, 0)
        self._done: dict[Task, int] = dict.fromkeys(Task, 0)
        self._paused_until_s = 0.0
        self._refused_until_s = 0.0
        self._delay_s = 0.0
        self._stopping = False
        self._idle = False
        self.refusal = ""
        """Why the store takes nothing now; empty if it does."""

    # ------------------------------------------------------------------ asked for by any thread

    def changed(self, file: TalkFile) -> None:
        """A transcript changed just now."""
        with self._cond:
            self._backlog.changed(file, time.monotonic())
            self._wake()

    def due(self, task: Task, *, settled: bool = False) -> None:
        """A look is to be taken, at once or (``settled``) when what is going on has had time to end."""
        with self._cond:
            now_s = time.monotonic()
            wait_s = {Task.DOCUMENTS: self._debounce_s}.get(task, self._longest_s) if settled else 0.0
            self._at[task] = min(self._at[task], now_s + wait_s)
            self._wake()

    def look(self) -> None:
        """Everything is to be looked at."""
        with self._cond:
            self._at[Task.DOCUMENTS] = self._at[Task.TALK] = 0.0
            self._wake()

    def pause(self, seconds: float | None) -> None:
        """Do nothing for a while; None for until :meth:`resume`."""
        with self._cond:
            self._paused_until_s = inf if seconds is None else time.monotonic() + seconds
            self._wake()

    def resume(self) -> None:
        """Go on at once."""
        with self._cond:
            self._paused_until_s = 0.0
            self._wake()

    def stop(self) -> None:
        """End: :meth:`next` returns None from now on."""
        with self._cond:
            self._stopping = True
            self._wake()

    def wait_idle(self, timeout_s: float) -> bool:
        """Have everything looked at once more and wait until all of it is read; False if that takes longer."""
        with self._cond:
            self._at[Task.DOCUMENTS] = self._at[Task.TALK] = 0.0
            wanted = {task: self._begun[task] + 1 for task in (Task.DOCUMENTS, Task.TALK)}
            self._wake()
            return self._cond.wait_for(
                lambda: self._idle and all(self._done[task] >= count for task, count in wanted.items()),
                timeout_s,
            )

    def wait_documents(self, timeout_s: float) -> bool:
        """Wait until a look at the documents that begins from now on is done."""
        with self._cond:
            wanted = self._begun[Task.DOCUMENTS] + 1
            self._at[Task.DOCUMENTS] = 0.0
            self._wake()
            return self._cond.wait_for(
                lambda: self._done[Task.DOCUMENTS] >= wanted or self._stopping, timeout_s
            )

    @property
    def idle(self) -> bool:
        """Whether everything known is read."""
        with self._cond:
            return self._idle

    @property
    def paused(self) -> bool:
        """Whether :meth:`pause` is in force."""
        with self._cond:
            return self._paused_until_s > time.monotonic()

    # ------------------------------------------------------------------ asked by the watching thread

    def next(self) -> tuple[Task, TalkFile | None] | None:
        """Wait for the next task and return it, with the transcript for READ; None if all ends."""
        with self._cond:
            while not self._stopping:
                now_s = time.monotonic()
                held_s = max(self._paused_until_s, self._refused_until_s)
                if held_s > now_s:
                    self._cond.wait(min(held_s - now_s, threading.TIMEOUT_MAX))
                    continue
                for task in _LOOKS:
                    if self._at[task] <= now_s:
                        self._at[task] = inf
                        self._begun[task] += 1
                        return task, None
                if (file := self._backlog.pop(now_s)) is not None:
                    return Task.READ, file
                self._rest(now_s)
            return None

    def finished(self, task: Task, again_s: float = inf) -> None:
        """A task is done; look again after ``again_s`` at the latest."""
        with self._cond:
            self._done[task] += 1
            self._delay_s, self.refusal = 0.0, ""
            if task in self._at:
                self._at[task] = min(self._at[task], time.monotonic() + again_s)
            self._cond.notify_all()

    def refused(self, task: Task, file: TalkFile | None, reason: str) -> float:
        """The store took nothing: the task stays to be done. Return how long all of it waits."""
        with self._cond:
            self._delay_s = min(max(self._delay_s * 2, self._params.retry_s), self._params.retry_max_s)
            self._refused_until_s = time.monotonic() + self._delay_s
            self.refusal = reason
            if file is not None:
                self._backlog.changed(file, time.monotonic())
            elif task in self._at:
                self._at[task] = 0.0
            return self._delay_s

    def history(self, file: TalkFile, mtime_ns: int, *, dying: bool = False) -> None:
        """A transcript has something to be read, last changed at ``mtime_ns``; see :meth:`Backlog.history`."""
        with self._cond:
            self._backlog.history(file, mtime_ns, dying=dying)
            self._wake()

    def later(self, file: TalkFile, delay_s: float) -> None:
        """A transcript is to be tried again after a while."""
        with self._cond:
            self._backlog.later(file, time.monotonic(), delay_s)

    def _rest(self, now_s: float) -> None:
        """Wait until something is due; the condition is held."""
        looks_s = min(self._at[Task.DOCUMENTS], self._at[Task.TALK])
        reads_in_s = self._backlog.wait_s(now_s)
        soon = reads_in_s is not None and reads_in_s <= self._longest_s
        if not soon and looks_s > now_s + self._longest_s and not self._idle:
            self._idle = True
            self._cond.notify_all()
        until_s = min(looks_s, self._at[Task.CHECK]) - now_s
        if reads_in_s is not None:
            until_s = min(until_s, reads_in_s)
        self._cond.wait(min(max(until_s, 0.0), threading.TIMEOUT_MAX))

    def _wake(self) -> None:
        self._idle = False
        self._cond.notify_all()
