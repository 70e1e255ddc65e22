"""A time by which an answer must be out; slow steps run beside the caller and are given up, not stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from libra.ground.errors import DeadlinePassed

_A = TypeVar("_A")
_T = TypeVar("_T")
_WORKERS = 4
"""Steps that may run beside their callers at once; further ones wait in line, within their own deadlines."""


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_WORKERS, thread_name_prefix="libra-step")


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of a request's time, on the monotonic clock."""

    end_s: float

    @classmethod
    def after(cls, ms: int) -> Deadline:
        """Return the deadline that is ``ms`` away."""
        return cls(time.monotonic() + ms / 1000.0)

    def left_s(self) -> float:
        """Return how many seconds are left, at least 0."""
        return max(self.end_s - time.monotonic(), 0.0)

    def part(self, share: float) -> Deadline:
        """Return the time by which ``share`` of what is left will have passed."""
        return Deadline(time.monotonic() + share * self.left_s())

    def start(self, step: Callable[[_A], _T], argument: _A) -> Step[_T]:
        """Begin ``step(argument)`` beside the caller."""
        return Step(_workers().submit(step, argument), self)


class Step(Generic[_T]):
    """A step that runs beside its caller; :meth:`result` waits for it as long as the deadline allows."""

    def __init__(self, future: Future[_T], deadline: Deadline) -> None:
        self._future = future
        self._deadline = deadline

    def result(self) -> _T:
        """Return what the step returned, or give it up when the time is over.

        Raises:
            DeadlinePassed: The step was not done in time; it may still finish, unheard.
        """
        try:
            return self._future.result(self._deadline.left_s())
        except TimeoutError:
            if self._future.done():
                raise
            self._future.cancel()
            raise DeadlinePassed("the step was not done in time") from None
