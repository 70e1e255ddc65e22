"""Hermes's database, read beside its writer: new rows in the order of their numbers, then what was taken back.

The position holds the number of the last row taken and a digest of it. Beside it stands, for each session that was
active of late, what of it is taken back: if that changes, the session is read again, and if rows are missing (older
versions delete what is undone), the batch says which are there.

Source: hosts.md §3.4; the host's schema as of 0.19.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from libra.ground.records import Cursor, digest
from libra.sources.events import ParseParams, Said, text_of
from libra.sources.hermes import HOST, HermesParser, Talk, hosts_words
from libra.sources.host_sqlite import DatabaseParams, HostSql, base_cursor, number, reading
from libra.sources.slices import Slice, batches

_TABLES: Final = frozenset({"sessions", "messages"})
_NEEDED: Final = ("id", "session_id", "role", "content", "timestamp")
_OPTIONAL: Final = ("tool_calls", "active", "compacted")
_TALK: Final = ("source", "parent_session_id", "cwd", "session_key")
_RECENT_ROWS: Final = 2000
"""Sessions with one of the latest so many rows are looked at for rows that were taken back."""
_NONE: Final = "-"
"""Mark of a session of which nothing is taken back."""
_ALL: Final = ""
"""Name of the position in the whole table."""


class HermesDatabase:
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
        self._latest: list[tuple[str, list[int], str]] = []
        self._talks: dict[str, Talk] = {}

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the next rows after ``cursor``, which is what the last step returned.

        Raises:
            SourceError: The database cannot be read now; nothing was taken.
        """
        base = base_cursor(self.path, HOST, cursor)
        with reading(self.path, self._params, _TABLES) as sql:
            if not sql.has("messages", *_NEEDED):
                return Slice((), base, done=True, waiting=0)
            at = self._position(sql, base)
            rows = self._rows(sql, "id > ?", (at,))
            if rows:
                last = (rows[-1]["id"], _fingerprint(rows[-1]))
                kept = base.positions if at >= 0 else {}
                return self._hand_over(sql, rows, base, {**kept, _ALL: last}, None)
            return self._taken_back(sql, base)

    def _position(self, sql: HostSql, base: Cursor) -> int:
        """Return the number of the last row taken; -1 if there is none or it is another row now."""
        at, tag = base.positions.get(_ALL, (-1, ""))
        rows = self._rows(sql, "id = ?", (at,), 1) if at >= 0 else []
        # A row that was deleted was taken all the same: numbers are not used twice.
        return at if not rows or _fingerprint(rows[0]) == tag else -1

    def _taken_back(self, sql: HostSql, base: Cursor) -> Slice:
        """Read a recent session again of which other rows are taken back, or gone, than before."""
        recent = self._latest = self._latest or self._recent(sql)
        positions = {_ALL: base.positions.get(_ALL, (-1, ""))}
        for name, ids, mark in recent:
            count, tag = base.positions.get(name, (0, f"{_NONE}#-1"))
            before, _, newest = tag.partition("#")
            positions[name] = (len(ids), f"{mark}#{ids[-1]}")
            left = sum(row_id <= int(newest) for row_id in ids)
            if before == mark and left >= count:
                continue
            rows = self._rows(sql, "session_id = ?", (name,), -1)
            if rows:  # else it was deleted as a whole since then: what was learnt stays
                there = frozenset(f"{name}/{row['id']}" for row in rows) if left < count else None
                return self._hand_over(sql, rows, base, {**base.positions, **positions}, there)
        moved = replace(base, positions=positions)
        if positions == base.positions or not recent:
            return Slice((), moved, done=True, waiting=0)
        session = HermesParser(self._parse).session(self._talk(sql, recent[0][0]))
        return Slice(tuple(batches([], session, base, moved)), moved, done=True, waiting=0)

    def _recent(self, sql: HostSql) -> list[tuple[str, list[int], str]]:
        """Return the sessions active of late: the numbers of their rows, and a mark of those taken back."""
        flags = sql.has("messages", "active", "compacted")
        back = "active = 0 AND compacted = 0" if flags else "0"
        names = [
            str(row[0])
            for row in sql.rows(
                "SELECT DISTINCT session_id FROM (SELECT session_id FROM messages ORDER BY id DESC LIMIT ?)",
                (_RECENT_ROWS,),
            )
        ]
        out = []
        for name in names:
            text = f"SELECT id, {back} FROM messages WHERE session_id = ? ORDER BY id"  # noqa: S608 - constants of ours
            rows = [(number(row_id), taken) for row_id, taken in sql.rows(text, (name,))]
            # No row is found under a name that is no text; the empty one is the place of all rows.
            if not rows or name == _ALL:
                continue
            gone = [str(row_id) for row_id, taken in rows if taken]
            out.append((name, [row_id for row_id, _ in rows], digest(*gone)[:12] if gone else _NONE))
        return out

    def _rows(
        self, sql: HostSql, where: str, bindings: Sequence[Any], limit: int | None = None
    ) -> list[dict[str, Any]]:
        """Return rows in the order of their numbers, up to a bound of bytes; too long contents are left out."""
        wanted = ", ".join(
            [*(n for n in _NEEDED if n != "content"), *(n for n in _OPTIONAL if sql.has("messages", n))]
        )
        content = "iif(length(content) <= ?, content, NULL) AS content"
        text = f"SELECT {wanted}, {content} FROM messages WHERE {where} ORDER BY id LIMIT ?"  # noqa: S608 - constants of ours
        out: list[dict[str, Any]] = []
        held = 0
        limit = self._params.rows if limit is None else limit
        for row in sql.named(text, (self._params.row_max_bytes, *bindings, limit)):
            if number(row["id"]) < 0:
                continue
            out.append(row)
            held += len(str(row["content"]))
            if held >= self._params.step_bytes and limit >= 0:
                break
        return out

    def _hand_over(
        self,
        sql: HostSql,
        rows: list[dict[str, Any]],
        base: Cursor,
        positions: dict[str, tuple[int, str]],
        present: frozenset[str] | None,
    ) -> Slice:
        """Turn rows into batches, with the positions that are true after them."""
        parser = HermesParser(self._parse)
        copies = self._copies(sql, {str(row["session_id"]) for row in rows})
        said: list[Said] = []
        for row in rows:
            talk = self._talk(sql, str(row["session_id"]))
            said += parser.feed(talk, row, copied=row["id"] in copies)
        session = parser.session(self._talk(sql, str(rows[-1]["session_id"])))
        moved = replace(base, positions=positions, lines=base.lines + len(rows), session_key=session.key)
        handed = list(batches(said, session, base, moved))
        if present is not None:
            handed[-1] = replace(handed[-1], present=present)
        folders = frozenset(one.session.cwd for one in said if one.session.cwd)
        return Slice(
            tuple(handed), moved, done=False, folders=folders, counts=Counter(parser.counts), waiting=0
        )

    def _copies(self, sql: HostSql, session_ids: Iterable[str]) -> frozenset[int]:
        """Return the rows that the host put into sessions as copies, when it compacted or branched them."""
        compacts = sql.has("messages", "active", "compacted")
        out: set[int] = set()
        for session_id in session_ids:
            out |= _of_compaction(sql, session_id, self._params.rows) if compacts else set()
            if parent := self._talk(sql, session_id).parent:
                out |= _of_branch(sql, session_id, parent)
        return frozenset(out)

    def _talk(self, sql: HostSql, session_id: str) -> Talk:
        if session_id not in self._talks:
            names = [name for name in _TALK if sql.has("sessions", name)]
            text = f"SELECT {', '.join(['id', *names])} FROM sessions WHERE id = ?"  # noqa: S608 - constants of ours
            row = next(sql.named(text, (session_id,)), {}) if sql.has("sessions", "id") else {}
            self._talks[session_id] = Talk(
                session_id,
                text_of(row.get("source")) or "",
                text_of(row.get("parent_session_id")),
                text_of(row.get("cwd")),
                text_of(row.get("session_key")),
            )
        return self._talks[session_id]


