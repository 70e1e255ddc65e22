"""The lock and the listening sockets, taken before anything heavy is loaded.

Who connects while Libra starts is told so by ``health``, and waits with any other call until there is somebody to carry it out, so
that a restart is as short as possible: some clients give up after 3 s (hosts.md §4.2).
"""

from __future__ import annotations

import contextlib
import logging
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from libra.ground import toml
from libra.ground.errors import LibraError, NotReady, NotRunning
from libra.ground.paths import Places
from libra.rpc.answer import Dispatch
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint
from libra.rpc.listener import Endpoint, Listener
from libra.rpc.lock import InstanceLock
from libra.rpc.reception import Reception
from libra.rpc.server import Server, ServerParams
from libra.rpc.unix_socket import UnixEndpoint

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompatParams:
    """Other memories whose clients are served.

    Attributes:
        libravdb: Listen at ``~/.clawdb/run/libravdb.sock``, too, where clients of LibraVDB look (not on Windows).
        grpc: Serve LibraVDB's gRPC generation at ``~/.libravdbd/run/libravdb.sock``, to clients that sign with
            ``libravdb.secret`` of the data folder; needs the extra ``grpc`` (not on Windows).
    """

    libravdb: bool = False
    grpc: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """An endpoint whose listener is open already."""

    listener: Listener
    place: Endpoint

    def listen(self) -> Listener:
        """Return the open listener."""
        return self.listener

    def succeed(self) -> tuple[Listener, Callable[[], None]]:
        """Return the open listener; there is nobody to give its place back to."""
        return self.listener, lambda: None

    def connect(self, timeout_s: float) -> tuple[socket.socket, str | None]:
        """Connect as to any endpoint."""
        return self.place.connect(timeout_s)


class Door:
    """One Libra's way in, open from :meth:`open` to :meth:`close`.

    Args:
        places: Where its things are.
        home: The person's home folder: clients of other memories look there.

    ``ways`` are the open listeners, ``troubles`` what was asked for and could not be opened, in words for a person.
    """

    def __init__(self, places: Places, home: Path) -> None:
        self._places = places
        self._home = home
        self._lock = InstanceLock(places.run / "libra.lock")
        self._reception = Reception()
        self._servers: list[Server] = []
        self.ways: list[Opened] = []
        self.troubles: list[str] = []

    def open(self) -> None:
        """Take the lock, then listen; nothing is done if it is open.

        Raises:
            AlreadyRunning: Another Libra owns the data folder or the socket.
            LibraError: The folder or the socket cannot be used.
        """
        if self.ways:
            return
        make_private(self._places.data)
        self._lock.take()
        try:
            self._listen(endpoint(self._places))
        except BaseException:
            self.close()
            raise
        self._listen_for_others()

    def take_over(self, wait_s: float = 20.0) -> None:
        """Take the place of the Libra that runs: its socket at once, its lock as soon as it has ended.

        Who connects meanwhile waits in our queue; who is connected to the other one is answered there, or told that it
        is stopping, and then asks again.

        Args:
            wait_s: The other one may finish what it is doing for so long.

        Raises:
            AlreadyRunning: It does not end; it has its place back.
            NotRunning: It does not answer.
        """
        make_private(self._places.data)
        place = endpoint(self._places)
        with Client(place) as other:
            other.call("health")
            listener, give_back = place.succeed()
            self.ways.append(Opened(listener, place))
            try:
                with contextlib.suppress(NotReady, NotRunning):  # it is ending already
                    other.call("shutdown")
                self._lock.wait(wait_s)
            except BaseException:
                give_back()
                self.close()
                raise
        self._listen_for_others()

    def _listen_for_others(self) -> None:
        """Listen where clients of another memory look, if that is wanted."""
        # On Windows that place is a port that every user of the machine can reach: it is left alone.
        if sys.platform != "win32" and _asked_for_libravdb(self._places.config):
            place = self._home / ".clawdb" / "run" / "libravdb.sock"
            try:
                self._listen(UnixEndpoint(place))
            except LibraError as error:
                # Such as the other memory itself: no reason for Libra not to run.
                self.troubles.append(
                    f"compat.libravdb: clients of LibraVDB are not served at {place}: {error.message}"
                )
                _LOG.warning("%s", self.troubles[-1])

    def _listen(self, place: Endpoint) -> None:
        self.ways.append(Opened(place.listen(), place))

    def answer(self) -> None:
        """Answer who comes, from now on; nothing is done where that is so already."""
        for way in self.ways[len(self._servers) :]:
            server = Server(self._reception, way)
            server.start()
            self._servers.append(server)

    def lead_to(self, dispatch: Dispatch, params: ServerParams) -> None:
        """Have calls carried out, those that wait first.

        Args:
            dispatch: Carries them out.
            params: How clients are treated from now on.
        """
        for server in self._servers:
            server.limit(params)
        self._reception.lead_to(dispatch)

    def close(self) -> None:
        """Let running calls be answered, close what is open and give the lock back."""
        self._reception.turn_away()
        for server in self._servers:
            server.stop()
        self._servers.clear()
        for way in self.ways:
            way.listener.close()
        self.ways.clear()
        self._lock.release()


def make_private(folder: Path) -> None:
    """Make the data folder, for its owner only; one that is there keeps its rights (``doctor`` speaks of them)."""
    if not folder.exists():
        with contextlib.suppress(OSError):  # the lock, which comes next, says what is wrong
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)


def _asked_for_libravdb(config: Path) -> bool:
    """Look for the one setting that is needed this early; what is wrong with the file is said when it is read."""
    try:
        found = toml.loads(config.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    compat = found.get("compat")
    return isinstance(compat, dict) and compat.get("libravdb") is True
