"""Workflow suggestions: runs of commands that the person's sessions repeat, as something to write down once."""

from __future__ import annotations

from typing import Any

from libra.engine.deps import Deps
from libra.engine.scopes import complete
from libra.ground.records import Kind, Who
from libra.lifecycle.workflows import commands, frequent
from libra.store import history, search
from libra.store.visibility import Filter, Visible

_READ = 2_000
"""Turns that are read, the newest that look as if they held a command: about a quarter of a millisecond each."""
_MARKS = ("`", "$ ")
"""What stands before a command in a turn."""


def workflows(deps: Deps, who: Who | None, since: int | None, least: int, k: int) -> dict[str, Any]:
    """Answer the method ``workflows``: runs in at least so many sessions, with the last session of each."""
    caller = complete(deps, who)
    filt = Filter(Visible(caller.user), frozenset({Kind.TURN}), since_ms=since, with_covered=True)
    with deps.store.snapshot() as snapshot:
        ids = {item for mark in _MARKS for item in history.holding(snapshot, mark, filt)}
        newest = sorted(ids, reverse=True)[:_READ]
        rows = sorted(search.rows(snapshot, newest, filt).values(), key=lambda r: (r.ts_ms, r.id))
    steps: dict[str, list[str]] = {}
    for row in rows:
        steps.setdefault(row.session_key or "", []).extend(commands(row.text))
    last = {row.session_key or "": row.ts_ms for row in rows}
    keys = list(steps)
    found = frequent(list(steps.values()), least)
    shown = [
        {
            "steps": list(one.steps),
            "sessions": one.sessions,
            "last": max(last[keys[place]] for place in one.places),
            "last_session": max((keys[place] for place in one.places), key=last.__getitem__),
        }
        for one in found[:k]
    ]
    return {"workflows": shown, "read": len(rows), "more": max(len(found) - k, 0)}
