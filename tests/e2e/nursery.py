"""Starts the app again and again without paying for its imports: a parent that has loaded them, and forks.

A start from nothing costs two seconds of processor, nearly all of it imports. What is forked here runs the very ``libra
serve`` that a new interpreter would, in a process of its own that can be killed; only its imports are shared.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.running import Child, Running

_PRELOADED = (
    "libra.cli", "libra.app", "libra.cli.service", "libra.inference.embedder", "libra.rpc.libravdb_grpc",
    "onnxruntime", "tokenizers", "numpy", "apsw", "sqlite_vec", "watchdog.observers", "libra.desktop.progress",
)  # fmt: skip


class Nursery:
    """Owns the parent process; its children end with it."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: Any) -> Any:
        """Ask the parent something and return its answer."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(question) + "\n")
        self._parent.stdin.flush()
        return json.loads(self._parent.stdout.readline())

    def close(self) -> None:
        """End the parent and all children."""
        with contextlib.suppress(OSError):
            self._parent.communicate(timeout=30)


class Forked:
    """One child, with the part of ``Popen`` that :class:`Running` uses."""

    def __init__(self, nursery: Nursery, words: list[str], env: dict[str, str], log: Path) -> None:
        self._nursery = nursery
        self.pid: int = nursery.ask(words=words, env=env, log=str(log))
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        if self._code is None:
            self._code = self._nursery.ask(ended=self.pid)
        return self._code

    def send_signal(self, how: int) -> None:
        """Send it a signal; none to one that has ended."""
        if self.poll() is None:
            os.kill(self.pid, how)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the parent does the waiting, so that there is no limit but its own."""
        if self._code is None:
            self._code = self._nursery.ask(wait=self.pid)
        assert self._code is not None
        return self._code


class ForkedLibra(Running):
    """A :class:`Running` whose processes come from a nursery."""

    def __init__(self, folder: Path, nursery: Nursery, env: dict[str, str] | None = None) -> None:
        super().__init__(folder, env)
        self._nursery = nursery

    def spawn(self, *, command: str, ordinary: bool) -> Child:
        """Fork instead of starting an interpreter."""
        assert not ordinary, "a fork keeps its parent's rights"
        return Forked(self._nursery, self.words(command), self.environment(), self.log)


def _serve(words: list[str], env: dict[str, str], log: str) -> None:
    """Become ``libra``: its words, its environment, its output; never returns."""
    code = 1
    try:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, file in enumerate((nothing, out, out)):
            os.dup2(file, number)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = ["libra", *words]
        from libra.__main__ import main

        code = main()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _tend() -> None:
    """Fork and reap as told on standard input, until it ends."""
    import importlib

    for name in _PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    children: set[int] = set()
    codes: dict[int, int] = {}

    def reap(pid: int, flags: int) -> int | None:
        if pid not in codes:
            done, status = os.waitpid(pid, flags)
            if done:
                codes[pid] = os.waitstatus_to_exitcode(status)
                children.discard(pid)
        return codes.get(pid)

    for line in sys.stdin:
        asked = json.loads(line)
        if "ended" in asked:
            answer = reap(asked["ended"], os.WNOHANG)
        elif "wait" in asked:
            answer = reap(asked["wait"], 0)
        else:
            answer = os.fork()
            if answer == 0:
                _serve(asked["words"], asked["env"], asked["log"])
            children.add(answer)
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer
    for pid in children:
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    _tend()
