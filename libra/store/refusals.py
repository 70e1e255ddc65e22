"""What the gate refused, and with which score: numbers and ids, no words, so that its judgement can be looked into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from libra.store.sql import Reader, from_json
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx


@dataclass(frozen=True, slots=True)
class Refusal:
    """A turn that became no memory.

    Attributes:
        item_id: The turn.
        why: ``no statement``, ``below the threshold`` or ``noise``.
        at_ms: When it was judged.
        signals: The gate's, and its threshold.
    """

    item_id: int
    why: str
    at_ms: int
    signals: dict[str, Any]


def put(tx: WriteTx, item_id: int, why: str, signals: Mapping[str, Any], now_ms: int, kept: int) -> None:
    """Note a refusal; of all only the newest ``kept`` turns' stay."""
    tx.run(
        "INSERT INTO refusal(item_id, why, at_ms, signals) VALUES(?1, ?2, ?3, ?4)"
        " ON CONFLICT(item_id) DO UPDATE SET why = ?2, at_ms = ?3, signals = ?4",
        (item_id, why, now_ms, orjson.dumps(dict(signals)).decode()),
    )
    if item_id % _TIDY == 0:
        tx.run(
            "DELETE FROM refusal WHERE item_id <= (SELECT item_id FROM refusal ORDER BY item_id DESC LIMIT 1 OFFSET ?)",
            (kept,),
        )


_TIDY = 64
"""Old ones are taken out at every so manieth turn."""


def newest(s: Reader, visible: Visible, why: str | None, limit: int) -> list[Refusal]:
    """Return the newest refusals of turns in view, newest first."""
    sql, values = select(
        "refusal.item_id, refusal.why, refusal.at_ms, refusal.signals", visible,
        source="refusal CROSS JOIN item ON item.id = refusal.item_id",
        where=":why IS NULL OR refusal.why = :why", tail="ORDER BY refusal.item_id DESC LIMIT :limit",
        bindings={"why": why, "limit": limit},
    )  # fmt: skip
    return [
        Refusal(item, reason, at_ms, from_json(signals))
        for item, reason, at_ms, signals in s.rows(sql, values)
    ]
