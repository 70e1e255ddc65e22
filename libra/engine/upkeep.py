"""What the background worker does when nothing waits: expiry to the archive, compaction of long sessions."""

from __future__ import annotations

import logging
from dataclasses import replace

from libra.engine import (
    automatic,
    copies,
    joining,
    mirror,
    pruning,
    quoting,
    rescan,
    rules_history,
    session_memory,
    tasks,
)
from libra.engine.automatic import Lookout
from libra.engine.deps import Deps
from libra.store import journal, memories, repair, revisions, sidewords
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)


def when_idle(deps: Deps, lookout: Lookout, *, at_once: bool = False) -> bool:
    """Do one piece of upkeep; return True if there was one.

    Args:
        deps: Shared parts.
        lookout: What earlier calls saw.
        at_once: Compact long sessions that are still in use, too: a person asked for it.
    """
    deps.summariser.rest()
    params = replace(deps.params.compaction, quiet_ms=0) if at_once else deps.params.compaction
    return (
        expire(deps) > 0
        or mend_once(deps, lookout)
        or take_words_out(deps)
        or rescan.rescan_some(deps)
        or tasks.work_on_some(deps)
        or mirror.mirror_some(deps, lookout.mirror)
        or joining.join_some(deps)
        or quoting.link_some(deps)
        or pruning.prune_daily(deps)
        or rules_history.prune(deps)
        or session_memory.keep_rested(deps)
        or automatic.one_automatic(deps, lookout, params)
        or automatic.purge_some(deps)
        or copies.look_after(deps, lookout)
    )


def mend_once(deps: Deps, lookout: Lookout) -> bool:
    """After a start, look over what is derived from the texts and mend it; return True if there was something to mend."""
    if lookout.mended or deps.store.read_only:
        return False
    lookout.mended = True
    with deps.store.snapshot() as snapshot:
        found = repair.look(snapshot)
    if not found.any:
        return False
    deps.store.write(repair.mend).result()
    if found.stray_words:
        tasks.queue(deps, tasks.Task.REINDEX)
    _LOG.warning("mended what was missing or too much: %s", found)
    deps.wake()
    return True


def take_words_out(deps: Deps) -> bool:
    """Take some terms of what was forgotten out of a large side index; return True if there were any."""
    with deps.store.snapshot() as snapshot:
        waits = not deps.store.read_only and sidewords.waits(snapshot)
    if waits:
        deps.store.write(sidewords.step).result()
    return waits


def expire(deps: Deps) -> int:
    """Move memories whose time is over to the archive; return how many."""
    now_ms = deps.clock()
    params = deps.params.lifecycle.journal
    with deps.store.snapshot() as snapshot:
        due = memories.expired(snapshot, now_ms)
        users = memories.owners(snapshot, due)

    def job(tx: WriteTx) -> None:
        for item, user in users.items():
            with journal.change(tx, "archive", user, [item], now_ms, params):
                revisions.archive(tx, [item], now_ms)

    if due:
        deps.store.write(job).result()
        _LOG.info("archived %d expired memories", len(due))
    return len(due)
