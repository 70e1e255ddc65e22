"""What runs all the time looks seldom: a laptop on battery must not be woken by Libra."""

from __future__ import annotations

import http.client
import selectors
import subprocess
import sys
from contextlib import closing
from http import HTTPStatus

import pytest

from libra.desktop import tray
from libra.desktop.page_server import Page
from libra.engine.background import BackgroundParams
from libra.sources.follower import LookParams
from libra.store.housekeeping import HousekeepingParams

_ONCE_A_SECOND_S = 1.0


def test_no_thread_looks_more_than_once_a_second() -> None:
    """Every wait that ends by itself while nothing happens takes at least a second; each thread of the app is named here.

    ``libra-rpc``, ``libra-page`` and the threads of connections wait for their sockets, ``libra-page-idle`` until the page may be
    closed, ``libra-model`` and ``libra-warm`` end, watchdog's wait for the system; the main thread wakes on Windows only.
    """
    looks, writer, worker = LookParams(), HousekeepingParams(), BackgroundParams()
    waits = {
        "libra-watch, checks": looks.check_s,
        "libra-watch, looks": min(looks.poll_s, looks.reconcile_s),
        "libra-writer": writer.idle_ms / 1000,
        "libra-background": min(worker.idle_s, worker.retry_s),
        "main, tray": min(tray._REFRESH_S, tray._STOP_NOTICED_S),
    }
    assert {name: wait for name, wait in waits.items() if wait < _ONCE_A_SECOND_S} == {}


def test_an_open_page_wakes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tab that is left open must not wake the machine: its server waits without a time for whoever connects, and for its end."""
    waits: list[float | None] = []

    class Noting(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            waits.append(timeout)
            return super().select(timeout)

    monkeypatch.setattr(selectors, "DefaultSelector", Noting)
    page = Page(lambda _verb, _params: {})
    page.open()
    for _ in range(3):
        with closing(http.client.HTTPConnection("127.0.0.1", page.port or 0, timeout=20)) as somebody:
            somebody.request("GET", "/")
            assert somebody.getresponse().status == HTTPStatus.UNAUTHORIZED
    page.close()
    assert page.closed.is_set()
    assert waits
    assert set(waits) == {None}


_SIGNALLED = """
import signal, threading, types
from libra.app import App

app = types.SimpleNamespace(_stop=threading.Event())
signal.signal(signal.SIGTERM, lambda *_: app._stop.set())

def somebody():
    while not app._stop._cond._waiters:
        pass
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=somebody, daemon=True).start()
App.wait(app)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="threads there get no signals")
def test_a_signal_that_another_thread_gets_ends_it_too() -> None:
    """The system may hand a signal to any thread: the main one sat still, and only a kill ended a Libra."""
    done = subprocess.run([sys.executable, "-c", _SIGNALLED], check=False, timeout=20)
    assert done.returncode == 0
