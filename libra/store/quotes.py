"""Notes that hold the words of a turn: which are to be looked at, and which turns they may quote (lessons.md C22)."""

from __future__ import annotations

from collections.abc import Iterable

from libra.store.sql import Reader
from libra.store.writer import WriteTx

QUOTES = "quotes"
"""The relation of a note's leaf to the turn whose words it holds."""
_LONGEST = 20_000
"""Characters of a turn that anybody quotes whole."""


def fresh(s: Reader, after: int, before_ms: int, most: int) -> list[tuple[int, str]]:
    """Return id and text of the leaves of notes that were stored after an item and before a time, oldest first."""
    return s.rows(
        "SELECT item.id, item.text FROM node CROSS JOIN item ON item.id = node.item_id"
        " CROSS JOIN document ON document.id = node.document_id WHERE node.item_id > ? AND item.created_ms <= ?"
        " AND document.instructions = 0 ORDER BY node.item_id LIMIT ?",
        (after, before_ms, most),
    )


def saying(s: Reader, match: str, most: int) -> list[tuple[int, str]]:
    """Return id and text of turns that match an FTS5 expression, oldest first, at most so many."""
    return s.rows(
        "SELECT item.id, item.text FROM fts_word CROSS JOIN item ON item.id = fts_word.rowid"
        " CROSS JOIN turn ON turn.item_id = item.id"
        " WHERE fts_word MATCH ? AND turn.undone = 0 AND length(item.text) <= ? ORDER BY fts_word.rowid LIMIT ?",
        (match, _LONGEST, most),
    )


def link(tx: WriteTx, pairs: Iterable[tuple[int, int]], now_ms: int) -> int:
    """Relate leaves to the turns that they quote, where both are still there; return how many links are new."""
    return sum(
        tx.run(
            "INSERT OR IGNORE INTO relation(from_id, to_id, kind, created_ms) SELECT leaf.id, said.id, ?3, ?4"
            " FROM item leaf, item said WHERE leaf.id = ?1 AND said.id = ?2",
            (leaf, turn, QUOTES, now_ms),
        )
        for leaf, turn in pairs
    )
