"""Turns: verbatim messages of sessions, each event once, however many files it is copied to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from libra.ground.errors import NotFound
from libra.ground.records import Cursor, Kind, Metadata, Origin, Role, SessionRef, digest
from libra.store import cursors, items, lineage, scopes, sessions, tombstones
from libra.store.rows import COLUMNS, JOINS, ItemRow, item_rows
from libra.store.sql import Reader, json_list, json_text
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx

WAITING, DONE, NOT_ELIGIBLE, PURGED = 0, 1, 2, 3
"""Values of ``gated``; a purged turn has lost its words (see :mod:`libra.store.purge`)."""
TAIL_LEAST_TURNS = 16
_PAGE_TURNS = 32


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn ready to be stored: stripped, redacted, with its identity.

    Attributes:
        event_key: Identity by the host's event id, None without one.
        content_key: Identity by role, time and text.
        ts_ms, ts_known: Time of the event; ``ts_known`` is False when it is only the time of arrival.
        external_id: The host's own id, given back in answers.
        gated: 0 waits for the admission gate, 2 is not eligible.
        source_path: The file it was read from.
        undone: The person took it back in the host.
    """

    role: Role
    content: str
    ts_ms: int
    content_key: str
    ts_known: bool = True
    event_key: str | None = None
    external_id: str | None = None
    origin: Origin = Origin.OWNER
    speaker: str | None = None
    tokens: int = 0
    line: int | None = None
    metadata: Metadata = field(default_factory=dict)
    gated: int = WAITING
    source_path: str | None = None
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a batch.

    Attributes:
        accepted: New turns.
        duplicates: Rows that are known by event or by content, in the database or earlier in the batch.
        forgotten: Rows that a person made Libra forget; they stay forgotten.
        uids: One for each row: the new or the known uid; empty for a forgotten one.
        new_ids: Item ids of the new turns, ascending.
        undone: Known turns of this session that are taken back now (True) or brought back (False), by item id.
    """

    accepted: int
    duplicates: int
    forgotten: int
    uids: list[str]
    new_ids: list[int]
    undone: dict[int, bool] = field(default_factory=dict)


class _Known(NamedTuple):
    item_id: int
    uid: str
    home: int
    undone: bool


def append(
    tx: WriteTx,
    session: SessionRef,
    rows: Sequence[TurnRow],
    cursor: Cursor | None,
    now_ms: int,
) -> Appended:
    """Store the rows that are new, and the cursor that is true once they are.

    Known rows change nothing but the lineage: a session that begins with another one's turns is its child. Where a
    source says otherwise than before whether a turn of this very session stands, that is only told
    (``Appended.undone``): a copy in another session's file has no say.
    Turns of different users are never the same.

    Args:
        tx: The transaction; rows and cursor are stored together or not at all.
        session: Whose turns they are.
        rows: In order of the source.
        cursor: None when the turns come from no file.
        now_ms: Time of arrival.
    """
    row = sessions.ensure(tx, session)
    source_ids = _sources(tx, session, rows, cursor, now_ms)
    if cursor is not None:
        sessions.mark_there(tx, row.id)
    owner = scopes.ensure(tx, scopes.user_scope(session.user))
    known = _look_up(tx, owner, rows)
    graves = tombstones.open_graves(tx, session.user, session.key)
    uids: list[str] = []
    fresh: list[tuple[TurnRow, str]] = []
    seen: list[_Known] = []
    said: dict[int, tuple[bool, bool]] = {}
    forgotten = 0
    for turn in rows:
        earlier = known.get(turn.event_key or "") or known.get(turn.content_key)
        if earlier is not None:
            uids.append(earlier.uid)
            seen.append(earlier)
            if cursor is not None and earlier.home == row.id and earlier.item_id:
                said[earlier.item_id] = (earlier.undone, turn.undone)
        elif graves and graves.holds(
            tx, turn.event_key, turn.content_key, turn.content, turn.ts_ms if turn.ts_known else None
        ):
            uids.append("")
            forgotten += 1
        else:
            uid = "t" + digest(session.user, turn.event_key or "", turn.content_key)[:23]
            entry = _Known(0, uid, row.id, turn.undone)
            known[turn.content_key] = entry
            if turn.event_key is not None:
                known[turn.event_key] = entry
            uids.append(uid)
            fresh.append((turn, uid))
    new_ids = _insert(tx, row, owner, fresh, source_ids, now_ms)
    lineage.settle(tx, row.id, [(k.item_id, k.home) for k in seen if k.home != row.id])
    changed = {item: now for item, (before, now) in said.items() if before != now}
    return Appended(len(fresh), len(seen), forgotten, uids, new_ids, changed)


def _sources(
    tx: WriteTx, session: SessionRef, rows: Sequence[TurnRow], cursor: Cursor | None, now_ms: int
) -> dict[str | None, int | None]:
    """Return source ids by path; the cursor's own path stands for rows that name none."""
    found: dict[str | None, int | None] = {None: None}
    if cursor is not None:
        found[None] = found[cursor.path] = cursors.put(tx, cursor, now_ms)
    for path in {r.source_path for r in rows} - found.keys():
        if path is not None:
            found[path] = cursors.ensure(tx, path, session.host or "", now_ms)
    return found


