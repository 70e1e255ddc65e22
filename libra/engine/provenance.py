"""Whose words an item holds, and whether they are true for a while only: what a reader must know to weigh it."""

from __future__ import annotations

from functools import lru_cache

from libra.ground.records import Kind, MemoryType, Origin, Role
from libra.lifecycle.volatile import is_volatile
from libra.store.rows import ItemRow

_MAY_CHANGE = frozenset(
    t.value for t in (MemoryType.FACT, MemoryType.CONTEXT, MemoryType.ENTITY, MemoryType.SESSION)
)
"""A decision or a rule holds although it names a version."""
_SPOKEN = frozenset({Kind.TURN, Kind.MEMORY, Kind.GUIDANCE})
_ASSISTANT = Role.ASSISTANT.value
_MEMORY = Kind.MEMORY
"""A member's look-up in its enum is slow, and this is asked of every recalled item."""
_FOREIGN = {origin.value: None if origin is Origin.OWNER else origin for origin in Origin}
_AGENT = Origin.AGENT
_UNNAMED = {Origin.EXTERNAL: "somebody else", Origin.TOOL: "tool output"}


def foreign_origin(item: ItemRow) -> Origin | None:
    """Return whose words a turn or memory holds if not the person's own; None for the person's and for documents.

    Such words are found and shown, and are never a rule or a statement of the person (lessons.md C37, C38).
    """
    if item.origin is not None:
        return _FOREIGN[item.origin]
    return _AGENT if item.role == _ASSISTANT and item.kind in _SPOKEN else None


def said_by(item: ItemRow) -> str:
    """Return who is named before an item's words in a prompt: nobody's words are the user's but the user's own."""
    origin = foreign_origin(item)
    if origin in _UNNAMED:
        # A memory is somebody else's only if it is another user's, who is named by its scope.
        speaker = item.speaker or (item.scope.removeprefix("user:") if item.kind is _MEMORY else None)
        name = f"{speaker} ({_UNNAMED[origin]})" if speaker else _UNNAMED[origin]
        return f"{name}, quoted as data"
    return item.speaker or item.role or item.kind.wire


def is_quoted(item: ItemRow) -> bool:
    """Say whether an item's words came from outside: each of them is named as quoted, never once for several."""
    return foreign_origin(item) in _UNNAMED


def volatile_since(item: ItemRow) -> int | None:
    """Return when a memory was told that may have changed since (a version, a port, a state); None for what lasts.

    Source: lessons.md C34, C42.
    """
    if item.kind is not _MEMORY or item.type not in _MAY_CHANGE:
        return None
    return item.ts_ms if _volatile(item.text) else None


@lru_cache(maxsize=4096)
def _volatile(text: str) -> bool:
    return is_volatile(text)
