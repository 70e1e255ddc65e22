"""JSON over HTTP to a model server on this very machine; to another one only where a person has allowed it.

Small and strict on purpose: one POST a connection, no redirects, no proxies, no compression, an answer of bounded size
within a bounded time, however slowly it drips. No error holds what was asked or answered.
"""

from __future__ import annotations

import contextlib
import io
import ipaddress
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import orjson

from libra.ground.errors import ConfigError, EndpointError
from libra.inference.breaker import Breaker, BreakerParams

__all__ = ["Breaker", "BreakerParams", "HttpParams", "JsonClient", "Url"]

_OK = 200
_REDIRECTS = range(300, 400)
_PORTS = {"http": 80, "https": 443}
_LOCAL_NAMES = frozenset({"localhost", "ip6-localhost"})
_PRINTABLE = range(0x21, 0x7F)

Address = tuple[socket.AddressFamily, Any]
"""A family and what ``connect`` wants of it."""


@dataclass(frozen=True, slots=True)
class HttpParams:
    """Limits of one call.

    Attributes:
        connect_s: Longest wait for a connection.
        total_s: Longest time of the whole call, from looking the name up to the last byte of the answer.
        answer_bytes: A larger answer is refused.
    """

    connect_s: float = 2.0
    total_s: float = 30.0
    answer_bytes: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Url:
    """A place that was checked to be one where Libra may speak.

    Attributes:
        scheme: ``http`` or ``https``.
        host: A name or an address, without brackets.
        port: From 1 to 65535.
        base: What stands before every path, without a slash at its end.
        remote: A person has allowed that it lies beyond this machine.
    """

    scheme: str
    host: str
    port: int
    base: str
    remote: bool

    @classmethod
    def parse(cls, url: str, *, allow_remote: bool = False, where: str = "url") -> Self:
        """Check a URL as a person has written it.

        Without ``allow_remote`` only ``http`` to ``localhost`` or to a loopback address is admitted; no other name is
        even looked up, since asking a name server would be a connection, too.

        Args:
            url: ``http://127.0.0.1:11434`` or the like, also with a path.
            allow_remote: Whether other machines, and ``https``, are admitted.
            where: The setting's name, for errors.

        Raises:
            ConfigError: It is no such URL.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:
            raise _unusable(where, "a URL such as http://127.0.0.1:11434") from None
        if any(ord(c) not in _PRINTABLE for c in url) or not parts.hostname or not port:
            raise _unusable(where, "a URL such as http://127.0.0.1:11434")
        if parts.username is not None or parts.query or parts.fragment:
            raise _unusable(where, "a URL without a user's name, a query or a fragment")
        if parts.scheme not in (("http", "https") if allow_remote else ("http",)):
            raise _unusable(where, "http:// (https:// and other machines only with allow_remote = true)")
        if not allow_remote and parts.hostname not in _LOCAL_NAMES and not _is_loopback(parts.hostname):
            raise _unusable(where, "an address of this machine (another one only with allow_remote = true)")
        return cls(parts.scheme, parts.hostname, port, parts.path.rstrip("/"), allow_remote)

    @property
    def authority(self) -> str:
        """What the header ``Host`` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


