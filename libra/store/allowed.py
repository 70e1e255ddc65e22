"""Which rows of the mirror a filter lets through, kept for the filters of the latest questions.

The next question of the same person has the same filter, and of a million rows hardly one has changed since.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from libra.store import shared
from libra.store.nearest import mask
from libra.store.sql import Reader
from libra.store.view import Bools, View
from libra.store.visibility import Filter

if TYPE_CHECKING:
    from libra.store.store import Store

_FILTERS = 8
"""A byte a row each."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What was worked out for the first ``n`` rows of one state of the mirror's marks."""

    layout: int
    marks: int
    n: int
    allowed: Bools


class AllowedRows:
    """Answers :func:`~libra.store.nearest.mask`. Any thread may ask; what it gives is not to be written to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Filter, _Known] = OrderedDict()

    def of(self, s: Reader, store: Store, view: View, filt: Filter) -> Bools:
        """Return which rows of a view the filter lets through.

        Args:
            s: The state that is read.
            store: Knows scopes and types.
            view: The mirror.
            filt: The filter.
        """
        sees = filt.visible
        others = shared.of_places(s, sees.scopes) if sees.reader is not None else ()
        seen = store.scopes.table(s, sees)
        times = (filt.since_ms, filt.until_ms, filt.as_of_ms)
        if others or any(time is not None for time in times):
            return mask(view, store, filt, seen, others)
        if not filt.exclude_ids:
            return self._plain(store, view, filt, seen)
        allowed = self._plain(store, view, replace(filt, exclude_ids=()), seen).copy()
        allowed[store.vectors.rows_of(view, filt.exclude_ids)] = False
        return allowed

    def _plain(self, store: Store, view: View, filt: Filter, seen: Bools) -> Bools:
        with self._lock:
            known = self._known.get(filt)
        if known is not None and (known.layout, known.marks) == (view.layout, view.marks):
            if view.n <= known.n:
                return known.allowed[: view.n]
            head = known.allowed[: known.n]
        else:
            head = np.zeros(0, np.bool_)
        rest = _behind(view, len(head))
        allowed = (
            np.concatenate([head, mask(rest, store, filt, seen)])
            if len(head)
            else mask(rest, store, filt, seen)
        )
        allowed.flags.writeable = False
        # Of scopes that are newer than the state that is read it is not known yet whether they are seen.
        unknown = np.flatnonzero(rest.scope >= len(seen) - 1)
        n = len(head) + int(unknown[0]) if len(unknown) else view.n
        with self._lock:
            self._known[filt] = _Known(view.layout, view.marks, n, allowed)
            self._known.move_to_end(filt)
            if len(self._known) > _FILTERS:
                self._known.popitem(last=False)
        return allowed


def _behind(view: View, n: int) -> View:
    """Return the rows from a place on; of their columns those that a mask looks at."""
    if not n:
        return view
    return replace(
        view, n=view.n - n, item=view.item[n:], scope=view.scope[n:], ts=view.ts[n:], kind=view.kind[n:], type=view.type[n:],
        active=view.active[n:], alive=view.alive[n:],
    )  # fmt: skip
