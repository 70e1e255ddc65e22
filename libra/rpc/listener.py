"""What every endpoint is to a server and to a client, and the folder that it lives in."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from libra.ground.errors import NotRunning, StoreError, StoreReadOnly

BACKLOG = 128
"""Connections that the system holds for us until they are taken."""

PROBE_S = 1.0
"""How long a start waits for a server that may still be alive at the same place."""

_OWN_FOLDERS = {"run", "libra"}
"""Folders of these names are libra's own and are made private; other folders are the user's."""


class Listener(Protocol):
    """An open endpoint, on the server's side."""

    @property
    def sock(self) -> socket.socket:
        """The listening socket."""
        ...

    @property
    def token(self) -> str | None:
        """What a connection must show first, or None where the system tells who it is."""
        ...

    def admits(self, conn: socket.socket) -> bool:
        """Return True if the peer may speak to us."""
        ...

    def close(self) -> None:
        """Stop listening and remove what was left on disk, if it is still ours."""
        ...


class Endpoint(Protocol):
    """A place to listen at and to connect to."""

    def listen(self) -> Listener:
        """Open it.

        Raises:
            AlreadyRunning: A live server is there.
            Conflict: Something that is no socket is in the way.
            StoreError: The folder cannot be used.
        """
        ...

    def succeed(self) -> tuple[Listener, Callable[[], None]]:
        """Open it in the place of a live server; return the listener, and what gives the place back.

        Raises:
            StoreError: The folder cannot be used.
        """
        ...

    def connect(self, timeout_s: float) -> tuple[socket.socket, str | None]:
        """Return a connected socket, and the token to show first if one is needed.

        Raises:
            NotRunning: Nobody listens there.
        """
        ...


def not_running(where: Path, *, reason: str | None = None) -> NotRunning:
    """Return the error of a client that finds nobody."""
    return NotRunning(
        f"no libra is running at {where}",
        reason=reason,
        hint="start it with `libra run` (or `libra serve` without a display)",
        where=str(where),
    )


def make_folder(folder: Path) -> None:
    """Make the socket's folder, or see that libra's own one is private.

    Raises:
        StoreError: It cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and folder.name in _OWN_FOLDERS:
            info = folder.stat()
            if info.st_uid == os.geteuid() and stat.S_IMODE(info.st_mode) & 0o077:
                folder.chmod(0o700)
    except OSError as error:
        kind = StoreReadOnly if error.errno in {errno.EACCES, errno.EROFS, errno.EPERM} else StoreError
        raise kind(f"cannot use the folder {folder}: {error.strerror}", where=str(folder)) from error
