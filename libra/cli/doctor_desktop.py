"""The doctor's looks at the desktop: display and tray, start at login, agents, execution providers, rights, the clock."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from libra.cli.finding import OK, WARNING, Finding, Look
from libra.ground.paths import Places

_RELEASED_S = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
"""Before this there was no Libra: a clock that says so is wrong."""
_DAY_S = 86_400.0


def _display(_where: Places) -> Iterator[Finding]:
    from libra.desktop import tray

    shown, note = tray.available()
    if not shown:
        hint = "everything else works; start it with `libra serve`, or from the desktop for an icon"
        yield Finding("tray", OK if note.startswith("no display") else WARNING, note, hint)
        return
    missing = tray.advice(os.environ, host=tray.host_there())
    if missing is not None:
        yield Finding("tray", WARNING, "there is a display, but nothing that shows icons", missing)
    else:
        yield Finding("tray", OK, note or "an icon with a menu", None)


def _login(_where: Places) -> Iterator[Finding]:
    from libra.desktop.autostart import autostart

    way = autostart(Path.home(), os.environ)
    if way.is_on():
        yield Finding("login", OK, f"Libra starts at login ({way.where})")
    else:
        yield Finding("login", OK, "Libra does not start at login", "`libra autostart on` has it do so")


def _agents(where: Places) -> Iterator[Finding]:
    from libra.hosts import here

    found = here.connected(here.surroundings(), here.program_of(where, lay_out=False))
    for host, whole in found:
        hint = None if whole else f"`libra connect {host.name}` connects it and shows each change"
        yield Finding("agents", OK, f"{host.title} is {'connected' if whole else 'not connected'}", hint)
    if not found:
        yield Finding("agents", OK, "no agent that can be connected was found")


def _providers(where: Places) -> Iterator[Finding]:
    from libra.config import load
    from libra.inference.providers import ORT_NAMES, candidates
    from libra.inference.session import available_providers

    named = load(where.config).model.providers
    have = available_providers()
    wanted = candidates(sys.platform, named)
    usable = [name for name in wanted if ORT_NAMES[name] in have]
    missing = [name for name in named or () if ORT_NAMES[name] not in have]
    detail = f"{', '.join(usable)} (tried in this order; the first that computes right is used)"
    if missing:
        hint = "install an ONNX Runtime that has it, or take it out of model.providers"
        yield Finding("providers", WARNING, f"{', '.join(missing)} is set but not installed; {detail}", hint)
    else:
        yield Finding("providers", OK, detail)


def _rights(where: Places) -> Iterator[Finding]:
    """See that nobody else reads or changes what is ours."""
    if os.name != "posix":
        return
    found = [
        (path, mode)
        for path in (where.socket, where.database, where.config, where.run)
        if path.exists()
        and (mode := stat.S_IMODE(path.stat().st_mode)) & (0o022 if path == where.config else 0o077)
    ]
    for path, mode in found:
        yield Finding(
            "rights", WARNING, f"{path} has mode {mode:04o}: others may use it", f"chmod go-rwx {path}"
        )
    if not found:
        yield Finding("rights", OK, "socket, database and settings are this user's alone")


def _clock(where: Places) -> Iterator[Finding]:
    """See that now is neither before Libra was made nor before what it has already written."""
    now_s = time.time()
    hint = "set the machine's clock: memories are ordered and forgotten by it"
    written_s = where.database.stat().st_mtime if where.database.exists() else 0.0
    told = datetime.fromtimestamp(now_s, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    if now_s < _RELEASED_S:
        yield Finding("clock", WARNING, f"it says {told}, which cannot be", hint)
    elif written_s > now_s + _DAY_S:
        yield Finding("clock", WARNING, f"it says {told}, but the database was written after that", hint)
    else:
        yield Finding("clock", OK, told)


DESKTOP_LOOKS: tuple[tuple[str, Look], ...] = (
    ("tray", _display),
    ("login", _login),
    ("agents", _agents),
    ("providers", _providers),
    ("rights", _rights),
    ("clock", _clock),
)
"""In the order in which a person wants to know."""
