"""Events of the file system: told early where they come, never relied on.

One recursive watch a known folder, plain watches on folders that hold documents, never a project tree. Where a
watch cannot be had (no inotify left, a network drive) the folder is *blind*: the service looks by itself more
often, and the watch is tried again. Any doubt (a queue that ran over, a watch that died) asks for a full look.

Source: feasibility.md §6; lessons.md C54–C56.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

_log = logging.getLogger(__name__)

_KINDS: Final = frozenset({"created", "modified", "moved", "deleted", "closed"})
"""``opened`` and ``closed_no_write`` come from our own reading and would feed the loop."""
_WATCHDOG_LOGGERS: Final = ("watchdog.observers.inotify_c", "watchdog.observers.inotify", "watchdog")
_OVERFLOW: Final = "overflow"


@dataclass(frozen=True, slots=True)
class Change:
    """A path that something happened to; ``folder`` is True if it is (or was) a folder."""

    path: str
    folder: bool


@dataclass(slots=True)
class _Watch:
    """A watch that was wanted: the inode it is on, and the handle of it, None while the folder is blind."""

    recursive: bool
    inode: int
    handle: ObservedWatch | None = None
    why: str = ""


@dataclass(slots=True)
class _State:
    """What is watched; guarded by the watcher's lock."""

    wanted: dict[str, bool] = field(default_factory=dict)
    watches: dict[str, _Watch] = field(default_factory=dict)


class _OverflowAlarm(logging.Filter):
    """Hears watchdog say that events were lost: its log line is the only sign of it."""

    def __init__(self, on_doubt: Callable[[str], None]) -> None:
        super().__init__()
        self._on_doubt = on_doubt

    def filter(self, record: logging.LogRecord) -> bool:
        if _OVERFLOW in record.getMessage().lower():
            self._on_doubt("events were lost")
        return True


class Watcher:
    """Watches folders and tells what changed in them; its callbacks run on watchdog's threads.

    Args:
        on_change: Told each change.
        on_doubt: Told that changes may have been missed, and why.
        folders_max: More folders than this are not watched but looked at.
    """

    def __init__(
        self,
        on_change: Callable[[Change], None],
        on_doubt: Callable[[str], None],
        folders_max: int = 128,
    ) -> None:
        self._on_change = on_change
        self._on_doubt = on_doubt
        self._folders_max = folders_max
        self._lock = threading.Lock()
        self._state = _State()
        self._observer: BaseObserver | None = None
        self._alarm = _OverflowAlarm(on_doubt)

    def start(self) -> None:
        """Begin; without any watching on this system everything stays blind."""
        from watchdog.observers import Observer

        for name in _WATCHDOG_LOGGERS:
            logging.getLogger(name).addFilter(self._alarm)
        try:
            observer = Observer()
            observer.start()
        except (OSError, RuntimeError) as error:
            _log.warning("no file events here: %s", type(error).__name__)
            return
        self._observer = observer

    def stop(self) -> None:
        """End all watching; returns when watchdog's threads have ended."""
        observer, self._observer = self._observer, None
        for name in _WATCHDOG_LOGGERS:
            logging.getLogger(name).removeFilter(self._alarm)
        if observer is not None:
            observer.stop()
            observer.join(timeout=10)

    def want(self, folders: Mapping[str, bool]) -> None:
        """Say which folders are to be watched, and which of them with all that is below."""
        with self._lock:
            self._state.wanted = _outermost(folders)
        self.check()

    def check(self, *, retry: bool = False) -> None:
        """Set right what is watched: folders that appeared, went, or were replaced; watches that died.

        Args:
            retry: Also try again to watch folders that are blind.
        """
        with self._lock:
            wanted = dict(self._state.wanted)
            watches = dict(self._state.watches)
        for path, watch in watches.items():
            if wanted.get(path) != watch.recursive or watch.inode != _inode(path):
                self._drop(path, watch)
        appeared = False
        for number, (path, recursive) in enumerate(wanted.items()):
            with self._lock:
                known = self._state.watches.get(path)
            if known is not None and (self._alive(known.handle) if known.handle else not retry):
                continue
            inode = _inode(path)
            if inode is None:
                continue
            watch = self._watch(path, recursive=recursive, inode=inode, room=number < self._folders_max)
            with self._lock:
                self._state.watches[path] = watch
            appeared = appeared or (watch.handle is not None)
        if appeared:
            # What happened before the watch stood has had no event.
            self._on_doubt("a watch began")

    def blind(self) -> dict[str, str]:
        """Return the folders that exist but are not watched, and why."""
        with self._lock:
            return {path: watch.why for path, watch in self._state.watches.items() if watch.handle is None}

    def count(self) -> int:
        """Return how many folders are watched."""
        with self._lock:
            return sum(watch.handle is not None for watch in self._state.watches.values())

    def _watch(self, path: str, *, recursive: bool, inode: int, room: bool) -> _Watch:
        """Begin one watch; a blind one where it cannot be had."""
        observer = self._observer
        if observer is None or not room:
            return _Watch(recursive, inode, None, "too many folders" if observer else "no file events")
        try:
            return _Watch(
                recursive, inode, observer.schedule(_handler(self._on_change), path, recursive=recursive)
            )
        except (OSError, RuntimeError, ValueError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            _log.warning("%s is looked at instead of watched: %s", path, why)
            return _Watch(recursive, inode, None, why)

    def _alive(self, handle: ObservedWatch) -> bool:
        observer = self._observer
        if observer is None or not observer.is_alive():
            return False
        return any(emitter.watch == handle and emitter.is_alive() for emitter in tuple(observer.emitters))

    def _drop(self, path: str, watch: _Watch) -> None:
        with self._lock:
            self._state.watches.pop(path, None)
        if watch.handle is not None and self._observer is not None:
            try:
                self._observer.unschedule(watch.handle)
            except (KeyError, OSError, RuntimeError):
                _log.debug("the watch on %s had ended before", path)


def _handler(on_change: Callable[[Change], None]) -> FileSystemEventHandler:
    """Return what watchdog calls: it passes on the kinds of events that mean a change."""
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def dispatch(self, event: FileSystemEvent) -> None:
            if event.event_type in _KINDS:
                for path in (event.src_path, event.dest_path):
                    if path:
                        on_change(Change(os.fsdecode(path), event.is_directory))

    return Handler()


def _outermost(folders: Mapping[str, bool]) -> dict[str, bool]:
    """Leave out folders that lie below one that is watched with all that is below it."""
    whole = [path.rstrip(os.sep) + os.sep for path, recursive in folders.items() if recursive]
    return {
        path: recursive
        for path, recursive in folders.items()
        if not any(path != top.rstrip(os.sep) and path.startswith(top) for top in whole)
    }


def _inode(path: str) -> int | None:
    """Return the inode of a folder, None if it is not there."""
    try:
        stat = Path(path).stat()
        return stat.st_ino if Path(path).is_dir() else None
    except OSError:
        return None
