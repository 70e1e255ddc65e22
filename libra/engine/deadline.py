"""A time by which an answer must be out; slow steps run beside the caller and are given up, not stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

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

    def run(self, step: Callable[[_A], _T], argument: _A) -> _T:
        """Return ``step(argument)``, or give it up when the time is over.

        Raises:
            DeadlinePassed: The step was not done in time; it may still finish, unheard.
        """
        left_s = self.left_s()
        if left_s <= 0:
            raise DeadlinePassed("the deadline passed before the step began")
        future = _workers().submit(step, argument)
        try:
            return future.result(left_s)
        except TimeoutError:
            if not future.done():
                future.cancel()
                raise DeadlinePassed("the step was not done in time") from None
            raise
