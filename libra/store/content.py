"""Whether a memory is known by what it says: asked before another one comes in."""

from __future__ import annotations

from libra.store import scopes
from libra.store.sql import Reader


def holds(s: Reader, user: str, content_hash: str) -> bool:
    """Say whether a user has a memory of that content that stands."""
    return bool(
        s.value(
            "SELECT 1 FROM memory JOIN item ON item.id = memory.item_id JOIN scope ON scope.id = item.scope_id"
            " WHERE memory.content_hash = ? AND scope.name = ? AND item.active = 1 LIMIT 1",
            (content_hash, scopes.user_scope(user).text),
        )
    )


def ever(s: Reader, user: str, content_hash: str) -> bool:
    """Say whether a user has or had a memory of that content, in the archive too: a file brings nothing back."""
    return bool(
        s.value(
            "SELECT 1 FROM memory JOIN item ON item.id = memory.item_id JOIN scope ON scope.id = item.scope_id"
            " WHERE memory.content_hash = ? AND scope.name = ? LIMIT 1",
            (content_hash, scopes.user_scope(user).text),
        )
    )


def hash_of(s: Reader, uid: str) -> str | None:
    """Return the content hash of the memory of that uid, or None."""
    found = s.value(
        "SELECT memory.content_hash FROM memory JOIN item ON item.id = memory.item_id WHERE item.uid = ?",
        (uid,),
    )
    return None if found is None else str(found)
