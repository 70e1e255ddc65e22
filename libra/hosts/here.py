"""This machine's agents, and how they start this very Libra."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from libra.ground import program
from libra.ground.paths import Places, flags_of, shipped
from libra.hosts import client, hook, plan
from libra.hosts.edits import Unreadable
from libra.hosts.table import HOSTS, Host, Surroundings
from libra.hosts.wishes import Program


def surroundings() -> Surroundings:
    """Return where this person's settings are."""
    return Surroundings(Path.home(), os.environ, lambda path: path.exists())


def found(around: Surroundings) -> list[Host]:
    """Return the agents that are installed here."""
    return [host for host in HOSTS if around.there(host.folder(around))]


def connected(around: Surroundings, how: Program) -> list[tuple[Host, bool]]:
    """Return the agents that are here, and whether each has all that ``connect`` would write."""
    return [(host, _complete(host, around, how)) for host in found(around)]


def _complete(host: Host, around: Surroundings, how: Program) -> bool:
    try:
        return not plan.connect(host.wishes(around, how), _bytes)
    except (Unreadable, OSError):
        return False


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def program_of(places: Places, *, lay_out: bool = True) -> Program:
    """Return how hosts start this very Libra; a built one lays its second program out for them.

    Args:
        places: Where Libra's things are.
        lay_out: False to only say where the second program would be.

    Raises:
        ConfigError: That cannot be done.
    """
    light = client.ready(places.data) if lay_out else client.place(places.data)
    words = program.words() if light is None else (str(light),)
    return Program(
        libra=words,
        hook=_hook() if light is None else words,
        data=places.data,
        config=places.config,
        socket=places.socket,
        flags=flags_of(places),
        openclaw=_texts("packaging/openclaw"),
        hermes=_hermes_texts(),
        opencode=_opencode_texts(),
        windows=sys.platform == "win32",
    )


def _hook() -> tuple[str, ...]:
    if program.frozen():
        return (sys.executable, "hook")
    return (sys.executable, "-I", "-S", os.path.abspath(hook.__file__))  # noqa: PTH100 - links stay


def _texts(name: str) -> dict[str, str]:
    folder = shipped(name)
    files = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []
    return {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in files if p.suffix != ".pyc"}


def _opencode_texts() -> dict[str, str]:
    """Return the plugin's files: its own, and the connection that it shares with the one for OpenClaw."""
    own, shared = _texts("packaging/opencode"), _texts("packaging/openclaw")
    return {**own, "connection.js": shared["connection.js"]} if own and "connection.js" in shared else {}


def _hermes_texts() -> dict[str, str]:
    """Return the provider's files: its own, and the hook program as the client that it speaks with."""
    own = _texts("packaging/hermes")
    source = Path(hook.__file__)
    return {**own, "client.py": source.read_text("utf-8")} if own and source.is_file() else {}
