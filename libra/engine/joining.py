"""Two memories that say the same become one, also those that were stored before anybody could tell (lessons.md C21).

A sweep of the background worker over new memories, some at a time, while nothing else waits. What is joined is in the
journal; two that a person has taken apart again stay apart.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from libra.engine.ageing import confidence_now
from libra.engine.archiving import PREVIEW_CHARS
from libra.engine.changes import memory_of
from libra.engine.deps import Deps, LifecycleParams
from libra.engine.scopes import complete
from libra.engine.telling import nearest, of_the_person
from libra.ground.errors import Conflict, InvalidParams
from libra.ground.records import MemoryType, Who
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
_REPORTED = 2_000
"""Memories that a report looks at, the newest."""
_TWO = 2


def begin_again(tx: WriteTx) -> None:
    """Hold all memories against the others once more: what counts as the same may be more by now."""
    meta.put(tx, _SWEPT, None)


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


def consolidate(
    deps: Deps, who: Who | None, uids: Sequence[str] | None, min_cosine: float, k: int, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``consolidate``: what says the same, and what is only near; what says the same is joined.

    Two that are named are joined whatever their words: the caller has read them. ``undo`` takes each join back.

    Raises:
        InvalidParams: Other than two are named.
        NotFound: One of them is no memory that the caller may see.
        Conflict: One of them is in the archive, or only one is the person's own word.
    """
    caller = complete(deps, who)
    if uids is not None:
        return _join_named(deps, caller, uids, dry_run=dry_run)
    with deps.store.snapshot() as snapshot:
        pairs = _pairs(deps, snapshot, caller.user, min_cosine)
        shown = [_pair(one, other, near, same=same) for one, other, near, same in pairs[:k]]
    same = [(one.item_id, other.item_id) for one, other, _, same in pairs if same]
    joined = 0 if dry_run else _join_all(deps, caller.user, same)
    return {
        "pairs": shown,
        "more": max(len(pairs) - k, 0),
        "same": len(same),
        "joined": joined,
        "dry_run": dry_run,
    }


def _pairs(
    deps: Deps, snapshot: Snapshot, user: str, least: float
) -> list[tuple[MemoryRow, MemoryRow, float, bool]]:
    """Return memories of one type that are near, each pair once, nearest first; the last tells whether they say the same."""
    found: dict[frozenset[int], tuple[MemoryRow, MemoryRow, float, bool]] = {}
    for row in memories.newest(snapshot, user, _REPORTED):
        vector = search.vectors_of(snapshot, deps.store, [row.item_id]).get(row.item_id)
        apart = revisions.apart_from(snapshot, row.item_id)
        twin = _twin(deps, snapshot, user, row)
        for other, cosine in nearest(deps, snapshot, user, vector):
            alone = other.item_id == row.item_id or other.item_id in apart or other.type != row.type
            if not alone and cosine >= least:
                pair = frozenset((row.item_id, other.item_id))
                same = twin == other.item_id or (pair in found and found[pair][3])
                found[pair] = (row, other, cosine, same)
    return sorted(found.values(), key=lambda p: (-p[3], -p[2], p[0].item_id))


def _pair(one: MemoryRow, other: MemoryRow, cosine: float, *, same: bool) -> dict[str, Any]:
    kept, gone = sorted((one, other), key=lambda m: m.item_id)
    return {
        "keep": kept.uid,
        "join": gone.uid,
        "cosine": round(cosine, 4),
        "same": same,
        "texts": [kept.text[:PREVIEW_CHARS], gone.text[:PREVIEW_CHARS]],
    }


def _join_named(deps: Deps, caller: Who, uids: Sequence[str], *, dry_run: bool) -> dict[str, Any]:
    if len(set(uids)) != _TWO:
        raise InvalidParams("ids: expected two memories", where="ids")
    with deps.store.snapshot() as snapshot:
        (one, user), (other, _) = (memory_of(deps, snapshot, caller, uid) for uid in uids)
        if not (one.active and other.active):
            raise Conflict("one of them is in the archive", reason="archived", where="ids")
        if len(of_the_person(snapshot, [one, other])) == 1:
            raise Conflict("only one of them is the person's own word", reason="persons_word", where="ids")
    joined = 0 if dry_run else _join_all(deps, user, [(one.item_id, other.item_id)])
    return {
        "pairs": [_pair(one, other, 1.0, same=False)],
        "more": 0,
        "same": 0,
        "joined": joined,
        "dry_run": dry_run,
    }


def _join_all(deps: Deps, user: str, pairs: Sequence[tuple[int, int]]) -> int:
    now_ms, params = deps.clock(), deps.params.lifecycle

    def job(tx: WriteTx) -> int:
        done = 0
        for one, other in pairs:
            row = _there(tx, one)
            done += 0 if row is None else _join(tx, user, row, other, now_ms, params)
        return done

    joined = deps.store.write(job).result() if pairs else 0
    deps.wake()
    return joined


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