class JsonClient:
    """Asks one server. Every method may be called from any thread.

    Args:
        url: Where it is.
        params: Limits.
        key: Sent as a bearer token, if any; never in the clear to another machine.

    Raises:
        ConfigError: The key cannot stand in a header, or would travel in the clear.
    """

    def __init__(self, url: Url, params: HttpParams | None = None, *, key: str | None = None) -> None:
        if key is not None and (not key or any(ord(c) not in _PRINTABLE for c in key)):
            raise _unusable("key", "a key of printable characters without spaces")
        local = url.host in _LOCAL_NAMES or _is_loopback(url.host)
        if key is not None and url.scheme != "https" and not local:
            raise _unusable("key", "https:// for a server that gets a key")
        self._url, self._params, self._key = url, params or HttpParams(), key
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._closed = False

    def post(self, path: str, payload: Mapping[str, Any], *, total_s: float | None = None) -> dict[str, Any]:
        """Send an object, return the object that is answered.

        Args:
            path: After the URL's own path, with a leading slash.
            payload: What is sent.
            total_s: Longest time of this call; None for the usual.

        Raises:
            EndpointError: No answer, or none that can be used; ``reason`` is one of ``unreachable``, ``timeout``,
                ``not_loopback``, ``redirect``, ``http_status`` (with ``status``), ``too_large``, ``no_http``,
                ``no_json``, ``closed``.
        """
        from http.client import HTTPException  # 40 ms that no other part of the app needs

        deadline = time.monotonic() + (self._params.total_s if total_s is None else total_s)
        try:
            with self._connected(deadline) as sock:
                sock.settimeout(_left(deadline))
                sock.sendall(self._request(path, orjson.dumps(payload)))
                return self._answer(_Timed(sock, deadline))
        except EndpointError:
            raise
        except TimeoutError:
            raise self._failed("did not answer in time", "timeout") from None
        except HTTPException as error:
            raise self._failed(f"answered no HTTP ({type(error).__name__})", "no_http") from None
        except (OSError, ValueError) as error:
            raise self._failed(f"cannot be reached ({type(error).__name__})", "unreachable") from None

    def close(self) -> None:
        """End every call that is under way; later ones are refused."""
        with self._lock:
            self._closed = True
            for sock in self._open:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def _connected(self, deadline: float) -> Iterator[socket.socket]:
        if self._closed:
            raise self._failed("is closed", "closed")
        sock = self._connect(deadline)
        try:
            with self._lock:
                if self._closed:
                    raise self._failed("is closed", "closed")
                self._open.add(sock)
            yield sock
        finally:
            with self._lock:
                self._open.discard(sock)
            sock.close()

    def _connect(self, deadline: float) -> socket.socket:
        """Open a connection to the first address that takes it; each is one that was checked."""
        last: OSError = ConnectionRefusedError()
        for family, address in _addresses(self._url, deadline):
            if not self._url.remote and not _is_loopback(address[0]):
                raise self._failed("is not on this machine", "not_loopback")
            sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                sock.settimeout(min(self._params.connect_s, _left(deadline)))
                sock.connect(address)
                if self._url.scheme == "https":
                    import ssl

                    sock.settimeout(_left(deadline))
                    return ssl.create_default_context().wrap_socket(sock, server_hostname=self._url.host)
            except OSError as error:
                sock.close()
                last = error
            else:
                return sock
        raise last

    def _request(self, path: str, body: bytes) -> bytes:
        head = [
            f"POST {self._url.base}{path} HTTP/1.1",
            f"Host: {self._url.authority}",
            "Content-Type: application/json",
            "Accept: application/json",
            "Accept-Encoding: identity",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        if self._key is not None:
            head.append(f"Authorization: Bearer {self._key}")
        return "\r\n".join([*head, "", ""]).encode("ascii") + body

    def _answer(self, stream: _Timed) -> dict[str, Any]:
        from http.client import HTTPResponse

        # It asks its socket for a stream, and for nothing else.
        answer = HTTPResponse(stream, method="POST")  # type: ignore[arg-type]
        with contextlib.closing(answer):
            answer.begin()
            if answer.status in _REDIRECTS:
                raise self._failed("points to another place", "redirect")
            if answer.status != _OK:
                raise self._failed(f"answered {answer.status}", "http_status", answer.status)
            if answer.getheader("Content-Encoding", "identity").lower() != "identity":
                raise self._failed("answered in an encoding that was not asked for", "no_http")
            most = self._params.answer_bytes
            announced = answer.length or 0
            body = answer.read(most + 1) if announced <= most else b""
            if max(announced, len(body)) > most:
                raise self._failed(f"answered more than {most:,} bytes", "too_large")
        try:
            found = orjson.loads(body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise self._failed("answered no JSON object", "no_json")
        return found

    def _failed(self, what: str, reason: str, status: int | None = None) -> EndpointError:
        place = f"{self._url.scheme}://{self._url.authority}"
        if self._closed:
            what, reason = "is not asked any more", "closed"
        return EndpointError(f"the model server {place} {what}", reason=reason, where=place, status=status)


class _Timed(io.RawIOBase):
    """A socket's bytes as a stream that ends with :class:`TimeoutError` at a moment, however they drip."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock, self._deadline = sock, deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return the stream as ``http.client`` wants it."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come; wait for it until the deadline."""
        self._sock.settimeout(_left(self._deadline))
        return self._sock.recv_into(buffer)


def _left(deadline: float) -> float:
    """Return the seconds that are left.

    Raises:
        TimeoutError: None is.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _is_loopback(host: str) -> bool:
    """Return True for a loopback address; a name is none."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _addresses(url: Url, deadline: float) -> list[Address]:
    """Return the addresses of a host; looking a name up counts into the time, too.

    Raises:
        OSError: There is no such host.
        TimeoutError: The name server did not answer in time.
    """
    found: list[Address] = []
    failed: list[OSError] = []

    def look_up() -> None:
        try:
            for family, _, _, _, address in socket.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM):
                found.append((family, address))
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError())

    with contextlib.suppress(ValueError):
        ipaddress.ip_address(url.host)
        look_up()
    if not found and not failed:
        # The system's resolver knows no time-out; the thread ends by itself when it gives up.
        asking = threading.Thread(target=look_up, name="libra-lookup", daemon=True)
        asking.start()
        asking.join(_left(deadline))
        if asking.is_alive():
            raise TimeoutError
    if failed:
        raise failed[0]
    return found


def _unusable(where: str, expected: str) -> ConfigError:
    return ConfigError(f"{where}: expected {expected}", where=where)
