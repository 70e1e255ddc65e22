"""What follows when a person takes turns back in the host, and when they are brought back (lessons.md C96)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from libra.ground.records import MemoryType, SessionRef
from libra.store import items, reopen, revisions, summaries
from libra.store.reopen import UNDONE
from libra.store.sql import json_list
from libra.store.writer import WriteTx

_REPLACED: Final = "replaced_until_undone"
"""Relation from a memory that came back to the undone one that had taken its place."""

_MEMORIES_OF: Final = (
    "SELECT DISTINCT from_id FROM relation WHERE kind IN ('told_by', 'merged_from')"
    " AND to_id IN (SELECT value FROM json_each(?))"
)
_SESSION_MEMORIES_OF: Final = (
    "SELECT told.id, min(said.id) FROM item said CROSS JOIN item told ON told.session_id = said.session_id AND told.kind = 3"
    " AND told.type = ? AND told.id > said.id WHERE said.id IN (SELECT value FROM json_each(?)) AND said.kind = 1 GROUP BY told.id"
)
"""Ids ascend as things become known: a memory of a session that is older than a turn does not tell of it."""
_STILL_TOLD: Final = (
    "SELECT DISTINCT from_id FROM relation CROSS JOIN turn ON turn.item_id = relation.to_id AND turn.undone = 0"
    " WHERE kind IN ('told_by', 'merged_from') AND from_id IN (SELECT value FROM json_each(?))"
)


def settle(tx: WriteTx, changed: Mapping[int, bool], now_ms: int) -> None:
    """Take turns back (True) or bring them back (False), with what was made of them alone.

    Taken back: the turns, their guidance and the memories that no other turn tells leave the active index; what such a
    memory had replaced is back; summaries that tell of the turns go, and what else they cover is given back.
    Brought back: all of that again, except summaries, which the next compaction makes.

    Args:
        tx: The transaction.
        changed: Whether each turn is undone from now on, by item id.
        now_ms: Now.
    """
    for undone in (True, False):
        ids = [item for item, now in changed.items() if now is undone]
        if not ids:
            continue
        set_undone(tx, ids, undone=undone)
        marks = json_list(ids)
        guidance = tx.rows(
            "SELECT item_id FROM guidance WHERE turn_id IN (SELECT value FROM json_each(?))", (marks,)
        )
        items.set_active(tx, [row[0] for row in guidance], active=not undone)
        if undone:
            _uncover(tx, ids)
            _archive(tx, ids, now_ms)
        else:
            _revive(tx, ids, now_ms)


def absent(
    tx: WriteTx, session: SessionRef, path: str | None, present: frozenset[str] | None
) -> dict[int, bool]:
    """Return the turns of a session, first read from a source, that it does not hold any more, for :func:`settle`.

    Args:
        tx: The transaction.
        session: The session.
        path: The source.
        present: See :class:`libra.ground.records.SourceBatch`; None if it does not say.
    """
    if present is None or path is None:
        return {}
    found = tx.rows(
        "SELECT turn.item_id FROM session CROSS JOIN item ON item.session_id = session.id AND item.kind = 1"
        " CROSS JOIN turn ON turn.item_id = item.id AND turn.undone = 0 AND turn.external_id IS NOT NULL"
        " CROSS JOIN source ON source.id = turn.source_id AND source.path = ?"
        " WHERE session.key = ? AND session.user = ? AND turn.external_id NOT IN (SELECT value FROM json_each(?))",
        (path, session.key, session.user, json_list(sorted(present))),
    )
    return {row[0]: True for row in found}


def set_undone(tx: WriteTx, ids: Sequence[int], *, undone: bool = True) -> None:
    """Take turns off the active branch (the person undid them), or put them back (lessons.md C96)."""
    marks = json_list(ids)
    tx.run(
        "UPDATE turn SET undone = ? WHERE item_id IN (SELECT value FROM json_each(?))", (int(undone), marks)
    )
    back = [
        row[0]
        for row in tx.rows(
            "SELECT item_id FROM turn WHERE item_id IN (SELECT value FROM json_each(?)) AND covered_by IS NULL",
            (marks,),
        )
    ]
    items.set_active(tx, back, active=not undone)


def _uncover(tx: WriteTx, ids: Sequence[int]) -> None:
    above = tx.rows(
        "SELECT DISTINCT parent_id FROM coverage WHERE child_id IN (SELECT value FROM json_each(?))",
        (json_list(ids),),
    )
    if above:
        summaries.uncover(tx, [row[0] for row in above])


def _archive(tx: WriteTx, ids: Sequence[int], now_ms: int) -> None:
    """Archive the memories that only undone turns tell, and bring back what they had replaced.

    The memory of a session goes, too, if it was made when one of these turns was known: it may tell of it.
    """
    touched = {row[0] for row in tx.rows(_MEMORIES_OF, (json_list(ids),))}
    touched -= {row[0] for row in tx.rows(_STILL_TOLD, (json_list(sorted(touched)),))}
    of_sessions: dict[int, int] = dict(
        tx.rows(_SESSION_MEMORIES_OF, (MemoryType.SESSION.value, json_list(ids)))
    )
    # What was archived by hand or for its age stays where it is, also when the turns come back.
    alone = [
        row[0]
        for row in tx.rows(
            "SELECT item_id FROM memory WHERE (archived_ms IS NULL OR superseded_by IS NOT NULL)"
            " AND item_id IN (SELECT value FROM json_each(?))",
            (json_list(sorted(touched | of_sessions.keys())),),
        )
    ]
    revisions.archive(tx, alone, now_ms)
    tx.run(
        "INSERT OR IGNORE INTO relation(from_id, to_id, kind, created_ms)"
        " SELECT from_id, to_id, ?2, ?3 FROM relation CROSS JOIN turn ON turn.item_id = to_id"
        " WHERE kind IN ('told_by', 'merged_from') AND from_id IN (SELECT value FROM json_each(?1))",
        (json_list(alone), UNDONE, now_ms),
    )
    for item in alone:
        if item in of_sessions:
            revisions.relate(tx, item, of_sessions[item], UNDONE, now_ms)
    for old in reopen.reopen(tx, reopen.behind(tx, alone), now_ms):
        revisions.relate(tx, old.item_id, old.by, _REPLACED, now_ms)


def _revive(tx: WriteTx, ids: Sequence[int], now_ms: int) -> None:
    """Bring back the memories that were archived because of these turns, into the places that they had."""
    back = tx.rows(
        "SELECT DISTINCT item_id, expires_ms FROM relation CROSS JOIN memory ON memory.item_id = from_id"
        " CROSS JOIN item own ON own.id = memory.item_id"
        " WHERE relation.kind = ? AND to_id IN (SELECT value FROM json_each(?)) AND NOT EXISTS ("
        "  SELECT 1 FROM memory same JOIN item ON item.id = same.item_id AND item.active = 1"
        "  WHERE same.content_hash = memory.content_hash AND item.scope_id = own.scope_id"
        # Meanwhile the session may have got another memory.
        "  UNION ALL SELECT 1 FROM item WHERE own.type = ? AND item.session_id = own.session_id"
        "  AND item.kind = 3 AND item.type = own.type AND item.active = 1 AND item.id > own.id)",
        (UNDONE, json_list(ids), MemoryType.SESSION.value),
    )
    fresh: dict[int, int | None] = dict(back)
    tx.run(
        "DELETE FROM relation WHERE kind = ? AND from_id IN (SELECT value FROM json_each(?))",
        (UNDONE, json_list(list(fresh))),
    )
    for item in _line_before(tx, list(fresh)):
        if reopen.is_undone(tx, item):
            continue
        own = following = _own_successor(tx, item)
        while following is not None and reopen.is_undone(tx, following):
            following = _own_successor(tx, following)
        if following is not None:
            revisions.supersede(tx, item, following, now_ms)
        elif item in fresh and ((until := fresh[item]) is None or until > now_ms):
            revisions.revive(tx, item, until)
        if own is not None and own != following:
            revisions.relate(tx, item, own, _REPLACED, now_ms)
        elif own is not None:
            revisions.unrelate(tx, item, own, _REPLACED)


def _line_before(tx: WriteTx, ids: Sequence[int]) -> list[int]:
    """Return memories and all that stood behind them, latest told first."""
    found = tx.rows(
        "WITH RECURSIVE line(id) AS (SELECT value FROM json_each(?1) UNION SELECT older.id FROM line JOIN ("
        " SELECT from_id AS id, to_id AS next FROM relation WHERE kind = ?2"
        " UNION ALL SELECT item_id, superseded_by FROM memory WHERE superseded_by IS NOT NULL) older ON older.next = line.id)"
        " SELECT line.id FROM line CROSS JOIN memory ON memory.item_id = line.id"
        " ORDER BY memory.valid_from_ms DESC, memory.item_id DESC",
        (json_list(ids), _REPLACED),
    )
    return [row[0] for row in found]


def _own_successor(tx: WriteTx, item_id: int) -> int | None:
    """Return what took a memory's place first, whether it is undone or not."""
    found: int | None = tx.value(
        "SELECT memory.item_id FROM memory WHERE memory.item_id IN ("
        " SELECT to_id FROM relation WHERE from_id = ?1 AND kind = ?2"
        " UNION ALL SELECT superseded_by FROM memory WHERE item_id = ?1)"
        " ORDER BY memory.valid_from_ms, memory.item_id LIMIT 1",
        (item_id, _REPLACED),
    )
    return found