def _look_up(tx: WriteTx, owner: int, rows: Sequence[TurnRow]) -> dict[str, _Known]:
    """Return the turns of the database that have one of the rows' keys. Event keys hold ``:`` or ``#``, so never collide with the hex of content keys."""
    events = json_list([r.event_key for r in rows if r.event_key is not None])
    contents = json_list([r.content_key for r in rows])
    found = tx.rows(
        "SELECT k.value, turn.item_id, item.uid, item.session_id, turn.undone FROM json_each(?1) k"
        " CROSS JOIN turn ON turn.event_key = k.value AND turn.owner = ?3 JOIN item ON item.id = turn.item_id"
        " UNION ALL "
        "SELECT k.value, turn.item_id, item.uid, item.session_id, turn.undone FROM json_each(?2) k"
        " CROSS JOIN turn ON turn.content_key = k.value AND turn.owner = ?3 JOIN item ON item.id = turn.item_id",
        (events, contents, owner),
    )
    return {key: _Known(item_id, uid, home, bool(undone)) for key, item_id, uid, home, undone in found}


def _insert(
    tx: WriteTx,
    session: sessions.SessionRow,
    owner: int,
    fresh: Sequence[tuple[TurnRow, str]],
    source_ids: dict[str | None, int | None],
    now_ms: int,
) -> list[int]:
    if not fresh:
        return []
    first = items.next_id(tx)
    seq = int(tx.value("SELECT next_seq FROM session WHERE id = ?", (session.id,)))
    items.insert(
        tx,
        [
            items.NewItem(
                first + n, uid, Kind.TURN, session.scope_id, session.id, session.project, session.agent, None,
                turn.tokens, turn.ts_ms, now_ms, int(not turn.undone), turn.role.value, turn.speaker, seq + n, turn.content,
            )
            for n, (turn, uid) in enumerate(fresh)
        ],
    )  # fmt: skip
    tx.many(
        "INSERT INTO turn(item_id, owner, event_key, content_key, external_id, origin, line, source_id, ts_known,"
        " metadata, gated, undone) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                first + n, owner, turn.event_key, turn.content_key, turn.external_id, turn.origin.value, turn.line,
                source_ids[turn.source_path], int(turn.ts_known), json_text(turn.metadata), turn.gated,
                int(turn.undone),
            )
            for n, (turn, _) in enumerate(fresh)
        ],
    )  # fmt: skip
    speakers_ = {turn.speaker for turn, _ in fresh if turn.speaker}
    tx.many(
        "INSERT OR IGNORE INTO speaker(scope_id, name) VALUES(?, ?)",
        ((session.scope_id, name) for name in speakers_),
    )
    times = [turn.ts_ms for turn, _ in fresh]
    tx.run(
        "UPDATE session SET next_seq = ?1, first_ms = min(coalesce(first_ms, ?2), ?2),"
        " last_ms = max(coalesce(last_ms, ?3), ?3) WHERE id = ?4",
        (seq + len(fresh), min(times), max(times), session.id),
    )
    counts: dict[int, int] = {}
    for turn, _ in fresh:
        source = source_ids[turn.source_path]
        if source is not None:
            counts[source] = counts.get(source, 0) + 1
    tx.many("UPDATE source SET turns = turns + ? WHERE id = ?", ((n, i) for i, n in counts.items()))
    return list(range(first, first + len(fresh)))


