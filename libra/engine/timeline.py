"""Timeline: the figures that the page draws; counts only, no words."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from libra.engine.deps import Deps
from libra.engine.receipt import listed
from libra.engine.scopes import complete, visible
from libra.ground.records import Who
from libra.store import timeline as figures
from libra.store.receipts import KEPT_MS

_DAY_MS = 86_400_000


def timeline(deps: Deps, who: Who | None, k: int) -> dict[str, Any]:
    """Answer the method ``timeline``.

    Args:
        deps: Shared parts.
        who: The caller.
        k: How many of the last contexts.
    """
    caller = complete(deps, who)
    now_ms = deps.clock()
    offset = datetime.fromtimestamp(now_ms / 1000, tz=deps.zone).utcoffset()
    offset_ms = 0 if offset is None else int(offset.total_seconds() * 1000)
    with deps.store.snapshot() as snapshot:
        days = figures.memories_by_day(snapshot, visible(deps, caller), offset_ms)
        actors = figures.actors(snapshot, caller.user)
        fed = {row.name: row for row in figures.fed(snapshot, caller.user, now_ms - KEPT_MS)}
    names = list(dict.fromkeys([*(a.name for a in actors), *fed]))
    heard = {a.name: a for a in actors}
    return {
        "memories": [
            {"day": row.day * _DAY_MS - offset_ms, "type": row.type, "memories": row.memories} for row in days
        ],
        "contexts": listed(deps, who, k, None, None)["items"][::-1],
        "agents": [
            {
                "name": name,
                "sessions": heard[name].sessions if name in heard else 0,
                "last": heard[name].last_ms if name in heard else None,
                "contexts": fed[name].contexts if name in fed else 0,
                "tokens": fed[name].tokens if name in fed else 0,
                "took_ms": fed[name].took_ms if name in fed else None,
            }
            for name in names
        ],
    }
