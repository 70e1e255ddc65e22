"""One pass over OpenClaw's database of an agent, step by step, like a transcript file.

A position is (session, seq), good for one rewrite generation and one row: its tag holds the generation and a
digest of the row. If either differs, the session is read again from its start; identity by event makes that
harmless. An event that is not whole and is the newest of its session waits; one with others after it is
malformed.

Source: transcripts.md, OpenClaw SQLite era.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from libra.ground.errors import SourceError
from libra.ground.records import Cursor, SourceBatch, digest
from libra.sources.events import ParseParams, Said, decode, text_of
from libra.sources.openclaw import HOST, OpenClawParser, abandoned
from libra.sources.openclaw_sqlite import DatabaseParams, HostDatabase, Row, Window, reading, signature
from libra.sources.transcripts import batches

FILE_NAME: Final = "openclaw-agent.sqlite"
_WARM_ROWS: Final = 8
"""Rows before a position that are parsed again, for their context: the latest answers, the time."""
_TREE_ROWS: Final = 50_000
"""Sessions with more events are not looked through for left branches."""


@dataclass(frozen=True, slots=True)
class DatabaseSlice:
    """What one step brought; see :class:`libra.sources.transcripts.Slice`.

    Attributes:
        waiting: Events so far in this pass that are not whole yet.
        forgotten: Sessions that the person had the host forget.
    """

    batches: tuple[SourceBatch, ...]
    cursor: Cursor
    done: bool
    folders: frozenset[str] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    waiting: int = 0
    forgotten: int = 0


@dataclass(slots=True)
class _Open:
    """The session that is being read: where to go on, and with which parser."""

    window: Window
    at: int
    parser: OpenClawParser


class OpenClawDatabase:
    """One pass over a database; make a new one for the next pass.

    Args:
        path: Real path of the database.
        agent: The agent whose it is.
        parse: Settings of the parser.
        params: Settings of the reading.
    """

    def __init__(
        self, path: str, agent: str, parse: ParseParams, params: DatabaseParams | None = None
    ) -> None:
        self.path = path
        self._agent = agent
        self._parse = parse
        self._params = params or DatabaseParams()
        self._todo: list[tuple[Window, int]] | None = None
        self._open: _Open | None = None
        self._waiting = 0
        self._forgotten = 0

    def step(self, cursor: Cursor | None) -> DatabaseSlice:
        """Read the next rows after ``cursor``, which is what the last step returned.

        Raises:
            SourceError: The database cannot be read now; nothing was taken.
        """
        base = self._base(cursor)
        if self._todo is None:
            with reading(self.path, self._params) as db:
                self._todo = self._news(db, base)
        if self._open is None and self._todo:
            self._open = self._begin(*self._todo.pop())
        if self._open is None:
            return DatabaseSlice((), base, done=True, waiting=self._waiting, forgotten=self._forgotten)
        with reading(self.path, self._params) as db:
            rows = db.rows(self._open.window.session_id, self._open.at)
        return self._parse_rows(self._open, rows, base)

    def _base(self, cursor: Cursor | None) -> Cursor:
        """Return the cursor with what the file is now.

        Raises:
            SourceError: The file cannot be looked at.
        """
        size_and_time = signature(self.path)
        if size_and_time is None:
            raise SourceError("the database cannot be looked at now", reason="no_news", where=self.path)
        stat = Path(self.path).stat()
        cursor = cursor or Cursor(path=self.path, host=HOST)
        return replace(
            cursor,
            form="sqlite",
            device=stat.st_dev,
            inode=stat.st_ino,
            size=size_and_time[0],
            mtime_ns=size_and_time[1],
        )

    def _news(self, db: HostDatabase, base: Cursor) -> list[tuple[Window, int]]:
        """Return the sessions with something new and the position in each; popped from the end."""
        windows, self._forgotten = db.windows()
        todo = []
        for window in windows:
            at = _position(db, window, base)
            if window.last > at:
                todo.append((window, at))
        return sorted(todo, key=lambda one: one[0].session_id, reverse=True)

    def _begin(self, window: Window, at: int) -> _Open:
        """Return a session ready for reading: its facts, its left branches, its parser warmed up."""
        session_id = window.session_id
        with reading(self.path, self._params) as db:
            facts = db.facts(session_id)
            active = db.active(session_id)
            before = (
                db.rows(session_id, -1, 1) + db.rows(session_id, at - _WARM_ROWS, _WARM_ROWS)
                if at >= 0
                else []
            )
        parser = OpenClawParser(
            self._parse,
            self._agent,
            session_id,
            facts_of=lambda _id: facts,
            fixed=True,
            abandoned=self._left(session_id, at, active),
        )
        for row in before:
            event = decode(row.data)[0] if row.data is not None and row.seq <= at else None
            if event is not None:
                parser.feed(event, row.seq + 1)
        parser.counts.clear()
        return _Open(window, at, parser)

    def _left(self, session_id: str, at: int, active: frozenset[int] | None) -> frozenset[str]:
        """Return the ids of events on branches that were left.

        The host's own list of active events decides where there is one; else the tree of the whole session
        does, if it is read from its start (what is appended later stands on the active branch).
        """
        if active is None and at >= 0:
            return frozenset()
        parents: list[tuple[str, str | None]] = []
        seqs: dict[str, int] = {}
        after = at
        while len(seqs) < _TREE_ROWS:
            with reading(self.path, self._params) as db:
                rows = db.rows(session_id, after)
            for row in rows:
                event = decode(row.data)[0] if row.data is not None else None
                if (
                    event is not None
                    and (name := text_of(event.get("id")))
                    and event.get("type") != "session"
                ):
                    parents.append((name, text_of(event.get("parentId"))))
                    seqs[name] = row.seq
            if not rows:
                break
            after = rows[-1].seq
        if active is None:
            return abandoned(parents) if len(seqs) < _TREE_ROWS else frozenset()
        first, last = min(active), max(active)
        return frozenset(name for name, seq in seqs.items() if first <= seq <= last and seq not in active)

    def _parse_rows(self, session: _Open, rows: list[Row], base: Cursor) -> DatabaseSlice:
        """Turn rows into batches, and move the position over them."""
        window, parser = session.window, session.parser
        said: list[Said] = []
        folders: set[str] = set()
        bad = unreadable = 0
        ended = not rows
        position = base.positions.get(window.session_id)
        for row in rows:
            event, sound = decode(row.data) if row.data is not None else (None, False)
            if row.data is not None and not sound and row.seq >= window.last:
                self._waiting += 1
                ended = True
                break
            bad += row.data is not None and not sound
            unreadable += row.data is None
            if event is not None:
                folders.update(folder for folder in (text_of(event.get("cwd")),) if folder)
                said += parser.feed(event, row.seq + 1)
            session.at = row.seq
            position = (row.seq, _tag(window.generation, row))
        moved = replace(
            base,
            positions={**base.positions, window.session_id: position} if position else base.positions,
            lines=base.lines + len(rows),
            bad_lines=base.bad_lines + bad,
            oversize_lines=base.oversize_lines + unreadable,
            session_key=parser.session().key,
        )
        if ended or session.at >= window.last:
            self._open = None
        counts = Counter(parser.counts)
        parser.counts.clear()
        return DatabaseSlice(
            tuple(batches(said, parser.session(), base, moved)) if moved.positions != base.positions else (),
            moved,
            done=False,
            folders=frozenset(folders),
            counts=counts,
            waiting=self._waiting,
            forgotten=self._forgotten,
        )


def _position(db: HostDatabase, window: Window, base: Cursor) -> int:
    """Return the number of the last event taken from a session; -1 if there is none or it is void."""
    seq, tag = base.positions.get(window.session_id, (-1, ""))
    if seq < 0 or seq > window.last:
        return -1
    rows = db.rows(window.session_id, seq - 1, 1)
    return seq if rows and rows[0].seq == seq and _tag(window.generation, rows[0]) == tag else -1


def _tag(generation: str, row: Row) -> str:
    """Return what a position is good for: this generation, and this event at its number."""
    return f"{generation}#{digest((row.data or b'').decode('utf-8', errors='replace'))[:8]}"
