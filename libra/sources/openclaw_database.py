"""One pass over OpenClaw's database of an agent, step by step, like a transcript file.

A position is (session, seq), good for one rewrite generation and one row: its tag holds the generation and a
digest of the row. If either differs, the session is read again from its start; identity by event makes that
harmless. An event that is not whole and is the newest of its session waits; one with others after it is
malformed.

Source: transcripts.md, OpenClaw SQLite era.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from libra.ground.records import Cursor, digest
from libra.sources.events import ParseParams, Said, decode, text_of
from libra.sources.host_sqlite import DatabaseParams, base_cursor
from libra.sources.openclaw import HOST, OpenClawParser, abandoned, left_in
from libra.sources.openclaw_sqlite import HostDatabase, Row, Window, branch_mark, reading
from libra.sources.slices import Slice, batches

_WARM_ROWS: Final = 8
"""Rows before a position that are parsed again, for their context: the latest answers, the time."""
_ARCHIVE: Final = "archive:"
"""Beginning of the names of positions that stand for archived transcripts."""
_TREE_ROWS: Final = 50_000
"""Sessions with more events are not looked through for left branches."""


@dataclass(slots=True)
class _Open:
    """The session that is being read.

    Attributes:
        at: Number of the last event taken.
        active: The mark of the active branch up to there; -1 if the host does not say.
        looked_to: Up to here the tree of events was looked through for left branches.
    """

    window: Window
    parser: OpenClawParser
    at: int
    active: int = -1
    looked_to: int = -1


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
        self._todo: list[tuple[Window, int, int]] | None = None
        self._open: _Open | None = None
        self._waiting = 0
        self._forgotten = 0
        self._archives: list[tuple[str, str, int]] = []
        self._lost: AbstractSet[str] = frozenset()

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the next rows after ``cursor``, which is what the last step returned.

        Raises:
            SourceError: The database cannot be read now; nothing was taken.
        """
        base = base_cursor(self.path, HOST, cursor)
        if self._todo is None:
            with reading(self.path, self._params) as db:
                self._todo = self._news(db, base)
        if self._open is None and self._todo:
            self._open = self._begin(*self._todo.pop())
        if self._open is None and self._archives:
            return self._archive(*self._archives.pop(), base)
        if self._open is None:
            lost = frozenset(f"{HOST}:{session}" for session in self._lost)
            return Slice((), base, done=True, waiting=self._waiting, forgotten=self._forgotten, lost=lost)
        with reading(self.path, self._params) as db:
            rows = db.rows(self._open.window.session_id, self._open.at)
            active = db.active(self._open.window.session_id)
        if _mark(active, self._open.at) != self._open.active:
            return self._again(self._open.window, base)  # the person went back while it was read
        return self._parse_rows(self._open, rows, active, base)

    def _archive(self, session_id: str, generation: str, size: int, base: Cursor) -> Slice:
        """Read a transcript that a reset put aside: known events bring nothing twice."""
        with reading(self.path, self._params) as db:
            facts = db.facts(session_id)
            data = db.archive(session_id, generation)
        events = [event for line in (data or b"").split(b"\n") if line.strip() and (event := decode(line)[0])]
        parser = OpenClawParser(
            self._parse,
            self._agent,
            session_id,
            facts_of=lambda _id: facts,
            fixed=True,
            abandoned=left_in(events),
        )
        said = [one for number, event in enumerate(events, 1) for one in parser.feed(event, number)]
        moved = replace(
            base,
            positions={**base.positions, f"{_ARCHIVE}{session_id}:{generation}": (size, generation)},
            lines=base.lines + len(events),
            oversize_lines=base.oversize_lines + (data is None),
            session_key=parser.session().key,
        )
        handed = tuple(batches(said, parser.session(), base, moved))
        return Slice(handed, moved, done=False, counts=Counter(parser.counts), waiting=self._waiting)

    def _news(self, db: HostDatabase, base: Cursor) -> list[tuple[Window, int, int]]:
        """Return the sessions with something new, with :func:`_position` in each; popped from the end."""
        windows, forgotten = db.windows()
        self._forgotten = len(forgotten)
        known = {name for name in base.positions if not name.startswith(_ARCHIVE)}
        self._lost = known - forgotten - {window.session_id for window in windows}
        self._archives = [
            (session_id, generation, size)
            for session_id, generation, size in db.archives()
            if session_id not in forgotten
            and base.positions.get(f"{_ARCHIVE}{session_id}:{generation}") != (size, generation)
        ]
        marks = db.branches()
        todo = []
        for window in windows:
            at, active = _position(db, window, base)
            if at >= window.last and marks.get(window.session_id, -1) != active:
                at = -1  # nothing was said, but something taken back or brought back
            if window.last > at:
                todo.append((window, at, active))
        return sorted(todo, key=lambda one: one[0].session_id, reverse=True)

    def _begin(self, window: Window, at: int, stood: int = -1) -> _Open:
        """Return a session ready for reading: its facts, its left branches, its parser warmed up.

        If the active branch up to ``at`` has not the mark ``stood``, it begins at its start.
        """
        session_id = window.session_id
        with reading(self.path, self._params) as db:
            facts = db.facts(session_id)
            active = db.active(session_id)
            at = at if _mark(active, at) == stood else -1
            before = (
                db.rows(session_id, -1, 1) + db.rows(session_id, at - _WARM_ROWS, _WARM_ROWS)
                if at >= 0
                else []
            )
        left, looked_to = self._tree(session_id) if at < 0 and active is None else (frozenset(), at)
        parser = OpenClawParser(
            self._parse,
            self._agent,
            session_id,
            facts_of=lambda _id: facts,
            fixed=True,
            abandoned=left,
        )
        for row in before:
            event = decode(row.data)[0] if row.data is not None and row.seq <= at else None
            if event is not None:
                parser.feed(event, row.seq + 1)
        parser.counts.clear()
        parser.forked = False
        return _Open(window, parser, at, _mark(active, at), looked_to)

    def _again(self, window: Window, base: Cursor) -> Slice:
        """Read a session again from its start: each turn is handed over as it stands now (lessons.md C96)."""
        self._open = self._begin(window, -1)
        return Slice((), base, done=False, restarted=True, waiting=self._waiting, forgotten=self._forgotten)

    def _tree(self, session_id: str) -> tuple[frozenset[str], int]:
        """Return the ids of events on branches that were left, and the number of the last event looked at."""
        parents: list[tuple[str, str | None]] = []
        after = -1
        while len(parents) < _TREE_ROWS:
            with reading(self.path, self._params) as db:
                rows = db.rows(session_id, after)
            if not rows:
                return abandoned(parents), after
            after = rows[-1].seq
            for row in rows:
                event = decode(row.data)[0] if row.data is not None else None
                name = text_of(event.get("id")) if event is not None else None
                if event is not None and name and event.get("type") != "session":
                    parents.append((name, text_of(event.get("parentId"))))
        return frozenset(), after

    def _parse_rows(
        self, session: _Open, rows: list[Row], active: frozenset[int] | None, base: Cursor
    ) -> Slice:
        """Turn rows into batches, and move the position over them."""
        window, parser = session.window, session.parser
        said: list[Said] = []
        folders: set[str] = set()
        bad = unreadable = 0
        ended = not rows
        position = base.positions.get(window.session_id)
        first = min(active or (0,))
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
                if active is not None:
                    left = row.seq not in active and row.seq >= first
                    parser.abandoned = frozenset({text_of(event.get("id")) or ""} if left else ())
                said += parser.feed(event, row.seq + 1)
                if active is None and parser.forked and row.seq > session.looked_to:
                    return self._again(window, base)
            session.at = row.seq
            if active is not None and row.seq in active:
                session.active += branch_mark(row.seq)
            position = (row.seq, _tag(window.generation, row, session.active))
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
        return Slice(
            tuple(batches(said, parser.session(), base, moved)) if moved.positions != base.positions else (),
            moved,
            done=False,
            folders=frozenset(folders),
            counts=counts,
            waiting=self._waiting,
            forgotten=self._forgotten,
        )


def _position(db: HostDatabase, window: Window, base: Cursor) -> tuple[int, int]:
    """Return the number of the last event taken from a session, -1 if there is none or it is void.

    Beside it, the mark of the active branch then.
    """
    seq, tag = base.positions.get(window.session_id, (-1, ""))
    active = tag.rpartition("#")[2]
    if seq < 0 or seq > window.last or not active.removeprefix("-").isdecimal():
        return -1, -1
    rows = db.rows(window.session_id, seq - 1, 1)
    fits = bool(rows) and rows[0].seq == seq and _tag(window.generation, rows[0], int(active)) == tag
    return (seq, int(active)) if fits else (-1, -1)


def _tag(generation: str, row: Row, active: int) -> str:
    """Return what a position is good for: this generation, this event at its number, this active branch."""
    return f"{generation}#{digest((row.data or b'').decode('utf-8', errors='replace'))[:8]}#{active}"


def _mark(active: frozenset[int] | None, last: int) -> int:
    """Return the mark of the active branch up to an event, -1 if the host does not say."""
    return -1 if active is None else sum(branch_mark(seq) for seq in active if seq <= last)
