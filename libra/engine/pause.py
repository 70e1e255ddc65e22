"""Pause: learning rests, for a while, until resumed, or for one project; nothing that waits is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable

from libra.ground.records import Clock

FOREVER = "resumed"
"""Shown as ``paused_until`` when only the person ends the pause."""


class Pause:
    """Which learning is paused, and until when.

    A pause stops the readers of files and the background worker; what is written meanwhile is read when the
    pause ends, since cursors do not move.

    Args:
        clock: Now in epoch ms.
        on_pause, on_resume: Called when the pause of everything begins and ends.
    """

    def __init__(self, clock: Clock, on_pause: Callable[[], None], on_resume: Callable[[], None]) -> None:
        self._clock = clock
        self._hooks_pause = [on_pause]
        self._hooks_resume = [on_resume]
        self._lock = threading.Lock()
        self._all_until: int | str | None = None
        self._projects: dict[str, int | str] = {}
        self._timer: threading.Timer | None = None

    def also(self, on_pause: Callable[[], None], on_resume: Callable[[], None]) -> None:
        """Tell another part too."""
        self._hooks_pause.append(on_pause)
        self._hooks_resume.append(on_resume)

    def pause(self, seconds: int | None, project: str | None) -> int | str:
        """Begin or change a pause; return until when: epoch ms, or :data:`FOREVER`."""
        until: int | str = FOREVER if seconds is None else self._clock() + seconds * 1000
        with self._lock:
            if project is not None:
                self._projects[project] = until
                return until
            self._all_until = until
            self._cancel()
            if seconds is not None:
                self._timer = threading.Timer(seconds, self.resume, args=(None,))
                self._timer.daemon = True
                self._timer.start()
        for hook in self._hooks_pause:
            hook()
        return until

    def resume(self, project: str | None) -> None:
        """End the pause of everything, or of one project."""
        with self._lock:
            if project is not None:
                self._projects.pop(project, None)
            else:
                self._all_until = None
                self._cancel()
        for hook in self._hooks_resume:
            hook()

    def until(self) -> int | str | None:
        """Return until when everything is paused, None if it is not."""
        return self._all_until

    def covers(self, project: str | None) -> bool:
        """Return True if learning from this project is paused now."""
        with self._lock:
            if self._all_until is not None:
                return True
            until = self._projects.get(project) if project is not None else None
            return until is not None and (isinstance(until, str) or until > self._clock())

    def close(self) -> None:
        """Drop the timer."""
        with self._lock:
            self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
