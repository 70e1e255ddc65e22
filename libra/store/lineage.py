"""Which session goes on from which: a resumed or forked copy shares its beginning with its parent (field case B02).

A turn has one home. When a session's file brings turns whose home is another session, the two share a beginning, and the
parent is the one that never went on beyond it, or that went on earlier. The shared turns live in the parent.
The result does not depend on which file was read first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from libra.store import sessions, voices
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx

_DEPTH_MOST = 64


def settle(tx: WriteTx, session_id: int, copied: Sequence[tuple[int, int]]) -> None:
    """Link a session with those whose turns its source repeats.

    Args:
        tx: The transaction that stored the session's own new turns.
        session_id: The session whose file was read.
        copied: ``(item id, home session id)`` of the known turns that live elsewhere, in order of the source.
    """
    if not copied:
        return
    tx.many(
        "INSERT OR IGNORE INTO sighting(session_id, item_id) VALUES(?, ?)",
        ((session_id, item) for item, _ in copied),
    )
    for home in dict.fromkeys(home for _, home in copied):
        shared = _shared(tx, session_id, home)
        if not shared:
            continue
        if not _hangs_below(tx, session_id, home) and _comes_first(tx, session_id, home, shared):
            _adopt(tx, session_id, home, shared)
            continue
        # A long copy comes in several batches: after the first it looked like the original, now it does not.
        if _hangs_below(tx, home, session_id) and (taken := _shared(tx, home, session_id)):
            _adopt(tx, home, session_id, taken)
        _descend(tx, session_id, home, shared[-1])


def _hangs_below(tx: WriteTx, child: int, parent: int) -> bool:
    """Say whether ``child`` was found to go on from ``parent``."""
    return bool(
        tx.value(
            "SELECT 1 FROM session WHERE id = ? AND parent_id = ? AND fork_id IS NOT NULL", (child, parent)
        )
    )


def _shared(tx: WriteTx, session_id: int, home: int) -> list[int]:
    """Return the turns of ``home`` that ``session_id`` was seen to hold too, oldest first."""
    found = tx.rows(
        "SELECT item.id FROM sighting JOIN item ON item.id = sighting.item_id"
        " WHERE sighting.session_id = ? AND item.session_id = ? ORDER BY item.ts_ms, item.seq",
        (session_id, home),
    )
    return [row[0] for row in found]


def _comes_first(tx: WriteTx, session_id: int, home: int, shared: Sequence[int]) -> bool:
    """Say whether ``session_id`` is the original and ``home`` its continuation.

    Each is judged by its first turn beyond what both hold. Equal sets: the one that was read first is the original.
    """
    home_next = tx.value(
        "SELECT min(ts_ms) FROM item WHERE session_id = ? AND kind = 1 AND id NOT IN (SELECT value FROM json_each(?))",
        (home, json_list(shared)),
    )
    if home_next is None:
        return False
    # Turns that the home holds too are no step beyond, wherever they live now.
    own_next = tx.value(
        "SELECT min(ts_ms) FROM item WHERE session_id = ? AND kind = 1"
        " AND id NOT IN (SELECT item_id FROM sighting WHERE session_id = ?)",
        (session_id, home),
    )
    return own_next is None or own_next < home_next


def _adopt(tx: WriteTx, session_id: int, home: int, shared: Sequence[int]) -> None:
    """Make ``session_id`` the parent: the shared turns move to it, in its own order."""
    scope_id: int
    seq: int
    scope_id, seq = tx.rows("SELECT scope_id, next_seq FROM session WHERE id = ?", (session_id,))[0]
    ids = json_list(shared)
    heard = voices.of_turns(tx, shared)
    tx.many(
        "UPDATE item SET session_id = ?, scope_id = ?, seq = ? WHERE id = ?",
        ((session_id, scope_id, seq + n, item) for n, item in enumerate(shared)),
    )
    tx.run(
        "INSERT OR IGNORE INTO speaker(scope_id, name) SELECT ?, speaker FROM item"
        " WHERE speaker IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (scope_id, ids),
    )
    voices.quieten(tx, heard)
    tx.changes.scopes.update(dict.fromkeys(shared, scope_id))
    tx.run(
        "UPDATE session SET next_seq = ?1,"
        " first_ms = (SELECT min(ts_ms) FROM item WHERE session_id = ?2 AND kind = 1),"
        " last_ms = (SELECT max(ts_ms) FROM item WHERE session_id = ?2 AND kind = 1) WHERE id = ?2",
        (seq + len(shared), session_id),
    )
    tx.many(
        "INSERT OR IGNORE INTO sighting(session_id, item_id) VALUES(?, ?)", ((home, item) for item in shared)
    )
    tx.run(
        "DELETE FROM sighting WHERE session_id = ? AND item_id IN (SELECT value FROM json_each(?))",
        (session_id, ids),
    )
    if sessions.is_ancestor(tx, home, session_id):
        tx.run("UPDATE session SET parent_id = NULL, fork_id = NULL WHERE id = ?", (session_id,))
    # The new parent takes the place between the home and what the home went on from.
    above, above_fork = tx.rows("SELECT parent_id, fork_id FROM session WHERE id = ?", (home,))[0]
    own = tx.value("SELECT parent_id FROM session WHERE id = ?", (session_id,))
    if above is not None and own is None and not sessions.is_ancestor(tx, session_id, above):
        _link(tx, session_id, above, above_fork)
    _link(tx, home, session_id, shared[-1])
    # Other copies that branched off within the moved turns now branch off here.
    tx.run(
        "UPDATE session SET parent_id = ?1 WHERE id NOT IN (?1, ?2) AND fork_id IN (SELECT value FROM json_each(?3))",
        (session_id, home, ids),
    )


def _descend(tx: WriteTx, session_id: int, home: int, fork: int) -> None:
    """Make ``home`` the parent of ``session_id``, unless a later turn links it to another one already."""
    present = tx.one("SELECT parent_id, fork_id FROM session WHERE id = ?", (session_id,))
    if present is not None and present[1] is not None and _place(tx, present[1]) > _place(tx, fork):
        return
    if not sessions.is_ancestor(tx, session_id, home):
        _link(tx, session_id, home, fork)


def _place(tx: WriteTx, item_id: int) -> tuple[int, int]:
    found = tx.one("SELECT ts_ms, seq FROM item WHERE id = ?", (item_id,))
    return (0, 0) if found is None else (found[0], found[1])


def _link(tx: WriteTx, child: int, parent: int, fork: int | None) -> None:
    tx.run("UPDATE session SET parent_id = ?, fork_id = ? WHERE id = ?", (parent, fork, child))


def branch(
    s: Reader, session_id: int, *, alone: bool = False
) -> Iterator[tuple[int, tuple[int, int] | None]]:
    """Yield the sessions that make up one talk, newest part first, each with the place before which it counts.

    The place is ``(ts_ms, seq)``, exclusive: just after the last shared turn. None for the session itself.
    """
    yield session_id, None
    for _ in range(0 if alone else _DEPTH_MOST):
        found = s.one(
            "SELECT item.session_id, item.ts_ms, item.seq FROM session JOIN item ON item.id = session.fork_id"
            " WHERE session.id = ?",
            (session_id,),
        )
        if found is None or found[0] is None:
            return
        session_id = found[0]
        yield session_id, (found[1], found[2] + 1)
