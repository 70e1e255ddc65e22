"""Rows of ``scope``: who a piece of memory belongs to."""

from __future__ import annotations

from libra.ground.records import Scope, ScopeKind
from libra.store.sql import Reader
from libra.store.writer import WriteTx


def find(s: Reader, scope: Scope) -> int | None:
    """Return the scope's id, or None if nothing was ever kept in it."""
    found = s.value("SELECT id FROM scope WHERE name = ? AND owner = ?", (scope.text, scope.owner))
    return None if found is None else int(found)


def ensure(tx: WriteTx, scope: Scope) -> int:
    """Return the scope's id, making the row if it is new. An owner is never changed."""
    found = find(tx, scope)
    if found is not None:
        return found
    return tx.insert(
        "INSERT INTO scope(name, kind, owner) VALUES(?, ?, ?)", (scope.text, int(scope.kind), scope.owner)
    )


def user_scope(user: str) -> Scope:
    """Return the scope of a user's own memory."""
    return Scope(ScopeKind.USER, user)
