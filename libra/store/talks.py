"""Sessions as a person looks through them: page by page, with what is in each."""

from __future__ import annotations

from typing import NamedTuple

from libra.store.sql import Reader
from libra.store.visibility import Visible, select


class Talk(NamedTuple):
    """One session with its figures; ``last_ms`` is 0 where nothing was said in it."""

    id: int
    key: str
    host: str | None
    agent: str | None
    project: str | None
    cwd: str | None
    kind: str
    parent: str | None
    first_ms: int | None
    last_ms: int
    gone_ms: int | None
    turns: int
    tokens: int
    covered: int
    summaries: int
    memories: int


_FIGURES = """
 (SELECT count(*) FROM item WHERE item.session_id = n.id AND item.kind = 1),
 (SELECT coalesce(sum(item.tokens), 0) FROM item WHERE item.session_id = n.id AND item.kind = 1),
 (SELECT count(*) FROM item JOIN turn ON turn.item_id = item.id WHERE item.session_id = n.id AND item.kind = 1
  AND turn.covered_by IS NOT NULL),
 (SELECT count(*) FROM summary WHERE summary.session_id = n.id),
 (SELECT count(*) FROM item told JOIN memory ON memory.source_turn = told.id WHERE told.session_id = n.id AND told.kind = 1)
"""


def page(
    s: Reader, user: str, k: int, *, before: tuple[int, int] | None = None, key: str | None = None
) -> list[Talk]:
    """Return a user's sessions, the one in which something was said last first.

    Args:
        s: The state.
        user: Whose.
        k: How many.
        before: ``last_ms`` and ``id`` of the last one of the page before.
        key: This session only.
    """
    last_ms, session_id = before or (None, None)
    found = s.rows(
        "SELECT n.id, n.key, n.host, n.agent, n.project, n.cwd, n.kind, (SELECT p.key FROM session p WHERE p.id = n.parent_id),"
        f" n.first_ms, coalesce(n.last_ms, 0), n.gone_ms, {_FIGURES} FROM session n"
        " WHERE n.user = :user AND (:key IS NULL OR n.key = :key)"
        " AND (:last IS NULL OR (coalesce(n.last_ms, 0), n.id) < (:last, :id))"
        " ORDER BY coalesce(n.last_ms, 0) DESC, n.id DESC LIMIT :k",
        {"user": user, "key": key, "last": last_ms, "id": session_id, "k": k},
    )
    return [Talk(*row) for row in found]


def memories_told(s: Reader, session_id: int, visible: Visible) -> dict[int, list[str]]:
    """Return for each turn of a session the ids of the memories in view that it told first."""
    sql, values = select(
        "memory.source_turn, item.uid", visible,
        joins="JOIN memory ON memory.item_id = item.id JOIN item told ON told.id = memory.source_turn",
        where="told.session_id = :session AND told.kind = 1", tail="ORDER BY item.id", bindings={"session": session_id},
    )  # fmt: skip
    out: dict[int, list[str]] = {}
    for turn, uid in s.rows(sql, values):
        out.setdefault(turn, []).append(uid)
    return out
