"""The client of model servers: nothing leaves this machine unasked, nothing hangs, nothing leaks into errors."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from libra.ground.errors import ConfigError, EndpointError
from libra.inference import loopback
from libra.inference.loopback import Breaker, BreakerParams, HttpParams, JsonClient, Url
from tests.inference.endpoint import GUARD_S, Asked, as_json, endpoint, http

SECRET = "the harbour sails at nine"  # noqa: S105 - what was said, not a password


def client(url: str, **limits: float) -> JsonClient:
    """Return a client of a local server."""
    return JsonClient(Url.parse(url), HttpParams(**limits))  # type: ignore[arg-type]


def failure(url: str, **limits: float) -> EndpointError:
    """Ask, and return the error; it must not repeat what was asked or answered."""
    with pytest.raises(EndpointError) as caught:
        client(url, **limits).post("/ask", {"text": SECRET})
    assert "harbour" not in f"{caught.value} {caught.value.data()}"
    return caught.value


def test_an_object_goes_and_an_object_comes() -> None:
    """The path is put behind the URL's own, and a key travels as a bearer token."""
    with endpoint(lambda asked: as_json({"echo": asked.body})) as server:
        asking = JsonClient(Url.parse(server.url + "/v1/"), key="sk-1")
        assert asking.post("/chat", {"text": "à 中"}) == {"echo": {"text": "à 中"}}
        (asked,) = server.asked
    assert asked.path == "/v1/chat"
    assert asked.headers["authorization"] == "Bearer sk-1"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"


def test_localhost_and_chunks() -> None:
    """Servers that listen on one of the two loopback families, and send in chunks, are understood."""
    parts = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n'
    with endpoint(lambda _: [parts[:50], parts[50:]]) as server:
        assert client(f"http://localhost:{server.port}").post("/", {}) == {"a": 1}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org:80",
        "http://10.0.0.7:11434",
        "http://0.0.0.0:11434",
        "http://[::]:11434",
        "http://169.254.169.254/latest",
        "http://localhost.example.org:1",
        "http://2130706433:1",
        "http://0x7f.1:1",
        "http://127.0.0.1.nip.io:1",
        "https://127.0.0.1:1",
        "ftp://127.0.0.1:1",
        "http://user:pass@127.0.0.1:1",
        "http://127.0.0.1:1/?a=b",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:1/a b",
        "http://127.0.0.1:1/\r\nX: y",
        "http://",
        "127.0.0.1:11434",
        "",
    ],
)
def test_other_places_are_refused(url: str) -> None:
    """A typing error, or a setting from somewhere else, must not send a conversation off this machine."""
    with pytest.raises(ConfigError) as caught:
        Url.parse(url, where="summarizer.ollama")
    assert caught.value.where == "summarizer.ollama"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:11434", "http://127.8.9.1", "http://[::1]:5", "http://localhost:1/v1"]
)
def test_this_machine_is_admitted(url: str) -> None:
    """What Ollama and its like print as their address can be written down as it is."""
    assert not Url.parse(url).remote


def test_another_machine_only_where_a_person_allows_it() -> None:
    """Then https, too; a key never travels in the clear."""
    assert Url.parse("https://example.org/v1", allow_remote=True).port == 443
    remote = Url.parse("http://example.org/v1", allow_remote=True)
    with pytest.raises(ConfigError):
        JsonClient(remote, key="sk-1")
    with pytest.raises(ConfigError):
        JsonClient(Url.parse("http://127.0.0.1:1"), key="two\r\nlines")


def test_a_name_that_leads_elsewhere_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is the address that is connected to: a hosts file may send localhost anywhere."""
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))],
    )
    assert failure("http://localhost:80").reason == "not_loopback"


def test_a_name_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking a name up is part of the time that a person waits."""
    release = threading.Event()

    def never(*_: object, **__: object) -> list[object]:
        release.wait(GUARD_S)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", never)
    assert failure("http://localhost:80", total_s=0.05).reason == "timeout"
    release.set()


def test_proxies_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment would see everything that was said."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.1:3128")
    with endpoint(lambda _: as_json({})) as server:
        assert client(server.url).post("/", {}) == {}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (http(b"", "302 Found", "Location: http://example.org/"), "redirect"),
        (http(b"", "307 Temporary Redirect", "Location: /other"), "redirect"),
        (http(SECRET.encode(), "500 Internal Server Error"), "http_status"),
        (http(SECRET.encode()), "no_json"),
        (http(b"[1]"), "no_json"),
        (http(b'{"a": NaN}'), "no_json"),
        (http(b'{"a": 1'), "no_json"),
        (http(b"[" * 100_000), "no_json"),
        (http(gzip.compress(b"{}"), "200 OK", "Content-Encoding: gzip"), "no_http"),
        (http(b" " * 2000), "too_large"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "too_large"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 2000, "too_large"),
        (b"SSH-2.0-OpenSSH\r\n", "no_http"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n", "no_http"),
        (b"", "no_http"),
    ],
)
def test_bad_answers_are_named(answer: bytes, reason: str) -> None:
    """Each fault has its own stable word, so that status can say what is wrong with the server."""
    with endpoint(lambda _: answer) as server:
        error = failure(server.url, answer_bytes=1000 if reason == "too_large" else 200_000)
    assert error.reason == reason
    assert error.status == (500 if reason == "http_status" else None)


