"""The server over real sockets, with a fake engine behind it."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from libra.ground.errors import (
    DeadlinePassed,
    Forbidden,
    InvalidParams,
    LibraError,
    NotReady,
    NotRunning,
    OverLimit,
    StoreFull,
)
from libra.ground.records import Role, Who
from libra.rpc.client import Client, MethodNotFound
from libra.rpc.endpoint import Endpoint
from libra.rpc.loopback import TcpEndpoint
from libra.rpc.methods import Methods
from libra.rpc.protocol import MAX_LINE_BYTES
from libra.rpc.server import Server, ServerParams

TIMEOUT_S = 10.0


class Wire:
    """A raw connection: sends bytes, reads lines."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.sock, token = endpoint.connect(TIMEOUT_S)
        self.sock.settimeout(TIMEOUT_S)
        self.stream = self.sock.makefile("rb")
        if token is not None:
            self.send(call("authenticate", {"token": token}))
            assert self.read()["result"] == {"ok": True}

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.sock.sendall(data)

    def read(self) -> Any:
        """Return the next line's JSON, or None at the end."""
        line = self.stream.readline()
        return json.loads(line) if line else None

    def close(self) -> None:
        """Close."""
        self.stream.close()
        self.sock.close()


@pytest.fixture
def wire(endpoint: Endpoint, serve: Any) -> Any:
    """Yield a raw connection to a running server."""
    serve()
    opened = Wire(endpoint)
    yield opened
    opened.close()


def call(method: str, params: Any = None, call_id: Any = 1) -> bytes:
    """Return a call's line."""
    members = {"jsonrpc": "2.0", "id": call_id, "method": method}
    return json.dumps(members | ({} if params is None else {"params": params})).encode() + b"\n"


def test_a_call_is_answered(serve: Any, client: Client) -> None:
    """The simplest thing works, and once more on the same connection."""
    serve()
    assert client.call("health")["ok"] is True
    assert client.call("classify", {"texts": ["một", "二"]}) == ["một", "二"]


def test_parameters_reach_the_engine_typed(serve: Any, client: Client, engine: Any) -> None:
    """The wire's JSON becomes records before the engine sees it."""
    serve()
    turns = [{"role": "user", "content": "hi", "ts": "2026-04-01T00:00:00Z", "id": "e1"}]
    client.call("ingest", {"who": {"session": "s"}, "turns": turns})
    _, keywords = engine.calls[0]
    assert keywords["who"] == Who("anna", agent="main", session="s")
    turn = keywords["turns"][0]
    assert (turn.role, turn.content, turn.ts_ms, turn.event_id) == (Role.USER, "hi", 1_775_001_600_000, "e1")


def test_pipelined_calls_and_batches_are_all_answered(wire: Wire) -> None:
    """Three lines in one packet, a batch with a notification in it, then a plain call."""
    wire.send(call("health", call_id=1) + call("health", call_id="b") + call("health", call_id=None))
    assert [wire.read()["id"] for _ in range(3)] == [1, "b", None]
    note = b'{"jsonrpc":"2.0","method":"health"}'
    wire.send(b"[" + call("health", call_id=4)[:-1] + b"," + note + b"," + call("x", call_id=5)[:-1] + b"]\n")
    batch = wire.read()
    assert [a["id"] for a in batch] == [4, 5]
    assert batch[1]["error"]["code"] == -32601
    wire.send(b"[" + note + b"]\n" + note + b"\n\r\n" + call("health", call_id=6))
    assert wire.read()["id"] == 6


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\xff\xfe\n", -32700),
        (b"{\n", -32700),
        (b"[" * 100_000 + b"\n", -32004),
        (b"[]\n", -32600),
        (call("nope"), -32601),
        (call("heath"), -32601),
        (call("health", {"x": 1}), -32602),
        (call("search", {"query": 7}), -32602),
        (call("search", {"query": "a", "k": 1_001}), -32602),
        (call("compact", {}), -32002),
        (call("resume", {}), -32603),
        (call("summarize", {"turns": [{"role": "user", "content": "a"}]}), -32603),
    ],
)
def test_errors_leave_the_connection_alive(wire: Wire, line: bytes, code: int) -> None:
    """Each kind of failure is answered with its code, and the next call works."""
    wire.send(line)
    error = wire.read()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["data"]["reason"]
    wire.send(call("health", call_id=2))
    assert wire.read()["id"] == 2


