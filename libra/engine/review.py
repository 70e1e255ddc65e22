"""Review: the few memories a day that Libra is least sure of, for a person to look at."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from libra.engine.browse import entries_of, surest
from libra.engine.deps import Deps
from libra.engine.scopes import complete
from libra.engine.which import Which, filter_of
from libra.ground.records import Kind, Who
from libra.store import journal

_JUDGED = frozenset({"confirm", "correct", "update", "archive", "pin", "extend", "set_priority"})
"""What a person does to a memory that was looked at. What was forgotten leaves no trace, and counts for nothing."""
_MOST_CHANGES = 1_000


def review(deps: Deps, who: Who | None, k: int) -> dict[str, Any]:
    """Answer the method ``review``: the least sure memories that were not judged today, as many as are left of today's.

    Args:
        deps: Shared parts.
        who: The caller.
        k: How many a day.
    """
    caller = complete(deps, who)
    filt = filter_of(deps, who, Which(), frozenset({Kind.MEMORY}), active_only=True)
    now = datetime.fromtimestamp(deps.clock() / 1000, tz=deps.zone)
    midnight_ms = int(now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp() * 1000)
    with deps.store.snapshot() as snapshot:
        today = journal.newest(snapshot, caller.user, _MOST_CHANGES, midnight_ms)
        judged = [e for e in today if e.verb in _JUDGED and e.actor != "libra" and e.undone_ms is None]
        seen = {item for entry in judged for item in entry.item_ids}
        done = min(len(judged), k)
        places = [
            place
            for place in reversed(surest(deps, snapshot, filt, deps.clock()))
            if place.item_id not in seen
        ]
        return {"items": entries_of(deps, snapshot, places[: k - done], filt), "done": done, "of": k}
