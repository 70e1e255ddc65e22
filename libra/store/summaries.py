"""Summaries and guidance: what compaction makes of turns, committed at one go. The raw turns stay.

Summaries form a graph: each covers turns or lower summaries; what is covered leaves the active index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from libra.ground.errors import Conflict
from libra.ground.records import Kind, digest
from libra.store import items, sessions
from libra.store.rows import COLUMNS, JOINS, ItemRow, item_rows
from libra.store.sql import Reader, json_list
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A summary on its way into the store.

    Attributes:
        uid: Content-addressed (session, sorted source ids): the same run again is a no-op.
        session_id: Row id of its session.
        level: 1 over turns, 2 over summaries of level 1, …
        ts_ms: Time of the newest thing it covers.
        method: ``extractive`` or ``abstractive``.
        confidence, align, cover, ident: In [0, 1] (memory model §8); ``ident`` is identifier retention.
        tokens_in: Tokens of what it covers.
        refused: Why no model wrote it, where one was set: a short stable word.
    """

    uid: str
    session_id: int
    level: int
    text: str
    tokens: int
    ts_ms: int
    method: str
    confidence: float
    align: float
    cover: float
    ident: float
    tokens_in: int
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """What :func:`commit` did: the summary's item id, those of new guidance; ``new`` is False for a repetition."""

    item_id: int
    guidance_ids: list[int]
    new: bool


def commit(
    tx: WriteTx, summary: SummaryRow, covered_ids: Sequence[int], guidance_turns: Sequence[int], now_ms: int
) -> Committed:
    """Store a summary with its coverage, and its cluster's guidance; what is covered leaves the active index.

    Args:
        tx: The transaction: all of it or nothing.
        summary: The summary.
        covered_ids: Turns or summaries, in order; guidance turns among them.
        guidance_turns: Turns that are kept verbatim as guidance.
        now_ms: Now.

    Raises:
        Conflict: Something is covered already by another summary, is gone, or belongs to another session
            (``covered``): nothing is changed.
    """
    known = tx.value("SELECT id FROM item WHERE uid = ?", (summary.uid,))
    if known is not None:
        return Committed(int(known), [], new=False)
    kind = Kind.TURN if summary.level == 1 else Kind.SUMMARY
    table = "turn" if kind is Kind.TURN else "summary"
    ids = json_list(covered_ids)
    free = tx.value(
        f"SELECT count(*) FROM item JOIN {table} ON {table}.item_id = item.id WHERE item.session_id = ? AND item.kind = ?"
        f" AND {table}.covered_by IS NULL AND item.id IN (SELECT value FROM json_each(?))",
        (summary.session_id, int(kind), ids),
    )
    if not covered_ids or free != len(set(covered_ids)):
        raise Conflict("what was to be summarised has changed meanwhile", reason="covered")
    item_id = _insert(tx, summary, now_ms)
    tx.many(
        "INSERT INTO coverage(parent_id, child_id, position) VALUES(?, ?, ?)",
        ((item_id, child, n) for n, child in enumerate(covered_ids)),
    )
    tx.run(
        f"UPDATE {table} SET covered_by = ? WHERE item_id IN (SELECT value FROM json_each(?))", (item_id, ids)
    )
    items.set_active(tx, covered_ids, active=False)
    return Committed(item_id, protect(tx, guidance_turns, now_ms), new=True)


def _insert(tx: WriteTx, summary: SummaryRow, now_ms: int) -> int:
    session = sessions.get(tx, summary.session_id)
    if session is None:
        raise Conflict("the session is gone", reason="covered")
    item_id = items.next_id(tx)
    items.insert(
        tx,
        [
            items.NewItem(
                item_id, summary.uid, Kind.SUMMARY, session.scope_id, session.id, session.project, session.agent, None,
                summary.tokens, summary.ts_ms, now_ms, 1, None, None, None, summary.text,
            )
        ],
    )  # fmt: skip
    tx.run(
        "INSERT INTO summary(item_id, session_id, level, method, confidence, align, cover, ident, tokens_in, refused)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            item_id, session.id, summary.level, summary.method, summary.confidence, summary.align, summary.cover,
            summary.ident, summary.tokens_in, summary.refused,
        ),
    )  # fmt: skip
    return item_id


def protect(tx: WriteTx, turn_ids: Sequence[int], now_ms: int) -> list[int]:
    """Keep turns verbatim as guidance; return the new items' ids. A turn is protected once."""
    found = tx.rows(
        "SELECT item.id, item.scope_id, item.session_id, item.project, item.agent, item.tokens, item.ts_ms, item.role,"
        " item.speaker, item.text FROM item LEFT JOIN guidance ON guidance.turn_id = item.id"
        " WHERE item.kind = 1 AND guidance.item_id IS NULL AND item.id IN (SELECT value FROM json_each(?))"
        " ORDER BY item.ts_ms, item.seq",
        (json_list(turn_ids),),
    )
    first = items.next_id(tx)
    new = [
        items.NewItem(
            first + n, "g" + digest("guidance", str(turn), text)[:23], Kind.GUIDANCE, scope, session, project, agent, None,
            tokens, ts_ms, now_ms, 1, role, speaker, None, text,
        )
        for n, (turn, scope, session, project, agent, tokens, ts_ms, role, speaker, text) in enumerate(found)
    ]  # fmt: skip
    items.insert(tx, new)
    tx.many(
        "INSERT INTO guidance(item_id, turn_id, session_id) VALUES(?, ?, ?)",
        ((item.id, turn[0], item.session_id) for item, turn in zip(new, found, strict=True)),
    )
    return [item.id for item in new]


