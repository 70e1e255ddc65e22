"""Which folder a project folder of Cursor stands for, and how old a transcript in it is.

The folder's name is the project's path with everything but letters and digits turned into single hyphens, which cannot be turned
back. Where a person has said that they trust the project, a note beside the transcripts names it; else it is the one folder of this
disk whose path gives that name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from libra.sources.cursor import Told
from libra.sources.events import decode, text_of
from libra.sources.slices import TalkFile

_NOTE: Final = ".workspace-trusted"
_NOTE_MAX_BYTES: Final = 64 * 1024
_OTHER: Final = re.compile(r"[^A-Za-z0-9]+")
_FOLDERS_MAX: Final = 2_000
"""Folders that are looked into for one name."""


def told_of(file: TalkFile) -> Told:
    """Return what a transcript's place says."""
    top = Path(file.path)
    for _ in file.parts[1:]:
        top = top.parent
    try:
        written_ms: int | None = Path(file.path).stat().st_mtime_ns // 1_000_000
    except OSError:
        written_ms = None
    return Told(_noted(top / _NOTE) or folder_named(file.parts[0]), written_ms)


def _noted(path: Path) -> str | None:
    try:
        with path.open("rb") as note:
            event, _ = decode(note.read(_NOTE_MAX_BYTES))
    except OSError:
        return None
    return text_of(event.get("workspacePath")) if event is not None else None


def name_of(path: str) -> str:
    """Return the name that Cursor gives the folder of a project."""
    return _OTHER.sub("-", path).strip("-")


def folder_named(name: str, root: Path | None = None) -> str | None:
    """Return the folder whose path gives a name; None if there is none, or more than one.

    Args:
        name: As of :func:`name_of`.
        root: Where to look; the whole disk.
    """
    budget = iter(range(_FOLDERS_MAX))
    drive, _, rest = name.partition("-")
    if root is None and os.name == "nt":
        root, name = Path(f"{drive}:\\"), rest
    found = list(_below(root or Path("/"), name, budget))
    return found[0] if len(found) == 1 else None


def _below(folder: Path, name: str, budget: Iterator[int]) -> Iterator[str]:
    if next(budget, None) is None:
        return
    try:
        with os.scandir(folder) as entries:
            listed = [(entry.path, name_of(entry.name), entry) for entry in entries]
    except OSError:
        return
    for path, own, entry in listed:
        if not own or not (name == own or name.startswith(f"{own}-")):
            continue
        try:
            if not entry.is_dir():
                continue
        except OSError:
            continue
        if name == own:
            yield path
        else:
            yield from _below(Path(path), name[len(own) + 1 :], budget)
