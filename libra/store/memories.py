"""Durable memories: what is kept of them, and how they are found. How they change is in :mod:`libra.store.revisions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libra.ground.records import Kind, MemoryType, digest
from libra.store import items, scopes
from libra.store.sql import Reader, Row, from_json, json_list, json_text
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx

SAME_SUBJECT = "same_subject"
"""Kind of relation between two memories of one owner about one subject; it follows from the two and is not stored."""


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory on its way into the store.

    Attributes:
        uid: Its name; unique.
        user: Whose it is: it lives in the scope ``user:<user>``.
        ts_ms: When it was said.
        confidence: In [0, 1].
        priority: 0–100.
        ttl_ms, expires_ms: Time to live, and when it goes to the archive; None for never.
        content_hash: By which an exact repetition is found.
        subject, slot: What it makes a statement about, if that is known.
        source_turn: The turn that it was taken from.
        signals: What the gate saw.
        priority_manual, ttl_manual: A person has set it; it stays whatever the type becomes.
    """

    uid: str
    user: str
    type: MemoryType
    text: str
    tokens: int
    ts_ms: int
    content_hash: str
    project: str | None = None
    agent: str | None = None
    session_id: int | None = None
    role: str | None = None
    speaker: str | None = None
    confidence: float = 0.6
    priority: int = 30
    ttl_ms: int | None = None
    expires_ms: int | None = None
    subject: str | None = None
    slot: str | None = None
    source_turn: int | None = None
    signals: Mapping[str, Any] = field(default_factory=dict)
    priority_manual: bool = False
    ttl_manual: bool = False


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as it is kept.

    Attributes:
        active: False for an archived or superseded one.
        confidence: As of ``touched_ms``; 0 for a superseded one.
        valid_from_ms: When it was told first.
        valid_to_ms: When its successor was told; None while it holds.
        touched_ms: When it was told, confirmed or recalled last.
        priority_manual, ttl_manual: A person has set it; it stays whatever the type is.
    """

    item_id: int
    uid: str
    type: str | None
    text: str
    tokens: int
    ts_ms: int
    active: bool
    confidence: float
    confirmations: int
    priority: int
    ttl_ms: int | None
    expires_ms: int | None
    archived_ms: int | None
    superseded_by: int | None
    content_hash: str
    subject: str | None
    slot: str | None
    source_turn: int | None
    signals: dict[str, Any]
    recalls: int
    last_recalled_ms: int | None
    valid_from_ms: int
    valid_to_ms: int | None
    touched_ms: int
    priority_manual: bool
    ttl_manual: bool


_UID_CHARS = 23
_MOST_OF_SLOT = 64
"""Memories of one slot that a new statement is held against, the latest: a slot that holds more holds repetitions."""
_COLUMNS = (
    "item.id, item.uid, item.type, item.text, item.tokens, item.ts_ms, item.active,"
    " iif(memory.superseded_by IS NULL, memory.confidence, 0.0),"
    " memory.confirmations, memory.priority, memory.ttl_ms, memory.expires_ms, memory.archived_ms,"
    " memory.superseded_by, memory.content_hash, memory.subject, memory.slot, memory.source_turn, memory.signals,"
    " memory.recalls, memory.last_recalled_ms, memory.valid_from_ms, memory.valid_to_ms, memory.touched_ms,"
    " memory.priority_manual, memory.ttl_manual"
)


def _row(f: Row) -> MemoryRow:
    fields = [*f[:6], f[6] == 1, *f[7:18], from_json(f[18]), *f[19:24], f[24] == 1, f[25] == 1]
    return MemoryRow(*fields)


def _of_user(user: str) -> Visible:
    return Visible(user="", scopes=(scopes.user_scope(user).text,))


def _find(s: Reader, visible: Visible | None, where: str, tail: str, **bindings: object) -> list[MemoryRow]:
    sql, values = select(
        _COLUMNS, visible, source="memory CROSS JOIN item ON item.id = memory.item_id", where=where, tail=tail,
        bindings=dict(bindings),
    )  # fmt: skip
    return [_row(found) for found in s.rows(sql, values)]


# ------------------------------------------------------------------ reading


def get(s: Reader, item_id: int) -> MemoryRow | None:
    """Return the memory with that item id, or None."""
    found = _find(s, None, "memory.item_id = :item", "", item=item_id)
    return found[0] if found else None


def of_items(s: Reader, item_ids: Sequence[int]) -> dict[int, MemoryRow]:
    """Return those of these items that are memories."""
    found = _find(
        s, None, "memory.item_id IN (SELECT value FROM json_each(:items))", "", items=json_list(item_ids)
    )
    return {row.item_id: row for row in found}


def of_hash(s: Reader, user: str, content_hash: str) -> list[MemoryRow]:
    """Return the user's memories of the same content that hold or once held, the active one first.

    What was archived for its age or by hand is not among them: told again, it is new.
    """
    return _find(
        s, _of_user(user), "memory.content_hash = :hash AND (item.active = 1 OR memory.superseded_by IS NOT NULL)",
        "ORDER BY item.active DESC, memory.valid_from_ms DESC, item.id DESC LIMIT :most", hash=content_hash, most=_MOST_OF_SLOT,
    )  # fmt: skip


def slot_line(s: Reader, user: str, subject: str, slots: tuple[str, str]) -> list[MemoryRow]:
    """Return all that was ever told of a subject's slots and was not taken back, superseded or not, by the time of its telling.

    Args:
        s: The state to read.
        user: Whose memories.
        subject: The subject.
        slots: The first and the last slot, in order; the same twice for one slot.
    """
    first, last = slots
    return _find(
        s, _of_user(user), "memory.subject = :subject AND memory.slot BETWEEN :first AND :last"
        " AND (memory.archived_ms IS NULL OR memory.superseded_by IS NOT NULL)",
        "ORDER BY memory.valid_from_ms DESC, item.id DESC LIMIT :most", subject=subject, first=first, last=last, most=_MOST_OF_SLOT,
    )[::-1]  # fmt: skip


def claims_known(s: Reader, user: str, session_id: int | None, limit: int) -> list[MemoryRow]:
    """Return the latest active memories told in a session: what a bare correction there may be about."""
    if session_id is None:
        return []
    sql, values = select(
        _COLUMNS, _of_user(user), joins="JOIN memory ON memory.item_id = item.id",
        where="item.session_id = :session AND item.kind = 3 AND item.active = 1",
        tail="ORDER BY item.ts_ms DESC, item.seq DESC, item.id DESC LIMIT :limit",
        bindings={"session": session_id, "limit": limit},
    )  # fmt: skip
    return [_row(found) for found in s.rows(sql, values)]


def of_session(s: Reader, session_id: int, kind: MemoryType) -> list[MemoryRow]:
    """Return the active memories of one type that belong to a session."""
    sql, values = select(
        _COLUMNS, None, joins="JOIN memory ON memory.item_id = item.id",
        where="item.session_id = :session AND item.kind = 3 AND item.active = 1 AND item.type = :type",
        tail="ORDER BY item.id", bindings={"session": session_id, "type": kind.value},
    )  # fmt: skip
    return [_row(found) for found in s.rows(sql, values)]


def newest(s: Reader, user: str, limit: int) -> list[MemoryRow]:
    """Return a user's active memories, the newest first."""
    return _find(
        s,
        _of_user(user),
        "item.active = 1",
        "ORDER BY item.ts_ms DESC, item.id DESC LIMIT :limit",
        limit=limit,
    )


