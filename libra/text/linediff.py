"""What became of a document's lines between two readings: taken to another tier, worded otherwise, added, removed.

Lines of the same words are one line, wherever they stand. Of what is left, an old and a new one between the same neighbours that
share half of their words are one line in other words. Linear in the length of both readings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from libra.ground.records import NodeTier
from libra.text.scripts import CJK_CLASS

SAME_LINE: Final = 0.5
"""Share of the words of two lines that are common (Dice), from which they are one line in other words."""
_NEXT_LINES: Final = 8
"""A line in other words is looked for among so many new ones: keeps the search linear."""
_WORD: Final = re.compile(rf"[{CJK_CLASS}]|[^\W{CJK_CLASS}]+")


class Fate(StrEnum):
    """What became of a line."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    """Worded otherwise; it may have got another tier by that."""
    BECAME = "became"
    """The same words in another tier."""


@dataclass(frozen=True, slots=True)
class Line:
    """One leaf of a document: its words and its tier."""

    text: str
    tier: NodeTier


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one line.

    Attributes:
        fate: What.
        old: Its place among the old lines; None if it is new.
        new: Its place among the new lines; None if it is gone.
    """

    fate: Fate
    old: int | None
    new: int | None


def compare(old: Sequence[Line], new: Sequence[Line]) -> list[Step]:
    """Return what became of each line that is not as it was: in the order of the new reading, then what was removed."""
    same = _same(old, new)
    reworded = _reworded(old, new, same)
    steps = []
    for at, line in enumerate(new):
        if at in same:
            before = same[at]
            if old[before].tier is not line.tier:
                steps.append(Step(Fate.BECAME, before, at))
        elif at in reworded:
            steps.append(Step(Fate.CHANGED, reworded[at], at))
        else:
            steps.append(Step(Fate.ADDED, None, at))
    there = {*same.values(), *reworded.values()}
    return steps + [Step(Fate.REMOVED, at, None) for at in range(len(old)) if at not in there]


def _same(old: Sequence[Line], new: Sequence[Line]) -> dict[int, int]:
    """Return new place → old place of the lines of the same words, those of the same tier first."""
    found: dict[int, int] = {}
    for with_tier in (True, False):
        waiting: dict[tuple[str, NodeTier | None], list[int]] = defaultdict(list)
        taken = set(found.values())
        for at in reversed(range(len(old))):
            if at not in taken:
                waiting[old[at].text, old[at].tier if with_tier else None].append(at)
        for at, line in enumerate(new):
            places = waiting.get((line.text, line.tier if with_tier else None))
            if at not in found and places:
                found[at] = places.pop()
    return found


def _reworded(old: Sequence[Line], new: Sequence[Line], same: dict[int, int]) -> dict[int, int]:
    """Return new place → old place of the lines that say about the same between the same neighbours."""
    now = {before: at for at, before in same.items()}
    left = _gaps([now.get(at) for at in range(len(old))])
    right = _gaps([at if at in same else None for at in range(len(new))])
    found: dict[int, int] = {}
    for after, olds in left.items():
        free = list(right.get(after, ()))
        for before in olds:
            words = _words(old[before].text)
            near = free[:_NEXT_LINES]
            best = max(near, key=lambda at: _alike(words, _words(new[at].text)), default=None)
            if best is not None and _alike(words, _words(new[best].text)) >= SAME_LINE:
                found[best] = before
                free.remove(best)
    return found


def _gaps(known: Sequence[int | None]) -> dict[int, list[int]]:
    """Return the places without a known line by the known line that stands before them; -1 for the beginning."""
    gaps: dict[int, list[int]] = defaultdict(list)
    after = -1
    for at, line in enumerate(known):
        if line is None:
            gaps[after].append(at)
        else:
            after = line
    return gaps


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0
