"""Who answers before there is anybody to carry out a call: ``health`` at once, the others as soon as it can be done.

Nothing of the engine is imported for it, so that a client hears from Libra as soon as there is a socket.
"""

from __future__ import annotations

import threading

from libra import __version__
from libra.ground import program
from libra.ground.errors import NotReady
from libra.rpc.answer import Dispatch
from libra.rpc.protocol import Json

START_WAIT_S = 10.0
"""How long a call waits for the engine, before it is told to come back."""

LOAD_WAIT_S = 60.0
"""How long a call waits for libra to be loaded at all: on a machine that is starved of its processor that alone takes longer than
clients wait, and each of them has a time-out of its own."""

STARTING = "starting"
STOPPING = "stopping"


def health_without_engine(state: str) -> Json:
    """Answer ``health`` while there is no engine.

    ``ok`` is true while Libra starts: LibraVDB's clients take false for "broken for good" (hosts.md §4.2), and a call that
    comes then is answered.

    Args:
        state: Why there is none.
    """
    return {
        "ok": state == STARTING,
        "ready": False,
        "version": __version__,
        "build": program.build(),
        "schema": None,
        "message": state,
        "degraded": [state],
    }


def not_ready(state: str) -> NotReady:
    """Return the error of a call that nobody can carry out."""
    return NotReady(f"libra is {state}", reason=state, hint="try again in a moment")


class Reception:
    """Takes calls from the first moment, and hands them on once :meth:`lead_to` says to whom.

    Args:
        wait_s: How long a call waits for that.
    """

    def __init__(self, wait_s: float = LOAD_WAIT_S) -> None:
        self._wait_s = wait_s
        self._state = STARTING
        self._dispatch: Dispatch | None = None
        self._known = threading.Event()

    def lead_to(self, dispatch: Dispatch) -> None:
        """Hand on what waits and what comes."""
        self._dispatch = dispatch
        self._known.set()

    def turn_away(self) -> None:
        """Let nobody wait any longer: nothing will come."""
        self._state = STOPPING
        self._known.set()

    def __call__(self, method: str, params: Json) -> object:
        """Carry out a call.

        Raises:
            NotReady: Libra is still starting, or could not start.
            LibraError: Whatever the one raises to whom it is handed on.
        """
        if self._dispatch is None and method == "health":
            return health_without_engine(self._state)
        self._known.wait(self._wait_s)
        dispatch = self._dispatch
        if dispatch is None:
            raise not_ready(self._state)
        return dispatch(method, params)
