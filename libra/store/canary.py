"""What is kept of the canary: all of it, so that it can be taken out again without a trace."""

from __future__ import annotations

from libra.store import items
from libra.store.sql import Reader
from libra.store.writer import WriteTx


def items_of(s: Reader, user: str) -> list[int]:
    """Return the items that lie in a scope of ``user`` or in one of its sessions."""
    found = s.rows(
        "SELECT item.id FROM item JOIN scope ON scope.id = item.scope_id WHERE scope.owner = ?1 OR scope.name = 'user:' || ?1"
        " UNION SELECT item.id FROM item JOIN session ON session.id = item.session_id WHERE session.user = ?1",
        (user,),
    )
    return [row[0] for row in found]


def stands(s: Reader, user: str) -> bool:
    """Return True if anything of ``user`` is there."""
    return bool(
        s.value(
            "SELECT EXISTS(SELECT 1 FROM session WHERE user = ?1) OR EXISTS(SELECT 1 FROM scope WHERE owner = ?1 OR name = 'user:' || ?1)"
            " OR EXISTS(SELECT 1 FROM receipt WHERE user = ?1)",
            (user,),
        )
    )


def has_vectors(s: Reader, item_ids: list[int]) -> bool:
    """Return True if each of these items has a vector."""
    return all(
        s.value("SELECT count(*) FROM chunk WHERE item_id = ? AND +state = 1 AND vector IS NOT NULL", (item,))
        for item in item_ids
    )


def remove(tx: WriteTx, user: str) -> int:
    """Delete everything of ``user``, with no tombstone; return how many items there were.

    The journal, refusals, relations and vectors go with their items.
    """
    gone = items.delete(tx, items_of(tx, user))
    tx.run(
        "DELETE FROM injected WHERE session_key IN (SELECT key FROM session WHERE user = ?1)"
        " AND session_key NOT IN (SELECT key FROM session WHERE user <> ?1)",
        (user,),
    )
    tx.run("DELETE FROM receipt WHERE user = ?", (user,))
    tx.run("DELETE FROM session WHERE user = ?", (user,))
    tx.run("DELETE FROM scope WHERE owner = ?1 OR name = 'user:' || ?1", (user,))
    return gone
