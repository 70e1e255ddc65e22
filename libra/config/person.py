"""Who the person is, where the file does not say."""

from __future__ import annotations

import getpass
from pathlib import Path


def os_user() -> str:
    """Return the name of the user who is logged in; ``user`` where the system knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return Path.home().name or "user"
