"""Where libra listens and how a client gets there: a Unix socket, or loopback TCP with a token on Windows.

An endpoint is a value; its ``listen`` gives a listener, which has a lifetime. Source: protocol.md, Transport;
hosts.md §4.2 for why a restart must be quick.
"""

from __future__ import annotations

import sys

from libra.ground.paths import Places
from libra.rpc.listener import Endpoint
from libra.rpc.unix_socket import UnixEndpoint

__all__ = ["Endpoint", "UnixEndpoint", "endpoint"]


def endpoint(places: Places) -> Endpoint:
    """Return this platform's endpoint for these places."""
    if sys.platform == "win32":
        from libra.rpc.loopback import TcpEndpoint

        return TcpEndpoint(places.socket.parent / "endpoint.json")
    return UnixEndpoint(places.socket)