# ------------------------------------------------------------------ reading


def children(s: Reader, uid: str, *, visible: Visible | None = None) -> list[ItemRow]:
    """Return what a summary covers, in order; empty for anything else."""
    return _along(s, uid, "coverage.parent_id = top.id", "coverage.child_id", visible)


def parents(s: Reader, uid: str, *, visible: Visible | None = None) -> list[ItemRow]:
    """Return the summaries that cover an item."""
    return _along(s, uid, "coverage.child_id = top.id", "coverage.parent_id", visible)


def _along(s: Reader, uid: str, edge: str, other: str, visible: Visible | None) -> list[ItemRow]:
    sql, bindings = select(
        COLUMNS, visible,
        source=f"item top CROSS JOIN coverage ON {edge} CROSS JOIN item ON item.id = {other}",
        joins=JOINS, where="top.uid = :uid", tail="ORDER BY coverage.position, item.id", bindings={"uid": uid},
    )  # fmt: skip
    return item_rows(s.rows(sql, bindings))


def edges(s: Reader, summary_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return for each of these summaries the ids of what it covers, in order."""
    found: dict[int, list[int]] = {}
    for parent, child in s.rows(
        "SELECT parent_id, child_id FROM coverage WHERE parent_id IN (SELECT value FROM json_each(?))"
        " ORDER BY parent_id, position",
        (json_list(summary_ids),),
    ):
        found.setdefault(parent, []).append(child)
    return found


def of_session(
    s: Reader,
    session_key: str,
    *,
    level: int | None = None,
    uncovered: bool = False,
    visible: Visible | None = None,
) -> list[ItemRow]:
    """Return a session's summaries, oldest first: of one level or all, covered ones too unless they are left out."""
    session = sessions.find(s, session_key, visible.user if visible else None)
    if session is None:
        return []
    where = "item.session_id = :session AND item.kind = 2"
    where += " AND summary.level = :level" if level is not None else ""
    where += " AND summary.covered_by IS NULL" if uncovered else ""
    bindings = {"session": session.id} | ({"level": level} if level is not None else {})
    sql, values = select(
        COLUMNS, visible, joins=JOINS, where=where, tail="ORDER BY item.ts_ms, item.id", bindings=bindings
    )
    return item_rows(s.rows(sql, values))


def details(s: Reader, item_ids: Sequence[int]) -> dict[int, SummaryRow]:
    """Return the figures of these summaries."""
    found = s.rows(
        "SELECT item.id, item.uid, summary.session_id, level, item.text, item.tokens, item.ts_ms, method, confidence, align,"
        " cover, ident, tokens_in, refused FROM summary JOIN item ON item.id = summary.item_id"
        " WHERE item.id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return {row[0]: SummaryRow(*row[1:]) for row in found}


def guidance_of(s: Reader, session_key: str, *, visible: Visible | None = None) -> list[ItemRow]:
    """Return a session's guidance, oldest first."""
    session = sessions.find(s, session_key, visible.user if visible else None)
    if session is None:
        return []
    sql, values = select(
        COLUMNS, visible, joins=JOINS, where="item.session_id = :session AND item.kind = 4",
        tail="ORDER BY item.ts_ms, item.id", bindings={"session": session.id},
    )  # fmt: skip
    return item_rows(s.rows(sql, values))


def uncover(tx: WriteTx, summary_ids: Sequence[int]) -> list[int]:
    """Delete summaries and give back what they cover to the active index; return the ids of all that were deleted.

    Summaries above them go too: what they tell is no longer what is there.
    """
    above = [
        row[0]
        for row in tx.rows(
            "WITH RECURSIVE up(id) AS (SELECT value FROM json_each(?) UNION"
            " SELECT coverage.parent_id FROM coverage JOIN up ON coverage.child_id = up.id) SELECT id FROM up",
            (json_list(summary_ids),),
        )
    ]
    freed = [
        row[0]
        for row in tx.rows(
            "SELECT child_id FROM coverage WHERE parent_id IN (SELECT value FROM json_each(?1))"
            " AND child_id NOT IN (SELECT value FROM json_each(?1))",
            (json_list(above),),
        )
    ]
    items.delete(tx, above)
    undone = {
        row[0]
        for row in tx.rows(
            "SELECT item_id FROM turn WHERE undone = 1 AND item_id IN (SELECT value FROM json_each(?))",
            (json_list(freed),),
        )
    }
    items.set_active(tx, [item for item in freed if item not in undone], active=True)
    return above
