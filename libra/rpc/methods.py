"""The table of methods: every verb, checked against its declaration and handed to the engine."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Mapping
from typing import Any

from libra.engine.libravdb import METHODS as LIBRAVDB
from libra.engine.libravdb import LibraVdb
from libra.engine.verbs import VERBS, Verb
from libra.rpc.protocol import Json, MethodNotFound
from libra.rpc.reception import START_WAIT_S, STARTING, STOPPING, health_without_engine, not_ready


class Methods:
    """Carries out calls; answers ``health`` from the first moment, everything else once there is an engine.

    Args:
        user: The person that an absent ``who.user`` stands for.
        verbs: What may be called.
        start_wait_s: How long a call waits for :meth:`attach`.
    """

    def __init__(
        self, user: str, *, verbs: Mapping[str, Verb] = VERBS, start_wait_s: float = START_WAIT_S
    ) -> None:
        self._user = user
        self._verbs = verbs
        self._start_wait_s = start_wait_s
        self._engine: Any = None
        self._compat: LibraVdb | None = None
        self._known = threading.Event()
        self._state = STARTING

    def attach(self, engine: Any) -> None:
        """Let calls through to this engine, which has a method for every verb."""
        self._engine = engine
        self._compat = LibraVdb(engine, self._user)
        self._known.set()

    def detach(self) -> None:
        """Refuse calls from now on: libra stops, or could not start."""
        self._engine = None
        self._state = STOPPING
        self._known.set()

    def __call__(self, method: str, params: Json) -> Any:
        """Carry out a call.

        Raises:
            MethodNotFound: There is no such verb.
            InvalidParams: The parameters do not fit its declaration.
            NotReady: Libra is still starting, or is stopping.
            LibraError: Whatever the engine raises.
        """
        verb = self._verbs.get(method)
        if verb is None and method in LIBRAVDB:
            self._ready_engine()
            if self._compat is not None:
                return self._compat(method, params)
        if verb is None:
            near = difflib.get_close_matches(method[:100], self._verbs, 1)
            raise MethodNotFound(
                "there is no such method",
                hint=f"did you mean {near[0]}?" if near else f"methods: {', '.join(self._verbs)}",
                where="method",
            )
        keywords = verb.check(params, self._user)
        if self._engine is None and method == "health":
            return health_without_engine(self._state)
        return getattr(self._ready_engine(), verb.name)(**keywords)

    def _ready_engine(self) -> object:
        self._known.wait(self._start_wait_s)
        engine = self._engine
        if engine is None:
            raise not_ready(self._state)
        return engine
