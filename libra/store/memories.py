"""Durable memories: inserted once, confirmed, superseded, archived; never deleted by the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libra.ground.records import Kind, MemoryType
from libra.store import items, scopes
from libra.store.rows import ItemRow
from libra.store.sql import Reader, Row, from_json, json_list, json_text
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

TOLD_BY, MERGED_FROM, SUPERSEDED_BY = "told_by", "merged_from", "superseded_by"
"""Kinds of relation from a memory: to a turn that told it, to a turn whose wording it took, to its successor."""
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


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as it is kept; ``active`` is False for an archived or superseded one."""

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


_MOST_OF_SLOT = 32
"""Active memories of one slot that a new statement is held against: a slot that holds more holds repetitions."""
_COLUMNS = (
    "item.id, item.uid, item.type, item.text, item.tokens, item.ts_ms, item.active, memory.confidence,"
    " memory.confirmations, memory.priority, memory.ttl_ms, memory.expires_ms, memory.archived_ms,"
    " memory.superseded_by, memory.content_hash, memory.subject, memory.slot, memory.source_turn, memory.signals,"
    " memory.recalls, memory.last_recalled_ms"
)


def _row(f: Row) -> MemoryRow:
    fields = [*f[:6], f[6] == 1, *f[7:18], from_json(f[18]), *f[19:]]
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


def find_hash(s: Reader, user: str, content_hash: str) -> MemoryRow | None:
    """Return the user's active memory of the same content, or None."""
    found = _find(
        s,
        _of_user(user),
        "memory.content_hash = :hash AND item.active = 1",
        "ORDER BY item.id LIMIT 1",
        hash=content_hash,
    )
    return found[0] if found else None


def by_slot(s: Reader, user: str, subject: str, slot: str) -> list[MemoryRow]:
    """Return the user's active memories about the same slot of the same subject, newest first (lessons.md C92)."""
    return _find(
        s, _of_user(user), "memory.subject = :subject AND memory.slot = :slot AND item.active = 1",
        "ORDER BY item.ts_ms DESC, item.id DESC LIMIT :most", subject=subject, slot=slot, most=_MOST_OF_SLOT,
    )  # fmt: skip


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


def history(s: Reader, item_id: int) -> list[MemoryRow]:
    """Return a memory with those that it superseded and that superseded it, oldest first."""
    return _find(
        s, None,
        "memory.item_id IN (WITH RECURSIVE line(id) AS (SELECT :item UNION"
        " SELECT CASE r.from_id WHEN line.id THEN r.to_id ELSE r.from_id END FROM relation r JOIN line"
        " ON r.kind = 'superseded_by' AND line.id IN (r.from_id, r.to_id)) SELECT id FROM line)",
        "ORDER BY item.ts_ms, item.id", item=item_id,
    )  # fmt: skip


def expired(s: Reader, now_ms: int, limit: int = 1000) -> list[int]:
    """Return memories whose time is over and that are not archived yet."""
    found = s.rows(
        "SELECT item_id FROM memory WHERE expires_ms <= ? AND archived_ms IS NULL ORDER BY expires_ms LIMIT ?",
        (now_ms, limit),
    )
    return [row[0] for row in found]


