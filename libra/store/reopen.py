"""What stood behind something that goes away holds again: an update that is taken back leaves the old truth in force.

Used where what had superseded a memory is forgotten, goes off the record, or is undone in the host (lessons.md C96).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from libra.store import revisions
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx

UNDONE: Final = "undone"
"""Relation from a memory that only turns tell which were taken back in the host, to one of these turns."""


class Behind(NamedTuple):
    """A memory that stays and was superseded by one that goes.

    Attributes:
        item_id: The memory.
        by: What had superseded it.
        instead: What supersedes it from now on: the next of the line that stays; None if none does.
        expires_ms: When it goes to the archive by itself.
    """

    item_id: int
    by: int
    instead: int | None
    expires_ms: int | None


def is_undone(s: Reader, item_id: int) -> bool:
    """Say whether a memory is out of use because its turns were taken back."""
    found = s.value("SELECT 1 FROM relation WHERE from_id = ? AND kind = ? LIMIT 1", (item_id, UNDONE))
    return found is not None


def behind(s: Reader, going: Collection[int]) -> list[Behind]:
    """Return the memories that stay and stand behind some that go; what is undone is gone already."""
    found = s.rows(
        "SELECT item_id, superseded_by, expires_ms FROM memory"
        " WHERE superseded_by IN (SELECT value FROM json_each(?)) ORDER BY valid_from_ms DESC, item_id DESC",
        (json_list(sorted(going)),),
    )

    def stays(item: int) -> bool:
        return item not in going and not is_undone(s, item)

    return [Behind(item, by, _next(s, by, stays), until) for item, by, until in found if stays(item)]


def _next(s: Reader, successor: int, stays: Callable[[int], bool]) -> int | None:
    seen: set[int] = set()
    at: int | None = successor
    while at is not None and at not in seen:
        if stays(at):
            return at
        seen.add(at)
        at = s.value("SELECT superseded_by FROM memory WHERE item_id = ?", (at,))
    return None


def reopen(tx: WriteTx, left: Iterable[Behind], now_ms: int) -> list[Behind]:
    """Let memories hold again, or stand behind the next of their line; return those whose place has changed.

    One whose time is over meanwhile stays in the archive, and so does one whose words another active memory says.

    Args:
        tx: The transaction.
        left: From :func:`behind`, asked before anything went away.
        now_ms: Now.
    """
    moved = []
    for old in left:
        if old.instead is not None:
            revisions.supersede(tx, old.item_id, old.instead, now_ms)
        elif (old.expires_ms is None or old.expires_ms > now_ms) and not _said(tx, old.item_id):
            revisions.revive(tx, old.item_id, old.expires_ms)
        else:
            continue
        moved.append(old)
    return moved


def _said(s: Reader, item_id: int) -> bool:
    """Say whether another active memory of the same scope has these words."""
    return (
        s.value(
            "SELECT 1 FROM memory mine JOIN item own ON own.id = mine.item_id"
            " JOIN memory other ON other.content_hash = mine.content_hash AND other.item_id <> mine.item_id"
            " JOIN item ON item.id = other.item_id AND item.active = 1 AND item.scope_id = own.scope_id"
            " WHERE mine.item_id = ? LIMIT 1",
            (item_id,),
        )
        is not None
    )
