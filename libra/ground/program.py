"""How this very Libra is started again: by the one-file program, an installed command, or Python itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

RESET = "PYINSTALLER_RESET_ENVIRONMENT"
"""Set for a one-file program that another one starts: it would else believe that it is a part of that one."""


CLIENT = "libra-client.exe" if sys.platform == "win32" else "libra-client"
"""What the second program is called: see :mod:`libra.hosts.client`."""
BESIDE = "program.txt"
"""Beside a client that was laid out: the path of the whole program."""


BUILD_FILE = "build.txt"
_SOURCE = "source"

_LIBRARIES = "LD_LIBRARY_PATH"


def frozen() -> bool:
    """Say whether this is a built program, without a Python of its own."""
    return bool(getattr(sys, "frozen", False))


def build() -> str:
    """Return which build this is: what ``build.spec`` wrote down, or ``source`` for an installed package or a checkout."""
    package = Path(__file__).resolve().parent.parent
    with suppress(OSError):
        return (Path(getattr(sys, "_MEIPASS", package)) / BUILD_FILE).read_text("utf-8").strip() or _SOURCE
    return _SOURCE


def words() -> tuple[str, ...]:
    """Return the words that start this Libra; a command follows them."""
    own = Path(sys.executable)
    beside = own.with_name("libra.exe" if sys.platform == "win32" else "libra")
    if frozen():
        if own.name != CLIENT:
            return (sys.executable,)
        told = own.with_name(BESIDE)
        return (told.read_text("utf-8") if told.is_file() else str(beside),)
    return (str(beside),) if beside.exists() else (sys.executable, "-P", "-m", "libra")


def environment() -> dict[str, str]:
    """Return the environment for starting it."""
    return {**os.environ, **({RESET: "1"} if frozen() else {})}


def environment_outside(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for starting a program of the system's from this one.

    A built program sets where its own libraries are, and the system's programs would load those instead of theirs.

    Args:
        env: This program's environment.

    Source: PyInstaller's manual, "LD_LIBRARY_PATH considerations": the value before stands in ``…_ORIG``, if there was one.
    """
    outside = dict(env)
    if frozen():
        before = outside.pop(f"{_LIBRARIES}_ORIG", None)
        outside.pop(_LIBRARIES, None)
        if before is not None:
            outside[_LIBRARIES] = before
    return outside