def test_an_internal_error_names_a_number_and_no_content(
    serve: Any, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has the number and the place in the code; the message of the defect goes nowhere."""
    serve()
    with caplog.at_level(logging.ERROR), pytest.raises(LibraError) as caught:
        client.call("resume")
    assert caught.value.where is not None
    assert caught.value.where in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert "secret" not in caplog.text + str(caught.value)


@pytest.mark.slow
def test_a_line_over_the_limit_is_refused_and_skipped(wire: Wire) -> None:
    """16 MiB and a bit: one clear error, nothing kept, and the connection goes on."""
    wire.send(b'{"x":"' + b"a" * MAX_LINE_BYTES + b'"}\n' + call("health", call_id=2))
    error = wire.read()
    assert (error["id"], error["error"]["code"]) == (None, -32004)
    assert wire.read()["id"] == 2


@pytest.mark.slow
def test_a_line_just_under_the_limit_is_taken(serve: Any, client: Client) -> None:
    """A message of nearly 16 MiB goes in and out."""
    serve()
    text = "a" * (MAX_LINE_BYTES - 200)
    assert client.call("classify", {"texts": [text]}) == [text]


@pytest.mark.slow
def test_an_answer_over_the_limit_becomes_an_error(serve: Any, client: Client) -> None:
    """The caller is told to ask for less."""
    serve()
    with pytest.raises(OverLimit):
        client.call("partition", {"path": str(MAX_LINE_BYTES)})
    assert client.call("health")["ok"]


def test_a_last_line_without_newline_is_answered(wire: Wire) -> None:
    """A pipe that closes after its only call gets its answer."""
    wire.send(call("health")[:-1])
    wire.sock.shutdown(socket.SHUT_WR)
    assert wire.read()["id"] == 1
    assert wire.read() is None


def test_a_slow_call_holds_up_its_own_connection_only(serve: Any, endpoint: Endpoint, engine: Any) -> None:
    """While one connection waits in drain, another is served."""
    serve()
    slow = Wire(endpoint)
    slow.send(call("drain", {}, 1) + call("health", call_id=2))
    assert engine.entered.wait(TIMEOUT_S)
    with Client(endpoint, timeout_s=TIMEOUT_S) as other:
        assert other.call("health")["ok"]
    engine.release.set()
    assert [slow.read()["id"], slow.read()["id"]] == [1, 2]
    slow.close()


def test_a_client_that_does_not_read_is_cut_off(serve: Any, endpoint: Endpoint, client: Client) -> None:
    """Its thread ends after the send time-out; others never notice."""
    server: Server = serve(ServerParams(send_timeout_s=0.2))
    sock, token = endpoint.connect(TIMEOUT_S)
    if token is not None:
        sock.sendall(call("authenticate", {"token": token}))
    sock.sendall(call("partition", {"path": "8000000"}) * 2)
    started = time.monotonic()
    assert client.call("health")["ok"]
    client.close()
    while server.connections and time.monotonic() - started < TIMEOUT_S:
        threading.Event().wait(0.02)
    assert server.connections == 0
    sock.close()


def test_the_connection_over_the_limit_is_told_so(serve: Any, endpoint: Endpoint) -> None:
    """It gets one clear error; when another one closes, there is room again."""
    server: Server = serve(ServerParams(max_connections=3))
    clients = [Client(endpoint, timeout_s=TIMEOUT_S) for _ in range(3)]
    for opened in clients:
        opened.call("health")
    with Client(endpoint, timeout_s=TIMEOUT_S) as more:
        with pytest.raises(OverLimit):
            more.call("health")
        clients.pop().close()
        started = time.monotonic()
        while server.connections > 2 and time.monotonic() - started < TIMEOUT_S:
            threading.Event().wait(0.01)
        assert more.call("health")["ok"]
    for opened in clients:
        opened.close()


def test_sixty_four_connections_are_served_at_once(serve: Any, endpoint: Endpoint) -> None:
    """The default limit holds for real."""
    serve()
    clients = [Client(endpoint, timeout_s=TIMEOUT_S) for _ in range(64)]
    assert all(opened.call("health")["ok"] for opened in clients)
    with Client(endpoint, timeout_s=TIMEOUT_S) as more, pytest.raises(OverLimit):
        more.call("health")
    for opened in clients:
        opened.close()


def test_health_answers_before_the_engine_is_there(endpoint: Endpoint, serve: Any, engine: Any) -> None:
    """Other calls wait for the engine, then go on; with none they are told to come back."""
    methods = Methods("anna", start_wait_s=TIMEOUT_S)
    serve(methods=methods)
    with Client(endpoint, timeout_s=TIMEOUT_S) as first, Client(endpoint, timeout_s=TIMEOUT_S) as second:
        health = first.call("health")
        assert (health["ok"], health["ready"], health["degraded"]) == (True, False, ["starting"])
        answers: list[Any] = []
        waiting = threading.Thread(target=lambda: answers.append(second.call("classify", {"texts": ["a"]})))
        waiting.start()
        methods.attach(engine)
        waiting.join(TIMEOUT_S)
        assert answers == [["a"]]
        methods.detach()
        with pytest.raises(NotReady) as caught:
            first.call("classify", {"texts": []})
        assert caught.value.reason == "stopping"


def test_a_call_gives_up_waiting_for_the_engine(endpoint: Endpoint, serve: Any) -> None:
    """It is told that libra is still starting."""
    serve(methods=Methods("anna", start_wait_s=0.05))
    with Client(endpoint, timeout_s=TIMEOUT_S) as client, pytest.raises(NotReady):
        client.call("status")


def test_stop_lets_the_running_call_be_answered(serve: Any, endpoint: Endpoint, engine: Any) -> None:
    """The answer of a call that runs comes out; a call queued behind it is refused; then it is closed."""
    server: Server = serve()
    wire = Wire(endpoint)
    wire.send(call("drain", {}, 1) + call("health", call_id=2))
    assert engine.entered.wait(TIMEOUT_S)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    while not server._stopping.is_set():
        threading.Event().wait(0.005)
    engine.release.set()
    assert wire.read()["id"] == 1
    second = wire.read()
    assert second is None or second["error"]["data"]["reason"] == "stopping"
    stopping.join(TIMEOUT_S)
    assert not stopping.is_alive()
    with pytest.raises(NotRunning):
        endpoint.connect(TIMEOUT_S)
    wire.close()


def test_a_client_finds_a_restarted_server(serve: Any, client: Client) -> None:
    """The connection of before is dead; the next call opens another without an error."""
    serve().stop()
    with pytest.raises(NotRunning):
        client.call("health")
    first: Server = serve()
    assert client.call("health")["ok"]
    first.stop()
    serve()
    assert client.call("health")["ok"]


def test_a_call_has_a_time_out_and_late_answers_are_dropped(serve: Any, client: Client, engine: Any) -> None:
    """After a time-out the same client goes on; the late answer is not taken for the next one's."""
    serve()
    with pytest.raises(DeadlinePassed):
        client.call("drain", timeout_s=0.05)
    engine.release.set()
    assert client.call("classify", {"texts": ["next"]}) == ["next"]


def test_errors_arrive_as_their_own_classes(serve: Any, client: Client) -> None:
    """Code and reason choose the class; hint and where come along."""
    serve()
    with pytest.raises(StoreFull) as full:
        client.call("compact")
    assert (full.value.hint, full.value.where) == ("free some space", "/data")
    with pytest.raises(MethodNotFound) as unknown:
        client.call("serach")
    assert unknown.value.hint == "did you mean search?"
    with pytest.raises(InvalidParams) as params:
        client.call(
            "ingest", {"turns": [{"role": "user", "content": "a"}, {"role": "robot", "content": "b"}]}
        )
    assert params.value.where == "turns[1].role"
    assert "expected one of user, assistant, system, tool" in params.value.message


def test_tcp_wants_the_token_first(data_dir: Path, engine: Any) -> None:
    """No token, a wrong token, HTTP: one error and the connection ends; the right one works."""
    endpoint = TcpEndpoint(data_dir / "run" / "endpoint.json")
    methods = Methods("anna")
    methods.attach(engine)
    server = Server(methods, endpoint, ServerParams(login_timeout_s=0.5))
    server.start()
    try:
        lines = [
            call("health"),
            call("authenticate", {"token": "wrong"}),
            call("authenticate", {}),
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"x" * 10_000 + b"\n",
        ]
        for line in lines:
            sock, _ = endpoint.connect(TIMEOUT_S)
            sock.settimeout(TIMEOUT_S)
            sock.sendall(line)
            with sock.makefile("rb") as stream:
                assert json.loads(stream.readline())["error"]["code"] == Forbidden.code
            sock.close()
        silent, _ = endpoint.connect(TIMEOUT_S)
        assert silent.recv(1) == b""
        silent.close()
        with Client(endpoint) as client:
            assert client.call("health")["ok"]
    finally:
        server.stop()
