"""Answers to requests that carry an id, so that a repeated one changes nothing (lessons.md C24)."""

from __future__ import annotations

from typing import Any

import orjson

from libra.store.sql import Reader
from libra.store.writer import WriteTx

KEPT_MS = 7 * 86_400_000
"""How long an answer is kept."""


def get(s: Reader, request_id: str) -> dict[str, Any] | None:
    """Return the answer that was given to this request, or None."""
    found = s.value("SELECT result FROM request WHERE id = ?", (request_id,))
    if found is None:
        return None
    answer: dict[str, Any] = orjson.loads(found)
    return answer


def put(tx: WriteTx, request_id: str, result: dict[str, Any], now_ms: int) -> None:
    """Keep the answer, in the transaction of what it tells of; old answers go."""
    tx.run(
        "INSERT OR REPLACE INTO request(id, created_ms, result) VALUES(?, ?, ?)",
        (request_id, now_ms, orjson.dumps(result).decode()),
    )
    tx.run("DELETE FROM request WHERE created_ms < ?", (now_ms - KEPT_MS,))
