"""The local page: an HTTP server on 127.0.0.1 that is there only while somebody looks at the page.

No port is open until :meth:`Page.open` is called, and none a while after the last look. Who connects must be a program of
this user, where the system tells; what a request has to show is in :mod:`libra.desktop.page_http`.
"""

from __future__ import annotations

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from libra.desktop.page_http import TYPES, Dispatch, Handler, Site
from libra.desktop.page_keys import Keys, PageParams
from libra.desktop.page_peer import Peer, peer_of
from libra.ground.errors import StoreError

__all__ = ["Page"]

_LOG = logging.getLogger(__name__)

FOLDER: Final = Path(__file__).resolve().parent / "page"
MAX_CONNECTIONS: Final = 32
VERBS: Final = frozenset(
    "health status stats search get list recent explain journal recap episodes describe expand compaction_report assemble"
    " remember update confirm correct forget undo set_priority pin unpin extend archive unarchive compact pause resume"
    " timeline receipts receipt review never allow rulebook rules_history sessions session settings set_setting off_record"
    " rule_set rule_list rule_check rule_delete card_update card_list card_delete intent_set intent_list intent_done"
    " intent_delete lesson lessons relations relate unrelate workflows".split()
)
"""What the page may ask for: nothing that reads files of a caller's choice, moves whole memories, or ends Libra."""


class Page:
    """Opens the port when it is asked to, closes it when nobody looks any more. Any thread may call it.

    Args:
        dispatch: Carries out verbs.
        params: Times.
        verbs: The verbs that the page may ask for.
        now_s: The monotonic clock.
    """

    def __init__(
        self,
        dispatch: Dispatch,
        params: PageParams | None = None,
        *,
        verbs: frozenset[str] = VERBS,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.dispatch = dispatch
        self.params = params or PageParams()
        self.verbs = verbs
        self.now_s = now_s
        self.keys = Keys(self.params, now_s)
        self.files = _files(FOLDER)
        self.closed = threading.Event()
        """Set while no port is open."""
        self.closed.set()
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._touched_s = 0.0
        self._wake = threading.Event()

    @property
    def port(self) -> int | None:
        """The open port, or None."""
        server = self._server
        return None if server is None else server.port

    def open(self) -> dict[str, Any]:
        """Return ``{url, expires_s}``: an address that opens the page once. Opens the port if none is open.

        Raises:
            StoreError: No port can be opened.
        """
        with self._lock:
            self._touched_s = self.now_s()
            if self._server is None:
                try:
                    self._server = _Server(self._site)
                except OSError as error:
                    raise StoreError(
                        f"the page cannot be opened: {error.strerror}", reason="no_port"
                    ) from error
                self.closed.clear()
                self._wake.clear()
                threading.Thread(target=self._server.serve, name="libra-page", daemon=True).start()
                threading.Thread(target=self._close_when_idle, name="libra-page-idle", daemon=True).start()
            origin = self._server.site.origin
        return {"url": f"{origin}/enter?t={self.keys.link()}", "expires_s": self.params.link_s}

    def _site(self, port: int) -> Site:
        return Site(f"127.0.0.1:{port}", self.keys, self.files, self.verbs, self.dispatch, self.touch)

    def touch(self) -> None:
        """Note that somebody did something on the page."""
        self._touched_s = self.now_s()

    def close(self) -> None:
        """Close the port and end all visits; nothing happens if none is open."""
        with self._lock:
            server, self._server = self._server, None
            self.keys.clear()
            self._wake.set()
        if server is not None:
            server.end()
            self.closed.set()

    def check_idle(self) -> float:
        """Close the port if nobody did anything for ``idle_s``; return the seconds until that may be the case, else 0."""
        left = self._touched_s + self.params.idle_s - self.now_s()
        if left > 0:
            return left
        _LOG.info("nobody looks at the page any more: its port is closed")
        self.close()
        return 0.0

    def _close_when_idle(self) -> None:
        left = self.check_idle()
        while left > 0 and not self._wake.wait(left):
            left = self.check_idle()


def _files(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Return the page's files by name: what is not among them cannot be asked for, however the name is written."""
    return {
        path.relative_to(folder).as_posix(): (TYPES[path.suffix], path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in TYPES
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False
    block_on_close = False
    timeout = 0.0
    """``handle_request`` is called when somebody has connected: it need not wait for one."""

    def __init__(self, site: Callable[[int], Site]) -> None:
        self._room = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._over = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        self._end, self._ended = socket.socketpair()
        self.port = int(self.server_address[1])
        self.site = site(self.port)

    def serve(self) -> None:
        """Answer who connects, until :meth:`end`; while nobody does, nothing wakes this thread.

        The standard library's loop looks again and again whether it should end; here the end is something that can be waited for.
        """
        try:
            with selectors.DefaultSelector() as waiting:
                waiting.register(self, selectors.EVENT_READ)
                waiting.register(self._ended, selectors.EVENT_READ)
                while all(key.fileobj is not self._ended for key, _ in waiting.select()):
                    self.handle_request()
        finally:
            self._ended.close()
            self._over.set()

    def end(self) -> None:
        """Close the port, once the thread in :meth:`serve` has left it."""
        self._end.close()
        self._over.wait()
        self.server_close()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Let nobody in but programs of this user, and not too many at once."""
        near = request.getsockname()
        peer = peer_of((near[0], near[1]), (client_address[0], client_address[1]))
        if peer is Peer.FOREIGN:
            _LOG.warning("another user of this machine was refused at the page")
        if peer is not Peer.OURS:
            return False
        return self._room.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Carry out a connection's requests; its place is free again afterwards."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the standard library's parameters
        """Note that a connection broke, without its content."""
        _LOG.debug("a connection to the page broke")
