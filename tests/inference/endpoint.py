"""A model server on loopback that does to a client what the test wants: answers, lies, drips, or says nothing."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

GUARD_S = 20.0
"""No test waits longer for anything."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its first line's path, its headers in lower case, its JSON."""

    path: str
    headers: dict[str, str]
    body: Any


Behaviour = Callable[[Asked], "bytes | Iterable[bytes]"]
"""What is sent for a request; an iterable is sent part by part until the client is gone."""


def http(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """Return an HTTP answer with a body."""
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(head).encode() + body


def as_json(value: Any) -> bytes:
    """Return an HTTP answer with a JSON value."""
    return http(json.dumps(value).encode(), "200 OK", "Content-Type: application/json")


@dataclass(slots=True)
class FakeEndpoint:
    """A running server.

    Attributes:
        port: Where it listens.
        behave: What it does; may be changed while it runs.
        asked: What it was asked so far.
        ended: Set when the test is over; behaviours that hang wait for it.
    """

    port: int
    behave: Behaviour
    asked: list[Asked] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    heard: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def hang(self, _asked: Asked) -> Iterator[bytes]:
        """Say nothing until the test is over."""
        self.ended.wait(GUARD_S)
        yield b""

    def drip(self, _asked: Asked) -> Iterator[bytes]:
        """Send a byte of an endless answer now and then, so that no single read ever times out."""
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        while not self.ended.wait(0.01):
            yield b" "

    def _serve(self, conn: socket.socket) -> None:
        with conn:
            conn.settimeout(GUARD_S)
            try:
                asked = _read(conn)
                self.asked.append(asked)
                self.heard.set()
                answer = self.behave(asked)
                for part in [answer] if isinstance(answer, bytes) else answer:
                    conn.sendall(part)
            except (OSError, IndexError, ValueError):
                return  # the client has gone: what several of the tests are about


def _read(conn: socket.socket) -> Asked:
    with conn.makefile("rb") as stream:
        path = stream.readline().decode().split()[1]
        headers: dict[str, str] = {}
        while line := stream.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return Asked(path, headers, json.loads(stream.read(int(headers["content-length"]))))


@contextmanager
def endpoint(behave: Behaviour | None = None) -> Iterator[FakeEndpoint]:
    """Run a server; without a behaviour it hangs."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = FakeEndpoint(listener.getsockname()[1], behave or (lambda _: b""))
        if behave is None:
            server.behave = server.hang
        threads: list[threading.Thread] = []

        def accept() -> None:
            while True:
                try:
                    conn, _ = listener.accept()
                except OSError:
                    return
                threads.append(threading.Thread(target=server._serve, args=(conn,), daemon=True))
                threads[-1].start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield server
        finally:
            server.ended.set()
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join(GUARD_S)
            for thread in threads:
                thread.join(GUARD_S)