def oldest(s: Reader, user: str, limit: int) -> list[MemoryRow]:
    """Return a user's active memories, those first that were told or used longest ago."""
    return _find(
        s,
        _of_user(user),
        "item.active = 1",
        "ORDER BY memory.touched_ms, item.id LIMIT :limit",
        limit=limit,
    )


def history(s: Reader, item_id: int) -> list[MemoryRow]:
    """Return a memory with those that it superseded and that superseded it, oldest first."""
    return _find(
        s, None,
        "memory.item_id IN (WITH RECURSIVE line(id) AS (SELECT :item UNION"
        " SELECT CASE r.from_id WHEN line.id THEN r.to_id ELSE r.from_id END FROM relation r JOIN line"
        " ON r.kind = 'superseded_by' AND line.id IN (r.from_id, r.to_id)) SELECT id FROM line)",
        "ORDER BY memory.valid_from_ms, item.id", item=item_id,
    )  # fmt: skip


def expired(s: Reader, now_ms: int, limit: int = 1000, among: Sequence[int] | None = None) -> list[int]:
    """Return memories whose time is over and that are not archived yet, of all or of these."""
    found = s.rows(
        "SELECT item_id FROM memory WHERE expires_ms <= ?1 AND archived_ms IS NULL"
        " AND (?3 IS NULL OR item_id IN (SELECT value FROM json_each(?3))) ORDER BY expires_ms LIMIT ?2",
        (now_ms, limit if among is None else len(among), None if among is None else json_list(among)),
    )
    return [row[0] for row in found]


