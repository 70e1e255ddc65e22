"""How a memory changes: told again, merged, superseded, archived, brought back; never deleted by the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from libra.ground.records import MemoryType
from libra.store import items, never
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

TOLD_BY, MERGED_FROM, SUPERSEDED_BY = "told_by", "merged_from", "superseded_by"
"""Kinds of relation from a memory: to a turn that told it, to a turn or memory whose wording it took, to its successor."""
APART = "apart"
"""Kind of relation between two memories that a person has taken apart: they are not merged again."""


def relate(tx: WriteTx, from_id: int, to_id: int, kind: str, now_ms: int) -> bool:
    """Note a relation; return False if it is known."""
    made = tx.run(
        "INSERT OR IGNORE INTO relation(from_id, to_id, kind, created_ms) VALUES(?, ?, ?, ?)",
        (from_id, to_id, kind, now_ms),
    )
    if made:
        never.follow(tx, from_id)
    return made > 0


def unrelate(tx: WriteTx, from_id: int, to_id: int, kind: str) -> bool:
    """Take a relation away; return False if there is none."""
    return (
        tx.run("DELETE FROM relation WHERE from_id = ? AND to_id = ? AND kind = ?", (from_id, to_id, kind))
        > 0
    )


def related(s: Reader, from_id: int, to_id: int, kind: str) -> bool:
    """Return True if a relation is known."""
    sql = "SELECT 1 FROM relation WHERE from_id = ? AND to_id = ? AND kind = ?"
    return s.value(sql, (from_id, to_id, kind)) is not None


def confirm(
    tx: WriteTx,
    item_id: int,
    turn: ItemRow | None,
    now_ms: int,
    confidence: float | None = None,
    expires_ms: int | None = None,
) -> bool:
    """Count one more telling of a memory; return False if this very turn was counted already (field case B24).

    Args:
        tx: The transaction.
        item_id: The memory.
        turn: What says it again; None when the person confirmed it otherwise.
        now_ms: Now.
        confidence: Its new confidence, if that changes.
        expires_ms: Its new time of expiry, if it has one and this is later.
    """
    if turn is not None and not relate(tx, item_id, turn.id, TOLD_BY, now_ms):
        return False
    tx.run(
        "UPDATE memory SET confirmations = confirmations + 1, confidence = coalesce(?, confidence),"
        " expires_ms = max(expires_ms, coalesce(?, expires_ms)) WHERE item_id = ?",
        (confidence, expires_ms, item_id),
    )
    _told(tx, item_id, turn.ts_ms if turn is not None else now_ms)
    return True


def _told(tx: WriteTx, item_id: int, at_ms: int) -> None:
    """Note a time at which a memory was told: it holds from the first one, and its predecessor until then."""
    tx.run(
        "UPDATE memory SET valid_from_ms = min(valid_from_ms, ?1), touched_ms = max(touched_ms, ?1) WHERE item_id = ?2",
        (at_ms, item_id),
    )
    _end_before(tx, item_id)


def _end_before(tx: WriteTx, item_id: int) -> None:
    """Let what a memory has superseded hold until it was told."""
    tx.run(
        "UPDATE memory SET valid_to_ms = (SELECT next.valid_from_ms FROM memory next WHERE next.item_id = ?1)"
        " WHERE superseded_by = ?1",
        (item_id,),
    )


def merge(tx: WriteTx, item_id: int, text: str, content_hash: str, turn: ItemRow, now_ms: int) -> None:
    """Take a near-duplicate's support, and its wording if it is newer; the item and its uid stay (lessons.md C21)."""
    if not relate(tx, item_id, turn.id, MERGED_FROM, now_ms):
        return
    tx.run("UPDATE memory SET confirmations = confirmations + 1 WHERE item_id = ?", (item_id,))
    _told(tx, item_id, turn.ts_ms)
    reword(tx, item_id, text, content_hash, turn.ts_ms)


def reword(tx: WriteTx, item_id: int, text: str, content_hash: str, said_ms: int) -> None:
    """Give a memory the newer of its own wording and another that says the same; the item and its uid stay."""
    if said_ms < tx.value("SELECT ts_ms FROM item WHERE id = ?", (item_id,)):
        return
    items.replace_text(tx, item_id, text, estimate(text))
    tx.run("UPDATE item SET ts_ms = ? WHERE id = ?", (said_ms, item_id))
    tx.run("UPDATE memory SET content_hash = ? WHERE item_id = ?", (content_hash, item_id))


