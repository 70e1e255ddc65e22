"""A blocking client: what every command of ``libra`` is, and what tests and hooks use."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Iterable
from typing import Any, Self

import orjson

from libra.ground.errors import DeadlinePassed, LibraError, NotReady, NotRunning, OverLimit
from libra.rpc.listener import Endpoint
from libra.rpc.protocol import InvalidRequest, Json, Lines, MethodNotFound, ParseError, encode, request

CONNECT_TIMEOUT_S = 2.0
CALL_TIMEOUT_S = 30.0
_RECV_BYTES = 256 * 1024
_SUCCESSOR_S = 5.0
"""How long a call goes on asking while the Libra that it reaches is stopping."""
_AGAIN_S = 0.05
STOPPING = "stopping"
_ANSWER_LINE_BYTES = 64 * 1024 * 1024


def _tree(kind: type[LibraError]) -> Iterable[type[LibraError]]:
    for child in kind.__subclasses__():
        yield from _tree(child)
        yield child


def error_of(body: Any) -> LibraError:
    """Return the error of libra's own tree that a JSON-RPC error object stands for."""
    if not isinstance(body, dict):
        return LibraError("libra sent an error that is no object")
    data = body.get("data")
    data = data if isinstance(data, dict) else {}
    code, reason = body.get("code"), data.get("reason")
    same_reason = (k for k in _tree(LibraError) if k.code == code and k.default_reason == reason)
    same_code = (k for k in LibraError.__subclasses__() if k.code == code != LibraError.code)
    kind = next(same_reason, next(same_code, LibraError))
    return kind(
        str(body.get("message", "")),
        reason=None if reason is None else str(reason),
        hint=data.get("hint"),
        where=data.get("where"),
    )


class Client:
    """One connection, opened when it is first needed and again when libra was restarted.

    Not for several threads at once.

    Args:
        endpoint: Where libra listens.
        timeout_s: How long a call may take, unless it says otherwise.
        connect_timeout_s: How long connecting may take.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout_s: float = CALL_TIMEOUT_S,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
    ) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._sock: socket.socket | None = None
        self._lines = Lines(_ANSWER_LINE_BYTES)
        self._ready: list[bytes] = []
        self._last_id = 0

    def call(self, method: str, params: Json | None = None, *, timeout_s: float | None = None) -> Any:
        """Carry out a method and return its result.

        A Libra that is stopping has not carried the call out: it is handed to the one that takes its place, if one does.

        Raises:
            NotRunning: Nobody listens, or the connection broke before the answer came.
            DeadlinePassed: No answer within the time.
            LibraError: What libra answered, as the class of its code and reason.
        """
        now = time.monotonic()
        end = now + (self._timeout_s if timeout_s is None else timeout_s)
        patient = min(end, now + _SUCCESSOR_S)
        while True:
            call_id = self._next_id()
            self._send(encode(request(call_id, method, params or {})), end)
            try:
                return self._receive(call_id, end)
            except NotReady as error:
                if error.reason != STOPPING or method == "shutdown" or time.monotonic() >= patient:
                    raise
                self.close()
                time.sleep(_AGAIN_S)

    def close(self) -> None:
        """End the connection; the next call opens another."""
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.close()
        self._sock = None
        self._lines = Lines(_ANSWER_LINE_BYTES)
        self._ready.clear()

    def __enter__(self) -> Self:
        """Return itself; nothing is opened yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    # -------------------------------------------------------------- sending

    def _send(self, line: bytes, end: float) -> None:
        """Send a line; a connection that ended meanwhile is opened anew once.

        That is safe: a line whose sending failed lacks its newline over there, so it was not carried out.
        """
        for fresh in (False, True):
            sock = self._connected(fresh=fresh)
            try:
                sock.settimeout(_left(end))
                sock.sendall(line)
            except TimeoutError:
                self.close()
                raise _late() from None
            except OSError:
                self._refusal(end)
                if fresh:
                    raise self._lost() from None
            else:
                return

    def _connected(self, *, fresh: bool) -> socket.socket:
        if self._sock is not None and (fresh or self._ended()):
            self.close()
        if self._sock is None:
            self._sock, token = self._endpoint.connect(self._connect_timeout_s)
            if token is not None:
                call_id = self._next_id()
                self._sock.sendall(encode(request(call_id, "authenticate", {"token": token})))
                self._receive(call_id, time.monotonic() + self._connect_timeout_s)
        return self._sock

    def _ended(self) -> bool:
        """Return True if the other end closed while nothing was asked."""
        if self._sock is None:
            return True
        try:
            readable = bool(select.select([self._sock], [], [], 0)[0])
            return readable and not self._sock.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True

    def _refusal(self, end: float) -> None:
        """Raise the error that libra sent before it closed, if it sent one (too many connections)."""
        with contextlib.suppress(NotRunning, DeadlinePassed):
            self._receive(None, min(end, time.monotonic() + 1.0))

    # -------------------------------------------------------------- receiving

    def _receive(self, wanted: int | None, end: float) -> Any:
        """Return the result with this id; answers to calls that were given up are dropped."""
        while True:
            while self._ready:
                message = _message(self._ready.pop(0))
                found = message.get("id")
                if found is not None and found != wanted:
                    continue
                if "error" in message:
                    raise error_of(message["error"])
                if found is not None:
                    return message.get("result")
            self._read(end)

    def _read(self, end: float) -> None:
        if self._sock is None:
            raise self._lost()
        try:
            self._sock.settimeout(_left(end))
            data = self._sock.recv(_RECV_BYTES)
        except TimeoutError:
            raise _late() from None
        except OSError:
            raise self._lost() from None
        if not data:
            raise self._lost()
        for line in self._lines.feed(data):
            if not isinstance(line, bytes):
                raise OverLimit("the answer is longer than a line may be")
            self._ready.append(line)

    def _lost(self) -> NotRunning:
        self.close()
        return NotRunning(
            "libra ended the connection before it answered",
            reason="connection_lost",
            hint="`libra status` says whether it is running",
        )


def _message(line: bytes) -> Json:
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        message = None
    if not isinstance(message, dict):
        raise LibraError("libra sent a line that is no JSON-RPC answer", reason="parse")
    return message


def _left(end: float) -> float:
    """Return the seconds until ``end``, never zero: zero would mean "do not wait" to a socket."""
    left = end - time.monotonic()
    if left <= 0:
        raise _late()
    return left


def _late() -> DeadlinePassed:
    return DeadlinePassed("libra did not answer in time", reason="client_timeout")


__all__ = ["Client", "InvalidRequest", "MethodNotFound", "ParseError", "error_of"]
