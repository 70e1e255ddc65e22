"""The canary: one made-up turn goes the whole way that a person's words go, and is taken out again.

A file is written, seen, read, stored, given a vector, searched for and assembled. Where it does not arrive, ``status`` names the
step: a memory that silently learns nothing looks like one that has nothing to learn (lessons.md C105).

Nobody meets it: it belongs to a user of its own, leaves no receipt and no tombstone, and is taken out before anything that
counts, copies or looks through the whole database answers, or is done by itself. Two visits of the background worker make one
flight, so that nothing waits.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from libra.engine import ingest as ingesting
from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.deps import Deps
from libra.engine.search import SearchRequest, search
from libra.ground.errors import LibraError
from libra.ground.records import NewTurn, Origin, Role, SessionRef, SourceBatch, Who
from libra.store import canary as kept
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)

USER = "libra-canary"
"""Whose the turn is; nobody else sees what is this user's."""
_HOUR_MS = 3_600_000
_SOON_MS = 60_000
_FIRST_MS = 600_000
"""After a start there is other work."""
_BUDGET_TOKENS = 2_000
Json = dict[str, Any]
Sight = Callable[[str], tuple[NewTurn, ...]]
"""Writes a text into a file as an agent would, and returns what the readers of files made of it.

Raises:
    LibraError: Its reason names the step that failed.
"""


class Step(StrEnum):
    """The way, in order."""

    FILE = "file"
    STORE = "store"
    EMBEDDING = "embedding"
    SEARCH = "search"
    ASSEMBLE = "assemble"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class _Flight:
    """A canary that is under way."""

    word: str
    session: str


class Canary:
    """Flies now and then; its methods may be called from any thread.

    Args:
        deps: Shared parts.
        sight: See :data:`Sight`; without one the file is left out.
    """

    def __init__(self, deps: Deps, sight: Sight | None = None) -> None:
        self._deps = deps
        self._sight = sight
        self._lock = threading.Lock()
        self._flight: _Flight | None = None
        self._swept = False
        self._ripe = False
        self._due_ms = deps.clock() + _FIRST_MS
        self._last: Json = {"ok": None, "ts": None, "step": None, "reason": None}

    def read_with(self, sight: Sight) -> None:
        """Know how a file is written and read."""
        self._sight = sight

    def state(self) -> Json:
        """Return how the last flight ended: ``{ok, ts, step, reason}``; ``ok`` is None before the first."""
        return dict(self._last)

    def trouble(self) -> list[str]:
        """Return the line for ``degraded``, if the last flight did not arrive."""
        if self._last["ok"] is not False:
            return []
        step, reason = self._last["step"], self._last["reason"]
        return [f"canary: a test turn did not get through; the step that failed is {step} ({reason})"]

    def work(self) -> bool:
        """Go one step on when nothing else is to be done; return True if there was one."""
        every = self._deps.params.canary.every_h
        if every <= 0 or self._deps.store.read_only or self._deps.model.state == "loading":
            return False
        if self.land():
            return True
        if self._deps.clock() < self._due_ms:
            return False
        self._start(ripe=True)
        return True

    def land(self) -> bool:
        """Finish the flight that is under way, so that nothing else is done beside it; return True if there was one."""
        with self._lock:
            if self._flight is None:
                return False
            if not self._ripe:
                # It came in the middle of a round of the worker: the next one is whole.
                self._ripe = True
                return True
            self._due_ms = self._deps.clock() + int(self._deps.params.canary.every_h * _HOUR_MS)
            self._arrive(self._flight)
            return True

    def fly(self, settle: Callable[[], None]) -> Json:
        """Fly now, waiting for the background worker by ``settle``; return :meth:`state`."""
        self._start()
        settle()
        with self._lock:
            if self._flight is not None:
                self._arrive(self._flight)
        return self.state()

    def clear(self) -> None:
        """Take out what is under way, or what a crash has left: somebody looks at the whole database."""
        with self._lock:
            if self._flight is not None:
                self._remove()
                self._due_ms = self._deps.clock() + _SOON_MS
            elif not self._swept and not self._deps.store.read_only:
                with self._deps.store.snapshot() as snapshot:
                    self._swept = not kept.stands(snapshot, USER)
                if not self._swept:
                    self._remove()

    def _start(self, *, ripe: bool = False) -> None:
        """Write, read and store; a crash of before may have left one.

        A file that nobody sees is waited for without the lock: whoever looks at the database meanwhile does not wait.

        Args:
            ripe: The worker starts it, and looks at all of it before it is back.
        """
        word = "canary" + secrets.token_hex(6)
        text = f"The yellow bird in the old coal mine is called {word} today."
        try:
            turns = self._sight(text) if self._sight is not None else (_turn(text),)
        except LibraError as error:
            self._end(Step.FILE, error.reason)
            return
        with self._lock:
            if self._remove():
                self._ripe = ripe
                self._store(turns, _Flight(word, f"{USER}:{word}"))

    def _store(self, turns: tuple[NewTurn, ...], flight: _Flight) -> None:
        try:
            batch = SourceBatch(SessionRef(key=flight.session, user=USER), turns, None)
            if ingesting.take(self._deps, batch).accepted != 1:
                self._end(Step.STORE, "not_stored")
                return
        except LibraError as error:
            self._end(Step.STORE, error.reason)
            return
        self._flight = flight

    def _arrive(self, flight: _Flight) -> None:
        """Look whether it is found and assembled, then take it out."""
        step = Step.EMBEDDING
        try:
            with self._deps.store.snapshot() as snapshot:
                there = kept.items_of(snapshot, USER)
                embedded = self._deps.model.state == "missing" or kept.has_vectors(snapshot, there)
            reason = "lost" if not there else None if embedded else "no_vector"
            who = Who(user=USER, session=f"{USER}:asks", agent=self._deps.params.default_agent)
            query = f"What is the bird {flight.word} called?"
            if reason is None:
                step = Step.SEARCH
                hits = search(self._deps, who, SearchRequest(query))["hits"]
                reason = None if any(flight.word in hit["text"] for hit in hits) else "not_found"
            if reason is None:
                step = Step.ASSEMBLE
                asked = AssembleRequest(query, budget_tokens=_BUDGET_TOKENS, trial=True)
                text = str(assemble(self._deps, who, asked)["text"])
                reason = None if flight.word in text else "not_assembled"
        except LibraError as error:
            reason = error.reason
        if reason is not None:
            self._end(step, reason)
            self._remove()
        elif self._remove():
            self._end(None, None)

    def _remove(self) -> bool:
        """Take out all that is the canary's; return False if it could not be."""
        self._flight, self._swept = None, False
        try:
            self._deps.store.write(_removed).result()
        except LibraError as error:
            self._end(Step.REMOVE, error.reason)
            return False
        self._swept = True
        return True

    def _end(self, step: Step | None, reason: str | None) -> None:
        self._last = {
            "ok": step is None,
            "ts": self._deps.clock(),
            "step": None if step is None else step.value,
            "reason": reason,
        }
        if step is not None:
            self._due_ms = self._deps.clock() + _SOON_MS
            _LOG.warning("the canary did not get through: %s (%s)", step.value, reason)


def _removed(tx: WriteTx) -> int:
    return kept.remove(tx, USER) if kept.stands(tx, USER) else 0


def _turn(text: str) -> NewTurn:
    return NewTurn(Role.USER, text, None, None, Origin.OWNER)
