"""Dream promotion: entries of an agent's diary that pass the gates are kept, as the agent's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from libra.engine import remember
from libra.engine.deps import Deps
from libra.engine.instructions import read_file
from libra.engine.remember import Wish
from libra.exchange.dreams import dreams, refused
from libra.ground.errors import InvalidParams
from libra.ground.records import Origin, Who


def promote_dreams(
    deps: Deps, who: Who | None, path: str | None, text: str | None, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``promote_dreams``: each entry with what became of it; the same diary brings nothing twice.

    Raises:
        NotFound: The file cannot be read.
    """
    diary = text if text is not None else read_file(Path(path or ""))
    entries: list[dict[str, Any]] = []
    for dream in dreams(diary):
        gate = refused(dream, deps.params.dreams)
        outcome = f"refused: {gate}" if gate is not None else "would be kept"
        if gate is None and not dry_run:
            try:
                outcome = remember.remember(deps, who, dream.text, Wish(origin=Origin.AGENT))["outcome"]
            except InvalidParams:
                outcome = "refused: nothing is left of it"
        entries.append({"line": dream.line, "outcome": outcome})
    kept = sum(not one["outcome"].startswith("refused") and one["outcome"] != "forgotten" for one in entries)
    return {
        "promoted": 0 if dry_run else kept,
        "refused": len(entries) - kept,
        "entries": entries,
        "dry_run": dry_run,
    }
