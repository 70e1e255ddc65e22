"""Look at a database file before it is opened for writing, changing nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import apsw

from libra.ground.errors import StoreDamaged
from libra.store import backup

_HEADER = b"SQLite format 3\x00"
_HEADER_BYTES = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What was found at the database's place.

    Attributes:
        exists: There is a file with content.
        writable: File and folder can be written, as far as can be told.
        damage: What is wrong, None if nothing is.
        readable: Tables can be read in spite of the damage.
    """

    exists: bool
    writable: bool
    damage: StoreDamaged | None = None
    readable: bool = True


def examine(path: Path, check_bytes: int, busy_ms: int) -> Found:
    """Say in what state the database is.

    Args:
        path: The database.
        check_bytes: Up to this size all pages are checked, else only those of the schema.
        busy_ms: How long to wait for another process's lock.

    Source: lessons.md C69.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return Found(exists=False, writable=True)
    except OSError:
        return Found(exists=True, writable=False)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if size == 0:
        # A file of no bytes is what SQLite leaves when it is stopped at the very first start, unless there was more.
        if backup.newest_backup(path.parent / "backups") is None:
            return Found(exists=False, writable=writable)
        return Found(
            exists=True, writable=writable, damage=StoreDamaged("the database is empty"), readable=False
        )
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except OSError:
        return Found(exists=True, writable=False)
    if len(head) < _HEADER_BYTES or not head.startswith(_HEADER):
        return Found(
            exists=True, writable=writable, damage=StoreDamaged("the file is not a database"), readable=False
        )
    problem, readable = _check(path, busy_ms, whole=size <= check_bytes)
    if problem is None:
        return Found(exists=True, writable=writable)
    return Found(
        exists=True,
        writable=writable,
        damage=StoreDamaged(f"the database is damaged: {problem}"),
        readable=readable,
    )


def _check(path: Path, busy_ms: int, *, whole: bool) -> tuple[str | None, bool]:
    """Return what is wrong, or None, and whether the tables can be read."""
    try:
        con = apsw.Connection(
            path.as_uri() + "?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
    except apsw.Error:
        return None, True
    try:
        con.set_busy_timeout(busy_ms)
        tables = [row[0] for row in con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        con.execute("SELECT max(id) FROM item") if "item" in tables else None
    except (apsw.CorruptError, apsw.NotADBError) as error:
        con.close()
        return str(error), False
    except apsw.Error:
        # No damage, but it cannot be read this way (no rights, a journal to roll back): opening will say.
        con.close()
        return None, True
    try:
        lines = [row[0] for row in con.execute("PRAGMA quick_check(1)")] if whole else ["ok"]
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error), True
    except apsw.Error:
        return None, True
    else:
        return (None, True) if lines == ["ok"] else (str(lines[0]).replace("\n", " "), True)
    finally:
        con.close()
