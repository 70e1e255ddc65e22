"""Ids of memories that the program looks for by itself: what matters most, what never helped, whose there are."""

from __future__ import annotations

from libra.store import scopes
from libra.store.sql import Reader
from libra.store.visibility import Visible, select


def _own(user: str) -> Visible:
    return Visible(user="", scopes=(scopes.user_scope(user).text,))


def unused(s: Reader, user: str, limit: int) -> list[int]:
    """Return a user's memories that stood in many prompts and never helped, the newest first."""
    sql, values = select(
        "item.id", _own(user), joins="JOIN label ON label.item_id = item.id",
        where="item.kind = 3 AND label.cause = 'unused'", tail="ORDER BY label.at_ms DESC, item.id LIMIT :limit",
        bindings={"limit": limit},
    )  # fmt: skip
    return [row[0] for row in s.rows(sql, values)]


def weighty(s: Reader, user: str, priority: int, since_ms: int, most: int) -> list[int]:
    """Return a user's active memories of at least this priority told since a time, what matters most and is newest first."""
    sql, values = select(
        "item.id", _own(user), joins="JOIN memory ON memory.item_id = item.id",
        where="item.kind = 3 AND item.active = 1 AND memory.priority >= :priority AND item.ts_ms >= :since",
        tail="ORDER BY memory.priority DESC, item.ts_ms DESC, item.id DESC LIMIT :most",
        bindings={"priority": priority, "since": since_ms, "most": most},
    )  # fmt: skip
    return [row[0] for row in s.rows(sql, values)]


def users(s: Reader) -> list[str]:
    """Return the users that have memories."""
    sql, values = select(
        "DISTINCT substr(scope.name, 6)",
        None,
        where="item.kind = 3 AND scope.name LIKE 'user:%'",
        tail="ORDER BY 1",
    )
    return [row[0] for row in s.rows(sql, values)]
