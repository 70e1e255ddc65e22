"""What became of memories that went into prompts, and what that says of the gate: ids and numbers only, no text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from libra.store.sql import Reader, json_list
from libra.store.visibility import select
from libra.store.writer import WriteTx

KEPT_MS = 400 * 86_400_000
"""How long a single use is kept. Labels stay: one number a memory."""


class Used(IntEnum):
    """What became of a memory in a prompt; the number is what the database keeps."""

    WRONG = -1
    """The person said at once that the answer was wrong."""
    NO = 0
    YES = 1


@dataclass(frozen=True, slots=True)
class UseRow:
    """One memory in one prompt."""

    item_id: int
    receipt_id: str
    session_key: str
    at_ms: int
    used: Used


def put(tx: WriteTx, receipt_id: str, session_key: str, outcomes: Mapping[int, Used], now_ms: int) -> None:
    """Keep what became of memories of one receipt; a later word about the same replaces an earlier one."""
    tx.many(
        "INSERT INTO use(item_id, receipt_id, session_key, at_ms, used) VALUES(?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT(item_id, receipt_id) DO UPDATE SET at_ms = ?4, used = ?5",
        ((item, receipt_id, session_key, now_ms, int(used)) for item, used in outcomes.items()),
    )
    tx.run("DELETE FROM use WHERE at_ms < ?", (now_ms - KEPT_MS,))


def of_receipt(s: Reader, receipt_id: str) -> dict[int, Used]:
    """Return what became of the memories of one receipt, as far as it was judged."""
    found = s.rows("SELECT item_id, used FROM use WHERE receipt_id = ?", (receipt_id,))
    return {item: Used(used) for item, used in found}


def of_item(s: Reader, item_id: int, limit: int) -> list[UseRow]:
    """Return the newest uses of a memory, newest first."""
    found = s.rows(
        "SELECT item_id, receipt_id, session_key, at_ms, used FROM use WHERE item_id = ?"
        " ORDER BY at_ms DESC, receipt_id LIMIT ?",
        (item_id, limit),
    )
    return [UseRow(item, receipt, session, at, Used(used)) for item, receipt, session, at, used in found]


def used_in_session(s: Reader, session_key: str, item_ids: Sequence[int]) -> set[int]:
    """Return those of these memories that an answer of the session has used: a session counts once."""
    found = s.rows(
        "SELECT DISTINCT item_id FROM use WHERE used = 1 AND session_key = ?"
        " AND item_id IN (SELECT value FROM json_each(?))",
        (session_key, json_list(item_ids)),
    )
    return {row[0] for row in found}


def in_vain(s: Reader, item_id: int) -> int:
    """Return in how many prompts a memory stood that never helped; 0 once it did."""
    found = s.one("SELECT count(*), max(used) FROM use WHERE item_id = ?", (item_id,))
    return 0 if found is None or found[1] != int(Used.NO) else int(found[0])


def in_vain_lately(s: Reader, since_ms: int, times: int) -> dict[str, int]:
    """Return the memories that stood in so many prompts since a time and helped in none, by uid, with the last such time."""
    sql, values = select(
        "item.uid, max(use.at_ms)", None, source="use CROSS JOIN item ON item.id = use.item_id", where="use.at_ms >= :since",
        tail="GROUP BY use.item_id HAVING count(*) >= :times AND max(use.used) <= 0",
        bindings={"since": since_ms, "times": times},
    )  # fmt: skip
    return dict(s.rows(sql, values))


# ------------------------------------------------------------------ labels


def label(tx: WriteTx, item_id: int, cause: str, now_ms: int, *, useful: bool) -> None:
    """Note whether a memory that the gate admitted proved useful; the last word counts.

    Memories that were admitted for another reason than their score (asked for, repeated) say nothing of the score.
    """
    tx.run(
        "INSERT INTO label(item_id, g, useful, cause, at_ms)"
        " SELECT item_id, json_extract(signals, '$.g'), ?2, ?3, ?4 FROM memory WHERE item_id = ?1"
        " AND json_extract(signals, '$.admitted_by') = 'gate' AND json_extract(signals, '$.g') IS NOT NULL"
        " ON CONFLICT(item_id) DO UPDATE SET useful = ?2, cause = ?3, at_ms = ?4",
        (item_id, int(useful), cause, now_ms),
    )


def unlabel(tx: WriteTx, item_ids: Sequence[int]) -> None:
    """Take back what a change that was undone had said of these memories."""
    tx.run(
        "DELETE FROM label WHERE cause IN ('confirmed', 'corrected') AND item_id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )


def labels(s: Reader) -> list[tuple[float, bool]]:
    """Return the gate score and the outcome of every labelled memory."""
    return [(g, useful == 1) for g, useful in s.rows("SELECT g, useful FROM label ORDER BY item_id")]


def causes(s: Reader) -> dict[str, int]:
    """Return how many labels there are by their cause."""
    return dict(s.rows("SELECT cause, count(*) FROM label GROUP BY cause ORDER BY cause"))
