r"""Patterns for grep: plain text, or a regular expression that can never hang.

The expression is compiled to a Thompson automaton and run as a deterministic one whose states are made when they
are met, so that each character is looked at once, whatever the expression (Python's ``re`` backtracks: ``(a+)+$``
can take for ever on thirty characters). There are therefore no groups to refer back to, no looking around and no
repetition counts. Letters match without regard to case.

What it knows: ``.`` ``[abc]`` ``[^a-z]`` ``\d`` ``\w`` ``\s`` ``\D`` ``\W`` ``\S`` ``*`` ``+`` ``?`` ``|`` ``(…)``, ``^`` and
``$`` at the beginning and end of a line, and ``\`` before a sign that is meant as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from libra.text.scripts import lower

MAX_CHARS = 500
"""Longest expression; its automaton has at most about twice as many states."""
MAX_SPAN = 1_000
"""Longest match of an expression whose beginning is asked for."""
_MAX_STATES = 2_000
"""Deterministic states kept; when there are more they are made anew, which costs time but no memory."""
_LEAST_LITERAL = 3
_SPECIAL = frozenset(".[]*+?|()^$\\")

Test = Callable[[str], bool]


class PatternError(ValueError):
    """The expression cannot be read; the message says why, without repeating it."""


@dataclass(slots=True)
class _Node:
    """A state: what it eats (None for nothing), and where it leads."""

    eats: Test | None
    to: list[int]


_BEGIN, _END = "\x02", "\x03"
"""Stand for the beginning and the end of a line; no text holds them, since they are taken out first."""


def _is_word(ch: str) -> bool:
    return ch.isalnum() or ch == "_"


_CLASSES: dict[str, Test] = {"d": str.isdigit, "w": _is_word, "s": str.isspace}


class _Compiler:
    """Recursive descent over the expression; each part gives its first state and its loose ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.nodes: list[_Node] = []

    def whole(self) -> tuple[int, int]:
        """Return the first and the last state."""
        first, ends = self._either()
        if self.at < len(self.text):
            raise PatternError("a bracket is closed that was not opened")
        last = self._node(None)
        self._join(ends, last)
        return first, last

    def _node(self, eats: Test | None, *to: int) -> int:
        self.nodes.append(_Node(eats, list(to)))
        return len(self.nodes) - 1

    def _join(self, ends: list[int], to: int) -> None:
        for end in ends:
            self.nodes[end].to.append(to)

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self) -> str:
        if self.at >= len(self.text):
            raise PatternError("the expression breaks off")
        self.at += 1
        return self.text[self.at - 1]

    def _either(self) -> tuple[int, list[int]]:
        first, ends = self._row()
        while self._peek() == "|":
            self.at += 1
            other, more = self._row()
            first, ends = self._node(None, first, other), ends + more
        return first, ends

    def _row(self) -> tuple[int, list[int]]:
        first = self._node(None)
        ends = [first]
        while self._peek() and self._peek() not in "|)":
            start, loose = self._repeated()
            self._join(ends, start)
            ends = loose
        return first, ends

    def _repeated(self) -> tuple[int, list[int]]:
        first, ends = self._single()
        while (sign := self._peek()) and sign in "*+?":
            self.at += 1
            split = self._node(None, first)
            if sign != "?":
                self._join(ends, split)
            if sign == "+":
                ends = [split]
            else:
                first, ends = split, ([split] if sign == "*" else [*ends, split])
        return first, ends

    def _single(self) -> tuple[int, list[int]]:
        ch = self._take()
        if ch == "(":
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise PatternError("too many brackets within each other")
            first, ends = self._either()
            if self._take() != ")":
                raise PatternError("a bracket is not closed")
            self.depth -= 1
            return first, ends
        if ch in "*+?":
            raise PatternError("there is nothing before the sign of repetition")
        node = self._node(self._eats(ch))
        return node, [node]

    def _eats(self, ch: str) -> Test:
        if ch == ".":
            return lambda c: c not in {"\n", _BEGIN, _END}
        if ch == "^":
            return lambda c: c == _BEGIN
        if ch == "$":
            return lambda c: c == _END
        if ch == "[":
            return self._set()
        return self._escaped() if ch == "\\" else _sign(ch)

    def _escaped(self) -> Test:
        ch = self._take()
        test = _CLASSES.get(ch.lower())
        if test is not None:
            return test if ch.islower() else _not(test)
        if ch.isalnum():
            named = {"n": "\n", "t": "\t"}.get(ch)
            if named is None:
                raise PatternError("a letter or digit after a backslash that means nothing here")
            return _sign(named)
        return _sign(ch)

    def _set(self) -> Test:
        negated = self._peek() == "^"
        self.at += negated
        tests: list[Test] = []
        while (ch := self._take()) != "]" or not tests:
            if ch == "\\":
                tests.append(self._escaped())
            elif self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                tests.append(_between(ch, self._take()))
            else:
                tests.append(_sign(ch))

        def any_of(c: str) -> bool:
            return any(test(c) for test in tests)

        return _not(any_of) if negated else any_of


_MAX_DEPTH = 40


def _sign(ch: str) -> Test:
    low = lower(ch)
    return lambda c: c == low


def _between(low: str, high: str) -> Test:
    if low > high:
        raise PatternError("a range that ends before it begins")
    a, b = lower(low), lower(high)
    return lambda c: a <= c <= b


def _not(test: Test) -> Test:
    return lambda c: c not in {"\n", _BEGIN, _END} and not test(c)


