"""Who may see the page: links that open it once, and the sessions that they turn into. In memory only.

A link is handed to the person's browser; the first request with it gets a cookie, and the link is worth nothing any
more. Secrets are compared in constant time.
"""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest

_SECRET_BYTES = 32
_PLACE_BYTES = 12
_MOST = 8
"""Links that wait and sessions that live: a ninth pushes the oldest out."""


@dataclass(frozen=True, slots=True)
class PageParams:
    """The local page.

    Attributes:
        idle_s: The port is closed when nobody did anything on the page for so long.
        link_s: A link that `libra open` gave out must be used within this time.
        visit_s: A browser that was let in is let out after this time at the latest.
    """

    idle_s: float = 900.0
    link_s: float = 120.0
    visit_s: float = 43_200.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One browser that was let in.

    Attributes:
        place: The folder of the page's addresses, as in ``/<place>/``. A cookie goes to every port of an address, whoever
            listens there; the browser sends this one below its folder only, whose name nobody else knows.
        secret: The cookie's value.
        until_s: When it ends, on the monotonic clock.
    """

    place: str
    secret: str
    until_s: float


class Keys:
    """Gives out links, takes each once, and knows the visits that they began. Any thread may call it.

    Args:
        params: How long links and visits live.
        now_s: The monotonic clock.
    """

    def __init__(self, params: PageParams, now_s: Callable[[], float]) -> None:
        self._link_s = params.link_s
        self._visit_s = params.visit_s
        self._now_s = now_s
        self._lock = threading.Lock()
        self._links: deque[tuple[str, float]] = deque(maxlen=_MOST)
        self._visits: deque[Visit] = deque(maxlen=_MOST)

    def link(self) -> str:
        """Return a token that :meth:`enter` takes once."""
        token = secrets.token_urlsafe(_SECRET_BYTES)
        with self._lock:
            self._links.append((token, self._now_s() + self._link_s))
        return token

    def enter(self, token: str) -> Visit | None:
        """Return the visit that a link begins, or None if it was never given, was used, or is too old."""
        now_s = self._now_s()
        with self._lock:
            found = [entry for entry in self._links if _same(entry[0], token)]
            for entry in found:
                self._links.remove(entry)
            if not found or found[0][1] < now_s:
                return None
            place, secret = secrets.token_urlsafe(_PLACE_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
            visit = Visit(place, secret, now_s + self._visit_s)
            self._visits.append(visit)
            return visit

    def knows(self, place: str, secret: str) -> bool:
        """Return True if this is the cookie of a visit that goes on below this folder."""
        now_s = self._now_s()
        with self._lock:
            visits = list(self._visits)
        # All of them are compared, so that the time says nothing of which one was near.
        found = [_same(v.place, place) & _same(v.secret, secret) & (v.until_s >= now_s) for v in visits]
        return any(found)

    def clear(self) -> None:
        """End all links and visits."""
        with self._lock:
            self._links.clear()
            self._visits.clear()


def _same(one: str, other: str) -> bool:
    return compare_digest(one.encode(), other.encode("utf-8", "replace"))
