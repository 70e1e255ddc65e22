"""How far a changed setting reaches: to everything that is stored at once, after work in the background, or to new rows only.

A setting that silently holds for some rows and not for others is a fault that nobody sees (lessons.md C61).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Reach(StrEnum):
    """To what a change applies."""

    AT_ONCE = "everything, from the next start on: it is worked out when something is read"
    REREAD = "everything: documents are read again after the next start"
    REEMBED = "everything: all vectors are made anew in the background after the next start"
    ON_ASKING = "new turns; `libra reapply` takes it to what is stored, but for a person's own word"
    NEW = "new rows only: what is stored stays as it is"
    PROGRAM = "no rows: how the program works"


_OF_SECTION: Mapping[str, Reach] = {
    "model": Reach.REEMBED,
    "sources": Reach.NEW,
    "documents": Reach.REREAD,
    "assemble": Reach.AT_ONCE,
    "recall": Reach.AT_ONCE,
    "rank": Reach.AT_ONCE,
    "fusion": Reach.AT_ONCE,
    "diversity": Reach.AT_ONCE,
    "guidance": Reach.AT_ONCE,
    "rerank": Reach.AT_ONCE,
    "rules": Reach.AT_ONCE,
    "cards": Reach.AT_ONCE,
    "intents": Reach.AT_ONCE,
    "prune": Reach.AT_ONCE,
    "decay": Reach.AT_ONCE,
    "always": Reach.AT_ONCE,
    "noise": Reach.ON_ASKING,
    "session_memory": Reach.NEW,
    "dreams": Reach.NEW,
    "gate": Reach.ON_ASKING,
    "calibration": Reach.ON_ASKING,
    "memory": Reach.NEW,
    "use": Reach.NEW,
    "compaction": Reach.NEW,
    "summarizer": Reach.NEW,
}
_OF_KEY: Mapping[str, Reach] = {
    **{
        f"memory.{name}": Reach.ON_ASKING
        for name in ("impossible_days", "start", "replacement", "min_cosine")
    },
    **{
        f"memory.{name}": Reach.AT_ONCE
        for name in ("daily_loss", "reinforcement", "longest", "gap_ms", "superseded")
    },
    "model.threads": Reach.PROGRAM,
    "model.providers": Reach.PROGRAM,
    "assemble.hard": Reach.REREAD,
}
"""Keys that reach elsewhere than the rest of their section."""


def reach(key: str) -> Reach:
    """Return how far a change of a key reaches."""
    return _OF_KEY.get(key) or _OF_SECTION.get(key.partition(".")[0], Reach.PROGRAM)
