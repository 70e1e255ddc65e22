"""Copies of the database, made while it is in use, published by rename, the oldest let go."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path

import apsw

from libra.store.connection import translated

_PAGES_A_STEP = 2048
KEPT = 3
"""How many backups stay."""


def back_up(con: apsw.Connection, path: Path, folder: Path, label: str, now_ms: int) -> Path:
    """Copy the database of ``con`` to ``folder``; return the copy.

    The copy is written under another name and renamed when it is whole, so that a crash leaves no half backup.

    Args:
        con: A connection to the database.
        path: The database, for messages.
        folder: Where backups live; made if it is not there.
        label: Part of the name (``schema1``).
        now_ms: For the name.

    Raises:
        StoreError: The copy could not be made; the database is untouched.
    """
    stamp = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%dT%H%M%S%f")[:-3]
    target = folder / f"libra-{stamp}-{label}.db"
    partial = target.with_suffix(".partial")
    try:
        with translated(path):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.unlink(missing_ok=True)
            partial.touch(mode=0o600)
            copy = apsw.Connection(str(partial))
            try:
                with copy.backup("main", con, "main") as job:
                    while not job.done:
                        job.step(_PAGES_A_STEP)
                # The copy stands alone: no WAL beside it that could be lost.
                copy.pragma("journal_mode", "DELETE")
            finally:
                copy.close()
        partial.replace(target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    _let_go(folder)
    return target


def newest_backup(folder: Path) -> Path | None:
    """Return the newest copy, or None. Names sort by time."""
    found = _all(folder)
    return found[-1] if found else None


def _all(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("libra-*.db"), key=lambda p: (p.name, os.fspath(p)))
    except OSError:
        return []


def _let_go(folder: Path) -> None:
    for old in _all(folder)[:-KEPT]:
        with contextlib.suppress(OSError):
            old.unlink()
