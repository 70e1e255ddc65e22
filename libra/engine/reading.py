"""Small reads: cursors for the sources, one record with its history, the state of a source."""

from __future__ import annotations

from typing import Any

from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps
from libra.engine.scopes import complete, readable, visible
from libra.engine.search import hit
from libra.ground.errors import NotFound
from libra.ground.records import Cursor, Kind, Who
from libra.lifecycle.episodes import episodes
from libra.store import cursors, history, memories, search, sessions
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Visible
from libra.store.writer import WriteTx


def cursor(deps: Deps, path: str) -> Cursor | None:
    """Return how far a source was read."""
    with deps.store.snapshot() as snapshot:
        return cursors.get(snapshot, path)


def transcripts(deps: Deps) -> frozenset[str]:
    """Return the transcripts that were read and not found gone since."""
    with deps.store.snapshot() as snapshot:
        return frozenset(
            row.path for row in cursors.every(snapshot) if row.cursor and row.state == cursors.OK
        )


def source_state(deps: Deps, path: str, state: str) -> None:
    """Record in what state a source was found."""
    now_ms = deps.clock()
    known = cursor(deps, path)
    host = known.host if known is not None else ""

    def job(tx: WriteTx) -> None:
        cursors.mark_state(tx, path, host, state, now_ms)
        if state == cursors.GONE:
            sessions.mark_source_gone(tx, path, now_ms)

    deps.store.write(job).result()


def session_gone(deps: Deps, key: str) -> None:
    """Record that a host does not have a session any more."""
    with deps.store.snapshot() as snapshot:
        if not sessions.stands(snapshot, key):
            return
    now_ms = deps.clock()
    deps.store.write(lambda tx: sessions.mark_gone(tx, key, now_ms)).result()


def one(deps: Deps, snapshot: Snapshot, who: Who | None, uid: str) -> ItemRow:
    """Return the visible item with that id.

    Raises:
        NotFound: There is none that the caller may see.
    """
    sees = visible(deps, complete(deps, who))
    found = search.by_uid(snapshot, [uid], visible=sees).get(uid)
    if found is None:
        raise NotFound("there is no record with that id", where="id")
    return found


def get(deps: Deps, who: Who | None, uid: str) -> dict[str, Any]:
    """Answer the method ``get``: the record, and for a memory what came before and after it.

    Of what another user shares there is no more than its words: what came before them was not shared.

    Raises:
        NotFound: There is no such record that the caller may see.
    """
    with deps.store.snapshot() as snapshot:
        caller = complete(deps, who)
        read = search.by_uid(snapshot, [uid], visible=readable(deps, caller)).get(uid)
        own = visible(deps, caller).scopes
        if read is not None and read.kind is Kind.MEMORY and read.scope not in own:
            shown = hit(read, 1.0, None)
            del shown["score"]
            return shown
        item = one(deps, snapshot, who, uid)
        out = record(deps, snapshot, item)
        if item.kind is Kind.MEMORY:
            out.update(_memory(deps, snapshot, item.id, visible(deps, caller)))
        return out


def record(deps: Deps, snapshot: Snapshot, item: ItemRow) -> dict[str, Any]:
    """Return what there is to say of an item of any kind."""
    out = hit(item, 1.0, None)
    del out["score"]
    out["created"] = item.created_ms
    out["active"] = item.active
    if (found := episode(deps, snapshot, item)) is not None:
        out["episode"] = found
    return out


def episode(deps: Deps, snapshot: Snapshot, item: ItemRow) -> dict[str, Any] | None:
    """Return the stretch of talk that a turn, or the turn that told a memory, belongs to; None without one."""
    turn = item.id
    if item.kind is Kind.MEMORY:
        turn = memories.source_turns(snapshot, [item.id]).get(item.id, 0)
    elif item.kind is not Kind.TURN:
        return None
    ids, times = history.times_around(snapshot, turn)
    if turn not in ids:
        return None
    place = ids.index(turn)
    cut = episodes(times, deps.params.lifecycle.episodes)
    found = next(e for e in cut if e.first <= place < e.end)
    return {"start": found.start_ms, "end": found.end_ms, "turns": found.end - found.first}


def _memory(deps: Deps, snapshot: Snapshot, item_id: int, sees: Visible) -> dict[str, Any]:
    own = memories.get(snapshot, item_id)
    line = memories.history(snapshot, item_id)
    told = search.rows(snapshot, memories.tellings(snapshot, item_id), sees)
    if own is None:
        return {}
    return {
        "confidence": confidence_now(own, deps.clock(), deps.params.lifecycle),
        "confirmations": own.confirmations,
        "priority": own.priority,
        "expires": own.expires_ms,
        "signals": own.signals,
        "told_by": [turn.uid for turn in told.values()],
        "history": [past(row, line) for row in line],
    }


def past(row: MemoryRow, line: list[MemoryRow]) -> dict[str, Any]:
    """Return one memory of a line of successors, for its history."""
    successor = next((other.uid for other in line if other.item_id == row.superseded_by), None)
    return {
        "id": row.uid,
        "text": row.text,
        "ts": row.ts_ms,
        "valid_from": row.valid_from_ms,
        "valid_to": row.valid_to_ms,
        "active": row.active,
        "confidence": row.confidence,
        "superseded_by": successor,
    }
