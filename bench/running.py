"""Starts a real Libra for a benchmark and talks to it over its socket."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from libra.ground.errors import NotRunning
from libra.rpc.client import Client

_PROBE = Path(__file__).with_name("probe.py")


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Yield a throw-away folder on a short path (a socket's name may have about 100 bytes)."""
    path = Path(tempfile.mkdtemp(prefix="lbench-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def libra(
    data: Path, env: Mapping[str, str] | None = None, counts: Path | None = None
) -> Iterator[tuple[Client, subprocess.Popen[bytes], float]]:
    """Run ``libra serve``; yield a client, the process and the seconds from its start to its first health answer.

    Args:
        data: Its place.
        env: Added to the environment.
        counts: Where ``probe.py`` writes what memory it holds; None to let nobody look inside.
    """
    socket = data / "s.sock"
    home = data / "home"
    home.mkdir(parents=True, exist_ok=True)
    quiet = {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "OPENCLAW_STATE_DIR": str(home / "openclaw"),
    }
    begun = time.perf_counter()
    words = ["-m", "libra"] if counts is None else [str(_PROBE), str(counts), "--"]
    process = subprocess.Popen(
        [sys.executable, *words, "serve", "--data-dir", str(data / "store"), "--socket", str(socket)],
        env={**os.environ, **quiet, **(env or {})},
        stderr=subprocess.DEVNULL,
    )
    try:
        with _connected(socket, process) as client:
            yield client, process, time.perf_counter() - begun
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def _connected(socket: Path, process: subprocess.Popen[bytes]) -> Iterator[Client]:
    while True:
        if process.poll() is not None:
            raise SystemExit("libra ended before it answered")
        try:
            client = Client(_endpoint(socket))
            client.call("health", {})
            break
        except NotRunning:
            time.sleep(0.005)
    try:
        yield client
    finally:
        client.close()


def _endpoint(socket: Path) -> object:
    from libra.rpc.endpoint import UnixEndpoint

    return UnixEndpoint(socket)


def percentile(values: list[float], share: float) -> float:
    """Return the value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