# ------------------------------------------------------------------ reading


def tail(
    s: Reader,
    session_key: str,
    limit_tokens: int,
    *,
    with_lineage: bool = True,
    visible: Visible | None = None,
) -> list[ItemRow]:
    """Return the newest raw turns of a session, newest first, until ``limit_tokens`` are there (at least 16 turns).

    The turn that reaches the limit is included. With lineage, a resumed session goes on into the turns that it
    shares with its parent, but never into what its parent said after the fork.
    """
    session = sessions.find(s, session_key, visible.user if visible else None)
    found: list[ItemRow] = []
    tokens = 0
    before: tuple[int, int] | None = None
    for session_id, until in lineage.branch(s, session.id, alone=not with_lineage) if session else ():
        before = until
        while True:
            page = _page(s, session_id, before, visible)
            for row in page:
                found.append(row)
                tokens += row.tokens
                if tokens >= limit_tokens and len(found) >= TAIL_LEAST_TURNS:
                    return found
            if len(page) < _PAGE_TURNS:
                break
            before = (page[-1].ts_ms, page[-1].seq or 0)
    return found


def _page(
    s: Reader, session_id: int, before: tuple[int, int] | None, visible: Visible | None
) -> list[ItemRow]:
    """Return up to one page of turns before a place, newest first."""
    where = f"item.session_id = :session AND item.kind = 1 AND turn.undone = 0 AND turn.gated <> {PURGED}"
    bindings: dict[str, int] = {"session": session_id, "page": _PAGE_TURNS}
    if before is not None:
        where += " AND (item.ts_ms, item.seq) < (:ts, :seq)"
        bindings |= {"ts": before[0], "seq": before[1]}
    sql, values = select(
        COLUMNS, visible, joins=JOINS, where=where, tail="ORDER BY item.ts_ms DESC, item.seq DESC LIMIT :page",
        bindings=bindings,
    )  # fmt: skip
    return item_rows(s.rows(sql, values))


def turns_of(s: Reader, session_key: str, *, visible: Visible | None = None) -> list[ItemRow]:
    """Return all turns whose home is the session, oldest first."""
    return _of(s, session_key, "turn.undone = 0", visible)


def turns_from(s: Reader, session_id: int, first: int, k: int, visible: Visible) -> tuple[list[ItemRow], int]:
    """Return ``k`` turns of a session from the ``first`` on, oldest first, and how many there are.

    Args:
        s: The state to read.
        session_id: The session's row.
        first: Counted from 0.
        k: How many.
        visible: The caller's view.
    """
    where = "item.session_id = :session AND item.kind = 1 AND turn.undone = 0"
    own = {"session": session_id}
    sql, values = select("count(*)", visible, joins=JOINS, where=where, bindings=own)
    of = int(s.value(sql, values))
    sql, values = select(
        COLUMNS, visible, joins=JOINS, where=where, tail="ORDER BY item.ts_ms, item.seq LIMIT :k OFFSET :first",
        bindings={**own, "k": k, "first": first},
    )  # fmt: skip
    return item_rows(s.rows(sql, values)), of


