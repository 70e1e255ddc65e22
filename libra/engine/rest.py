"""When background work rests: on battery, and when too much memory is held; what waits stays in the database. And when memory is given back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from libra.ground.machine import Load

_LONG = 20
"""After so many rounds of work in a row, what they have freed is given back: else some 10 MB stay held for nothing."""
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
        give_back_s: After work and answers memory that is not used any more goes back to the system, at most so often.
    """

    battery_rest_s: float = 5.0
    battery_least_percent: float = 30.0
    memory_most_bytes: int = 2_000_000_000
    look_s: float = 20.0
    give_back_s: float = 60.0


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


class Spare:
    """Gives memory back once it is worth it: after a long stretch of work, and now and then while there is something to do at all.

    What many answers at once have needed for a moment would else stay held for as long as Libra runs.

    Args:
        every_s: At most so often, but for a long stretch.
        give_back: Gives unused memory back to the system.
        clock: Seconds of a clock that does not go back.
    """

    def __init__(
        self, every_s: float, give_back: Callable[[], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._every_s = every_s
        self._give_back = give_back
        self._clock = clock
        self._since_s = clock()
        self._seen = 0

    def look(self, stretch: int, done: int) -> None:
        """Give back if it is time.

        Args:
            stretch: Rounds of work in a row that have just ended; 0 while they go on.
            done: A number that grows with all that is done, answers and work; while it stands nothing is to be had.
        """
        due = done != self._seen and self._clock() - self._since_s >= self._every_s
        if due or stretch >= _LONG:
            self._seen, self._since_s = done, self._clock()
            self._give_back()
