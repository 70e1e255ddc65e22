"""A new Libra takes the running one's place: nobody who asks meanwhile is refused or cut off."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from libra.ground.errors import LibraError
from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint
from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

CLIENTS = 3


class Asker(threading.Thread):
    """Asks and tells without a pause, over one kept connection or a new one each time, until it is told to stop."""

    def __init__(self, place: UnixEndpoint, number: int, *, kept: bool) -> None:
        super().__init__(daemon=True)
        self._place, self._number, self._kept = place, number, kept
        self.ended = threading.Event()
        self.told = 0
        self.wrong: list[LibraError] = []

    def run(self) -> None:
        """Ask."""
        client = Client(self._place)
        while not self.ended.is_set():
            turn = {
                "role": "user",
                "content": f"Pier {self._number} has berth {self.told}.",
                "id": f"t{self.told}",
            }
            try:
                done = client.call("ingest", {"who": {"session": f"s{self._number}"}, "turns": [turn]})
                self.told += done["accepted"]
                client.call("search", {"query": "berth", "k": 1})
            except LibraError as error:
                self.wrong.append(error)
            if not self._kept:
                client.close()
        client.close()


def words(app: Running, *more: str) -> list[str]:
    """Return the command of another Libra at the same places."""
    flags = ["--data-dir", str(app.data), "--socket", str(app.socket)]
    return [sys.executable, "-m", "libra", "serve", *flags, *more]


def running_still(app: Running) -> bool:
    """Say whether the process that was started first is there."""
    assert app._process is not None
    return app._process.poll() is None


def test_no_request_is_lost_when_another_takes_over(running: Running) -> None:
    """Agents that ask all the time do not notice an upgrade: each call is answered once, each turn is there once."""
    app = running.start()
    askers = [Asker(UnixEndpoint(app.socket), n, kept=n > 0) for n in range(CLIENTS)]
    for asker in askers:
        asker.start()
    app.until(lambda: all(asker.told > 2 for asker in askers), 30)
    before = app.pid
    again = subprocess.run(words(app), env=app.environment(), capture_output=True, check=False, timeout=60)
    assert again.returncode == 1
    assert b"another libra" in again.stderr
    log = (app.folder / "second.log").open("wb")
    with log, subprocess.Popen(words(app, "--replace"), env=app.environment(), stderr=log) as second:
        try:
            app.until(lambda: not running_still(app), 60)
            told = [asker.told for asker in askers]
            app.until(lambda: all(a.told > n for a, n in zip(askers, told, strict=True)), 60)
            for asker in askers:
                asker.ended.set()
                asker.join(30)
            assert [str(error) for asker in askers for error in asker.wrong] == []
            kept = app.call("status")["counts"]["turn"]
            assert kept == sum(asker.told for asker in askers)
            assert second.pid != before
            assert second.poll() is None
        finally:
            for asker in askers:
                asker.ended.set()
            second.terminate()
            try:
                second.wait(30)
            except subprocess.TimeoutExpired:
                second.kill()  # else leaving the block would wait for it for ever
                raise
    assert not app.socket.exists()
    assert not app.socket.with_name(f"{app.socket.name}.old").exists()
