"""What becomes of long and old history by itself: compaction when a session rests, purging if the person set it.

One piece of work a call, on the background thread, so that nothing that a person asks for waits. Where nothing can be
done it is remembered, so that the same sessions are not looked at again every half a minute.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from libra.compaction.params import CompactionParams
from libra.engine.compact import compact_session
from libra.engine.deps import Deps
from libra.store import history, items, purge, receipts
from libra.store.history import LongSession

_LOG = logging.getLogger(__name__)
_DAY_MS = 86_400_000
_PURGE_BATCH = 500


@dataclass(slots=True)
class Lookout:
    """What was seen when nothing was left to do; kept by the background worker, empty after a start.

    Attributes:
        left: For a session that could not be made shorter, its uncovered turns and the newest one's arrival.
        next_id: The id that the next stored item would get: while it stays the same, nothing new was said.
        until_ms: When the first of the sessions in use will have rested; 0 if that is not known.
        copy_after_ms: No backup is tried before.
        given_up: Backups that cannot be cleaned of what was forgotten.
        mirror: What the mirror's last pass has left.
        mended: What was derived from the texts was looked over since the start.
    """

    left: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)
    next_id: int = -1
    until_ms: int = 0
    copy_after_ms: int = 0
    given_up: set[str] = field(default_factory=set)
    mended: bool = False
    mirror: dict[str, Any] = field(default_factory=dict)

    def nothing_new(self, next_id: int, now_ms: int) -> bool:
        """Return True if a look would find what the last one found."""
        return next_id == self.next_id and now_ms < self.until_ms


_NEVER_MS = 2**62


def one_automatic(deps: Deps, lookout: Lookout, params: CompactionParams | None = None) -> bool:
    """Compact the session over its threshold that has rested longest; return False if there is none.

    The threshold is that of the settings, or a share of the budget that the session's prompts last had, if that is
    less. A session is left alone while something new still comes: its turns are what is being worked on.

    Args:
        deps: Shared parts.
        lookout: What earlier calls saw.
        params: Settings; by default the configured ones.
    """
    if deps.store.read_only:
        return False
    params = params or deps.params.compaction
    now_ms = deps.clock()
    with deps.store.snapshot() as snapshot:
        next_id = items.next_id(snapshot)
        if params.quiet_ms and lookout.nothing_new(next_id, now_ms):
            return False
        budgets = receipts.last_budgets(snapshot)
        limits = {key: params.limit_tokens(budget) for key, budget in budgets.items()}
        waiting = history.long_sessions(snapshot, min(limits.values(), default=params.threshold_tokens))
    lookout.next_id, lookout.until_ms = next_id, _NEVER_MS
    for session in waiting:
        limit = limits.get(session.key, params.threshold_tokens)
        seen = (session.turns, session.tokens, session.newest_ms)
        if session.tokens <= limit or lookout.left.get((session.user, session.key)) == seen:
            continue
        if session.newest_ms > now_ms - params.quiet_ms:
            lookout.until_ms = min(lookout.until_ms, session.newest_ms + params.quiet_ms)
            continue
        if _compacted(deps, session, limit, params):
            lookout.next_id = -1
            return True
        lookout.left[session.user, session.key] = seen
    return False


def _compacted(deps: Deps, session: LongSession, limit: int, params: CompactionParams) -> bool:
    # Without a time of quiet a person has asked for it.
    done = compact_session(deps, session.key, session.user, limit, params, waits=not params.quiet_ms)
    if done.did_compact:
        _LOG.info("compacted a session: %d to %d tokens", done.tokens_before, done.tokens_after)
    return done.did_compact


def purge_some(deps: Deps, params: CompactionParams | None = None) -> bool:
    """Take the words out of some covered turns that are older than the person's limit; return False if none are.

    Off unless ``purge_after_days`` is set. Summaries, guidance and memories stay, and so do the turns' ids.
    """
    params = params or deps.params.compaction
    if not params.purge_after_days or deps.store.read_only:
        return False
    now_ms = deps.clock()
    before_ms = now_ms - params.purge_after_days * _DAY_MS
    with deps.store.snapshot() as snapshot:
        due = purge.due(snapshot, before_ms, _PURGE_BATCH)
    if not due:
        return False
    gone = deps.store.write(lambda tx: purge.purge(tx, due, now_ms), full_sync=True).result()
    _LOG.info("purged %d covered turns older than %d days", gone, params.purge_after_days)
    return gone > 0
