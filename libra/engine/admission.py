"""Who may work on an answer next: few at once, prompts before searches, each in the order in which it came.

The interpreter runs one thread at a time. Sixty answers that are begun together all end late; the same answers a few at a time
end one after the other, the first of them at once, and what is asked first is answered first. A connection has one call
under way, so that the order of arrival is a turn for each connection.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

_MOST = 6
"""With those that begin out of their turn as many as there are readers (``StoreParams.readers``), so that none waits for one."""
_OUT_OF_TURN = 2
"""So many whole answers more than there is room for: of those whose patience has ended."""


class Asked(Enum):
    """What kinds of answers there are; the value is the field of :class:`AdmissionParams` that says how patient each is."""

    PROMPT = "prompt_waits_s"
    SEARCH = "search_waits_s"


@dataclass(frozen=True, slots=True)
class AdmissionParams:
    """How answers share the machine.

    Attributes:
        at_once: Answers that are worked on at once; 0 for twice as many as there are processors, four at least and six at most:
            while one waits for the model or the disk, another goes on.
        prompt_waits_s: A prompt takes its turn as if it had been asked so much later.
        search_waits_s: A search does; a search that has waited so much longer than a prompt goes before it.
    """

    at_once: int = 0
    prompt_waits_s: float = 0.0
    search_waits_s: float = 0.25

    @property
    def most(self) -> int:
        """How many are worked on at once."""
        return self.at_once or min(max(2 * (os.cpu_count() or 2), 4), _MOST)


@dataclass(order=True, slots=True)
class _Ticket:
    turn_s: float
    number: int
    called: threading.Event = field(compare=False, default_factory=threading.Event)
    given_up: bool = field(compare=False, default=False)


class Admission:
    """Lets answers in; every method may be called from any thread.

    Args:
        params: How answers share the machine.
    """

    def __init__(self, params: AdmissionParams | None = None) -> None:
        self._params = params or AdmissionParams()
        self._most = self._params.most
        self._changed = threading.Condition()
        self._waiting: list[_Ticket] = []
        self._numbers = itertools.count()
        self._running = 0
        self._hurried = 0
        self._ended_s = float("-inf")
        self.begun = 0
        """Answers that were begun so far."""

    @contextmanager
    def turn(self, asked: Asked, patience_s: float) -> Iterator[bool]:
        """Hold this around the work on an answer.

        Args:
            asked: What is answered.
            patience_s: Whoever has waited so long begins, however many are at work: a late answer with less in it is
                better than none.

        Yields:
            Whether there is room for a whole answer. False when patience has ended and more than enough are at work
            already: one more would make all of them late, so that it should do what costs next to nothing.
        """
        ticket = self._enter(asked)
        whole = ticket is None or ticket.called.wait(max(patience_s, 0.0)) or self._go_ahead(ticket)
        self.begun += 1
        try:
            yield whole
        finally:
            self._leave(whole=whole)

    def quiet(self, patience_s: float) -> bool:
        """Wait until nobody asks anything, at most so long; return whether that is so.

        For work that nobody waits for: what it needs of the interpreter, somebody's answer would wait for.
        """
        if not self._working:
            return True
        with self._changed:
            return self._changed.wait_for(lambda: not self._working, patience_s)

    def lately(self, within_s: float) -> bool:
        """Say whether an answer is worked on, or was so long ago at the most: the next may come at any moment."""
        return bool(self._working) or time.monotonic() - self._ended_s < within_s

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        with self._changed:
            return sum(not ticket.given_up for ticket in self._waiting)

    def _enter(self, asked: Asked) -> _Ticket | None:
        """Return None if there is room at once, else what to wait with."""
        with self._changed:
            if self._running < self._most:
                self._running += 1
                return None
            later_s: float = getattr(self._params, asked.value)
            ticket = _Ticket(time.monotonic() + later_s, next(self._numbers))
            heapq.heappush(self._waiting, ticket)
            return ticket

    @property
    def _working(self) -> int:
        return self._running + self._hurried

    def _go_ahead(self, ticket: _Ticket) -> bool:
        """Begin out of turn; return whether that may be a whole answer."""
        with self._changed:
            if ticket.called.is_set():
                return True
            ticket.given_up = True
            if self._running < self._most + _OUT_OF_TURN:
                self._running += 1
                return True
            self._hurried += 1
            return False

    def _leave(self, *, whole: bool) -> None:
        with self._changed:
            if whole:
                self._running -= 1
            else:
                self._hurried -= 1
            while self._waiting and self._running < self._most:
                ticket = heapq.heappop(self._waiting)
                if not ticket.given_up:
                    self._running += 1
                    ticket.called.set()
            self._ended_s = time.monotonic()
            if not self._working:
                self._changed.notify_all()
