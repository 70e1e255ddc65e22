"""Folders that had to be made for a file of ours in somebody else's place, so that they can go with it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def made_for(file: Path) -> list[Path]:
    """Make the folders of a file, for their owner only; return those that were not there, the innermost first.

    Raises:
        OSError: One cannot be made.
    """
    missing = [folder for folder in file.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    return missing


def take_back(folders: Iterable[Path]) -> list[Path]:
    """Remove those of the folders that are empty, the innermost first; return those that stay, since others use them."""
    kept = []
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()
        if folder.is_dir():
            kept.append(folder)
    return kept