def place_of(s: Reader, session_id: int, uid: str, visible: Visible) -> int | None:
    """Return which turn of a session has this uid, counted from 0 as by :func:`turns_from`; None if none has."""
    sql, values = select(
        "item.ts_ms, item.seq", visible, joins=JOINS,
        where="item.uid = :uid AND item.session_id = :session AND item.kind = 1 AND turn.undone = 0",
        bindings={"uid": uid, "session": session_id},
    )  # fmt: skip
    found = s.one(sql, values)
    if found is None:
        return None
    sql, values = select(
        "count(*)", visible, joins=JOINS,
        where="item.session_id = :session AND item.kind = 1 AND turn.undone = 0 AND (item.ts_ms, item.seq) < (:ts, :seq)",
        bindings={"session": session_id, "ts": found[0], "seq": found[1]},
    )  # fmt: skip
    return int(s.value(sql, values))


def uncovered(s: Reader, session_key: str, *, visible: Visible | None = None) -> list[ItemRow]:
    """Return the turns of the session that no summary covers, oldest first, the tail included."""
    return _of(s, session_key, "turn.undone = 0 AND turn.covered_by IS NULL", visible)


def _of(s: Reader, session_key: str, where: str, visible: Visible | None) -> list[ItemRow]:
    session = sessions.find(s, session_key, visible.user if visible else None)
    if session is None:
        return []
    sql, values = select(
        COLUMNS, visible, joins=JOINS, where=f"item.session_id = :session AND item.kind = 1 AND {where}",
        tail="ORDER BY item.ts_ms, item.seq", bindings={"session": session.id},
    )  # fmt: skip
    return item_rows(s.rows(sql, values))


def pending_gate(s: Reader, limit: int, *, with_vectors: bool = False) -> list[ItemRow]:
    """Return turns that wait for the admission gate, in order of arrival.

    Args:
        s: The state to read.
        limit: How many.
        with_vectors: Only turns that need not wait for a vector: it is there, or there will be none.
    """
    where = (
        "item.id IN (SELECT item_id FROM turn WHERE gated = 0 AND undone = 0 ORDER BY item_id LIMIT :limit)"
    )
    if with_vectors:
        where = (
            "item.id IN (SELECT item_id FROM turn WHERE gated = 0 AND undone = 0 AND NOT EXISTS"
            " (SELECT 1 FROM chunk WHERE chunk.item_id = turn.item_id AND +chunk.state = 0) ORDER BY item_id LIMIT :limit)"
        )
    sql, values = select(
        COLUMNS, None, joins=JOINS, where=where, tail="ORDER BY item.id", bindings={"limit": limit}
    )
    return item_rows(s.rows(sql, values))


def owner_of(s: Reader, item_id: int) -> str:
    """Return the user whose turn it is.

    Raises:
        NotFound: There is no such turn.
    """
    found = s.value(
        "SELECT scope.name FROM turn JOIN scope ON scope.id = turn.owner WHERE turn.item_id = ?", (item_id,)
    )
    if found is None:
        raise NotFound("there is no such turn")
    return str(found).partition(":")[2]


def mark_gated(tx: WriteTx, ids: Sequence[int], value: int = DONE) -> None:
    """Note that the gate is done with these turns."""
    tx.run(
        "UPDATE turn SET gated = ? WHERE item_id IN (SELECT value FROM json_each(?))", (value, json_list(ids))
    )


def partners(s: Reader, item_ids: Sequence[int], *, visible: Visible | None = None) -> dict[int, int]:
    """Return for each turn its request/response partner, where it has one.

    The partner of an answer is the last message of the person before it, that of a person's message the
    first answer after it.
    """
    found: dict[int, int] = {}
    for role, other, order, compare in (("user", "assistant", "", ">"), ("assistant", "user", "DESC", "<")):
        sql, values = select(
            "item.id, (SELECT p.id FROM item p WHERE p.session_id = item.session_id AND p.kind = 1"
            f" AND p.role = :other AND p.seq {compare} item.seq ORDER BY p.seq {order} LIMIT 1)",
            visible,
            where="item.id IN (SELECT value FROM json_each(:ids)) AND item.kind = 1 AND item.role = :role",
            bindings={"ids": json_list(item_ids), "role": role, "other": other},
        )
        found.update({item: partner for item, partner in s.rows(sql, values) if partner is not None})
    return found
