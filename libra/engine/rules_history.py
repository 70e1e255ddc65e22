"""History of rules: when a line of an instruction file became hard, soft or lore, was worded otherwise, or was removed."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.ground.records import Who
from libra.store import documents, rule_history
from libra.store.rule_history import Asked, RuleChange
from libra.store.snapshot import Snapshot
from libra.store.visibility import Visible

_LOG = logging.getLogger(__name__)


def rules_history(
    deps: Deps, who: Who | None, path: str | None, k: int, after: int | None, *, everywhere: bool
) -> dict[str, Any]:
    """Answer the method ``rules_history``: the newest first; ``next`` is there while more follow.

    Args:
        deps: Shared parts.
        who: The caller.
        path: Of this file only.
        k: How many on a page.
        after: What the page before has answered as ``next``.
        everywhere: Files of all projects and agents; else those of the caller.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        sees = seen(deps, snapshot, caller, everywhere=everywhere)
        found = rule_history.changes(snapshot, sees, Asked(path=path, before=after), k + 1)
    return {
        "items": [_shown(change) for change in found[:k]],
        **({"next": found[k - 1].id} if len(found) > k else {}),
    }


def seen(deps: Deps, snapshot: Snapshot, caller: Who, *, everywhere: bool) -> Visible:
    """Return whose instruction files a caller sees; everywhere: of all projects and agents, not of other users."""
    sees = visible(deps, caller)
    if not everywhere:
        return sees
    known = {
        *(doc.scope for doc in documents.states(snapshot).values()),
        *rule_history.scopes_of(snapshot),
    }
    others = sorted(scope for scope in known if not scope.startswith("user:"))
    return replace(sees, scopes=tuple(dict.fromkeys([*sees.scopes, *others])))


def _shown(change: RuleChange) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": change.id,
        "at": change.at_ms,
        "what": change.what,
        "path": change.path,
        "scope": change.scope,
    }
    if not change.uid:
        return told
    line = {
        "rule": change.uid,
        "lines": [change.line_start, change.line_end],
        "tier": change.tier,
        "was": change.was,
        "since": change.since_ms,
        "before": change.before,
        "text": change.text,
    }
    return told | {name: value for name, value in line.items() if value not in (None, "")}


def prune(deps: Deps) -> bool:
    """Take away what is older, or more, than the settings let be kept; return True if there was any."""
    params, now_ms = deps.params.documents.history, deps.clock()
    purge_days = deps.params.compaction.purge_after_days
    if deps.store.read_only:
        return False
    with deps.store.snapshot() as snapshot:
        if not rule_history.overdue(snapshot, params, now_ms, purge_days):
            return False
    gone = deps.store.write(
        lambda tx: rule_history.prune(tx, params, now_ms, purge_days), full_sync=True
    ).result()
    _LOG.info("%d old changes of instruction files are no longer kept", gone)
    return gone > 0