def supersede(tx: WriteTx, old_id: int, new_id: int, now_ms: int) -> None:
    """Put a newer memory in the place of an old one, which stays in the archive, without confidence.

    An old one that has a successor already gets this one in its stead: it was told between the two.

    Args:
        tx: The transaction.
        old_id: What no longer holds.
        new_id: What holds instead.
        now_ms: Now.
    """
    tx.run(
        "UPDATE memory SET superseded_by = ?, archived_ms = coalesce(archived_ms, ?) WHERE item_id = ?",
        (new_id, now_ms, old_id),
    )
    _end_before(tx, new_id)
    tx.run("DELETE FROM relation WHERE from_id = ? AND kind = ?", (old_id, SUPERSEDED_BY))
    relate(tx, old_id, new_id, SUPERSEDED_BY, now_ms)
    items.set_active(tx, [old_id], active=False)


def hand_over(tx: WriteTx, from_id: int, to_id: int, told_by: Sequence[ItemRow]) -> None:
    """Give some of a memory's tellings to another one of the same words: they belong to another period.

    Both hold from the first of their own tellings.
    """
    moved = json_list([turn.id for turn in told_by])
    tx.run(
        "INSERT OR IGNORE INTO relation(from_id, to_id, kind, created_ms) SELECT ?, to_id, kind, created_ms FROM relation"
        " WHERE from_id = ? AND to_id IN (SELECT value FROM json_each(?))",
        (to_id, from_id, moved),
    )
    tx.run(
        "DELETE FROM relation WHERE from_id = ? AND to_id IN (SELECT value FROM json_each(?))",
        (from_id, moved),
    )
    for item in (from_id, to_id):
        tx.run(
            "UPDATE memory SET (confirmations, valid_from_ms, source_turn) = (SELECT max(count(*), 1),"
            " coalesce(min(turn.ts_ms), memory.valid_from_ms), coalesce(min(turn.id), memory.source_turn) FROM relation"
            " JOIN item turn ON turn.id = relation.to_id AND turn.kind = 1"
            " WHERE relation.from_id = memory.item_id AND relation.kind IN ('told_by', 'merged_from')) WHERE item_id = ?",
            (item,),
        )
        _end_before(tx, item)


def hand_back(tx: WriteTx, from_id: int, to_id: int, turn_ids: Sequence[int], now_ms: int) -> None:
    """Give tellings back that :func:`hand_over` gave away; what had them stands behind the memory that has them again.

    The intervals and counts of that memory are its journal's to put back.
    """
    moved = json_list(list(turn_ids))
    tx.run(
        "UPDATE OR IGNORE relation SET from_id = ?1 WHERE from_id = ?2 AND kind IN ('told_by', 'merged_from')"
        " AND to_id IN (SELECT value FROM json_each(?3))",
        (to_id, from_id, moved),
    )
    tx.run(
        "UPDATE memory SET source_turn = coalesce((SELECT min(to_id) FROM relation WHERE from_id = ?1 AND kind IN"
        " ('told_by', 'merged_from') AND EXISTS (SELECT 1 FROM turn WHERE turn.item_id = to_id)), source_turn)"
        " WHERE item_id = ?1",
        (to_id,),
    )
    # Of the same words: who forgets the one forgets the other.
    relate(tx, to_id, from_id, MERGED_FROM, now_ms)
    supersede(tx, from_id, to_id, now_ms)


def absorb(
    tx: WriteTx, kept_id: int, gone: MemoryRow, confidence: float, expires_ms: int | None, now_ms: int
) -> None:
    """Let one memory stand for another that says the same: its tellings, its support, and its wording if that is newer.

    The other goes to the archive as superseded; it held for no time of its own any more.
    """
    tx.run(
        "INSERT OR IGNORE INTO relation(from_id, to_id, kind, created_ms) SELECT ?1, to_id, kind, created_ms FROM relation"
        " WHERE from_id = ?2 AND kind IN ('told_by', 'merged_from')",
        (kept_id, gone.item_id),
    )
    relate(tx, kept_id, gone.item_id, MERGED_FROM, now_ms)
    tx.run(
        "UPDATE memory SET confirmations = confirmations + ?1, confidence = ?2, expires_ms = iif(ttl_manual, expires_ms, ?3),"
        " touched_ms = max(touched_ms, ?4), valid_from_ms = min(valid_from_ms, ?5) WHERE item_id = ?6",
        (gone.confirmations, confidence, expires_ms, now_ms, gone.valid_from_ms, kept_id),
    )
    _end_before(tx, kept_id)
    reword(tx, kept_id, gone.text, gone.content_hash, gone.ts_ms)
    supersede(tx, gone.item_id, kept_id, now_ms)
    never.follow(tx, kept_id)


