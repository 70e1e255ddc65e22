"""Rate against distortion of compacted sessions, level by level: as numbers for people, as data for the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from libra.compaction.abstractive import METHOD as ABSTRACTIVE
from libra.compaction.report import Node, Rate, rates
from libra.engine.deps import Deps
from libra.engine.scopes import complete
from libra.ground.records import Who
from libra.store import history, search, summaries, turns
from libra.store.store import Snapshot
from libra.store.visibility import Visible


def compaction_report(deps: Deps, who: Who | None, k: int) -> dict[str, Any]:
    """Return ``{sessions[], more}``: the caller's session, or the ``k`` of the person's that were compacted most.

    Args:
        deps: Shared parts.
        who: The caller; with a session only that one.
        k: Most sessions.
    """
    caller = complete(deps, who)
    sees = Visible(user=caller.user, session_key=caller.session, every_session=caller.session is None)
    with deps.store.snapshot() as snapshot:
        found = history.compacted_sessions(snapshot, sees)
        shown = [_session(deps, snapshot, key, caller.user) for key, _ in found[:k]]
    return {"sessions": shown, "more": max(len(found) - k, 0)}


def _session(deps: Deps, snapshot: Snapshot, key: str, user: str) -> dict[str, Any]:
    sees = Visible(user=user, session_key=key, every_session=False)
    raw = turns.turns_of(snapshot, key, visible=sees)
    made = summaries.of_session(snapshot, key, visible=sees)
    guidance = summaries.guidance_of(snapshot, key, visible=sees)
    figures = summaries.details(snapshot, [row.id for row in made]).values()
    below = summaries.edges(snapshot, [row.id for row in made])
    vectors = search.vectors_of(snapshot, deps.store, [row.id for row in (*raw, *made)])
    nodes = [Node(row.id, 0, row.text, row.tokens, (), vectors.get(row.id)) for row in raw]
    nodes += [
        Node(row.id, row.level or 1, row.text, row.tokens, tuple(below.get(row.id, ())), vectors.get(row.id))
        for row in made
    ]
    return {
        "session": key,
        "turns": len(raw),
        "tokens": sum(row.tokens for row in raw),
        "covered": sum(row.covered for row in raw),
        "purged": sum(not row.text for row in raw),
        "guidance": len(guidance),
        "guidance_tokens": sum(row.tokens for row in guidance),
        "abstractive": sum(row.method == ABSTRACTIVE for row in figures),
        "rejected": Counter(row.refused for row in figures if row.refused is not None),
        "levels": [_level(rate) for rate in rates(nodes)],
    }


def _level(rate: Rate) -> dict[str, Any]:
    return {name: round(v, 4) if isinstance(v, float) else v for name, v in asdict(rate).items()}
