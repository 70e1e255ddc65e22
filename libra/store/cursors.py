"""Rows of ``source``: how far each transcript was read, and in what state it was found."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from libra.ground.records import Cursor
from libra.store.sql import Reader, Row
from libra.store.writer import WriteTx

_COLUMNS = (
    "path", "host", "form", "device", "inode", "size", "offset", "mtime_ns", "head_sha256", "head_bytes",
    "tail_sha256", "lines", "bad_lines", "oversize_lines", "waiting_bytes", "session_key", "positions", "parser",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)}, id, state, state_ms, last_read_ms, turns, has_cursor FROM source"
_PUT = (
    f"INSERT INTO source({', '.join(_COLUMNS)}, last_read_ms, state_ms)"
    f" VALUES({', '.join('?' for _ in _COLUMNS)}, ?, ?)"
    f" ON CONFLICT(path) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in _COLUMNS[1:])},"
    " last_read_ms = excluded.last_read_ms, has_cursor = 1,"
    " state_ms = CASE WHEN state = 'ok' THEN state_ms ELSE excluded.state_ms END, state = 'ok'"
    " RETURNING id"
)


OK, GONE = "ok", "gone"
"""States of a source: as it should be; deleted by its host."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source as status shows it.

    Attributes:
        cursor: How far it was read; None when it has only a state so far, or the cursor was dropped.
        state: ``ok``, ``unreadable``, ``gone``, ``moved`` or ``excluded``; ``state_ms`` is since when.
        turns: How many turns came from it first.
    """

    id: int
    path: str
    host: str
    cursor: Cursor | None
    state: str
    state_ms: int
    last_read_ms: int
    turns: int


def get(s: Reader, path: str) -> Cursor | None:
    """Return how far ``path`` was read, or None."""
    found = s.one(f"{_SELECT} WHERE path = ? AND has_cursor = 1", (path,))
    return None if found is None else _row(found).cursor


def every(s: Reader) -> list[SourceRow]:
    """Return all sources, by path."""
    return [_row(found) for found in s.rows(f"{_SELECT} ORDER BY path")]


def gone(s: Reader, limit: int) -> list[tuple[str, str, int, int]]:
    """Return host, path, when it was found gone, and turns, of the transcripts last found gone, newest first."""
    found = s.rows(
        "SELECT host, path, state_ms, turns FROM source WHERE state = 'gone' ORDER BY state_ms DESC, path LIMIT ?",
        (limit,),
    )
    return [(str(host), str(path), int(at_ms), int(turns)) for host, path, at_ms, turns in found]


def put(tx: WriteTx, cursor: Cursor, now_ms: int) -> int:
    """Keep the cursor; the source is ``ok`` again. Return its row id.

    Call it in the transaction that stores what the cursor stands behind.
    """
    values = (
        cursor.path, cursor.host, cursor.form, str(cursor.device), str(cursor.inode), cursor.size,
        cursor.offset, cursor.mtime_ns, cursor.head_sha256, cursor.head_bytes, cursor.tail_sha256, cursor.lines,
        cursor.bad_lines, cursor.oversize_lines, cursor.waiting_bytes, cursor.session_key,
        orjson.dumps(cursor.positions).decode(), orjson.dumps(cursor.parser).decode(), now_ms, now_ms,
    )  # fmt: skip
    return int(tx.value(_PUT, values))


def mark_state(tx: WriteTx, path: str, host: str, state: str, now_ms: int) -> None:
    """Note in what state a source was found; ``state_ms`` moves only when the state changes."""
    tx.run(
        "INSERT INTO source(path, host, form, has_cursor, state, state_ms) VALUES(?1, ?2, '', 0, ?3, ?4)"
        " ON CONFLICT(path) DO UPDATE SET state = ?3,"
        " state_ms = CASE WHEN state = ?3 THEN state_ms ELSE ?4 END",
        (path, host, state, now_ms),
    )


def drop(tx: WriteTx, path: str) -> bool:
    """Forget how far ``path`` was read: it is read again from its start. Return whether there was a cursor."""
    return tx.run("UPDATE source SET has_cursor = 0 WHERE path = ? AND has_cursor = 1", (path,)) > 0


def _row(found: Row) -> SourceRow:
    *fields, row_id, state, state_ms, last_read_ms, turns, has_cursor = found
    values = dict(zip(_COLUMNS, fields, strict=True))
    positions = {k: (int(v[0]), str(v[1])) for k, v in orjson.loads(values.pop("positions")).items()}
    parser = orjson.loads(values.pop("parser"))
    values["device"], values["inode"] = int(values["device"]), int(values["inode"])
    cursor = Cursor(**values, positions=positions, parser=parser) if has_cursor else None
    return SourceRow(row_id, values["path"], values["host"], cursor, state, state_ms, last_read_ms, turns)


def ensure(tx: WriteTx, path: str, host: str, now_ms: int) -> int:
    """Return the row id of the source at ``path``, making a row without a cursor if there is none."""
    found = tx.value("SELECT id FROM source WHERE path = ?", (path,))
    if found is not None:
        return int(found)
    return tx.insert(
        "INSERT INTO source(path, host, form, has_cursor, state_ms) VALUES(?, ?, '', 0, ?)",
        (path, host, now_ms),
    )
