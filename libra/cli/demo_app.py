"""The app of ``libra demo``: started headless as its own process, ended for certain."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import libra
from libra.ground.errors import DeadlinePassed, LibraError, NotReady, NotRunning
from libra.ground.paths import places
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint

_START_S = 60.0
_STOP_S = 8.0
_POLL_S = 0.02
_LOG_LINES = 12
_FOREIGN_PREFIXES = ("LIBRA_", "OPENCLAW_", "CLAUDE_", "CODEX_", "GEMINI_", "HERMES_", "XDG_")
"""Variables that could lead the app to the person's real sessions, or to a running libra."""


def command() -> list[str]:
    """Return how this very Libra is started again: as a module, or as the one-file program that it is."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", "libra"]


def environment(home: Path) -> dict[str, str]:
    """Return the surroundings of the demo's app: its own home, nothing of the person's."""
    env = {k: v for k, v in os.environ.items() if not k.upper().startswith(_FOREIGN_PREFIXES)}
    env |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "OPENCLAW_STATE_DIR": str(home / "openclaw"),
        "PYTHONUTF8": "1",
    }
    if not getattr(sys, "frozen", False):
        # Another home may hide a package that was installed for this user only.
        package = str(Path(libra.__file__).resolve().parent.parent)
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [package, env.get("PYTHONPATH", "")]))
    return env


class DemoApp:
    """A ``libra serve`` on a folder; leaving the context stops it, and it ends with this process.

    Args:
        root: Its data folder, socket and log are made in here.
        home: The home folder that it shall see.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root
        self._home = home
        self._places = places(str(root / "data"), str(root / "s.sock"), str(root / "data" / "config.toml"))
        self._client = Client(endpoint(self._places))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """True while the process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How the process ended, None if it has not."""
        return None if self._process is None else self._process.poll()

    def start(self) -> float:
        """Start the process; return the milliseconds until ``health`` answered.

        Raises:
            NotReady: It ended or did not answer; the message has the end of its log.
        """
        where = self._places
        flags = ["--data-dir", str(where.data), "--socket", str(where.socket)]
        started = time.perf_counter()
        with (self._root / "app.log").open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - this very program, an argument list
                [*command(), "serve", "--stop-with-stdin", *flags],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment(self._home),
                cwd=self._root,
            )
        while time.perf_counter() - started < _START_S:
            if not self.running:
                break
            # It listens before it can answer: on a busy machine that takes longer than one call waits.
            with suppress(NotRunning, DeadlinePassed):
                self._client.call("health", timeout_s=5.0)
                return (time.perf_counter() - started) * 1000
            time.sleep(_POLL_S)
        raise NotReady(f"the app did not start: {self._log_end()}", hint="libra doctor says what is missing")

    def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Call a method of the app."""
        return self._client.call(method, params)

    def turns(self) -> int:
        """Return how many turns are stored."""
        counts = self.call("status").get("counts") or {}
        return int(counts.get("turn") or 0)

    def settle(self, timeout_s: float) -> None:
        """Wait until everything that is on the disk has been read, embedded and judged.

        Raises:
            NotReady: It takes longer than that.
        """
        end = time.perf_counter() + timeout_s
        while time.perf_counter() < end:
            left_ms = max(round((end - time.perf_counter()) * 1000), 1)
            if not self._client.call("drain", {"timeout_ms": left_ms}, timeout_s=timeout_s + 5.0)["pending"]:
                return
        raise NotReady(f"the app is still busy after {timeout_s:.0f} s")

    def _log_end(self) -> str:
        with suppress(OSError):
            lines = (self._root / "app.log").read_text("utf-8", "replace").splitlines()
            return " / ".join(lines[-_LOG_LINES:]) or "it said nothing"
        return "it left no log"

    def __enter__(self) -> Self:
        """Return itself; :meth:`start` starts it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ask it to stop, and see that it does."""
        with suppress(LibraError):
            if self.running:
                self._client.call("shutdown", timeout_s=2.0)
        self._client.close()
        process = self._process
        if process is None:
            return
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
