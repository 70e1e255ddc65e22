"""Where in the mirror an item's rows are: the mirror of a large store is too long to be gone through for each question."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from libra.store.view import Ints, View

_LEAST_BEHIND = 1024
_BEHIND_SHARE = 0.125
"""Rows that came after the sorting are gone through one by one; when they are this share of all, everything is sorted anew."""


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The first ``n`` rows of one layout by item.

    Attributes:
        items: Ascending.
        order: Row of each of ``items``; None where they stand in the mirror in just the opposite order, as they are loaded.
    """

    layout: int
    n: int
    items: Ints
    order: npt.NDArray[np.int32] | None


class Places:
    """Finds the rows of items. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sorted = _Sorted(-1, 0, np.zeros(0, np.int64), None)

    def rows(self, view: View, item_ids: Sequence[int]) -> Ints:
        """Return the rows of these items, dead ones too, in ascending order."""
        if not view.n or not len(item_ids):
            return np.zeros(0, np.int64)
        wanted = np.unique(np.asarray(item_ids, np.int64))
        known = self._of(view)
        first = np.searchsorted(known.items, wanted, "left")
        count = np.searchsorted(known.items, wanted, "right") - first
        # Each item's run of places, one after another.
        begins = np.cumsum(count) - count
        at = np.repeat(first - begins, count) + np.arange(int(count.sum()))
        found = known.n - 1 - at if known.order is None else known.order[at].astype(np.int64)
        behind = view.item[known.n : view.n]
        near = np.minimum(np.searchsorted(wanted, behind), len(wanted) - 1)
        new = np.flatnonzero(wanted[near] == behind) + known.n
        every = np.concatenate([found, new])
        every = every[every < view.n]
        every.sort()
        return every

    def _of(self, view: View) -> _Sorted:
        with self._lock:
            known = self._sorted
            behind = view.n - known.n
            if known.layout == view.layout and behind <= max(_LEAST_BEHIND, _BEHIND_SHARE * known.n):
                return known
            self._sorted = known = _sort(view)
            return known


def _sort(view: View) -> _Sorted:
    items = view.item[: view.n]
    if (items[1:] <= items[:-1]).all():
        return _Sorted(view.layout, view.n, items[::-1], None)
    order = np.argsort(items, kind="stable").astype(np.int32)
    return _Sorted(view.layout, view.n, items[order], order)
