"""The SQL side of OpenClaw's database of one agent: named tables, opened as :mod:`libra.sources.host_sqlite` says.

Source: transcripts.md, OpenClaw SQLite era; hosts.md §1.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from libra.sources import host_sqlite
from libra.sources.events import text_of
from libra.sources.host_sqlite import DatabaseParams, HostSql, number, text_bytes
from libra.sources.openclaw_sessions import SessionFacts, facts_of_key
from libra.sources.packed import MAGIC, unpack

_TABLES: Final = frozenset(
    {
        "transcript_events",
        "transcript_rewrite_watermarks",
        "memory_session_tombstones",
        "session_transcript_active_events",
        "session_transcript_archives",
        "session_windows",
        "session_nodes",
    }
)
_ARCHIVE_STEPS: Final = 4
"""An archived transcript may hold this many times what is read in one step."""
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
_BRANCH_MODULUS: Final = 1_000_003
_BRANCHES: Final = (
    "SELECT session_id, sum((event_seq + 1) * (event_seq + 1) % 1000003)"
    " FROM session_transcript_active_events GROUP BY session_id"
)
_ROWS: Final = (
    "SELECT seq, iif(length(event_json) <= ?, event_json, NULL), event_zstd FROM transcript_events "
    "WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
)
_ROWS_UNPACKED: Final = _ROWS.replace("event_zstd", "NULL")
_ARCHIVES: Final = (
    "SELECT session_id, generation, length(archive_blob) FROM session_transcript_archives WHERE reason = 'reset'"
    " ORDER BY session_id, generation"
)
_ARCHIVE: Final = (
    "SELECT archive_blob FROM session_transcript_archives"
    " WHERE session_id = ? AND generation = ? AND reason = 'reset' AND length(archive_blob) <= ?"
)
_WINDOW: Final = "SELECT * FROM session_windows WHERE session_id = ?"
_NODE: Final = "SELECT * FROM session_nodes WHERE session_key = ?"


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

    def __init__(self, sql: HostSql) -> None:
        self._sql = sql
        self._params = sql.params

    def windows(self) -> tuple[list[Window], frozenset[str]]:
        """Return the sessions that have events, and those that the person had the host forget (left out)."""
        if not self._sql.has("transcript_events"):
            return [], frozenset()
        generations: dict[str, str] = {}
        if self._sql.has("transcript_rewrite_watermarks"):
            generations = {str(row[0]): str(row[1]) for row in self._sql.rows(_GENERATIONS)}
        forgotten: set[str] = set()
        if self._sql.has("memory_session_tombstones"):
            forgotten = {str(row[0]) for row in self._sql.rows(_FORGOTTEN)}
        found = (
            Window(str(i), number(last), generations.get(str(i), "")) for i, last in self._sql.rows(_SESSIONS)
        )
        return [window for window in found if window.session_id not in forgotten], frozenset(forgotten)

    def rows(self, session_id: str, after: int, limit: int | None = None) -> list[Row]:
        """Return the events after a number, in order: up to ``limit``, fewer if they are long."""
        sql = _ROWS if self._sql.has("transcript_events", "event_zstd") else _ROWS_UNPACKED
        bindings = (self._params.row_max_bytes, session_id, after, limit or self._params.rows)
        out: list[Row] = []
        held = 0
        for seq, text, blob in self._sql.rows(sql, bindings):
            data = self._unpacked(text, blob)
            out.append(Row(number(seq), data))
            held += len(data or b"")
            if held >= self._params.step_bytes:
                break
        return out

    def active(self, session_id: str) -> frozenset[int] | None:
        """Return the numbers of the events on the active branch, None if the host does not keep them."""
        if not self._sql.has("session_transcript_active_events", "event_seq"):
            return None
        return frozenset(number(row[0]) for row in self._sql.rows(_ACTIVE, (session_id,))) or None

    def branches(self) -> dict[str, int]:
        """Return the sum of all :func:`branch_mark` (whose modulus the SQL repeats) on each session's active branch; {} if the host keeps none."""
        if not self._sql.has("session_transcript_active_events", "event_seq"):
            return {}
        return {str(session): number(mark) for session, mark in self._sql.rows(_BRANCHES)}

    def archives(self) -> list[tuple[str, str, int]]:
        """Return session, generation and bytes of the transcripts that a reset put aside; never of deleted ones."""
        if not self._sql.has(
            "session_transcript_archives", "session_id", "generation", "reason", "archive_blob"
        ):
            return []
        return [(str(i), str(generation), number(size)) for i, generation, size in self._sql.rows(_ARCHIVES)]

    def archive(self, session_id: str, generation: str) -> bytes | None:
        """Return the lines of such a transcript, None if they are too many or damaged."""
        most = self._params.step_bytes * _ARCHIVE_STEPS
        for (blob,) in self._sql.rows(_ARCHIVE, (session_id, generation, most)):
            data = text_bytes(blob) or b""
            return unpack(data, most) if data.startswith(MAGIC) else data
        return None

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
        return next(self._sql.named(sql, (key,)), {}) if self._sql.has(table) else {}

    def _unpacked(self, text: Any, blob: Any) -> bytes | None:
        plain = text_bytes(text)
        if plain is None and isinstance(blob, bytes):
            return unpack(blob, self._params.row_max_bytes)
        return plain


def branch_mark(seq: int) -> int:
    """Return what an event adds to the mark of its branch: two branches hardly ever have the same."""
    return (seq + 1) * (seq + 1) % _BRANCH_MODULUS


@contextmanager
def reading(path: str, params: DatabaseParams) -> Iterator[HostDatabase]:
    """Open an agent's database for one short read transaction.

    Raises:
        SourceError: It cannot be read now (``no_news``), or is damaged (``damaged``).
    """
    with host_sqlite.reading(path, params, _TABLES) as sql:
        yield HostDatabase(sql)
