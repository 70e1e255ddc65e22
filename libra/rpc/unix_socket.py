"""A stream socket in the file system, for this user only: Linux, macOS and the BSDs."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from libra.ground.errors import AlreadyRunning, Conflict, LibraError, NotRunning, StoreError, StoreReadOnly
from libra.rpc.listener import BACKLOG, PROBE_S, make_folder, not_running
from libra.rpc.peer import same_user

_MAX_PATH_BYTES = 100
"""sun_path holds 108 bytes on Linux, 104 on macOS and the BSDs, the final NUL included."""

_AGAIN_S = 0.005

_GONE = {errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR}


@contextlib.contextmanager
def _reachable(path: Path) -> Iterator[str]:
    """Yield a name for ``path`` that fits into a socket address.

    A path that is too long is reached over a symbolic link to its folder, in a private folder that lives only
    as long as the call: nobody else can put a link in its place.
    """
    name = os.fspath(path)
    if len(os.fsencode(name)) <= _MAX_PATH_BYTES:
        yield name
        return
    base = "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108 - mkdtemp makes a private folder in it
    with tempfile.TemporaryDirectory(prefix="libra-", dir=base) as private:
        link = Path(private) / "f"
        link.symlink_to(path.parent, target_is_directory=True)
        short = os.fspath(link / path.name)
        if len(os.fsencode(short)) > _MAX_PATH_BYTES:
            raise Conflict(f"the socket's name is too long: {path.name}", where=str(path))
        yield short


@dataclass(frozen=True, slots=True)
class UnixEndpoint:
    """A stream socket in the file system, 0600."""

    path: Path

    def listen(self) -> UnixListener:
        """Open it; a stale socket is replaced, a live one never."""
        with self.taken():
            sock = _bound(self.path)
        return self._listener(sock)

    def succeed(self) -> tuple[UnixListener, Callable[[], None]]:
        """Open it in the place of a live server: from now on who connects is ours, who is connected stays there.

        Returns:
            The listener, and what gives the place back to the server that was there.
        """
        fresh, before = (self.path.with_name(f"{self.path.name}.{word}") for word in ("new", "old"))
        make_folder(self.path.parent)
        with _one_at_a_time(self.path.parent):
            for left in (fresh, before):
                left.unlink(missing_ok=True)
            mask = os.umask(0o177)
            try:
                sock = _bound(fresh)
            finally:
                os.umask(mask)
            with contextlib.suppress(OSError):
                before.hardlink_to(self.path)
            fresh.replace(self.path)

        def give_back() -> None:
            with contextlib.suppress(OSError):
                before.replace(self.path)

        return self._listener(sock), give_back

    def _listener(self, sock: socket.socket) -> UnixListener:
        info = self.path.lstat()
        return UnixListener(sock, self.path, (info.st_dev, info.st_ino))

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Hold the place for who binds a socket there: its folder is made, a stale socket gone, the new one gets 0600.

        Raises:
            AlreadyRunning: A live server is there.
            Conflict: Something that is no socket is in the way.
            StoreError: The folder cannot be used.
        """
        make_folder(self.path.parent)
        with _one_at_a_time(self.path.parent):
            self._clear()
            # The mask is the process's; it only makes files of other threads more private for a moment.
            mask = os.umask(0o177)
            try:
                yield
            finally:
                os.umask(mask)

    def _clear(self) -> None:
        """Remove a socket that nobody listens at."""
        try:
            mode = self.path.lstat().st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(mode):
            raise Conflict(
                f"{self.path} is no socket; it is left alone",
                hint="move it away, or name another place with --socket",
                where=str(self.path),
            )
        try:
            probe, _ = self.connect(PROBE_S)
        except NotRunning:
            self.path.unlink(missing_ok=True)
            return
        probe.close()
        raise AlreadyRunning(
            f"another libra listens at {self.path}",
            hint="`libra status` shows it; `libra shutdown` stops it",
            where=str(self.path),
        )

    def connect(self, timeout_s: float) -> tuple[socket.socket, str | None]:
        """Return a connected socket."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(timeout_s)
            with _reachable(self.path) as name:
                _connect(sock, name, time.monotonic() + timeout_s)
        except OSError as error:
            sock.close()
            raise self._refusal(error) from None
        except LibraError:
            sock.close()
            raise
        return sock, None

    def _refusal(self, error: OSError) -> LibraError:
        """Return libra's own error for a connection that was not made."""
        where = str(self.path)
        if error.errno in _GONE:
            return not_running(self.path)
        if isinstance(error, TimeoutError | BlockingIOError):
            return LibraError(f"libra at {where} does not take connections", reason="busy", where=where)
        return LibraError(f"cannot connect to {where}: {error.strerror}", reason="connect", where=where)


def _bound(path: Path) -> socket.socket:
    """Return a socket that listens at a path.

    Raises:
        StoreError: It cannot.
        Conflict: The path is too long.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _reachable(path) as name:
            sock.bind(name)
            sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        kind = StoreReadOnly if error.errno in {errno.EACCES, errno.EROFS} else StoreError
        raise kind(f"cannot listen at {path}: {error.strerror}", where=str(path)) from error
    except LibraError:
        sock.close()
        raise
    return sock


def _connect(sock: socket.socket, name: str, end: float) -> None:
    """Connect; while more clients wait than the system queues, it says "again" at once, so try until ``end``."""
    while True:
        try:
            sock.connect(name)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Keep two starts from reclaiming the same stale socket at once: a lock on the folder itself."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    fd = os.open(folder, os.O_RDONLY)
    try:
        # A file system without locks leaves only the race that the lock would have closed.
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@dataclass(frozen=True, slots=True)
class UnixListener:
    """An open Unix socket; ``identity`` is its device and inode."""

    sock: socket.socket
    path: Path
    identity: tuple[int, int]
    token: str | None = None

    def admits(self, conn: socket.socket) -> bool:
        """Return True if the peer runs as the same user."""
        return same_user(conn)

    def close(self) -> None:
        """Stop listening; the file goes only if it is still this socket's."""
        self.sock.close()
        with contextlib.suppress(OSError):
            self.path.with_name(f"{self.path.name}.old").unlink()
        with contextlib.suppress(OSError):
            info = self.path.lstat()
            if (info.st_dev, info.st_ino) == self.identity:
                self.path.unlink()
