"""Read the rows that searches found: each once, and only what the caller's filter lets through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from libra.ground.records import Kind, Origin
from libra.store.rows import COLUMNS, JOINS, ItemRow, item_rows
from libra.store.sql import Reader, json_list
from libra.store.view import View
from libra.store.visibility import Filter, Visible, conditions, select

if TYPE_CHECKING:
    from libra.store.store import Store


class Reading:
    """The rows of one state that pass one filter, each read once."""

    def __init__(self, s: Reader, filt: Filter) -> None:
        self._s = s
        self._filt = filt
        self._rows: dict[int, ItemRow] = {}
        self._mask: tuple[View, npt.NDArray[np.bool_]] | None = None

    def mask(self, store: Store) -> tuple[View, npt.NDArray[np.bool_]]:
        """Return the mirror, and which of its rows the filter lets through; worked out once."""
        view = store.vectors.present()
        if self._mask is None or self._mask[0] is not view:
            self._mask = view, store.allowed.of(self._s, store, view, self._filt) if view.n else view.alive
        return self._mask

    def rows(self, item_ids: Sequence[int]) -> dict[int, ItemRow]:
        """Return :func:`rows` of these items."""
        if missing := [i for i in item_ids if i not in self._rows]:
            self._rows |= rows(self._s, missing, self._filt)
        return {i: self._rows[i] for i in item_ids if i in self._rows}


def limits(filt: Filter | Visible | None) -> tuple[Visible | None, str, dict[str, Any]]:
    """Return the view and the further conditions of a filter."""
    if isinstance(filt, Filter):
        return filt.visible, *conditions(filt)
    return filt, "1", {}


def rows(s: Reader, item_ids: Sequence[int], filt: Filter | Visible | None = None) -> dict[int, ItemRow]:
    """Return the full rows of these items, in the order asked; what is not there or not visible is missing."""
    visible, where, values = limits(filt)
    sql, bindings = select(
        COLUMNS, visible, source="json_each(:ids) wanted CROSS JOIN item ON item.id = wanted.value", joins=JOINS,
        where=where, bindings={**values, "ids": json_list(item_ids)},
    )  # fmt: skip
    return {row.id: row for row in marked(item_rows(s.rows(sql, bindings)), visible)}


def marked(found: list[ItemRow], visible: Visible | None) -> list[ItemRow]:
    """Mark another user's memories as somebody else's words; what is the reader's own stays as it is."""
    if visible is None or visible.reader is None:
        return found
    own = f"user:{visible.reader}"
    return [
        row._replace(origin=Origin.EXTERNAL.value)
        if row.kind is Kind.MEMORY and row.scope != own and row.scope.startswith(_USER)
        else row
        for row in found
    ]


_USER = "user:"
