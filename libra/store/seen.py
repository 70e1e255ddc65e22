"""Which scopes callers see, kept in memory: a decade has ten thousands of sessions, and each question asks for all of them."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from libra.store.sql import Reader
from libra.store.view import Bools
from libra.store.visibility import Visible, scope_ids

_CALLERS = 32


class SeenScopes:
    """Tables by scope id. A scope keeps its owner and its id is never used twice, so only new ones are looked up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Visible | None, Bools] = OrderedDict()

    def table(self, s: Reader, visible: Visible | None) -> Bools:
        """Return for each scope id whether the caller sees it; the last entry is False and stands for all that are newer."""
        last = int(s.value("SELECT seq FROM sqlite_sequence WHERE name = 'scope'") or 0)
        with self._lock:
            known = self._known.get(visible)
        if known is not None and len(known) >= last + 2:
            return known
        told = np.zeros(last + 2, np.bool_)
        after = 0
        if known is not None:
            told[: len(known)] = known
            after = len(known) - 2
        told[scope_ids(s, visible, after)] = True
        with self._lock:
            self._known[visible] = told
            self._known.move_to_end(visible)
            if len(self._known) > _CALLERS:
                self._known.popitem(last=False)
        return told
