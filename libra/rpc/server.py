"""Serves the socket: a thread a connection, each connection's calls in order, but that questions go beside each other.

A slow client only ever holds up itself: its thread waits for it, at most ``send_timeout_s``.
Source: architecture.md, Threads; protocol.md, Transport.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import selectors
import socket
import threading
import time
from dataclasses import dataclass

from libra.ground.errors import Forbidden, LibraError, NotReady, OverLimit
from libra.rpc.answer import Dispatch, answer
from libra.rpc.beside import Conversation, Helpers
from libra.rpc.listener import Endpoint, Listener
from libra.rpc.protocol import Call, Fault, Lines, Message, TooLong, decode, encode, failure, result

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerParams:
    """How the server treats its clients.

    Attributes:
        max_connections: Connections at once; one more gets an error and is closed.
        send_timeout_s: A client that does not take its answer for so long is cut off.
        login_timeout_s: A connection that needs a token has to show it within this time.
        grace_s: How long running calls may still take when the server stops.
        asked_at_once: So many questions of one connection are worked on at once.
    """

    max_connections: int = 64
    send_timeout_s: float = 30.0
    login_timeout_s: float = 10.0
    grace_s: float = 5.0
    asked_at_once: int = 2


_RECV_BYTES = 16 * 1024
"""Room for what a client sends at once; it is held as long as the connection is open and nothing comes."""
_RECV_MOST_BYTES = 256 * 1024
"""The same while there is more than that to read."""
_LOGIN_LINE_BYTES = 4_096
_HELPERS = 8
"""Threads for questions beside each other, of all connections: more than are let in at once would only wait (``engine.admission``)."""
_PAUSE_S = 0.5
"""After an accept that failed for want of file descriptors."""


class Server:
    """Listens at an endpoint from :meth:`start` to :meth:`stop`.

    Args:
        dispatch: Carries out the calls; called from many threads.
        endpoint: Where to listen.
        params: Limits and time-outs.
    """

    def __init__(self, dispatch: Dispatch, endpoint: Endpoint, params: ServerParams | None = None) -> None:
        self._dispatch = dispatch
        self._endpoint = endpoint
        self._params = params or ServerParams()
        self._listener: Listener | None = None
        self._accepting: threading.Thread | None = None
        self._wake_out, self._wake_in = socket.socketpair()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._count = 0
        self._helpers = Helpers(_HELPERS)

    @property
    def connections(self) -> int:
        """How many connections are open."""
        with self._lock:
            return len(self._open)

    def limit(self, params: ServerParams) -> None:
        """Treat clients like this from now on."""
        self._params = params

    def start(self) -> None:
        """Listen; clients are served when this returns.

        Raises:
            AlreadyRunning: A live server is there.
            LibraError: The endpoint cannot be opened.
        """
        self._listener = self._endpoint.listen()
        self._accepting = threading.Thread(target=self._accept, name="libra-rpc", daemon=True)
        self._accepting.start()

    def stop(self, grace_s: float | None = None) -> None:
        """Take no more calls, let the running ones finish and be answered, then close everything."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._wake_in.send(b"x")
        if self._accepting is not None:
            self._accepting.join()
        if self._listener is not None:
            self._listener.close()
        end = time.monotonic() + (self._params.grace_s if grace_s is None else grace_s)
        # Reading ends first: a thread in a call still sends its answer, then finds nothing more to read.
        self._shut(socket.SHUT_RD)
        self._join(end)
        self._shut(socket.SHUT_RDWR)
        self._join(time.monotonic() + 1.0)
        self._helpers.close()
        self._wake_in.close()
        self._wake_out.close()

    def _shut(self, how: int) -> None:
        with self._lock:
            conns = list(self._open)
        for conn in conns:
            with contextlib.suppress(OSError):
                conn.shutdown(how)

    def _join(self, end: float) -> None:
        with self._lock:
            threads = list(self._open.values())
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))

    # -------------------------------------------------------------- accepting

    def _accept(self) -> None:
        listener = self._listener
        if listener is None:
            return
        listener.sock.settimeout(0)
        with selectors.DefaultSelector() as ready:
            ready.register(listener.sock, selectors.EVENT_READ)
            ready.register(self._wake_out, selectors.EVENT_READ)
            while not self._stopping.is_set():
                ready.select()
                self._take_in(listener)

    def _take_in(self, listener: Listener) -> None:
        """Take in all who have connected. While stopping that is so, too: they are told, rather than cut off."""
        while True:
            try:
                conn, _ = listener.sock.accept()
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionAbortedError:
                continue
            except OSError as error:
                log.warning("cannot accept a connection: %s", error.strerror)
                self._stopping.wait(_PAUSE_S)
                return
            self._welcome(conn, listener)

    def _welcome(self, conn: socket.socket, listener: Listener) -> None:
        """Start a thread for a connection, or say why not."""
        conn.settimeout(self._params.send_timeout_s)
        if not listener.admits(conn):
            log.warning("refused a connection of another user")
            _refuse(conn, Forbidden("this libra serves another user", reason="other_user"))
            return
        limit = self._params.max_connections
        if self.connections >= limit:
            _refuse(conn, OverLimit(f"{limit} connections are open already", hint="close one of them"))
            return
        self._count += 1
        thread = threading.Thread(
            target=self._serve, args=(conn, listener.token), name=f"libra-rpc-{self._count}", daemon=True
        )
        with self._lock:
            self._open[conn] = thread
        try:
            thread.start()
        except RuntimeError:
            with self._lock:
                self._open.pop(conn, None)
            _refuse(conn, OverLimit("the system gives libra no more threads", reason="threads"))

    # -------------------------------------------------------------- one connection

    def _serve(self, conn: socket.socket, token: str | None) -> None:
        try:
            lines = Lines()
            talk = Conversation(self._answer, conn.sendall, self._helpers, lambda: self._params.asked_at_once)
            if token is None or self._login(conn, token, lines, talk):
                self._talk(conn, lines, talk)
        except OSError as error:
            # Gone, reset, or too slow to take its answer: only this connection ends.
            log.debug("a connection ended: %s", type(error).__name__)
        finally:
            with contextlib.suppress(OSError):
                conn.close()
            with self._lock:
                self._open.pop(conn, None)

    def _talk(self, conn: socket.socket, lines: Lines, talk: Conversation) -> None:
        """Answer lines until the peer or the server ends the connection."""
        room = _RECV_BYTES
        while True:
            try:
                data = conn.recv(room)
            except TimeoutError:
                continue
            room = _RECV_MOST_BYTES if len(data) == room else _RECV_BYTES
            # A last line without its newline counts once the peer has said all.
            talk.take(lines.feed(data or b"\n"))
            if not data:
                return

    def _answer(self, message: Message) -> bytes | None:
        return answer(message, _too_late if self._stopping.is_set() else self._dispatch)

    def _login(self, conn: socket.socket, token: str, lines: Lines, talk: Conversation) -> bool:
        """Return True once the first line was ``authenticate`` with the right token."""
        end = time.monotonic() + self._params.login_timeout_s
        first = Lines(_LOGIN_LINE_BYTES)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return False
            conn.settimeout(left)
            try:
                data = conn.recv(_LOGIN_LINE_BYTES)
            except TimeoutError:
                return False
            if not data:
                return False
            line, newline, rest = data.partition(b"\n")
            found = first.feed(line + newline)
            if found:
                break
        conn.settimeout(self._params.send_timeout_s)
        call = _authenticate(found[0], token)
        if isinstance(call, Fault):
            conn.sendall(encode(failure(call.id, call.error)))
            return False
        conn.sendall(encode(result(call.id, {"ok": True})))
        talk.take(lines.feed(rest))
        return True


def _authenticate(line: bytes | TooLong, token: str) -> Call | Fault:
    """Return the call if it shows the token, else the fault that answers it."""
    message = None if isinstance(line, TooLong) else decode(line)
    call = message.parts[0] if message is not None and len(message.parts) == 1 else None
    if isinstance(call, Call) and call.method == "authenticate":
        shown = call.params.get("token")
        if isinstance(shown, str) and hmac.compare_digest(shown.encode(), token.encode()):
            return call
        return Fault(Forbidden("the token is wrong", reason="token", where="token"), call.id)
    error = Forbidden(
        "the first request of a connection must be authenticate",
        reason="token",
        hint="the token is in endpoint.json of libra's data folder",
    )
    return Fault(error, call.id if call is not None else None)


def _refuse(conn: socket.socket, error: LibraError) -> None:
    """Send one error and close."""
    with contextlib.suppress(OSError):
        conn.sendall(encode(failure(None, error)))
        conn.shutdown(socket.SHUT_WR)
    conn.close()


def _too_late(_method: str, _params: object) -> object:
    raise NotReady("libra is stopping", reason="stopping", hint="start it again")