def _of_compaction(sql: HostSql, session_id: str, most: int) -> set[int]:
    """Return the copies of a compaction: they follow the last compacted row, each equal to an earlier one, up to the first new one."""
    out: set[int] = set()
    last = next(
        sql.rows("SELECT max(id) FROM messages WHERE session_id = ? AND compacted = 1", (session_id,))
    )[0]
    if last is None:
        return out
    earlier = "SELECT role, content FROM messages WHERE session_id = ? AND compacted = 1"
    known = {digest(str(role), str(content)) for role, content in sql.rows(earlier, (session_id,))}
    later = "SELECT id, role, content FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ?"
    news = 0
    for row_id, role, content in sql.rows(later, (session_id, last, most)):
        if digest(str(role), str(content)) in known:
            out.add(row_id)
        elif (news := news + 1) > 1:  # the first one that is new is the summary
            break
    return out


def _of_branch(sql: HostSql, session_id: str, parent: str) -> set[int]:
    """Return the copies with which a branch, or a session that goes on after a compaction, begins.

    They have ids and times of their own. Each is equal to a row of the parent, in the parent's order; what the host itself
    wrote in between, such as a summary, ends nothing.
    """
    rows = "SELECT id, role, content FROM messages WHERE session_id = ? ORDER BY id"
    theirs = (digest(str(role), str(content)) for _, role, content in sql.rows(rows, (parent,)))
    out: set[int] = set()
    for row_id, role, content in sql.rows(rows, (session_id,)):
        if hosts_words(content):
            continue
        mark = digest(str(role), str(content))
        if not any(mark == one for one in theirs):  # goes on where the last one was found
            break
        out.add(row_id)
    return out


def _fingerprint(row: dict[str, Any]) -> str:
    """Return what tells a row from another one under its number; what the host may change later does not count."""
    return digest(str(row["session_id"]), str(row["role"]), str(row["timestamp"]))[:12]
