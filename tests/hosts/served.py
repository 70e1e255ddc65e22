"""A fake engine behind the real server: what plugins and hooks of hosts talk to in these tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from libra.rpc.methods import Methods
from libra.rpc.server import Server
from libra.rpc.unix_socket import UnixEndpoint

Fake = TypeVar("Fake", bound=Any)


@contextmanager
def served(engine: Fake, socket: Path) -> Iterator[Fake]:
    """Serve a fake engine at ``socket`` for as long as the context lasts."""
    methods = Methods("anna")
    methods.attach(engine)
    server = Server(methods, UnixEndpoint(socket))
    server.start()
    try:
        yield engine
    finally:
        server.stop()
