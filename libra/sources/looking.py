"""Is it there? Asked where an answer that cannot be had means no (``Path.is_dir`` raises on a closed folder)."""

from __future__ import annotations

import os
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there and can be looked at."""
    return os.path.isdir(path)  # noqa: PTH112 - never raises


def is_file(path: str | Path) -> bool:
    """Whether a plain file is there and can be looked at."""
    return os.path.isfile(path)  # noqa: PTH113 - never raises