class Pattern:
    """A pattern, ready to be looked for.

    Args:
        text: What to look for; not empty.
        regex: ``text`` is an expression; otherwise it is taken literally.

    Raises:
        PatternError: It is empty, too long, or cannot be read.
    """

    def __init__(self, text: str, *, regex: bool = False) -> None:
        if not text or len(text) > MAX_CHARS:
            raise PatternError(f"expected 1 to {MAX_CHARS} characters")
        self._plain = None if regex else lower(text)
        if not regex:
            return
        made = _Compiler(text)
        self._first, self._last = made.whole()
        self._nodes = made.nodes
        self._literal = _longest_literal(text)
        self._reset()
        if self._last in self._start:
            raise PatternError("it matches everything, also nothing")

    @property
    def literal(self) -> str:
        """Plain text, in lower case, that stands in every match; perhaps empty. For a first sieve."""
        return self._plain if self._plain is not None else self._literal

    def find(self, text: str) -> tuple[int, int] | None:
        """Return the place where the first match to end ends, with its beginning for plain text, or None.

        For an expression the beginning is that of the line: what a reader wants to see is the line.
        Linear in the length of the text.
        """
        if self._plain is not None:
            at = lower(text).find(self._plain)
            return None if at < 0 else (at, at + len(self._plain))
        if self._literal and self._literal not in lower(text):
            return None
        place = 0
        for line in text.split("\n"):
            end = self._in_line(lower(line))
            if end is not None:
                return place, place + min(end, len(line))
            place += len(line) + 1
        return None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of all matches, apart from each other: of those that begin first the longest.

        A match of an expression is within a line and at most :data:`MAX_SPAN` characters long, which keeps the time in
        proportion to the text.
        """
        if self._plain is not None:
            low, at = lower(text), 0
            while (at := low.find(self._plain, at)) >= 0:
                yield at, at + len(self._plain)
                at += len(self._plain)
            return
        place = 0
        for line in text.split("\n"):
            low = lower(line)
            if self._in_line(low) is not None:
                for start, end in self._spans_of(low):
                    yield place + start, place + end
            place += len(line) + 1

    def _spans_of(self, line: str) -> Iterator[tuple[int, int]]:
        signs = f"{_BEGIN}{line.replace(_BEGIN, ' ').replace(_END, ' ')}{_END}"
        at = 0
        while (found := self._longest(signs, at)) is not None:
            start, end = found
            a, b = max(start - 1, 0), min(end - 1, len(line))
            if a < b:
                yield a, b
            at = max(end, start + 1)

    def _longest(self, signs: str, first: int) -> tuple[int, int] | None:
        """Return the first match from a place on, with its longest end; None without one."""
        threads: dict[int, int] = {}
        best: tuple[int, int] | None = None
        for at in range(first, len(signs)):
            if best is None:
                self._reach(threads, self._first, at)
            moved: dict[int, int] = {}
            for number, start in threads.items():
                node = self._nodes[number]
                late = at - start >= MAX_SPAN or (best is not None and start > best[0])
                if not late and node.eats is not None and node.eats(signs[at]):
                    for to in node.to:
                        self._reach(moved, to, start)
            threads = moved
            if self._last in threads and (best is None or threads[self._last] <= best[0]):
                best = threads[self._last], at + 1
            if best is not None and not any(start <= best[0] for start in threads.values()):
                break
        return best

    def _reach(self, threads: dict[int, int], number: int, start: int) -> None:
        """Put a state, and what can be reached from it without eating, among the threads; the earliest start wins."""
        todo = [number]
        while todo:
            at = todo.pop()
            if threads.get(at, start + 1) <= start:
                continue
            threads[at] = start
            if self._nodes[at].eats is None:
                todo += self._nodes[at].to

    def _in_line(self, line: str) -> int | None:
        """Return where the first match of a line ends."""
        state = self._start
        clean = line.replace(_BEGIN, " ").replace(_END, " ")
        for at, ch in enumerate(f"{_BEGIN}{clean}{_END}"):
            state = self._step(state, ch)
            if self._last in state:
                return at
        return None

    def _step(self, state: frozenset[int], ch: str) -> frozenset[int]:
        known = self._table.get((state, ch))
        if known is not None:
            return known
        eaten = (self._nodes[n] for n in state)
        to = {t for node in eaten if node.eats is not None and node.eats(ch) for t in node.to}
        if ch == _BEGIN:
            # An expression need not say where the line begins: everything may start after it, too.
            to |= {n for n in state if n != self._last}
        found = self._wide(to | self._start)
        if len(self._table) >= _MAX_STATES:
            self._reset()
        self._table[state, ch] = found
        return found

    def _reset(self) -> None:
        self._table: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        self._start = self._wide({self._first})

    def _wide(self, states: set[int]) -> frozenset[int]:
        """Return the states with all that can be reached without eating anything."""
        seen = set(states)
        todo = list(states)
        while todo:
            node = self._nodes[todo.pop()]
            if node.eats is None:
                fresh = [t for t in node.to if t not in seen]
                seen.update(fresh)
                todo += fresh
        return frozenset(seen)


def _longest_literal(text: str) -> str:
    """Return the longest run of plain signs that every match holds; empty where alternatives or sets are in play."""
    if "|" in text or "(" in text or "[" in text or "\\" in text:
        return ""
    runs = list(_runs(text))
    best = max(runs, key=len, default="")
    return lower(best) if len(best) >= _LEAST_LITERAL else ""


def _runs(text: str) -> Iterator[str]:
    run = ""
    for at, ch in enumerate(text):
        optional = text[at + 1 : at + 2] in {"*", "?"} and text[at + 1 : at + 2] != ""
        if ch in _SPECIAL or optional:
            yield run
            run = ""
        else:
            run += ch
    yield run
