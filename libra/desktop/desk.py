"""What the tray knows of this desktop beside the app's own status."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from libra.desktop.autostart import Autostart
from libra.desktop.menu import Desk

_LOOK_S = 20.0
"""For so long an answer stands: files of other programs are read for it."""


class Desktop:
    """Looks now and then whether Libra starts at login, and which agents are here.

    Args:
        autostart: This system's way to start at login.
        words: What is started then.
        agents: Returns the titles of the agents that are here, and whether each is connected.
        page: Whether there is a page to open.
        clock: Seconds of a clock that does not go back.
    """

    def __init__(
        self,
        autostart: Autostart,
        words: Sequence[str],
        agents: Callable[[], tuple[tuple[str, bool], ...]],
        *,
        page: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._autostart = autostart
        self._words = words
        self._agents = agents
        self._page = page
        self._clock = clock
        self._known: Desk | None = None
        self._until_s = 0.0

    def desk(self) -> Desk:
        """Return what is so now, or was a moment ago."""
        now_s = self._clock()
        if self._known is None or now_s >= self._until_s:
            self._until_s = now_s + _LOOK_S
            self._known = Desk(self._page, self._autostart.is_on(), self._agents())
        return self._known

    def start_at_login(self, *, wanted: bool) -> None:
        """Have Libra start at login from now on, or no more.

        Raises:
            ConfigError: It cannot be written.
        """
        self._known = None
        if wanted:
            self._autostart.turn_on(self._words)
        else:
            self._autostart.turn_off()
