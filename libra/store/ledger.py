"""What a person sets down by name and Libra acts on: reply rules, cards of people, standing intents. One row each.

Rows are small and few; who needs them keeps them in memory (:class:`libra.engine.ledger.Ledger`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from libra.store.sql import Reader
from libra.store.writer import WriteTx


class Leaf(StrEnum):
    """What a row of the ledger is."""

    RULE = "rule"
    CARD = "card"
    INTENT = "intent"
    NOISE = "noise"
    """A memory that a person has called noise: its uid, no words."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One row.

    Attributes:
        kind: What it is.
        owner: Whose it is: a user.
        name: By which it is known among its kind.
        body: What it says, by kind; JSON.
        version: Counts its changes, from 1.
        created_ms, changed_ms: When, epoch ms.
    """

    kind: Leaf
    owner: str
    name: str
    body: Mapping[str, Any]
    version: int
    created_ms: int
    changed_ms: int


_COLUMNS = "kind, owner, name, body, version, created_ms, changed_ms"


def every(s: Reader, kind: Leaf, owner: str) -> tuple[LedgerRow, ...]:
    """Return a person's rows of a kind, in the order in which they were set down."""
    found = s.rows(
        f"SELECT {_COLUMNS} FROM ledger WHERE kind = ? AND owner = ? ORDER BY created_ms, name",
        (kind.value, owner),
    )
    return tuple(_row(row) for row in found)


def get(s: Reader, kind: Leaf, owner: str, name: str) -> LedgerRow | None:
    """Return a row by its name, or None."""
    found = s.one(
        f"SELECT {_COLUMNS} FROM ledger WHERE kind = ? AND owner = ? AND name = ?", (kind.value, owner, name)
    )
    return None if found is None else _row(found)


def _row(found: tuple[Any, ...]) -> LedgerRow:
    kind, owner, name, body, *rest = found
    return LedgerRow(Leaf(kind), owner, name, orjson.loads(body), *rest)


def put(tx: WriteTx, kind: Leaf, owner: str, name: str, body: Mapping[str, Any], now_ms: int) -> None:
    """Set a row down, or change it."""
    tx.run(
        "INSERT INTO ledger(kind, owner, name, body, created_ms, changed_ms) VALUES(?1, ?2, ?3, ?4, ?5, ?5)"
        " ON CONFLICT(kind, owner, name) DO UPDATE SET body = ?4, version = version + 1, changed_ms = ?5",
        (kind.value, owner, name, orjson.dumps(dict(body)).decode(), now_ms),
    )


def note(tx: WriteTx, kind: Leaf, owner: str, name: str, body: Mapping[str, Any]) -> None:
    """Keep what became of a row by itself (a reminder that was given): no change of what it says."""
    tx.run(
        "UPDATE ledger SET body = ? WHERE kind = ? AND owner = ? AND name = ?",
        (orjson.dumps(dict(body)).decode(), kind.value, owner, name),
    )


def delete(tx: WriteTx, kind: Leaf, owner: str, name: str) -> bool:
    """Take a row away; return whether it was there."""
    return (
        tx.run("DELETE FROM ledger WHERE kind = ? AND owner = ? AND name = ?", (kind.value, owner, name)) > 0
    )


def clear(tx: WriteTx, owner: str, until_ms: int) -> int:
    """Take a person's rows away that were changed last at a time or before; return how many there were."""
    return tx.run("DELETE FROM ledger WHERE owner = ? AND changed_ms <= ?", (owner, until_ms))


def restore(tx: WriteTx, row: LedgerRow, now_ms: int) -> None:
    """Put a row back as it was; the version of one that is there goes on."""
    fresh = get(tx, row.kind, row.owner, row.name) is None
    put(tx, row.kind, row.owner, row.name, row.body, now_ms)
    tx.run(
        "UPDATE ledger SET created_ms = ?1, version = iif(?2, ?3, version) WHERE kind = ?4 AND owner = ?5 AND name = ?6",
        (row.created_ms, fresh, row.version, row.kind.value, row.owner, row.name),
    )
