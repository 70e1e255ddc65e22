"""One libra a data folder: a lock of the operating system, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from pathlib import Path
from typing import Self

from libra.ground.errors import AlreadyRunning, StoreError, StoreFull, StoreReadOnly

_LOOK_S = 0.01
_HELD = {errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}


class InstanceLock:
    """The lock of a data folder, held from :meth:`take` until :meth:`release` or the end of the process.

    The file stays behind on purpose: what counts is the lock on it, and removing it would be a race.
    Source: lessons.md C65, C68.

    Args:
        path: ``<data dir>/run/libra.lock``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def take(self) -> None:
        """Take the lock.

        Raises:
            AlreadyRunning: Another process holds it.
            StoreReadOnly: The folder is not there and cannot be made.
            StoreError: The file system gave another error.
        """
        fd = self._open()
        try:
            _lock(fd)
        except OSError as error:
            os.close(fd)
            if error.errno in _HELD:
                raise AlreadyRunning(
                    f"another libra is running on {self.path.parent.parent}",
                    hint="`libra status` shows it; `libra shutdown` stops it",
                    where=str(self.path),
                ) from None
            raise StoreError(f"cannot lock {self.path}: {error.strerror}", where=str(self.path)) from error
        self._fd = fd

    def wait(self, timeout_s: float) -> None:
        """Take the lock as soon as who holds it has ended.

        Raises:
            AlreadyRunning: It is still held after ``timeout_s``.
            StoreError: See :meth:`take`.
        """
        end = time.monotonic() + timeout_s
        while True:
            try:
                self.take()
            except AlreadyRunning:
                if time.monotonic() >= end:
                    raise
                time.sleep(_LOOK_S)
            else:
                return

    def _open(self) -> int:
        """Return a descriptor to lock: the file, or in a folder that cannot be written what is there already."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            where = str(self.path.parent)
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                raise StoreFull(f"the disk is full: {where}", where=where) from error
            if error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
                raise StoreError(f"the data folder cannot be used: {error.strerror}", where=where) from error
            for there in (self.path, self.path.parent.parent):
                with contextlib.suppress(OSError):
                    return os.open(there, os.O_RDONLY)
            raise StoreReadOnly(
                f"the data folder cannot be written: {where}",
                hint="name another one with --data-dir, or mend its permissions",
                where=where,
            ) from error

    def release(self) -> None:
        """Give the lock back; harmless if it is not held."""
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        """Take the lock."""
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        self.release()


def is_held(path: Path) -> bool:
    """Return True if some process holds the lock at ``path``; for ``doctor``, which must not keep it."""
    if not path.exists():
        return False
    probe = InstanceLock(path)
    try:
        probe.take()
    except AlreadyRunning:
        return True
    except StoreError:
        return False
    probe.release()
    return False


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
