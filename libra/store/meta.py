"""Single facts about the database itself: its model, whether its bit index is behind."""

from __future__ import annotations

from typing import Any

from libra.store.sql import Reader
from libra.store.writer import WriteTx


def get(s: Reader, key: str) -> Any:
    """Return the value kept under ``key``, or None."""
    return s.value("SELECT value FROM meta WHERE key = ?", (key,))


def put(tx: WriteTx, key: str, value: str | int | None) -> None:
    """Keep ``value`` under ``key``; None removes it."""
    if value is None:
        tx.run("DELETE FROM meta WHERE key = ?", (key,))
    else:
        tx.run(
            "INSERT INTO meta(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
            (key, value),
        )
