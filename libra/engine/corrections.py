"""Correction statistics: how often what was remembered had to be put right, by what, by whom and when."""

from __future__ import annotations

from collections import Counter
from typing import Any

from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.ground.records import Who
from libra.store import journal, overview, search
from libra.store.journal import DAY_MS
from libra.text.dates import local_day

COUNTED = ("correct", "update", "doubt", "missed", "supersede")
"""Changes that say that a memory was wrong, out of date, or absent when it was needed."""
_MOST_ENTRIES = 20_000
_MOST_SHOWN = 10


def correction_stats(deps: Deps, who: Who | None, since: int | None) -> dict[str, Any]:
    """Answer the method ``correction_stats``: within the days that the journal keeps."""
    caller = complete(deps, who)
    now_ms, kept = deps.clock(), deps.params.lifecycle.journal.undo_days * DAY_MS
    start = max(since or 0, now_ms - kept)
    with deps.store.snapshot() as snapshot:
        every = journal.newest(snapshot, caller.user, _MOST_ENTRIES, start)
        entries = [entry for entry in every if entry.verb in COUNTED]
        touched = Counter(item for entry in entries for item in entry.changed)
        rows = search.rows(snapshot, list(touched), visible(deps, caller))
        outcomes = overview.outcomes(snapshot, visible(deps, caller))
    standing = [entry for entry in entries if entry.undone_ms is None]
    wrong = sum(entry.verb in ("correct", "doubt") for entry in standing)
    often = [(rows[item], n) for item, n in touched.most_common() if item in rows][:_MOST_SHOWN]
    return {
        "since": start,
        "verbs": {verb: sum(e.verb == verb for e in standing) for verb in COUNTED},
        "undone": len(entries) - len(standing),
        "actors": dict(sorted(Counter(e.actor for e in standing).items())),
        "types": _by_type(standing, rows),
        "days": _by_day(deps, standing),
        "wrong_per_100_used": round(100 * wrong / outcomes["used"], 2) if outcomes["used"] else None,
        "most": [{"id": row.uid, "type": row.type, "changes": n} for row, n in often],
    }


def _by_type(entries: list[journal.Entry], rows: dict[int, Any]) -> dict[str, int]:
    found = Counter(
        rows[item].type or "" for entry in entries for item in list(entry.changed)[:1] if item in rows
    )
    return dict(sorted(found.items()))


def _by_day(deps: Deps, entries: list[journal.Entry]) -> dict[str, int]:
    found = Counter(local_day(entry.at_ms, deps.zone).isoformat() for entry in entries)
    return dict(sorted(found.items()))
