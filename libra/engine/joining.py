"""Two memories that say the same become one, also those that were stored before anybody could tell (lessons.md C21).

A sweep of the background worker over new memories, some at a time, while nothing else waits. What is joined is in the
journal; two that a person has taken apart again stay apart.
"""

from __future__ import annotations

import logging

from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps, LifecycleParams
from libra.engine.telling import nearest, of_the_person
from libra.ground.records import MemoryType
from libra.lifecycle.consolidate import near_duplicate
from libra.store import journal, memories, meta, revisions, search
from libra.store.memories import MemoryRow
from libra.store.sql import Reader
from libra.store.store import Snapshot
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)
_SWEPT = "memories.swept"
"""In ``meta``: the newest memory that was held against the others."""
_SOME = 16
"""Memories a round: some milliseconds each, so that a question never waits."""


def join_some(deps: Deps) -> bool:
    """Hold some new memories against those that are near; return True if there were any."""
    with deps.store.snapshot() as snapshot:
        swept = int(meta.get(snapshot, _SWEPT) or 0)
        fresh = memories.newer_than(snapshot, swept, _SOME)
        pairs = [
            (user, row, twin) for user, row in fresh if (twin := _twin(deps, snapshot, user, row)) is not None
        ]
    if not fresh:
        return False
    params, now_ms = deps.params.lifecycle, deps.clock()
    last = fresh[-1][1].item_id

    def job(tx: WriteTx) -> int:
        meta.put(tx, _SWEPT, last)
        return sum(_join(tx, user, row, twin, now_ms, params) for user, row, twin in pairs)

    joined = deps.store.write(job).result()
    if joined:
        _LOG.info("joined %d memories with others that say the same", joined)
        deps.wake()
    return True


def _twin(deps: Deps, snapshot: Snapshot, user: str, row: MemoryRow) -> int | None:
    """Return the active memory that says the same, in the same words or in others; None without one."""
    equal = [m for m in memories.of_hash(snapshot, user, row.content_hash) if m.active]
    vector = search.vectors_of(snapshot, deps.store, [row.item_id]).get(row.item_id)
    alike = [
        m
        for m, cosine in nearest(deps, snapshot, user, vector)
        if near_duplicate(row.text, m.text, cosine, deps.params.lifecycle.consolidate)
    ]
    apart = revisions.apart_from(snapshot, row.item_id)
    own = bool(of_the_person(snapshot, [row]))
    for other in [*equal, *alike]:
        if other.item_id == row.item_id or other.item_id in apart or other.type != row.type:
            continue
        # What an agent handed in never stands for the person's own word (C38).
        if bool(of_the_person(snapshot, [other])) == own:
            return other.item_id
    return None


def _join(tx: WriteTx, user: str, row: MemoryRow, twin: int, now_ms: int, params: LifecycleParams) -> int:
    """Let the older of two memories stand for both; return 1, or 0 if one of them has gone meanwhile."""
    one, other = _there(tx, row.item_id), _there(tx, twin)
    if one is None or other is None:
        return 0
    kept, gone = sorted((one, other), key=lambda m: m.item_id)
    sure = max(confidence_now(kept, now_ms, params), confidence_now(gone, now_ms, params))
    ephemeral = {m.expires_ms for m in (kept, gone)}
    until = None if None in ephemeral else max(e for e in ephemeral if e is not None)
    with journal.change(tx, "join", user, [kept.item_id, gone.item_id], now_ms, params.journal):
        revisions.absorb(tx, kept.item_id, gone, sure, until, now_ms)
    return 1


def _there(tx: Reader, item_id: int) -> MemoryRow | None:
    found = memories.get(tx, item_id)
    return (
        found if found is not None and found.active and found.type in {t.value for t in MemoryType} else None
    )
