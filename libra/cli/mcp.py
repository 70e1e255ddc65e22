"""``libra mcp``: MCP on standard input and output, in front of the running app, which it starts if need be."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from libra.cli import EXIT_FAILED, EXIT_OK, EXIT_USAGE
from libra.cli.parser import Parser, mcp_flags, shared
from libra.cli.reaching import client_of, places_of
from libra.ground import program, toml
from libra.ground.errors import LibraError, NotRunning
from libra.mcp.server import Server

Json = dict[str, Any]

START_S = 20.0
"""How long a call waits for an app that it has started."""
_LOOK_S = 0.05
_CALL_S = 60.0


def main(argv: Sequence[str]) -> int:
    """``libra mcp`` by itself, as hosts start it: the same flags, without the other commands.

    Args:
        argv: The words after ``mcp``.
    """
    parser = Parser(prog="libra mcp", allow_abbrev=False)
    mcp_flags(parser)
    shared(parser, top=True)
    try:
        args = parser.parse_args(list(argv))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_USAGE
    try:
        return mcp(args)
    except KeyboardInterrupt:
        return EXIT_FAILED
    except LibraError as error:
        sys.stderr.write(f"libra: {error.message}\n")
        return EXIT_FAILED


def mcp(args: argparse.Namespace) -> int:
    """``libra mcp``: ends when the client closes its end."""
    app = Started(args)
    cwd = os.environ.get("CLAUDE_PROJECT_DIR") or str(Path.cwd())
    everything = args.all_tools or _wants_all(places_of(args).config)
    server = Server(app.call, host=args.host, cwd=cwd, began=app.begin, all_tools=everything)
    try:
        server.run(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        app.close()
    return EXIT_OK


def _wants_all(config: Path) -> bool:
    """Look for the one setting that counts here; what is wrong with the file is said when the app reads it."""
    try:
        found = toml.loads(config.read_bytes().decode("utf-8-sig")).get("mcp")
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("all_tools") is True


class Started:
    """The running app, started once in this process's life if nobody listens.

    Args:
        args: The command's flags: where the app is.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._client = client_of(args)
        self._tried = threading.Event()
        self._starting = threading.Lock()

    def begin(self) -> None:
        """Start it beside whatever comes next, if it is not there."""
        threading.Thread(target=self._start_if_away, name="libra-start", daemon=True).start()

    def call(self, method: str, params: Json) -> Any:
        """Carry out a verb.

        Raises:
            NotRunning: Nobody listens, and it could not be started.
            LibraError: What libra answered.
        """
        try:
            return self._client.call(method, params, timeout_s=_CALL_S)
        except NotRunning:
            if not self._start_if_away():
                raise
        return self._client.call(method, params, timeout_s=_CALL_S)

    def close(self) -> None:
        """Let the connection go; the app stays."""
        self._client.close()

    def _start_if_away(self) -> bool:
        """Start it if nobody listens; return True once somebody does."""
        with self._starting:
            if self._there():
                return True
            if self._args.no_start:
                return False
            # A second start while the first is still under way would only find the lock taken.
            if not self._tried.is_set():
                self._tried.set()
                _spawn(self._args)
            end = time.monotonic() + START_S
            while time.monotonic() < end:
                if self._there():
                    return True
                time.sleep(_LOOK_S)
            self._tried.clear()
            return False

    def _there(self) -> bool:
        with client_of(self._args) as probe:
            try:
                probe.call("health", {}, timeout_s=START_S)
            except NotRunning:
                return False
            self._tried.clear()
            return True


def _spawn(args: argparse.Namespace) -> None:
    """Start ``libra run`` on its own: it outlives this process and its terminal."""
    where = places_of(args)
    words = [*program.words(), "run", "--data-dir", str(where.data), "--socket", str(where.socket)]
    if where.config.exists():
        words += ["--config", str(where.config)]
    detached: Json = {"start_new_session": True}
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        detached = {"creationflags": flags}
    try:
        subprocess.Popen(  # noqa: S603 - this very program, an argument list
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=where.data.parent if where.data.parent.is_dir() else None,
            env=program.environment(),
            **detached,
        )
    except OSError as error:
        raise NotRunning(f"libra could not be started: {error.strerror}", reason="start") from None
