"""Prune: memories that are of no use go to the archive, on request or once a day; nothing is deleted."""

from __future__ import annotations

import logging
from typing import Any

from libra.engine.ageing import confidence_now
from libra.engine.archiving import preview
from libra.engine.changes import actor_of
from libra.engine.deps import Deps
from libra.engine.scopes import complete
from libra.ground.records import Who
from libra.lifecycle.prune import Kept, why
from libra.store import journal, memories, memory_lists, meta, revisions, search
from libra.store.memories import MemoryRow
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)
_AT_ONCE = 5_000
"""Memories that are looked at in one go, the oldest first."""
_PRUNED = "memories.pruned"
"""In ``meta``: when that was done last."""
_DAY_MS = 86_400_000


def prune(deps: Deps, who: Who | None, *, dry_run: bool) -> dict[str, Any]:
    """Answer the method ``prune``: what would be, or was, put away, and why; ``undo`` brings it back."""
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found = {
            m.item_id: reason for m, reason in _due(deps, memories.oldest(snapshot, caller.user, _AT_ONCE))
        }
        rows = list(search.rows(snapshot, list(found)).values())
    number = None if dry_run else _put_away(deps, list(found), caller.user, actor_of(caller))
    counts = {reason: list(found.values()).count(reason) for reason in sorted(set(found.values()))}
    done = {"would_archive": len(found)} if dry_run else {"archived": len(found)}
    return {
        **done,
        "reasons": counts,
        **preview(rows, words=dry_run),
        "dry_run": dry_run,
        "journal_id": number,
    }


def prune_daily(deps: Deps) -> bool:
    """Do it for everybody if the setting says so and it is a day since the last time; return True if something was put away."""
    params, now_ms = deps.params.lifecycle.prune, deps.clock()
    if not params.automatic:
        return False
    with deps.store.snapshot() as snapshot:
        if now_ms - int(meta.get(snapshot, _PRUNED) or 0) < _DAY_MS:
            return False
        users = memory_lists.users(snapshot)
        due = {u: [m.item_id for m, _ in _due(deps, memories.oldest(snapshot, u, _AT_ONCE))] for u in users}
    deps.store.write(lambda tx: meta.put(tx, _PRUNED, now_ms)).result()
    for user, items in due.items():
        _put_away(deps, items, user, "libra")
    done = sum(len(items) for items in due.values())
    if done:
        _LOG.info("put %d memories away that are of no use", done)
    return done > 0


def _due(deps: Deps, found: list[MemoryRow]) -> list[tuple[MemoryRow, str]]:
    now_ms, params = deps.clock(), deps.params.lifecycle

    def kept(m: MemoryRow) -> Kept:
        return Kept(
            confidence_now(m, now_ms, params), now_ms - max(m.ts_ms, m.touched_ms), m.recalls, m.confirmations, m.priority,
            m.priority_manual or m.ttl_manual,
        )  # fmt: skip

    judged = ((m, why(kept(m), params.prune)) for m in found)
    return [(m, reason) for m, reason in judged if reason is not None]


def _put_away(deps: Deps, items: list[int], user: str, actor: str) -> int | None:
    if not items:
        return None
    now_ms, params = deps.clock(), deps.params.lifecycle.journal

    def job(tx: WriteTx) -> int | None:
        with journal.change(tx, "archive", user, items, now_ms, params, actor) as made:
            revisions.archive(tx, items, now_ms)
        return made.id

    return deps.store.write(job).result()
