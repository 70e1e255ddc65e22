"""When is a document that is not found really deleted?

Only "not found" counts, seen twice at least two seconds apart, with a parent folder that can be read. A
permission error, a lock, a share that is away is "unreadable": everything is kept. If more than five documents
*and* more than a fifth of all known ones vanish in one pass, nothing is taken away before a person says so.

Source: lessons.md C01; field case B13.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from libra.engine.feed import DocumentState

PRESENT = "present"
UNREADABLE = "unreadable"
MISSING_ONCE = "missing_once"
GONE = "gone"
"""States of a document, as :class:`libra.engine.feed.DocumentState` names them."""


@dataclass(frozen=True, slots=True)
class AbsenceParams:
    """Bounds of the rule.

    Attributes:
        confirm_ms: How long after the first "not found" the second one must be.
        many: More than this many ...
        many_share: ... and more than this share of the known documents at once is no deletion.
    """

    confirm_ms: int = 2000
    many: int = 5
    many_share: float = 0.2


class Look(Enum):
    """What looking for a file has shown."""

    THERE = "there"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of the documents that were looked for.

    Attributes:
        states: New state by path, only where it changes.
        missing: Documents that wait for their second look.
        held_back: Documents that are missing but kept, because too many vanished at once.
    """

    states: Mapping[str, str]
    missing: tuple[str, ...] = ()
    held_back: tuple[str, ...] = ()


def look(path: str, anchor: str | None = None) -> Look:
    """Look for a file.

    Args:
        path: The file.
        anchor: The folder that must be there for an absence to mean anything; None for the file's own.
    """
    try:
        Path(path).stat()
    except FileNotFoundError:
        pass
    except OSError:
        return Look.UNREADABLE
    else:
        return Look.THERE
    folder = Path(path).parent
    stop = Path(anchor) if anchor and folder.is_relative_to(anchor) else folder
    while True:
        try:
            with os.scandir(folder) as entries:
                next(entries, None)
        except FileNotFoundError:
            if folder in {stop, folder.parent}:
                return Look.UNREADABLE  # the whole root is away: unplugged, unmounted, renamed
            folder = folder.parent
        except OSError:
            return Look.UNREADABLE
        else:
            return Look.MISSING


def judge(
    known: Mapping[str, DocumentState],
    looks: Mapping[str, Look],
    now_ms: int,
    params: AbsenceParams | None = None,
    *,
    accepted: bool = False,
) -> Judgement:
    """Return what becomes of documents.

    Args:
        known: All documents that are kept, by path.
        looks: What looking for those of them has shown that no place names any more.
        now_ms: The time, epoch ms.
        params: Bounds.
        accepted: A person has said that the missing ones are meant to be gone.
    """
    params = params or AbsenceParams()
    alive = {path: state for path, state in known.items() if state.state != GONE}
    missing = sorted(path for path in alive if looks.get(path) is Look.MISSING)
    states = {
        path: UNREADABLE
        for path, state in alive.items()
        if looks.get(path) is Look.UNREADABLE and state.state != UNREADABLE
    }
    if not accepted and len(missing) > params.many and len(missing) > params.many_share * len(alive):
        return Judgement(states, held_back=tuple(missing))
    waiting = []
    for path in missing:
        state = alive[path]
        if state.state != MISSING_ONCE or state.first_missing_ms is None:
            states[path] = MISSING_ONCE
            waiting.append(path)
        elif now_ms - state.first_missing_ms >= params.confirm_ms:
            states[path] = GONE
        else:
            waiting.append(path)
    return Judgement(states, missing=tuple(waiting))
