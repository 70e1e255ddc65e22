"""What was put into a prompt: a receipt for each assembly, and its lines' hashes so that they are known again.

No text is kept, of the query neither: ids and hashes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx

_ASKED_TIMES = 4
"""A host may ask the same a few times over: with another budget, or once more."""
KEPT_MS = 14 * 86_400_000
"""How long receipts and injected lines are kept."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one assembly gave.

    Attributes:
        id: The receipt's name, given to the caller.
        created_ms: When.
        session_key: For which session, if one was named.
        query_hash: Digest of the query.
        tokens, budget: Used and allowed.
        items: For each item ``{id, tier, tokens, …}``.
        degraded: Reasons why something was missing.
        user, agent, host, project: For whom.
        took_ms: How long it took.
        left_out: For each thing that was near but not shown ``{id, tier, tokens, why, …}``.
    """

    id: str
    created_ms: int
    session_key: str | None
    query_hash: str
    tokens: int
    budget: int
    items: list[dict[str, Any]] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    user: str | None = None
    agent: str | None = None
    host: str | None = None
    project: str | None = None
    took_ms: float | None = None
    left_out: list[dict[str, Any]] = field(default_factory=list)


_COLUMNS = "id, created_ms, session_key, query_hash, tokens, budget, items, degraded, user, agent, host, project, took_ms, left_out"
_JSON = {6, 7, 13}
"""Which of these are JSON."""


def keep(tx: WriteTx, receipt: Receipt, line_hashes: Iterable[str] = ()) -> None:
    """Keep a receipt and the hashes of the lines that went into the session's prompt; old ones go."""
    tx.run(
        f"INSERT OR REPLACE INTO receipt({_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            receipt.id, receipt.created_ms, receipt.session_key, receipt.query_hash, receipt.tokens, receipt.budget,
            orjson.dumps(receipt.items).decode(), orjson.dumps(receipt.degraded).decode(), receipt.user, receipt.agent,
            receipt.host, receipt.project, receipt.took_ms, orjson.dumps(receipt.left_out).decode(),
        ),
    )  # fmt: skip
    tx.many(
        "INSERT INTO injected(line_hash, session_key, created_ms, receipt_id) VALUES(?1, ?2, ?3, ?4)"
        " ON CONFLICT(line_hash, session_key) DO UPDATE SET created_ms = ?3, receipt_id = ?4",
        ((line, receipt.session_key or "", receipt.created_ms, receipt.id) for line in line_hashes),
    )
    old = receipt.created_ms - KEPT_MS
    tx.run("DELETE FROM receipt WHERE created_ms < ?", (old,))
    tx.run("DELETE FROM injected WHERE created_ms < ?", (old,))


def get(s: Reader, receipt_id: str) -> Receipt | None:
    """Return the receipt of that id, or None."""
    return _one(s, "WHERE id = ?", receipt_id)


def of_item(s: Reader, uid: str, limit: int) -> list[Receipt]:
    """Return the newest receipts of prompts that an item stood in, newest first."""
    # A uid is hex digits after a letter: no wildcard of LIKE is in it.
    return _all(
        s, "WHERE items LIKE '%\"' || ? || '\"%' ORDER BY created_ms DESC, rowid DESC LIMIT ?", uid, limit
    )


def before(s: Reader, session_key: str, at_ms: int, since_ms: int) -> Receipt | None:
    """Return the last receipt of a session that was made between two times, both inclusive, or None."""
    return _one(
        s, "WHERE session_key = ? AND created_ms BETWEEN ? AND ? ORDER BY created_ms DESC, rowid DESC LIMIT 1",
        session_key, since_ms, at_ms,
    )  # fmt: skip


def newest(s: Reader) -> Receipt | None:
    """Return the last receipt, or None: status shows what was injected last."""
    return _one(s, "ORDER BY created_ms DESC, rowid DESC LIMIT 1")


def page(
    s: Reader, user: str, k: int, *, before: tuple[int, str] | None = None, session_key: str | None = None
) -> list[Receipt]:
    """Return a user's newest receipts, newest first; of one session if it is named.

    Args:
        s: The state.
        user: Whose.
        k: How many.
        before: Time and id of the last one of the page before.
        session_key: The session.
    """
    at_ms, receipt_id = before or (None, None)
    return _all(
        s, "WHERE user = ?1 AND (?2 IS NULL OR session_key = ?2) AND (?3 IS NULL OR (created_ms, id) < (?3, ?4))"
        " ORDER BY created_ms DESC, id DESC LIMIT ?5", user, session_key, at_ms, receipt_id, k,
    )  # fmt: skip


def last_budgets(s: Reader) -> dict[str, int]:
    """Return for each session the budget of its last prompt."""
    found = s.rows("SELECT session_key, budget, max(created_ms) FROM receipt GROUP BY session_key")
    return {key: budget for key, budget, _ in found if key is not None}


def recalled(s: Reader, uids: Sequence[str]) -> dict[str, int]:
    """Return how often each of these items was recalled into a prompt, of those that ever were."""
    found = s.rows(
        "SELECT json_extract(shown.value, '$.id'), count(*) FROM receipt, json_each(receipt.items) shown"
        " WHERE json_extract(shown.value, '$.tier') = 'recall'"
        " AND json_extract(shown.value, '$.id') IN (SELECT value FROM json_each(?)) GROUP BY 1",
        (json_list(uids),),
    )
    return dict(found)


def _one(s: Reader, rest: str, *values: str | int) -> Receipt | None:
    found = _all(s, rest, *values)
    return found[0] if found else None


def _all(s: Reader, rest: str, *values: str | int | None) -> list[Receipt]:
    found = s.rows(f"SELECT {_COLUMNS} FROM receipt {rest}", values)
    parts = ([orjson.loads(v) if n in _JSON else v for n, v in enumerate(row)] for row in found)
    return [Receipt(*fields) for fields in parts]


def injected_hashes(s: Reader, session_key: str | None = None) -> frozenset[str]:
    """Return the hashes of lines that were put into a session's prompts, and into prompts without a session.

    Without a key: those of all sessions (a fork repeats its parent's prompts).
    """
    if session_key is None:
        found = s.rows("SELECT line_hash FROM injected")
    else:
        found = s.rows(
            "SELECT line_hash FROM injected WHERE session_key = ?1 OR session_key = ''", (session_key,)
        )
    return frozenset(row[0] for row in found)


def receipt_of_line(s: Reader, line_hash: str) -> str | None:
    """Return the receipt of the prompt into which a line was put last, or None."""
    found = s.value(
        "SELECT receipt_id FROM injected WHERE line_hash = ? ORDER BY created_ms DESC LIMIT 1", (line_hash,)
    )
    return None if found is None else str(found)


def recalled_lately(
    s: Reader, session_key: str, query_hash: str, questions: int, since_ms: int
) -> frozenset[str]:
    """Return the uids that were recalled for the last few other questions of a session.

    Args:
        s: The state.
        session_key: The session.
        query_hash: The present question, which does not count.
        questions: How many different questions back to look, at least 1.
        since_ms: What was shown before this time does not count.
    """
    found = s.rows(
        "SELECT items, query_hash FROM receipt WHERE session_key = ? AND created_ms >= ? ORDER BY created_ms DESC, rowid DESC LIMIT ?",
        (session_key, since_ms, questions * _ASKED_TIMES),
    )
    asked: set[str] = set()
    uids: set[str] = set()
    for items, question in found:
        if question == query_hash:
            continue
        asked.add(question)
        if len(asked) > questions:
            break
        uids.update(item["id"] for item in orjson.loads(items) if item.get("tier") == "recall")
    return frozenset(uids)
