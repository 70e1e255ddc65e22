"""What hosts said of their sessions' lives: begun, reset, compacted, ended; the newest, and what the gate refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from libra.store.sql import Reader
from libra.store.writer import WriteTx


@dataclass(frozen=True, slots=True)
class Hint:
    """One entry: when, whose, which session, which hook, and what else the host said."""

    id: int
    at_ms: int
    user: str
    session: str
    hook: str
    body: Mapping[str, Any]


def put(
    tx: WriteTx, user: str, session: str, hook: str, body: Mapping[str, Any], now_ms: int, kept: int
) -> None:
    """Note one; of all only the newest ``kept`` stay."""
    number = tx.insert(
        "INSERT INTO hint(at_ms, user, session, hook, body) VALUES(?, ?, ?, ?, ?)",
        (now_ms, user, session, hook, orjson.dumps(dict(body)).decode()),
    )
    tx.run("DELETE FROM hint WHERE id <= ?", (number - kept,))


def clear(tx: WriteTx, user: str, until_ms: int) -> int:
    """Take a user's entries of a time or before away; return how many there were."""
    return tx.run("DELETE FROM hint WHERE user = ? AND at_ms <= ?", (user, until_ms))


def newest(s: Reader, user: str, session: str | None, limit: int) -> list[Hint]:
    """Return a user's newest entries, of one session or of all, newest first."""
    found = s.rows(
        "SELECT id, at_ms, user, session, hook, body FROM hint WHERE user = ?1 AND (?2 IS NULL OR session = ?2)"
        " ORDER BY id DESC LIMIT ?3",
        (user, session, limit),
    )
    return [
        Hint(number, at_ms, whose, key, hook, orjson.loads(body))
        for number, at_ms, whose, key, hook, body in found
    ]