def test_nobody_listens() -> None:
    """A server that was not started is an ordinary case."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert failure(f"http://127.0.0.1:{port}").reason == "unreachable"


@pytest.mark.parametrize("way", ["hang", "drip", "endless_head", "continue"])
def test_slow_answers_end_in_time(way: str) -> None:
    """Not even a server that sends a byte now and then holds a compaction longer than was set."""
    with endpoint() as server:

        def endless_head(_: Asked) -> Iterator[bytes]:
            yield b"HTTP/1.1 200 OK\r\nX: "
            while not server.ended.wait(0.01):
                yield b"y"

        def go_on(_: Asked) -> Iterator[bytes]:
            while not server.ended.wait(0.01):
                yield b"HTTP/1.1 100 Continue\r\n\r\n"

        ways = {"hang": server.hang, "drip": server.drip, "endless_head": endless_head, "continue": go_on}
        server.behave = ways[way]
        assert failure(server.url, total_s=0.2).reason == "timeout"


def test_closing_ends_a_call_that_is_under_way() -> None:
    """Quitting the app must not wait for a model server."""
    with endpoint() as server:
        asking = client(server.url, total_s=GUARD_S)
        reasons: list[str] = []

        def ask() -> None:
            with pytest.raises(EndpointError) as caught:
                asking.post("/", {})
            reasons.append(caught.value.reason)

        thread = threading.Thread(target=ask)
        thread.start()
        assert server.heard.wait(GUARD_S)
        asking.close()
        thread.join(GUARD_S)
        with pytest.raises(EndpointError):
            asking.post("/", {})
    assert reasons == ["closed"]


class _Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def _fail(breaker: Breaker) -> str:
    """Let one call through the breaker fail; return why it failed."""
    with pytest.raises(EndpointError) as caught, breaker.guard():
        raise EndpointError("no", reason="timeout")
    return caught.value.reason


def test_the_breaker_opens_rests_tries_once_and_closes() -> None:
    """A dead server costs a few time-outs, not one at every compaction; and it is found again when it is back."""
    clock = _Clock()
    breaker = Breaker(BreakerParams(failures=2, pause_s=10.0), clock)
    assert [_fail(breaker) for _ in range(3)] == ["timeout", "timeout", "circuit_open"]
    clock.now_s = 9.9
    assert breaker.is_open
    clock.now_s = 10.0
    assert not breaker.is_open
    assert [_fail(breaker) for _ in range(2)] == ["timeout", "circuit_open"]
    clock.now_s = 20.0
    with breaker.guard():
        assert breaker.is_open  # while one call tries, no other does
        with pytest.raises(EndpointError), breaker.guard():
            pass
    assert not breaker.is_open
    assert _fail(breaker) == "timeout"
    assert not breaker.is_open


def test_a_success_forgets_earlier_failures() -> None:
    """Only failures in a row open it: a slow server that answers mostly goes on being asked."""
    breaker = Breaker(BreakerParams(failures=2), _Clock())
    for _ in range(5):
        assert _fail(breaker) == "timeout"
        with breaker.guard():
            pass
    assert not breaker.is_open


def test_one_of_many_threads_tries() -> None:
    """After the pause a crowd of callers must not fall on a server that is just getting up."""
    clock = _Clock()
    breaker = Breaker(BreakerParams(failures=1, pause_s=1.0), clock)
    _fail(breaker)
    clock.now_s = 2.0
    inside, leave, refused = threading.Event(), threading.Event(), []

    def trying() -> None:
        with breaker.guard():
            inside.set()
            leave.wait(GUARD_S)

    first = threading.Thread(target=trying)
    first.start()
    assert inside.wait(GUARD_S)
    for _ in range(3):
        with pytest.raises(EndpointError) as caught, breaker.guard():
            pass
        refused.append(caught.value.reason)
    leave.set()
    first.join(GUARD_S)
    assert refused == ["circuit_open"] * 3


def test_importing_opens_nothing() -> None:
    """The module alone knows no server, and its requests are plain JSON."""
    with endpoint(lambda asked: as_json(asked.body)) as server:
        asking = loopback.JsonClient(Url.parse(server.url))
        assert server.asked == []
        assert asking.post("/", json.loads('{"n": 1.5}')) == {"n": 1.5}
