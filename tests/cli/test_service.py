"""``libra serve`` in a process of its own: it answers soon, ends with whoever started it, and is alone."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from libra.ground.errors import NotRunning
from libra.ground.paths import places
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint

TIMEOUT_S = 60.0
pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture
def started(libra: Any, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a `libra serve --stop-with-stdin` on an empty home as soon as anything answers."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    libra.env |= {"HOME": str(data_dir / "home"), "USERPROFILE": str(data_dir / "home")}
    process = subprocess.Popen(
        [sys.executable, "-m", "libra", "serve", "--stop-with-stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=libra.env,
        cwd=Path(__file__).parents[2],
    )
    with Client(endpoint(places(str(data_dir)))) as client:
        end = time.monotonic() + TIMEOUT_S
        while True:
            try:
                client.call("health")
                break
            except NotRunning:
                assert process.poll() is None
                assert time.monotonic() < end
                threading.Event().wait(0.02)
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def served(started: subprocess.Popen[bytes], data_dir: Path) -> subprocess.Popen[bytes]:
    """Return it once it is ready."""
    end = time.monotonic() + TIMEOUT_S
    with Client(endpoint(places(str(data_dir)))) as client:
        while not client.call("health")["ready"]:
            assert time.monotonic() < end
            threading.Event().wait(0.02)
    return started


def test_it_ends_in_order_while_it_starts(started: subprocess.Popen[bytes], data_dir: Path) -> None:
    """Whoever started it goes in the first second: no socket is left behind, and no error told."""
    out, err = started.communicate(timeout=TIMEOUT_S)
    assert (started.returncode, out) == (0, b"")
    assert b"Traceback" not in err
    assert not (data_dir / "run" / "libra.sock").exists()


def test_it_ends_with_whoever_started_it(served: subprocess.Popen[bytes], data_dir: Path) -> None:
    """Standard input closes: it stops as on SIGTERM, in order, and says nothing on standard output."""
    out, err = served.communicate(timeout=TIMEOUT_S)
    assert (served.returncode, out) == (0, b"")
    assert b"Traceback" not in err
    assert not (data_dir / "run" / "libra.sock").exists()


def test_it_is_alone_on_its_folder(served: subprocess.Popen[bytes], libra: Any) -> None:
    """A second one says so and ends; the first goes on."""
    second = libra.alone("serve")
    assert (second.code, second.out) == (1, "")
    assert "another libra is running" in second.err
    assert libra.alone("status", "--json").json["ok"]


def test_shutdown_returns_when_it_has_gone(served: subprocess.Popen[bytes], libra: Any) -> None:
    """After `libra shutdown` another one can start at once."""
    assert libra.alone("shutdown").code == 0
    assert served.wait(TIMEOUT_S) == 0
    assert libra.alone("status").code == 3