def apart_from(s: Reader, item_id: int) -> set[int]:
    """Return the memories that a person has taken apart from this one."""
    found = s.rows(
        "SELECT to_id FROM relation WHERE from_id = ?1 AND kind = ?2 UNION SELECT from_id FROM relation"
        " WHERE to_id = ?1 AND kind = ?2",
        (item_id, APART),
    )
    return {row[0] for row in found}


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
        "UPDATE memory SET archived_ms = NULL, superseded_by = NULL, valid_to_ms = NULL, expires_ms = ? WHERE item_id = ?",
        (expires_ms, item_id),
    )
    tx.run("DELETE FROM relation WHERE from_id = ? AND kind = ?", (item_id, SUPERSEDED_BY))
    items.set_active(tx, [item_id], active=True)


def recalled(tx: WriteTx, confidences: Mapping[int, float], now_ms: int) -> None:
    """Count a recall that was used for each of these memories, and give each its new confidence."""
    tx.many(
        "UPDATE memory SET recalls = recalls + 1, last_recalled_ms = ?1, touched_ms = max(touched_ms, ?1), confidence = ?2"
        " WHERE item_id = ?3",
        ((now_ms, confidence, item) for item, confidence in confidences.items()),
    )


def set_confidence(tx: WriteTx, item_id: int, confidence: float, now_ms: int) -> None:
    """Give a memory another confidence, as of now."""
    tx.run(
        "UPDATE memory SET confidence = ?, touched_ms = max(touched_ms, ?) WHERE item_id = ?",
        (confidence, now_ms, item_id),
    )


def begin_at(tx: WriteTx, item_id: int, confidence: float) -> None:
    """Give a memory another confidence to begin with: it ages from when it was told, as before."""
    tx.run("UPDATE memory SET confidence = ? WHERE item_id = ?", (confidence, item_id))


def typed_by_hand(tx: WriteTx, item_id: int) -> None:
    """Note that a person has said of which type a memory is."""
    tx.run(
        "UPDATE memory SET signals = json_set(coalesce(signals, '{}'), '$.typed', 'by hand') WHERE item_id = ?",
        (item_id,),
    )


def weigh(tx: WriteTx, item_id: int, priority: int, *, manual: bool = True) -> None:
    """Give a memory a priority, 0–100: of a person's choice, or its type's again."""
    tx.run(
        "UPDATE memory SET priority = ?, priority_manual = ? WHERE item_id = ?",
        (priority, int(manual), item_id),
    )


def expire(
    tx: WriteTx, item_id: int, ttl_ms: int | None, expires_ms: int | None, *, manual: bool = True
) -> None:
    """Give a memory a time to live: of a person's choice (0 is for ever), or its type's again (None)."""
    tx.run(
        "UPDATE memory SET ttl_ms = ?, expires_ms = ?, ttl_manual = ? WHERE item_id = ?",
        (ttl_ms, expires_ms, int(manual), item_id),
    )


def keep(tx: WriteTx, item_id: int) -> None:
    """Let a memory that a person has confirmed stay for good."""
    tx.run("UPDATE memory SET expires_ms = NULL WHERE item_id = ?", (item_id,))


def retype(tx: WriteTx, item_id: int, type_: MemoryType, priority: int, expires_ms: int | None) -> None:
    """Give a memory another type with its priority and time; what a person has set of the two stays."""
    tx.run("UPDATE item SET type = ? WHERE id = ?", (type_.value, item_id))
    tx.run(
        "UPDATE memory SET priority = iif(priority_manual, priority, ?), expires_ms = iif(ttl_manual, expires_ms, ?)"
        " WHERE item_id = ?",
        (priority, expires_ms, item_id),
    )
    tx.changes.types[item_id] = type_.value
