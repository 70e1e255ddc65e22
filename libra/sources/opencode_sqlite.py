"""opencode's database, read beside its writer: which sessions have news, and their messages with their parts.

A position in a session is the time of the last message taken; its tag says what was seen of the session then. If the
person reverted, or brought back, the session is read again: each turn is handed over as it stands now. The host
deletes what was reverted at the next prompt: if messages are missing, the batch says which are there.

Source: hosts.md §3.3; the host's schema as of 1.18.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from libra.ground.records import Cursor, digest
from libra.sources.events import Event, ParseParams, Said, decode, text_of
from libra.sources.host_sqlite import DatabaseParams, HostSql, base_cursor, number, reading, text_bytes
from libra.sources.opencode import HOST, OpencodeParser, Talk, is_open
from libra.sources.slices import Slice, batches

_TABLES: Final = frozenset({"session", "message", "part"})
_SESSIONS: Final = "SELECT id, parent_id, directory, time_updated, revert FROM session"
_COLUMNS: Final = ("id", "parent_id", "directory", "time_updated", "revert")
_MARKS: Final = "SELECT session_id, count(*), max(time_created), max(id) FROM message GROUP BY session_id"
_MESSAGES: Final = (
    "SELECT rowid, id, time_created, iif(length(data) <= ?, data, NULL) FROM message"
    " WHERE session_id = ? AND time_created >= ? ORDER BY time_created, id LIMIT ?"
)
_IDS: Final = (
    "SELECT id FROM message WHERE session_id = ?1 UNION ALL SELECT id FROM part WHERE session_id = ?1"
)
_PARTS: Final = (
    "SELECT id, data FROM part WHERE message_id = ? AND length(data) <= ?"
    " AND iif(json_valid(data), data ->> '$.type', '') IN ('text', 'compaction', 'tool') ORDER BY id"
)


_WHOLE, _OPEN, _MORE = "", "open", "more"
"""How much of a session a step has read; one that is not read whole is looked at again."""


@dataclass(frozen=True, slots=True)
class _News:
    """A session with something new.

    Attributes:
        since_ms: Where to go on.
        tag: What is true once all of it is read.
        shrunk: Messages that were there are not any more.
        undone: What comes next was taken back.
    """

    talk: Talk
    since_ms: int
    tag: str
    shrunk: bool
    undone: bool = False


class OpencodeDatabase:
    """One pass over a database; make a new one for the next pass.

    Args:
        path: Real path of the database.
        parse: Settings of the parser.
        params: Settings of the reading.
    """

    def __init__(self, path: str, parse: ParseParams, params: DatabaseParams | None = None) -> None:
        self.path = path
        self._parse = parse
        self._params = params or DatabaseParams()
        self._todo: list[_News] | None = None

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the next messages after ``cursor``, which is what the last step returned.

        Raises:
            SourceError: The database cannot be read now; nothing was taken.
        """
        base = base_cursor(self.path, HOST, cursor)
        with reading(self.path, self._params, _TABLES) as sql:
            if self._todo is None:
                self._todo = list(_news(sql, base))
            if not self._todo:
                there = (
                    {str(row[0]) for row in sql.rows("SELECT id FROM session")} if base.positions else set()
                )
                lost = frozenset(f"{HOST}:{name}" for name in base.positions if name not in there)
                return Slice((), base, done=True, waiting=0, lost=lost)
            news = self._todo.pop()
            return self._read(sql, news, base)

    def _read(self, sql: HostSql, news: _News, base: Cursor) -> Slice:
        """Read the messages of one session, from where reading stopped; a long one in several steps."""
        talk = news.talk
        parser = OpencodeParser(self._parse, talk, undone=news.undone)
        bindings = (self._params.row_max_bytes, talk.session_id, news.since_ms, self._params.rows)
        rows = list(sql.rows(_MESSAGES, bindings))
        said: list[Said] = []
        at_ms, bad, held = news.since_ms, 0, 0
        state = _WHOLE
        for place, (line, message_id, created, data) in enumerate(rows, 1):
            event, sound = decode(text_bytes(data) or b"")
            bad += not sound
            full = len(rows) >= self._params.rows
            if is_open(event) and place == len(rows) and (not full or at_ms > news.since_ms):
                state = _MORE if full else _OPEN
                break
            at_ms = max(at_ms, number(created))
            if event is not None:
                parts = self._parts(sql, str(message_id))
                said += parser.feed(str(message_id), event, parts, line)
                held += sum(size for _, _, size in parts)
            if at_ms > news.since_ms and (held >= self._params.step_bytes or place == self._params.rows):
                state = _MORE
                break
        if state == _MORE and self._todo is not None:
            self._todo.append(replace(news, since_ms=at_ms, undone=parser.undone))
        tag = news.tag if state == _WHOLE else f"{news.tag.rpartition('#')[0]}#{state}"
        moved = replace(
            base,
            positions={**base.positions, talk.session_id: (at_ms, tag)},
            lines=base.lines + len(rows),
            bad_lines=base.bad_lines + bad,
            session_key=parser.session().key,
        )
        handed = list(batches(said, parser.session(), base, moved))
        if news.shrunk and state != _MORE:
            there = frozenset(str(row[0]) for row in sql.rows(_IDS, (talk.session_id,)))
            handed[-1] = replace(handed[-1], present=there)
        return Slice(
            tuple(handed),
            moved,
            done=False,
            folders=frozenset(one.session.cwd for one in said if one.session.cwd),
            counts=Counter(parser.counts),
            waiting=0,
        )

    def _parts(self, sql: HostSql, message_id: str) -> list[tuple[str, Event, int]]:
        """Return id, JSON and size of a message's parts."""
        out = []
        for part_id, data in sql.rows(_PARTS, (message_id, self._params.row_max_bytes)):
            event, _ = decode(text_bytes(data) or b"")
            if event is not None:
                out.append((str(part_id), event, len(data)))
        return out


def _news(sql: HostSql, base: Cursor) -> Iterator[_News]:
    """Yield the sessions with something new; popped from the end."""
    if not (sql.has("session", *_COLUMNS) and sql.has("message", "session_id", "time_created", "data")):
        return
    marks = {str(row[0]): row[1:] for row in sql.rows(_MARKS)}
    for talk, updated in _talks(sql):
        if talk.session_id not in marks:
            continue
        count, newest, last = marks[talk.session_id]
        tag = f"{_revert(talk)}#{count}#{digest(str(newest), str(last), str(updated))[:8]}"
        at_ms, before = base.positions.get(talk.session_id, (-1, ""))
        if before == tag:
            continue
        same_branch = talk.reverted is None and before.startswith("#")
        counted = before.split("#")[1] if before.count("#") > 1 else ""
        shrunk = counted.isdecimal() and count < int(counted)
        since_ms = at_ms if at_ms >= 0 and same_branch and newest >= at_ms and not shrunk else -1
        yield _News(talk, since_ms, tag, shrunk)


def _talks(sql: HostSql) -> Iterator[tuple[Talk, int]]:
    """Yield the sessions and when each was changed."""
    for session_id, parent, directory, updated, revert in sql.rows(_SESSIONS):
        place, _ = decode(text_bytes(revert) or b"")
        place = place or {}
        reverted, part = text_of(place.get("messageID")), text_of(place.get("partID"))
        yield Talk(str(session_id), text_of(parent), text_of(directory), reverted, part), number(updated)


def _revert(talk: Talk) -> str:
    """Return what stands for the place from which on the person took everything back; empty without one."""
    return digest(talk.reverted, talk.reverted_part or "")[:8] if talk.reverted else ""
