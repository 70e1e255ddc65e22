"""One whole pass over a host's database."""

from __future__ import annotations

from typing import Any


def whole_pass(job: Any, cursor: Any = None) -> tuple[list[Any], Any]:
    """Return the sessions and turns of a pass from ``cursor`` on, and the cursor after it."""
    said: list[Any] = []
    while True:
        piece = job.step(cursor)
        cursor = piece.cursor
        said += [(batch.session, turn) for batch in piece.batches for turn in batch.turns]
        if piece.done:
            return said, cursor


def texts(said: list[Any]) -> list[tuple[str, bool]]:
    """Return the words, and whether they were taken back."""
    return [(turn.content, turn.undone) for _, turn in said]
