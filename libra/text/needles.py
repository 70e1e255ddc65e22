"""What a text must hold for a pattern to match it at all, read off the pattern: a quick look before a slow search.

A pattern of many forms is tried at every place of a text, and most texts hold none of the words that any of its forms needs. To look for
those words is a hundred times as fast. They are taken from the pattern itself, so that nobody has to keep two lists in step.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

_HEAD = 4
_MOST = 64
"""So many strings may stand for one place of a pattern; where there are more, another place is taken."""
_DOTLESS = str.maketrans("ı", "i")
"""The one letter among those we know that ``re.IGNORECASE`` takes for another and folding does not."""

_Strings = frozenset[str]
_EMPTY: _Strings = frozenset({""})
# Python's own parser of patterns has no public name; a test holds that it is there.
_PARSER: Any = importlib.import_module("re._parser")
_LITERAL = _PARSER.LITERAL


class Sieve:
    """Says which of some patterns a text may match; what it leaves out does not match for certain.

    Each needle is looked for by its first four characters, all of them at once: those of the text are one set.
    """

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self._always: list[re.Pattern[str]] = []
        self._heads: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        self._short: list[tuple[re.Pattern[str], str]] = []
        self._short_ascii: list[tuple[re.Pattern[str], str]] = []
        for pattern in patterns:
            wanted = needles(pattern)
            if wanted is None:
                self._always.append(pattern)
            for needle in wanted or ():
                if len(needle) >= _HEAD:
                    self._heads.setdefault(needle[:_HEAD], []).append((pattern, needle))
                else:
                    self._short.append((pattern, needle))
        self._short_ascii = [pair for pair in self._short if pair[1].isascii()]

    def passing(self, text: str) -> frozenset[re.Pattern[str]]:
        """Return the patterns that may match somewhere in ``text``."""
        low = _folded(text)
        passing = set(self._always)
        for pattern, needle in self._short_ascii if low.isascii() else self._short:
            if needle in low:
                passing.add(pattern)
        heads = {low[at : at + _HEAD] for at in range(len(low) - _HEAD + 1)}
        for head in self._heads.keys() & heads:
            for pattern, needle in self._heads[head]:
                if needle in low:
                    passing.add(pattern)
        return frozenset(passing)


def _folded(text: str) -> str:
    """Return a text as needles are looked for in it."""
    low = text.casefold()
    return low if low.isascii() else low.translate(_DOTLESS)


def needles(pattern: re.Pattern[str]) -> tuple[str, ...] | None:
    """Return strings of which every match of a pattern holds one, folded; None where the pattern tells of none.

    Only a literal beginning, branches and repetitions are followed; what is not understood asks for nothing.
    """
    found = _needed(list(_PARSER.parse(pattern.pattern, pattern.flags)))
    if found is None:
        return None
    # Who holds the longer one holds the shorter one.
    short = sorted(found, key=lambda needle: (len(needle), needle))
    kept = [n for at, n in enumerate(short) if not any(other in n for other in short[:at])]
    return tuple(kept)


def _needed(nodes: Sequence[tuple[Any, Any]]) -> _Strings | None:
    """Return the best set of strings of which a match of these nodes in a row holds one, or None."""
    best: _Strings | None = None
    run: _Strings = _EMPTY
    for node in _merged(nodes):
        exact = _exact(node)
        joined = None if exact is None else _joined(run, exact)
        if joined is not None:
            run = joined
            continue
        best = _better(best, run)
        run = _EMPTY if exact is None else exact
        if exact is None:
            best = _better(best, _within(node))
    return _better(best, run)


def _merged(nodes: Sequence[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield nodes with each run of letters as one: ``("WORD", text)``."""
    letters: list[str] = []
    for op, value in nodes:
        if op is _LITERAL:
            letters.append(chr(value))
            continue
        if letters:
            yield "WORD", "".join(letters)
            letters = []
        yield op, value
    if letters:
        yield "WORD", "".join(letters)


def _within(node: tuple[Any, Any]) -> _Strings | None:
    """Return what a match of one node holds."""
    op, value = str(node[0]), node[1]
    if op == "SUBPATTERN":
        return _needed(list(value[3]))
    if op in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return _needed(list(value[2])) if value[0] else None
    if op == "ATOMIC_GROUP":
        return _needed(list(value))
    if op == "BRANCH":
        return _union(_needed(list(branch)) for branch in value[1])
    return None


def _exact(node: tuple[Any, Any]) -> _Strings | None:
    """Return all that one node can match, folded, if that is little; what has no width is the empty string."""
    op, value = str(node[0]), node[1]
    if op == "WORD":
        return frozenset({_folded(value)})
    if op in {"AT", "ASSERT", "ASSERT_NOT"}:
        return _EMPTY
    if op == "SUBPATTERN":
        return _row(list(value[3]))
    if op == "BRANCH":
        return _union((_row(list(branch)) for branch in value[1]), most=_MOST)
    if op in {"MAX_REPEAT", "MIN_REPEAT"} and value[1] == 1:
        once = _row(list(value[2]))
        return once if once is None or value[0] else _limited(once | _EMPTY)
    if op == "IN" and all(str(kind) == "LITERAL" for kind, _ in value):
        return _limited(frozenset(_folded(chr(code)) for _, code in value))
    return None


def _row(nodes: Sequence[tuple[Any, Any]]) -> _Strings | None:
    """Return :func:`_exact` of nodes in a row."""
    run: _Strings | None = _EMPTY
    for node in _merged(nodes):
        exact = _exact(node)
        run = None if exact is None or run is None else _joined(run, exact)
        if run is None:
            return None
    return run


def _joined(first: _Strings, second: _Strings) -> _Strings | None:
    """Return each of the first before each of the second, unless there are too many."""
    if first is _EMPTY:
        return second
    return frozenset(a + b for a, b in product(first, second)) if len(first) * len(second) <= _MOST else None


def _union(parts: Iterable[_Strings | None], most: int | None = None) -> _Strings | None:
    """Return all strings of all parts; None if any part asks for nothing, or if there are too many."""
    every: set[str] = set()
    for part in parts:
        if part is None or (most is not None and len(every) > most):
            return None
        every |= part
    return frozenset(every)


def _limited(strings: _Strings | None) -> _Strings | None:
    return None if strings is None or len(strings) > _MOST else strings


def _better(one: _Strings | None, other: _Strings | None) -> _Strings | None:
    """Return the set whose shortest string is longer; of equals the smaller one. The empty string asks for nothing."""

    def worth(strings: _Strings | None) -> tuple[int, int]:
        return (min(map(len, strings)), -len(strings)) if strings else (0, 0)

    best = max((one, other), key=worth)
    return best if worth(best)[0] else None
