"""How this very Libra is started again: by the one-file program, an installed command, or Python itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

RESET = "PYINSTALLER_RESET_ENVIRONMENT"
"""Set for a one-file program that another one starts: it would else believe that it is a part of that one."""


def frozen() -> bool:
    """Say whether this is a built program, without a Python of its own."""
    return bool(getattr(sys, "frozen", False))


def words() -> tuple[str, ...]:
    """Return the words that start this Libra; a command follows them."""
    if frozen():
        return (sys.executable,)
    beside = Path(sys.executable).with_name("libra.exe" if sys.platform == "win32" else "libra")
    return (str(beside),) if beside.exists() else (sys.executable, "-P", "-m", "libra")


def environment() -> dict[str, str]:
    """Return the environment for starting it."""
    return {**os.environ, **({RESET: "1"} if frozen() else {})}
