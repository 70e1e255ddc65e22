"""Where fixed words stand in a text, and patterns that are tried only there.

A pattern of many alternatives costs a regular expression engine a try at every character; a search for one fixed
word costs next to nothing (lessons.md C67).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_MANY: Final = 2_000
"""Places of one word from which on an expression is quicker than one search after another."""


def places(text: str, words: Iterable[str], *, back: int = 0) -> list[int]:
    """Return where any of ``words`` stands in ``text``, less ``back``, sorted, each once, none below 0.

    Overlapping places count. The words are not empty. Linear for words of a few characters.
    """
    found: set[int] = set()
    for word in words:
        at = text.find(word)
        if at < 0:
            continue
        if len(text) > _MANY and text.count(word) > _MANY and not _overlaps(word):
            found.update(match.start() - back for match in re.finditer(re.escape(word), text))
            continue
        while at >= 0:
            found.add(at - back)
            at = text.find(word, at + 1)
    return sorted(at for at in found if at >= 0)


def _overlaps(word: str) -> bool:
    """Return True if a word can begin within itself, as "abab" does."""
    return any(word.startswith(word[n:]) for n in range(1, len(word)))


def matches(pattern: re.Pattern[str], text: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield the matches of ``pattern`` at ``starts`` (ascending), as ``finditer`` would: none overlaps another."""
    end = -1
    for at in starts:
        if at < end:
            continue
        match = pattern.match(text, at)
        if match:
            end = max(match.end(), at + 1)
            yield match


def windows(starts: Iterable[int], before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield stretches that reach from ``before`` characters before each place to ``after`` behind it, merged."""
    first = last = -1
    for at in starts:
        if at - before > last:
            if last >= 0:
                yield first, last
            first = max(at - before, 0)
        last = at + after
    if last >= 0:
        yield first, last
