"""A port on 127.0.0.1 with a token: Windows, whose Python has no Unix sockets."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from libra.ground.errors import AlreadyRunning, NotRunning, StoreError
from libra.rpc.listener import BACKLOG, PROBE_S, make_folder, not_running


@dataclass(frozen=True, slots=True)
class TcpEndpoint:
    """A port on 127.0.0.1; port and token are in a file that only the user can read."""

    file: Path

    def listen(self) -> TcpListener:
        """Open a free port and write the file; a file whose server still answers is never replaced."""
        make_folder(self.file.parent)
        with contextlib.suppress(NotRunning):
            probe, _ = self.connect(PROBE_S)
            probe.close()
            raise AlreadyRunning(f"another libra listens, see {self.file}", where=str(self.file))
        return self._open()

    def succeed(self) -> tuple[TcpListener, Callable[[], None]]:
        """Open another port, and have the file name it in the place of the live server's.

        Returns:
            The listener, and what gives the place back to the server that was there.
        """
        make_folder(self.file.parent)
        try:
            before: dict[str, object] | None = json.loads(self.file.read_text("utf-8"))
        except (OSError, ValueError):
            before = None
        listener = self._open()

        def give_back() -> None:
            if before is not None:
                with contextlib.suppress(OSError):
                    _write_private(self.file, before)

        return listener, give_back

    def _open(self) -> TcpListener:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            if sys.platform == "win32":
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            sock.bind(("127.0.0.1", 0))
            sock.listen(BACKLOG)
            token = secrets.token_urlsafe(32)
            port = sock.getsockname()[1]
            _write_private(self.file, {"host": "127.0.0.1", "port": port, "token": token, "pid": os.getpid()})
        except OSError as error:
            sock.close()
            raise StoreError(f"cannot listen: {error.strerror}", where=str(self.file)) from error
        return TcpListener(sock, self.file, token)

    def connect(self, timeout_s: float) -> tuple[socket.socket, str | None]:
        """Return a connected socket and the token."""
        try:
            found = json.loads(self.file.read_text("utf-8"))
            port, token = int(found["port"]), str(found["token"])
        except (OSError, ValueError, KeyError, TypeError):
            raise not_running(self.file) from None
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.settimeout(timeout_s)
            sock.connect(("127.0.0.1", port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, OverflowError):
            sock.close()
            raise not_running(self.file) from None
        return sock, token


@dataclass(frozen=True, slots=True)
class TcpListener:
    """An open port."""

    sock: socket.socket
    file: Path
    token: str

    def admits(self, conn: socket.socket) -> bool:
        """Return True: the token decides."""
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def close(self) -> None:
        """Stop listening; the file goes only if it still holds this server's token."""
        self.sock.close()
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            found = str(json.loads(self.file.read_text("utf-8"))["token"])
            if secrets.compare_digest(found.encode(), self.token.encode()):
                self.file.unlink()


def _write_private(path: Path, value: dict[str, object]) -> None:
    """Write JSON so that no other user can read it at any moment, and no reader sees half of it."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as stream:
        if sys.platform == "win32":
            _only_this_user(fresh)
        json.dump(value, stream)
    fresh.replace(path)


def _only_this_user(path: Path) -> None:
    """Take a Windows file from everybody but this user (the profile folder it is in is private already)."""
    user = f"{os.environ.get('USERDOMAIN', '.')}\\{os.environ.get('USERNAME', '')}"
    icacls = Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "System32" / "icacls.exe"
    with contextlib.suppress(OSError):
        subprocess.run(  # noqa: S603 - an argument list, no shell
            [str(icacls), str(path), "/inheritance:r", "/grant:r", f"{user}:F"],
            capture_output=True,
            check=False,
        )
