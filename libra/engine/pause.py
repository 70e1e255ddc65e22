"""Pause: learning rests, for a while, until resumed, or for one project; nothing that waits is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol

import orjson

from libra.ground.records import Clock
from libra.store import meta
from libra.store.store import Store

FOREVER = "resumed"
"""Shown as ``paused_until`` when only the person ends the pause."""

Until = int | str
"""Epoch ms, or :data:`FOREVER`."""

_KEY = "paused"
_ALL = ""
"""Stands for the pause of everything where pauses are kept; no project has an empty key."""
_LOOK_S = 30.0
"""How often a pause looks at the clock: a timer alone does not run while the machine sleeps."""


class Keeps(Protocol):
    """Keeps pauses beyond the end of the process."""

    def read(self) -> Mapping[str, Until]:
        """Return the pauses that were kept, by project; an empty key for everything."""
        ...

    def write(self, pauses: Mapping[str, Until]) -> None:
        """Keep these."""
        ...


class PauseMemory:
    """Keeps pauses in the database: an upgrade or a restart must not begin to learn again by itself.

    Args:
        store: The open database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self) -> Mapping[str, Until]:
        """Return the pauses that were kept."""
        with self._store.snapshot() as snapshot:
            kept = meta.get(snapshot, _KEY)
        found = orjson.loads(kept) if kept else {}
        return {str(key): until for key, until in found.items()}

    def write(self, pauses: Mapping[str, Until]) -> None:
        """Keep these; a database that cannot be written has nothing to learn with either."""
        if self._store.read_only:
            return
        value = orjson.dumps(dict(pauses)).decode() if pauses else None
        self._store.write(lambda tx: meta.put(tx, _KEY, value)).result()


class Pause:
    """Which learning is paused, and until when.

    A pause stops the readers of files and the background worker; what is written meanwhile is read when the
    pause ends, since cursors do not move.

    Args:
        clock: Now in epoch ms.
        on_pause, on_resume: Called when the pause of everything begins and ends.
        memory: Keeps pauses beyond the end of the process.
    """

    def __init__(
        self, clock: Clock, on_pause: Callable[[], None], on_resume: Callable[[], None], memory: Keeps
    ) -> None:
        self._clock = clock
        self._hooks_pause = [on_pause]
        self._hooks_resume = [on_resume]
        self._memory = memory
        self._lock = threading.Lock()
        self._all_until: Until | None = None
        self._projects: dict[str, Until] = {}
        self._timer: threading.Timer | None = None

    def also(self, on_pause: Callable[[], None], on_resume: Callable[[], None]) -> None:
        """Tell another part too."""
        self._hooks_pause.append(on_pause)
        self._hooks_resume.append(on_resume)

    def again(self) -> None:
        """Go on with what was paused when the last process ended; what is over by now is dropped."""
        kept = {key: until for key, until in self._memory.read().items() if self._lasts(until)}
        with self._lock:
            self._projects = {key: until for key, until in kept.items() if key != _ALL}
        if _ALL in kept:
            self._begin(kept[_ALL])

    def pause(self, seconds: int | None, project: str | None) -> Until:
        """Begin or change a pause; return until when: epoch ms, or :data:`FOREVER`."""
        until: Until = FOREVER if seconds is None else self._clock() + seconds * 1000
        if project is not None:
            with self._lock:
                self._projects[project] = until
        else:
            self._begin(until)
        self._keep()
        return until

    def resume(self, project: str | None) -> bool:
        """End the pause of everything, or of one project; return whether there was one."""
        with self._lock:
            if project is not None:
                was = self._projects.pop(project, None) is not None
            else:
                was = self._all_until is not None
                self._all_until = None
                self._cancel()
        self._keep()
        for hook in self._hooks_resume:
            hook()
        return was

    def until(self) -> Until | None:
        """Return until when everything is paused, None if it is not."""
        return self._all_until

    def projects(self) -> dict[str, Until]:
        """Return the projects that are paused, and until when."""
        with self._lock:
            self._projects = {key: until for key, until in self._projects.items() if self._lasts(until)}
            return dict(self._projects)

    def covers(self, project: str | None) -> bool:
        """Return True if learning from this project is paused now."""
        with self._lock:
            if self._all_until is not None:
                return True
            until = self._projects.get(project) if project is not None else None
            return until is not None and self._lasts(until)

    def close(self) -> None:
        """Drop the timer; what is paused stays so for the next process."""
        with self._lock:
            self._cancel()

    def _lasts(self, until: Until) -> bool:
        return isinstance(until, str) or until > self._clock()

    def _begin(self, until: Until) -> None:
        with self._lock:
            self._all_until = until
            self._look_later(until)
        for hook in self._hooks_pause:
            hook()

    def _look_later(self, until: Until) -> None:
        self._cancel()
        if not isinstance(until, str):
            left_s = max(until - self._clock(), 0) / 1000
            self._timer = threading.Timer(min(left_s, _LOOK_S), self._look, args=(until,))
            self._timer.daemon = True
            self._timer.start()

    def _look(self, until: int) -> None:
        """End a pause whose time has come, unless another one has begun meanwhile."""
        with self._lock:
            if self._all_until != until:
                return
            if self._lasts(until):
                self._look_later(until)
                return
        self.resume(None)

    def _keep(self) -> None:
        with self._lock:
            every = dict(self._projects)
            if self._all_until is not None:
                every[_ALL] = self._all_until
        self._memory.write(every)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
