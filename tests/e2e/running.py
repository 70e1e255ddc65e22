"""A real Libra in its own process, with agents' folders of its own, spoken to over its socket."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from libra.ground.errors import NotRunning
from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint

START_S = 60.0
_MINUTES = 5
Json = dict[str, Any]
_ORDINARY = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
)


class Child(Protocol):
    """What is used of a started process."""

    @property
    def pid(self) -> int:
        """Its number."""

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""

    def send_signal(self, how: int, /) -> None:
        """Send it a signal."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return its exit code."""


class Running:
    """Starts, stops and kills ``libra serve`` on one folder; files of agents are written beside it.

    Args:
        folder: An empty folder on a short path.
        env: Further environment.
    """

    def __init__(self, folder: Path, env: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.home = folder / "home"
        self.claude = self.home / ".claude"
        self.openclaw = self.home / ".openclaw"
        self.socket = folder / "s.sock"
        self.log = folder / "stderr.log"
        for path in (self.claude / "projects", self.openclaw):
            path.mkdir(parents=True, exist_ok=True)
        self._env = env or {}
        self._process: Child | None = None
        self.client = Client(UnixEndpoint(self.socket), timeout_s=90.0)

    # ------------------------------------------------------------------ the process

    def configure(self, toml: str) -> None:
        """Write the configuration file, before the start."""
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / "config.toml").write_text(toml, encoding="utf-8")

    def start(self, *, command: str = "serve", ordinary: bool = False) -> Running:
        """Start and wait until it answers and its model is loaded or known to be missing.

        Args:
            command: ``serve``, or ``run`` for the tray icon too.
            ordinary: Without root's right to pass over file modes, which root else keeps.
        """
        self.begin(command=command, ordinary=ordinary)
        self.until(lambda: self.call("status")["model"]["state"] != "loading", START_S)
        return self

    def begin(self, *, command: str = "serve", ordinary: bool = False) -> None:
        """Start and wait for nothing."""
        self._process = self.spawn(command=command, ordinary=ordinary)

    def words(self, command: str) -> list[str]:
        """Return what stands behind ``libra`` on the command line."""
        return [command, "--data-dir", str(self.data), "--socket", str(self.socket)]

    def spawn(self, *, command: str, ordinary: bool) -> Child:
        """Start the process, without waiting for it."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [
                    *(_ORDINARY if ordinary and os.geteuid() == 0 else ()),
                    *(sys.executable, "-m", "libra", *self.words(command)),
                ],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def environment(self) -> dict[str, str]:
        """Return the environment of a program of this person: their folders, and nothing of this machine's agents."""
        return {
            **{
                k: v
                for k, v in os.environ.items()
                if not k.startswith(("LIBRA_", "CLAUDE", "CODEX", "GEMINI", "HERMES", "OPENCLAW", "XDG_"))
            },
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.claude),
            "OPENCLAW_STATE_DIR": str(self.openclaw),
            **self._env,
        }

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> int | None:
        """Ask it to end, and return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a crash would."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> int | None:
        self.client.close()
        if self._process is None:
            return None
        process, self._process = self._process, None
        process.send_signal(how)
        return process.wait(30)

    # ------------------------------------------------------------------ calls

    def call(self, method: str, **params: Any) -> Any:
        """Call a method."""
        return self.client.call(method, params)

    def drain(self) -> None:
        """Wait until everything that was written is read, embedded and judged."""
        # Several times a minute: on a starved machine the work takes its time, and only standing still is a fault.
        assert any(self.call("drain", timeout_ms=60_000) == {"pending": 0} for _ in range(_MINUTES))

    def until(self, holds: Callable[[], bool], timeout_s: float = 30.0) -> None:
        """Ask again until something holds: an event of another process has no other sign."""
        end = time.monotonic() + timeout_s
        while True:
            try:
                if holds():
                    return
            except NotRunning:
                assert self._process is None or self._process.poll() is None, self.log.read_text()[-3000:]
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.02)

    def turns(self) -> int:
        """Return how many turns are stored."""
        count: int = self.call("status")["counts"]["turn"]
        return count

    def search(self, query: str, **more: Any) -> list[Json]:
        """Return the hits of a search."""
        hits: list[Json] = self.call("search", query=query, **more)["hits"]
        return hits

    # ------------------------------------------------------------------ agents' files

    def transcript(self, name: str, project: str = "-home-dev-harbor") -> Path:
        """Return the path of a Claude Code transcript."""
        folder = self.claude / "projects" / project
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.jsonl"

    def sessions(self, agent: str = "main") -> Path:
        """Return OpenClaw's session folder of an agent."""
        folder = self.openclaw / "agents" / agent / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def bytes_of_everything(self) -> bytes:
        """Return all that Libra wrote: database, WAL, log, backups."""
        files = [p for p in self.data.rglob("*") if p.is_file()] + [self.log]
        return b"\0".join(p.read_bytes() for p in files)


def cc(uuid: str, role: str, text: str, ts: str, session: str = "A", cwd: str = "/home/dev/harbor") -> str:
    """Return one Claude Code line."""
    content = text if role == "user" else [{"type": "text", "text": text}]
    return json.dumps(
        {
            "type": role,
            "uuid": uuid,
            "parentUuid": None,
            "isSidechain": False,
            "sessionId": session,
            "cwd": cwd,
            "timestamp": ts,
            "message": {"role": role, "content": content},
        },
        ensure_ascii=False,
    )


def oc_header(session: str, ts: str = "2026-04-10T08:00:00.000Z") -> str:
    """Return OpenClaw's first line."""
    return json.dumps({"type": "session", "version": 3, "id": session, "timestamp": ts, "cwd": "/home/dev"})


def oc(event: str, parent: str | None, role: str, text: str, ts: str) -> str:
    """Return one OpenClaw message line."""
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return json.dumps(
        {"type": "message", "id": event, "parentId": parent, "timestamp": ts, "message": message},
        ensure_ascii=False,
    )


def minute(n: int) -> str:
    """Return a time, ``n`` minutes into a day."""
    return f"2026-04-10T{8 + n // 60:02}:{n % 60:02}:00.000Z"


def write(path: Path, *lines: str, end: str = "\n") -> None:
    """Append lines to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines[:-1]) + (lines[-1] + end if lines else ""))
