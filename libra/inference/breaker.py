"""A circuit breaker: what keeps failing is left alone for a while."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from libra.ground.errors import EndpointError


@dataclass(frozen=True, slots=True)
class BreakerParams:
    """When a part that fails is left alone.

    Attributes:
        failures: So many in a row open the circuit.
        pause_s: It is not asked again for so long; then one call tries.
    """

    failures: int = 3
    pause_s: float = 60.0


class Breaker:
    """Keeps a part that keeps failing from being asked at every turn. May be used from any thread.

    Closed, calls go through. After ``failures`` in a row it is open: calls are refused at once. After ``pause_s`` one
    single call is let through; if that succeeds the circuit is closed again, else it stays open for another pause.

    Args:
        params: When it opens, and for how long.
        clock: Seconds; only differences are used.
    """

    def __init__(
        self, params: BreakerParams | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._params, self._clock = params or BreakerParams(), clock
        self._lock = threading.Lock()
        self._failures = 0
        self._open_until: float | None = None
        self._trying = False

    @property
    def is_open(self) -> bool:
        """Whether a call would be refused now."""
        with self._lock:
            return self._refuses()

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Hold this around a call; whatever the call raises counts as a failure and is passed on.

        Raises:
            EndpointError: The circuit is open (``circuit_open``); the call was not made.
        """
        with self._lock:
            if self._refuses():
                raise EndpointError(
                    "it failed too often and is left alone for a while", reason="circuit_open"
                )
            self._trying = self._open_until is not None
        try:
            yield
        except BaseException:
            self._failed()
            raise
        with self._lock:
            self._failures, self._open_until, self._trying = 0, None, False

    def _refuses(self) -> bool:
        return self._open_until is not None and (self._trying or self._clock() < self._open_until)

    def _failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._trying or self._failures >= self._params.failures:
                self._open_until = self._clock() + self._params.pause_s
            self._trying = False
