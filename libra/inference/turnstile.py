"""Who may run the model next: a question goes before the passages that are waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TurnstileParams:
    """How patient passages are.

    Attributes:
        patience_s: A batch of passages waits at most so long for questions to end, so that a caller who asks
            without pause cannot stop learning for ever.
    """

    patience_s: float = 1.0


class Turnstile:
    """Lets questions in first.

    On CPU a question runs beside a batch that has already begun, on a core of its own; with ``exclusive``
    (execution providers that forbid two runs of one session at a time) it waits for that one batch to end.

    Args:
        exclusive: Never two runs at a time.
        params: Patience of passages.
    """

    def __init__(self, *, exclusive: bool, params: TurnstileParams | None = None) -> None:
        self._exclusive = exclusive
        self._patience_s = (params or TurnstileParams()).patience_s
        self._changed = threading.Condition()
        self._questions = 0
        self._running = 0

    @contextmanager
    def question(self) -> Iterator[None]:
        """Hold the model for a question."""
        with self._changed:
            self._questions += 1
        try:
            with self._running_one():
                yield
        finally:
            with self._changed:
                self._questions -= 1
                self._changed.notify_all()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Hold the model for one batch of passages, once no question is waiting or running."""
        patient_until = time.monotonic() + self._patience_s
        with self._changed:
            while self._questions and (left_s := patient_until - time.monotonic()) > 0:
                self._changed.wait(left_s)
        with self._running_one():
            yield

    @contextmanager
    def _running_one(self) -> Iterator[None]:
        with self._changed:
            if self._exclusive:
                self._changed.wait_for(lambda: self._running == 0)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