def newer_than(s: Reader, item_id: int, limit: int) -> list[tuple[str, MemoryRow]]:
    """Return the next active memories after an item id, ascending, each with its user."""
    found = _find(
        s, None, "memory.item_id > :after AND item.active = 1", "ORDER BY memory.item_id LIMIT :limit", after=item_id, limit=limit
    )  # fmt: skip
    users = owners(s, [m.item_id for m in found])
    return [(users[m.item_id], m) for m in found]


def owners(s: Reader, item_ids: Sequence[int]) -> dict[int, str]:
    """Return the user of each of these memories."""
    found = s.rows(
        "SELECT item.id, substr(scope.name, 6) FROM json_each(?) wanted CROSS JOIN item ON item.id = wanted.value"
        " JOIN scope ON scope.id = item.scope_id",
        (json_list(item_ids),),
    )
    return dict(found)


def source_turns(s: Reader, item_ids: Sequence[int]) -> dict[int, int]:
    """Return the turn that each of these memories was taken from, where it is known."""
    found = s.rows(
        "SELECT item_id, source_turn FROM memory WHERE source_turn IS NOT NULL"
        " AND item_id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return dict(found)


def gates(s: Reader, turn_ids: Sequence[int]) -> dict[int, float]:
    """Return the gate score G that each of these turns had when it became a memory; the others are left out."""
    found = s.rows(
        "SELECT source_turn, max(json_extract(signals, '$.g')) FROM memory"
        " WHERE source_turn IN (SELECT value FROM json_each(?)) GROUP BY source_turn",
        (json_list(turn_ids),),
    )
    return {turn: float(g) for turn, g in found if isinstance(g, int | float)}


def tellings(s: Reader, item_id: int) -> list[int]:
    """Return all turns that told this memory, oldest first."""
    found = s.rows(
        "SELECT DISTINCT to_id FROM relation JOIN turn ON turn.item_id = to_id"
        " WHERE from_id = ? AND kind IN ('told_by', 'merged_from') ORDER BY to_id",
        (item_id,),
    )
    return [row[0] for row in found]


_MOST_OF_SUBJECT = 8
_LINKS = (
    "(SELECT from_id AS one, to_id AS other, kind FROM relation UNION ALL SELECT to_id, from_id, CASE kind"
    " WHEN 'superseded_by' THEN 'supersedes' WHEN 'told_by' THEN 'tells' WHEN 'merged_from' THEN 'merged_into'"
    " WHEN 'quotes' THEN 'quoted_by' ELSE kind END FROM relation)"
)


def related(
    s: Reader, item_ids: Sequence[int], visible: Visible | None = None, most: int = _MOST_OF_SUBJECT
) -> list[tuple[int, int, str]]:
    """Return the one-hop relations of these memories and turns, as (from, to, kind); ``from`` is one asked about.

    Stored relations count both ways, each by its name from that side (``superseded_by``, ``supersedes``). To these come active memories of the same owner about the same subject
    (:data:`SAME_SUBJECT`), the newest ``most`` for each memory; nearly everything is about the person or
    the team (``user``, ``we``), so that there the slot must be the same as well.

    Args:
        s: The state to read.
        item_ids: Memories, turns, and leaves of notes, which may quote turns; other items have no relations.
        visible: The caller's view of the other end; None for ids that are filtered later.
        most: Memories of one subject for each memory.
    """
    asked = json_list(item_ids)
    sql, values = select(
        "wanted.value, item.id, link.kind", visible,
        source=f"json_each(:ids) wanted CROSS JOIN {_LINKS} link ON link.one = wanted.value CROSS JOIN item ON item.id = link.other",
        tail="ORDER BY 1, 2, 3", bindings={"ids": asked},
    )  # fmt: skip
    found: list[tuple[int, int, str]] = list(s.rows(sql, values))
    sql, values = select(
        "mine.item_id, item.id,"
        " row_number() OVER (PARTITION BY mine.item_id ORDER BY item.ts_ms DESC, item.id DESC) AS place", visible,
        source="json_each(:ids) wanted CROSS JOIN memory mine ON mine.item_id = wanted.value CROSS JOIN item own ON own.id = mine.item_id"
        " CROSS JOIN memory other ON other.subject = mine.subject AND other.item_id <> mine.item_id"
        " CROSS JOIN item ON item.id = other.item_id AND item.scope_id = own.scope_id",
        where="item.active = 1 AND other.slot BETWEEN iif(mine.subject IN ('user', 'we'), mine.slot, '')"
        " AND iif(mine.subject IN ('user', 'we'), mine.slot, char(1114111))",
        tail="ORDER BY 1, 3", bindings={"ids": asked},
    )  # fmt: skip
    found += [(one, other, SAME_SUBJECT) for one, other, place in s.rows(sql, values) if place <= most]
    return found


def free_uid(s: Reader, *about: str) -> str:
    """Return a name for a new memory that follows from what it says, of whom and when.

    What was archived may have said the same of the same moment or turn: then the next name is taken.
    """
    uid = "m" + digest(*about)[:_UID_CHARS]
    while s.value("SELECT 1 FROM item WHERE uid = ?", (uid,)) is not None:
        uid = "m" + digest(uid, *about)[:_UID_CHARS]
    return uid


# ------------------------------------------------------------------ writing


def insert(tx: WriteTx, new: NewMemory, now_ms: int) -> int:
    """Store a new memory; return its item id. It has one confirmation: its source."""
    item_id = items.next_id(tx)
    scope_id = scopes.ensure(tx, scopes.user_scope(new.user))
    items.insert(
        tx,
        [
            items.NewItem(
                item_id, new.uid, Kind.MEMORY, scope_id, new.session_id, new.project, new.agent, new.type.value,
                new.tokens, new.ts_ms, now_ms, 1, new.role, new.speaker, None, new.text,
            )
        ],
    )  # fmt: skip
    tx.run(
        "INSERT INTO memory(item_id, confidence, priority, ttl_ms, expires_ms, content_hash, subject, slot, source_turn,"
        " signals, valid_from_ms, touched_ms, priority_manual, ttl_manual) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            item_id, new.confidence, new.priority, new.ttl_ms, new.expires_ms, new.content_hash, new.subject, new.slot,
            new.source_turn, json_text(dict(new.signals)), new.ts_ms, new.ts_ms, int(new.priority_manual),
            int(new.ttl_manual),
        ),
    )  # fmt: skip
    if new.source_turn is not None:
        tx.run(
            "INSERT INTO relation(from_id, to_id, kind, created_ms) VALUES(?, ?, 'told_by', ?)",
            (item_id, new.source_turn, now_ms),
        )
    return item_id