def source_turns(s: Reader, item_ids: Sequence[int]) -> dict[int, int]:
    """Return the turn that each of these memories was taken from, where it is known."""
    found = s.rows(
        "SELECT item_id, source_turn FROM memory WHERE source_turn IS NOT NULL"
        " AND item_id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return dict(found)


def tellings(s: Reader, item_id: int) -> list[int]:
    """Return all turns that told this memory, oldest first."""
    found = s.rows(
        "SELECT DISTINCT to_id FROM relation WHERE from_id = ? AND kind IN ('told_by', 'merged_from') ORDER BY to_id",
        (item_id,),
    )
    return [row[0] for row in found]


_MOST_OF_SUBJECT = 8
_LINKS = "(SELECT from_id AS one, to_id AS other, kind FROM relation UNION ALL SELECT to_id, from_id, kind FROM relation)"


def related(
    s: Reader, item_ids: Sequence[int], visible: Visible | None = None, most: int = _MOST_OF_SUBJECT
) -> list[tuple[int, int, str]]:
    """Return the one-hop relations of these memories and turns, as (from, to, kind); ``from`` is one asked about.

    Stored relations count both ways. To these come active memories of the same owner about the same subject
    (:data:`SAME_SUBJECT`), the newest ``most`` for each memory; nearly everything is about the person or
    the team (``user``, ``we``), so that there the slot must be the same as well.

    Args:
        s: The state to read.
        item_ids: Memories and turns; other items have no relations.
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
        " signals) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            item_id, new.confidence, new.priority, new.ttl_ms, new.expires_ms, new.content_hash, new.subject, new.slot,
            new.source_turn, json_text(dict(new.signals)),
        ),
    )  # fmt: skip
    if new.source_turn is not None:
        relate(tx, item_id, new.source_turn, TOLD_BY, now_ms)
    return item_id


def relate(tx: WriteTx, from_id: int, to_id: int, kind: str, now_ms: int) -> bool:
    """Note a relation; return False if it is known."""
    return (
        tx.run(
            "INSERT OR IGNORE INTO relation(from_id, to_id, kind, created_ms) VALUES(?, ?, ?, ?)",
            (from_id, to_id, kind, now_ms),
        )
        > 0
    )


def confirm(
    tx: WriteTx, item_id: int, turn_id: int | None, now_ms: int, confidence: float | None = None
) -> bool:
    """Count one more telling of a memory; return False if this very turn was counted already (field case B24).

    Args:
        tx: The transaction.
        item_id: The memory.
        turn_id: The turn that says it again; None when the person confirmed it otherwise.
        now_ms: Now.
        confidence: Its new confidence, if that changes.
    """
    if turn_id is not None and not relate(tx, item_id, turn_id, TOLD_BY, now_ms):
        return False
    tx.run(
        "UPDATE memory SET confirmations = confirmations + 1, confidence = coalesce(?, confidence) WHERE item_id = ?",
        (confidence, item_id),
    )
    return True


def merge(tx: WriteTx, item_id: int, text: str, content_hash: str, turn: ItemRow, now_ms: int) -> None:
    """Take a near-duplicate's support, and its wording if it is newer; the item and its uid stay (lessons.md C21)."""
    if not relate(tx, item_id, turn.id, MERGED_FROM, now_ms):
        return
    tx.run("UPDATE memory SET confirmations = confirmations + 1 WHERE item_id = ?", (item_id,))
    reword(tx, item_id, text, content_hash, turn.ts_ms)


def reword(tx: WriteTx, item_id: int, text: str, content_hash: str, said_ms: int) -> None:
    """Give a memory the newer of its own wording and another that says the same; the item and its uid stay."""
    if said_ms < int(tx.value("SELECT ts_ms FROM item WHERE id = ?", (item_id,))):
        return
    items.replace_text(tx, item_id, text, estimate(text))
    tx.run("UPDATE item SET ts_ms = ? WHERE id = ?", (said_ms, item_id))
    tx.run("UPDATE memory SET content_hash = ? WHERE item_id = ?", (content_hash, item_id))


def supersede(tx: WriteTx, old_id: int, new_id: int, now_ms: int) -> None:
    """Put a newer memory in the place of an old one, which stays in the archive with confidence 0."""
    tx.run(
        "UPDATE memory SET superseded_by = ?, confidence = 0, archived_ms = coalesce(archived_ms, ?) WHERE item_id = ?",
        (new_id, now_ms, old_id),
    )
    relate(tx, old_id, new_id, SUPERSEDED_BY, now_ms)
    items.set_active(tx, [old_id], active=False)


def archive(tx: WriteTx, item_ids: Sequence[int], now_ms: int) -> int:
    """Move memories to the archive; return how many were not there yet."""
    moved = [
        row[0]
        for row in tx.rows(
            "UPDATE memory SET archived_ms = ? WHERE archived_ms IS NULL"
            " AND item_id IN (SELECT value FROM json_each(?)) RETURNING item_id",
            (now_ms, json_list(item_ids)),
        )
    ]
    items.set_active(tx, moved, active=False)
    return len(moved)


def revive(tx: WriteTx, item_id: int, expires_ms: int | None = None) -> None:
    """Bring a memory back from the archive, superseded or not."""
    tx.run(
        "UPDATE memory SET archived_ms = NULL, superseded_by = NULL, expires_ms = ? WHERE item_id = ?",
        (expires_ms, item_id),
    )
    tx.run("DELETE FROM relation WHERE from_id = ? AND kind = ?", (item_id, SUPERSEDED_BY))
    items.set_active(tx, [item_id], active=True)


def recalled(tx: WriteTx, confidences: Mapping[int, float], now_ms: int) -> None:
    """Count a recall that was used for each of these memories, and give each its new confidence."""
    tx.many(
        "UPDATE memory SET recalls = recalls + 1, last_recalled_ms = ?, confidence = ? WHERE item_id = ?",
        ((now_ms, confidence, item) for item, confidence in confidences.items()),
    )


def weigh(tx: WriteTx, item_id: int, priority: int) -> None:
    """Give a memory another priority, 0–100."""
    tx.run("UPDATE memory SET priority = ? WHERE item_id = ?", (priority, item_id))


def expire(tx: WriteTx, item_id: int, ttl_ms: int | None, expires_ms: int | None) -> None:
    """Give a memory another time to live; None is for ever."""
    tx.run("UPDATE memory SET ttl_ms = ?, expires_ms = ? WHERE item_id = ?", (ttl_ms, expires_ms, item_id))


def retype(tx: WriteTx, item_id: int, type_: MemoryType, priority: int, expires_ms: int | None) -> None:
    """Give a memory another type with its priority and time."""
    tx.run("UPDATE item SET type = ? WHERE id = ?", (type_.value, item_id))
    tx.run(
        "UPDATE memory SET priority = ?, expires_ms = ? WHERE item_id = ?", (priority, expires_ms, item_id)
    )
    tx.changes.types[item_id] = type_.value
