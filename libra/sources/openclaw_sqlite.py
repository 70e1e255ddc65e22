"""The SQL side of OpenClaw's database of one agent: named tables, opened read-only beside the host's writer.

Rules: ``mode=ro`` and never ``immutable``, query-only, opened for one short transaction and closed after it (a
reader that stays in one pins the host's WAL), no checkpoint, no other table than those named here: the same
file holds credentials. A failed open means "no news now", never "empty".

Source: transcripts.md, OpenClaw SQLite era; hosts.md §1.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import apsw

from libra.ground.errors import SourceError
from libra.sources.events import text_of
from libra.sources.openclaw_sessions import SessionFacts, facts_of_key

_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_COLUMNS: Final = "SELECT name FROM pragma_table_info(?)"
_SESSIONS: Final = """
WITH RECURSIVE s(id) AS (
  SELECT min(session_id) FROM transcript_events
  UNION ALL
  SELECT (SELECT min(session_id) FROM transcript_events WHERE session_id > s.id) FROM s WHERE s.id IS NOT NULL
)
SELECT s.id, (SELECT max(seq) FROM transcript_events e WHERE e.session_id = s.id) FROM s WHERE s.id IS NOT NULL
"""
"""One seek a session, where GROUP BY would walk over all events."""
_GENERATIONS: Final = "SELECT session_id, generation FROM transcript_rewrite_watermarks"
_FORGOTTEN: Final = "SELECT session_id FROM memory_session_tombstones"
_ACTIVE: Final = "SELECT event_seq FROM session_transcript_active_events WHERE session_id = ?"
_ROWS: Final = (
    "SELECT seq, iif(length(event_json) <= ?, event_json, NULL), event_zstd FROM transcript_events "
    "WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
)
_ROWS_UNPACKED: Final = _ROWS.replace("event_zstd", "NULL")
_WINDOW: Final = "SELECT * FROM session_windows WHERE session_id = ?"
_NODE: Final = "SELECT * FROM session_nodes WHERE session_key = ?"


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


@dataclass(frozen=True, slots=True)
class Row:
    """One event: its number in the session and its bytes; None if it is too long or cannot be unpacked."""

    seq: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Window:
    """A session in the database: its last event's number, and what its rows have been rewritten to."""

    session_id: str
    last: int
    generation: str


class HostDatabase:
    """One short look into the database; made by :func:`reading`."""

    def __init__(self, db: apsw.Connection, params: DatabaseParams) -> None:
        self._db = db
        self._params = params
        self._tables = frozenset(str(row[0]) for row in db.execute(_TABLES))

    def windows(self) -> tuple[list[Window], int]:
        """Return the sessions that have events, and how many the person had the host forget (left out)."""
        if "transcript_events" not in self._tables:
            return [], 0
        generations: dict[str, str] = {}
        if "transcript_rewrite_watermarks" in self._tables:
            generations = {str(row[0]): str(row[1]) for row in self._db.execute(_GENERATIONS)}
        forgotten: set[str] = set()
        if "memory_session_tombstones" in self._tables:
            forgotten = {str(row[0]) for row in self._db.execute(_FORGOTTEN)}
        found = (
            Window(str(i), _number(last), generations.get(str(i), ""))
            for i, last in self._db.execute(_SESSIONS)
        )
        return [window for window in found if window.session_id not in forgotten], len(forgotten)

    def rows(self, session_id: str, after: int, limit: int | None = None) -> list[Row]:
        """Return the events after a number, in order: up to ``limit``, fewer if they are long."""
        sql = _ROWS if "event_zstd" in self._columns("transcript_events") else _ROWS_UNPACKED
        bindings = (self._params.row_max_bytes, session_id, after, limit or self._params.rows)
        out: list[Row] = []
        held = 0
        for seq, text, blob in self._db.execute(sql, bindings):
            data = self._unpacked(text, blob)
            out.append(Row(_number(seq), data))
            held += len(data or b"")
            if held >= self._params.step_bytes:
                break
        return out

    def active(self, session_id: str) -> frozenset[int] | None:
        """Return the numbers of the events on the active branch, None if the host does not keep them."""
        table = "session_transcript_active_events"
        if table not in self._tables or "event_seq" not in self._columns(table):
            return None
        return frozenset(_number(row[0]) for row in self._db.execute(_ACTIVE, (session_id,))) or None

    def facts(self, session_id: str) -> SessionFacts | None:
        """Return what the host's session tables say of a session."""
        window = self._one("session_windows", _WINDOW, session_id)
        key = text_of(window.get("session_key"))
        if key is None:
            return None
        created = text_of(self._one("session_nodes", _NODE, key).get("created_via"))
        parent = text_of(window.get("previous_session_id"))
        if parent is None and (above := text_of(window.get("parent_session_key"))):
            parent = text_of(self._one("session_nodes", _NODE, above).get("current_session_id"))
        return facts_of_key(key, created, parent)

    def _one(self, table: str, sql: str, key: str) -> dict[str, Any]:
        """Return the row with this key by column name, {} without one: columns differ between versions."""
        if table not in self._tables:
            return {}
        cursor = self._db.execute(sql, (key,))
        for row in cursor:
            return dict(zip((column[0] for column in cursor.get_description()), row, strict=True))
        return {}

    def _columns(self, table: str) -> frozenset[str]:
        return frozenset(str(row[0]) for row in self._db.execute(_COLUMNS, (table,)))

    def _unpacked(self, text: Any, blob: Any) -> bytes | None:
        if isinstance(text, str):
            return text.encode("utf-8", errors="replace")
        if isinstance(text, bytes):
            return text
        if isinstance(blob, bytes) and blob.startswith(_ZSTD_MAGIC):
            return _unzstd(blob, self._params.row_max_bytes)
        return None


@contextmanager
def reading(path: str, params: DatabaseParams) -> Iterator[HostDatabase]:
    """Open a host's database for one short read transaction.

    Raises:
        SourceError: It cannot be read now (``no_news``), or is damaged (``damaged``).
    """
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
        db.execute("BEGIN")
        yield HostDatabase(db, params)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise SourceError("the database is damaged", reason="damaged", where=path) from error
    except apsw.Error as error:
        raise SourceError("the database cannot be read now", reason="no_news", where=path) from error
    finally:
        db.close()


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


def _number(value: Any) -> int:
    return value if isinstance(value, int) else -1


def _unzstd(blob: bytes, limit: int) -> bytes | None:
    """Return unpacked bytes; None without a zstd library, for damaged data, or over ``limit`` bytes."""
    try:
        import zstandard
    except ImportError:
        return None
    try:
        with zstandard.ZstdDecompressor().stream_reader(blob) as reader:
            data: bytes = reader.read(limit + 1)
    except zstandard.ZstdError:
        return None
    return data if len(data) <= limit else None
