"""A fake engine behind the real server on a real socket."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from libra.ground.errors import StoreFull
from libra.rpc.client import Client
from libra.rpc.endpoint import Endpoint, UnixEndpoint
from libra.rpc.loopback import TcpEndpoint
from libra.rpc.methods import Methods
from libra.rpc.server import Server, ServerParams

TIMEOUT_S = 10.0


class FakeEngine:
    """Has the verbs that the tests call; remembers the keywords that it was called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.entered = threading.Event()
        self.release = threading.Event()

    def health(self) -> dict[str, Any]:
        """Be well."""
        return {"ok": True, "ready": True, "degraded": []}

    def classify(self, *, texts: list[str]) -> list[str]:
        """Echo."""
        return texts

    def ingest(self, **keywords: Any) -> dict[str, Any]:
        """Remember and count."""
        self.calls.append(("ingest", keywords))
        return {"accepted": len(keywords["turns"]), "duplicates": 0, "ids": []}

    def drain(self, *, timeout_ms: int) -> dict[str, Any]:
        """Block until the test lets go."""
        self.entered.set()
        assert self.release.wait(TIMEOUT_S)
        return {"pending": 0}

    def resume(self, *, project: str | None, cwd: str | None) -> dict[str, Any]:
        """Fail as a defect would, with content in the message."""
        words = "my secret"
        raise ZeroDivisionError(words)

    def compact(self, **keywords: Any) -> dict[str, Any]:
        """Fail as the store would."""
        raise StoreFull("the disk is full", hint="free some space", where="/data")

    def summarize(self, **keywords: Any) -> dict[str, Any]:
        """Return what JSON cannot hold."""
        return {"text": object()}

    def partition(self, *, path: str | None, **keywords: Any) -> dict[str, Any]:
        """Return an answer of the size that the path names."""
        return {"text": "x" * int(path or 0)}


@pytest.fixture
def engine() -> FakeEngine:
    """Return a fresh fake."""
    return FakeEngine()


@pytest.fixture(params=["unix", "tcp"])
def endpoint(request: pytest.FixtureRequest, data_dir: Path) -> Endpoint:
    """Return an endpoint of each kind."""
    if request.param == "unix":
        return UnixEndpoint(data_dir / "run" / "libra.sock")
    return TcpEndpoint(data_dir / "run" / "endpoint.json")


Serve = Callable[..., Server]


@pytest.fixture
def serve(endpoint: Endpoint, engine: FakeEngine) -> Iterator[Serve]:
    """Return a function that starts a server; all are stopped at the end."""
    started: list[Server] = []

    def start(params: ServerParams | None = None, methods: Methods | None = None) -> Server:
        if methods is None:
            methods = Methods("anna")
            methods.attach(engine)
        server = Server(methods, endpoint, params)
        server.start()
        started.append(server)
        return server

    yield start
    engine.release.set()
    for server in started:
        server.stop()


@pytest.fixture
def client(endpoint: Endpoint) -> Iterator[Client]:
    """Return a client of the endpoint."""
    with Client(endpoint, timeout_s=TIMEOUT_S) as opened:
        yield opened
