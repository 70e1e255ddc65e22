"""Stats: how much is kept of what, what became of it and how often it helped; of what the caller may see."""

from __future__ import annotations

from collections import Counter
from typing import Any

from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.ground.records import Who
from libra.store import overview


def stats(deps: Deps, who: Who | None) -> dict[str, Any]:
    """Answer the method ``stats``: counts, names of scopes, projects and agents, no content."""
    sees = visible(deps, complete(deps, who))
    with deps.store.snapshot() as snapshot:
        found = overview.counted(snapshot, sees)
        states, said = overview.memories(snapshot, sees)
        outcomes = overview.outcomes(snapshot, sees)
    objections = outcomes.pop("objections")
    return {
        "kinds": _ranked(found.kinds),
        "types": _ranked(found.types),
        "scopes": _ranked(found.scopes),
        "projects": _ranked(found.projects),
        "agents": _ranked(found.agents),
        "states": states,
        "tokens": _ranked(found.tokens),
        "confirmations": said["confirmations"],
        "corrections": said["corrections"],
        "objections": objections,
        "recalls": {**outcomes, "memories": said["recalled_ever"]},
        "sizes": deps.store.sizes(),
    }


def _ranked(counts: Counter[str]) -> dict[str, int]:
    """Return counts, the largest first, those of equal count by name."""
    return dict(sorted(counts.items(), key=lambda c: (-c[1], c[0])))
