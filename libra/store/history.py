"""Looks at history for compaction: which sessions have grown long, and which turn a piece of guidance was."""

from __future__ import annotations

from dataclasses import dataclass

from libra.store.sql import Reader
from libra.store.visibility import select


@dataclass(frozen=True, slots=True)
class LongSession:
    """A session with uncovered turns.

    Attributes:
        key, user: Which it is.
        turns, tokens: Uncovered turns and their tokens, the tail included.
        newest_ms: When the newest of them arrived, epoch ms.
    """

    key: str
    user: str
    turns: int
    tokens: int
    newest_ms: int


def long_sessions(s: Reader, more_than_tokens: int) -> list[LongSession]:
    """Return the sessions whose uncovered turns have more tokens than that, the one that rests longest first."""
    sql, values = select(
        "session.key, session.user, count(*), sum(item.tokens), max(item.created_ms)",
        None,
        joins="JOIN turn ON turn.item_id = item.id JOIN session ON session.id = item.session_id",
        where="item.kind = 1 AND turn.covered_by IS NULL AND turn.undone = 0",
        tail="GROUP BY item.session_id HAVING sum(item.tokens) > :least ORDER BY 5, 1",
        bindings={"least": more_than_tokens},
    )
    found = s.rows(sql, values)
    return [LongSession(*row) for row in found]


def turns_behind(s: Reader, guidance_id: int) -> list[int]:
    """Return the turn that a piece of guidance keeps; empty for anything else."""
    return [row[0] for row in s.rows("SELECT turn_id FROM guidance WHERE item_id = ?", (guidance_id,))]
