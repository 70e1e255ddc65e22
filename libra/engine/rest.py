"""When background work rests: on battery, and when too much memory is held. What waits stays in the database."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from libra.ground.machine import Load

MEMORY = "memory:"
"""How the reason begins that a person should know of."""


@dataclass(frozen=True, slots=True)
class RestParams:
    """Bounds of background work.

    Attributes:
        battery_rest_s: On battery it rests so long after each batch.
        battery_least_percent: On a battery that holds less it does not work at all.
        memory_most_bytes: While the process holds more it does not work; questions are answered, files are read.
        look_s: How often the machine is asked.
    """

    battery_rest_s: float = 5.0
    battery_least_percent: float = 30.0
    memory_most_bytes: int = 2_000_000_000
    look_s: float = 20.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to work.

    Attributes:
        work: False to leave it for now.
        rest_s: How long to rest, before the next look or after the batch.
        reason: Why, for a person; empty where nothing is to be said.
    """

    work: bool = True
    rest_s: float = 0.0
    reason: str = ""


def verdict(now: Load, params: RestParams) -> Verdict:
    """Return what the machine's state means for background work."""
    if now.memory_bytes > params.memory_most_bytes:
        held, most = now.memory_bytes // 1_000_000, params.memory_most_bytes // 1_000_000
        reason = f"{MEMORY} {held:,} MB are held, more than {most:,} (background.rest.memory_most_bytes); background work rests"
        return Verdict(work=False, rest_s=params.look_s, reason=reason)
    if now.battery_percent is None:
        return Verdict()
    if now.battery_percent < params.battery_least_percent:
        return Verdict(
            work=False, rest_s=params.look_s, reason=f"on battery, {now.battery_percent:.0f} % left"
        )
    return Verdict(rest_s=params.battery_rest_s, reason="on battery, slowly")


class Rest:
    """Asks the machine now and then.

    Args:
        params: Bounds.
        load: Returns how the machine is.
        give_back: Gives unused memory back to the system.
        clock: Seconds of a clock that does not go back.
    """

    def __init__(
        self,
        params: RestParams,
        load: Callable[[], Load],
        give_back: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._params = params
        self._load = load
        self._give_back = give_back
        self._clock = clock
        self._known = Verdict()
        self._until_s = float("-inf")

    def now(self) -> Verdict:
        """Return whether to work, as of the last look."""
        now_s = self._clock()
        if now_s >= self._until_s:
            self._until_s = now_s + self._params.look_s
            self._known = verdict(self._load(), self._params)
            if self._known.reason.startswith(MEMORY):
                self._give_back()
        return self._known
