"""One request to the page: what it has to show, and what it is answered.

What a request has to show, in this order: it names the address that we gave out (else a foreign name may point here: DNS
rebinding), it does not come from another page, it holds the cookie of a visit. No file but the page's own is served, and
data are the answers of verbs.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from libra.desktop.page_keys import Keys
from libra.ground.errors import LibraError

_LOG = logging.getLogger(__name__)

Dispatch = Callable[[str, Any], Any]
"""Carries out a verb with its parameters; returns what JSON can hold, or raises LibraError."""

COOKIE: Final = "libra"
MAX_BODY: Final = 1024 * 1024
"""Bytes of a request's body; the longest thing that a person types."""
_REQUEST_S: Final = 20.0
"""A connection that says nothing for so long is closed."""

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
"""On every answer. Trusted types make the browser itself refuse text as markup."""


@dataclass(frozen=True, slots=True)
class Site:
    """What a request is about.

    Attributes:
        host: The address that was given out: ``127.0.0.1:<port>``.
        keys: Links and visits.
        files: The page's files: name → type and content.
        verbs: The verbs that the page may ask for.
        dispatch: Carries out a verb.
        touch: Called when somebody did something on the page.
    """

    host: str
    keys: Keys
    files: Mapping[str, tuple[str, bytes]]
    verbs: frozenset[str]
    dispatch: Dispatch
    touch: Callable[[], None]

    @property
    def origin(self) -> str:
        """The address as a browser names a page's origin."""
        return f"http://{self.host}"


class Refused(Exception):
    """A request that gets no answer but its status."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = _REQUEST_S
    server: Any

    @property
    def site(self) -> Site:
        """What this is a request to."""
        found: Site = self.server.site
        return found

    def do_GET(self) -> None:
        """Answer with a file of the page, or turn a link into a visit."""
        self._guarded(self._get)

    def do_POST(self) -> None:
        """Carry out a verb."""
        self._guarded(self._post)

    def _guarded(self, answer: Callable[[], None]) -> None:
        try:
            self._check_address()
            answer()
        except Refused as refused:
            self.close_connection = True
            self._send(refused.status, "text/plain; charset=utf-8", f"{refused.words}\n".encode())

    # ------------------------------------------------------------------ what a request has to show

    def _check_address(self) -> None:
        """Refuse what was not sent to the address that we gave out, or was sent by another page."""
        if self.headers.get_all("Host") != [self.site.host]:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this address does not belong to Libra")
        origin = self.headers.get_all("Origin") or []
        if any(value != self.site.origin for value in origin) or (self.command == "POST" and not origin):
            raise Refused(HTTPStatus.FORBIDDEN, "another page may not ask Libra")

    def _place(self) -> tuple[str, str]:
        """Return the folder and the rest of the path, of a request that holds the folder's cookie."""
        place, _, rest = urlsplit(self.path).path.removeprefix("/").partition("/")
        if self.headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
            raise Refused(HTTPStatus.FORBIDDEN, "another page may not ask Libra")
        if not self.site.keys.knows(place, self._cookie()):
            raise Refused(HTTPStatus.UNAUTHORIZED, "This page has ended. Open it anew: libra open")
        return place, rest

    def _cookie(self) -> str:
        try:
            found = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        except CookieError:
            return ""
        return found.value if found is not None else ""

    # ------------------------------------------------------------------ answers

    def _get(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/enter":
            self._enter(parse_qs(asked.query).get("t", [""])[0])
            return
        _, rest = self._place()
        found = self.site.files.get(rest or "index.html")
        if found is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such file")
        self.site.touch()
        self._send(HTTPStatus.OK, *found)

    def _enter(self, token: str) -> None:
        """Let a browser in: it gets its cookie, and is led on by a page of ours so that it sends the cookie."""
        if self.headers.get("Sec-Purpose") or self.headers.get("Purpose"):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "a link is followed by a person, not ahead of time")
        visit = self.site.keys.enter(token)
        if visit is None:
            raise Refused(
                HTTPStatus.FORBIDDEN, "This link was used already or is too old. Get a new one: libra open"
            )
        self.site.touch()
        path = f"/{visit.place}/"
        cookie = f"{COOKIE}={visit.secret}; Path={path}; HttpOnly; SameSite=Strict"
        body = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Libra</title>'
            f'<link rel="icon" href="{path}libra.svg"><meta http-equiv="refresh" content="0; url={path}">'
            f'<a href="{path}">Libra</a>'
        )
        self._send(HTTPStatus.OK, TYPES[".html"], body.encode(), {"Set-Cookie": cookie})

    def _post(self) -> None:
        _, rest = self._place()
        folder, _, verb = rest.partition("/")
        if folder != "api" or verb not in self.site.verbs:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such verb")
        params = self._body()
        if self.headers.get("X-Libra-Poll") is None:
            self.site.touch()
        self._send(HTTPStatus.OK, "application/json", _called(self.site.dispatch, verb, params))

    def _body(self) -> Any:
        """Return the JSON of the request."""
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected JSON")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or self.headers.get("Transfer-Encoding"):
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length")
        if len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_BODY:,} bytes")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "this is no JSON") from None

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response_only(status)
        headers = {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), **(more or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the standard library's parameters
        """Answer what is no HTTP request, or asks for another method, without repeating anything of it."""
        self.close_connection = True
        self._send(HTTPStatus(code), "text/plain; charset=utf-8", b"")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library's parameter
        """Log nothing: addresses hold what a visit is known by."""


def _called(dispatch: Dispatch, verb: str, params: Any) -> bytes:
    """Return ``{result}``, or ``{error: {message, reason, hint?, where?}}`` of a call that failed."""
    try:
        answer: dict[str, Any] = {"result": dispatch(verb, params)}
    except LibraError as error:
        answer = {"error": {"message": error.message, **error.data()}}
    except Exception as error:  # noqa: BLE001 - one verb's defect must not end the page
        _LOG.exception("%s failed for the page", verb)
        answer = {"error": {"message": f"{type(error).__name__}; see the log", "reason": "internal"}}
    return json.dumps(answer, separators=(",", ":")).encode()
