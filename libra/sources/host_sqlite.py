"""Another program's SQLite database, read beside its writer: the only module of the sources that opens one.

Rules: ``mode=ro`` and never ``immutable``, query-only, opened for one short transaction and closed after it (a
reader that stays in one pins the host's WAL), no checkpoint, and only the tables that the caller names: SQLite
itself refuses to read any other, since the same file may hold credentials. A failed open means "no news now",
never "empty".

Source: transcripts.md, OpenClaw SQLite era.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import apsw

from libra.ground.errors import SourceError
from libra.ground.records import Cursor

_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_COLUMNS: Final = "SELECT name FROM pragma_table_info(?)"
_CATALOGUE: Final = frozenset({"sqlite_schema", "sqlite_master", "pragma_table_info"})


@dataclass(frozen=True, slots=True)
class DatabaseParams:
    """How a host's database is read.

    Attributes:
        rows: Rows in one read transaction.
        step_bytes: Text held at once, about.
        row_max_bytes: Longer events are skipped and counted.
        busy_ms: How long the host's lock is waited for.
    """

    rows: int = 1000
    step_bytes: int = 16 * 1024 * 1024
    row_max_bytes: int = 8 * 1024 * 1024
    busy_ms: int = 2000


class HostSql:
    """One short look into a database; made by :func:`reading`."""

    def __init__(self, db: apsw.Connection, params: DatabaseParams) -> None:
        self._db = db
        self.params = params
        self._columns: dict[str, frozenset[str]] = {}
        self._tables = frozenset(str(row[0]) for row in db.execute(_TABLES))

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table with all of these columns: they differ between versions of a host."""
        if table not in self._tables:
            return False
        if table not in self._columns:
            self._columns[table] = frozenset(str(row[0]) for row in self._db.execute(_COLUMNS, (table,)))
        return self._columns[table].issuperset(columns)

    def rows(self, sql: str, bindings: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query."""
        yield from self._db.execute(sql, tuple(bindings))

    def named(self, sql: str, bindings: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
        """Yield the rows of a query by column name."""
        cursor = self._db.execute(sql, tuple(bindings))
        for row in cursor:
            yield dict(zip((column[0] for column in cursor.get_description()), row, strict=True))


@contextmanager
def reading(path: str, params: DatabaseParams, tables: frozenset[str]) -> Iterator[HostSql]:
    """Open a host's database for one short read transaction.

    Args:
        path: The database.
        params: How it is read.
        tables: The tables that may be read.

    Raises:
        SourceError: It cannot be read now (``no_news``), or is damaged (``damaged``).
    """
    allowed = tables | _CATALOGUE

    def authorize(action: int, first: str | None, *_rest: str | None) -> int:
        refused = action == apsw.SQLITE_READ and first not in allowed
        return apsw.SQLITE_DENY if refused else apsw.SQLITE_OK

    try:
        db = apsw.Connection(
            f"{Path(path).as_uri()}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
    except apsw.Error as error:
        raise SourceError("the database cannot be opened now", reason="no_news", where=path) from error
    try:
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        db.set_busy_timeout(params.busy_ms)
        db.execute("PRAGMA query_only = 1")
        db.authorizer = authorize
        db.execute("BEGIN")
        yield HostSql(db, params)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise SourceError("the database is damaged", reason="damaged", where=path) from error
    except apsw.Error as error:
        raise SourceError("the database cannot be read now", reason="no_news", where=path) from error
    finally:
        db.close()


def base_cursor(path: str, host: str, cursor: Cursor | None) -> Cursor:
    """Return the cursor with what a database's file is now.

    Raises:
        SourceError: The file cannot be looked at.
    """
    seen = signature(path)
    try:
        stat = Path(path).stat()
    except OSError as error:
        raise SourceError("the database cannot be looked at now", reason="no_news", where=path) from error
    if seen is None:
        raise SourceError("the database cannot be looked at now", reason="no_news", where=path)
    cursor = cursor or Cursor(path=path, host=host)
    return replace(
        cursor, form="sqlite", device=stat.st_dev, inode=stat.st_ino, size=seen[0], mtime_ns=seen[1]
    )


def signature(path: str) -> tuple[int, int] | None:
    """Return (bytes, newest time) of a database and its ``-wal``; None if it cannot be looked at.

    Writes to the WAL do not touch the main file.
    """
    try:
        main = Path(path).stat()
    except OSError:
        return None
    try:
        wal = Path(f"{path}-wal").stat()
    except OSError:
        return main.st_size, main.st_mtime_ns
    return main.st_size + wal.st_size, max(main.st_mtime_ns, wal.st_mtime_ns)


def number(value: Any) -> int:
    """Return a whole number as it is, -1 for anything else."""
    return value if isinstance(value, int) else -1


def text_bytes(text: Any) -> bytes | None:
    """Return the bytes of a TEXT or BLOB value, None for anything else."""
    if isinstance(text, str):
        return text.encode("utf-8", errors="replace")
    return text if isinstance(text, bytes) else None
