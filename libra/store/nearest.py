"""Choose rows of the mirror: those that a filter lets through, and of these the nearest by the signs of their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from libra.ground.records import Kind
from libra.ground.vectors import Vector, sign_bits
from libra.store.mirror import View, words_of
from libra.store.visibility import Filter

if TYPE_CHECKING:
    from libra.store.store import Store


def mask(
    view: View, store: Store, filt: Filter, scopes: Sequence[int], shared: Sequence[int] = ()
) -> npt.NDArray[np.bool_]:
    """Return which rows of the mirror the filter lets through; the database is asked again afterwards.

    Args:
        view: The mirror.
        store: Knows its codes of types.
        filt: The filter.
        scopes: Ids of the scopes that it sees.
        shared: Items of others that it sees besides.
    """
    allowed = table(scopes, int(view.scope.max()))[view.scope]
    if shared:
        allowed |= table(shared, int(view.item.max()))[view.item]
    allowed &= view.alive
    if filt.kinds != frozenset(Kind):
        allowed &= table([int(kind) for kind in filt.kinds], 255)[view.kind]
    active = view.active
    if filt.as_of_ms is not None:
        memory = view.kind == int(Kind.MEMORY)
        allowed &= (view.ts <= filt.as_of_ms) | memory
        active = active | memory
    if filt.active_only:
        allowed &= active | (view.kind == int(Kind.TURN)) if filt.with_covered else active
    if filt.types:
        allowed &= np.isin(view.type, store.vectors.type_codes(filt.types))
    if filt.since_ms is not None:
        allowed &= view.ts >= filt.since_ms
    if filt.until_ms is not None:
        allowed &= view.ts < filt.until_ms
    if filt.exclude_ids:
        allowed &= ~table(filt.exclude_ids, int(view.item.max()))[view.item]
    return allowed


def table(members: Iterable[int], largest: int) -> npt.NDArray[np.bool_]:
    """Return a table that says for each number up to ``largest`` whether it is a member."""
    told = np.zeros(largest + 1, np.bool_)
    ids = np.fromiter(members, np.int64)
    told[ids[ids <= largest]] = True
    return told


def nearest(view: View, query: Vector, allowed: npt.NDArray[np.bool_], want: int) -> npt.NDArray[np.int64]:
    """Return the rows with the fewest differing bits, in no order; all that share the last place come too."""
    rows_ = np.flatnonzero(allowed)
    if len(rows_) <= want:
        return rows_
    asked = words_of(sign_bits(query[None, :]), view.dims)[:, 0]
    narrow = len(rows_) * 2 < view.n
    distance = np.zeros(len(rows_) if narrow else view.n, np.uint16)
    for word, bits_ in zip(view.words, asked, strict=True):
        distance += np.bitwise_count((word[rows_] if narrow else word) ^ bits_)
    near = distance if narrow else distance[rows_]
    upto = np.cumsum(np.bincount(near, minlength=view.dims + 1))
    return rows_[near <= int(np.searchsorted(upto, want))]
