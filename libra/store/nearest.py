"""Choose rows of the mirror: those that a filter lets through, and of these the nearest by the signs of their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from libra.ground.records import Kind
from libra.ground.vectors import Vector, sign_bits
from libra.store.codes import dots
from libra.store.view import View, words_of
from libra.store.visibility import Filter

if TYPE_CHECKING:
    from libra.store.store import Store

_BLOCK = 16_384
_NARROW = 4
"""A filter that lets through less than this part of all rows: only theirs are looked at, one by one."""
_SAMPLE, _MARGIN, _STEP = 20_000, 1.5, 4
_WEIGHTS, _FULL_WEIGHT = 7, 0.95
"""The largest weight of a component, and from which quantile of their sizes on it is given."""


def mask(
    view: View, store: Store, filt: Filter, seen: npt.NDArray[np.bool_], shared: Sequence[int] = ()
) -> npt.NDArray[np.bool_]:
    """Return which rows of the mirror the filter lets through; the database is asked again afterwards.

    Args:
        view: The mirror.
        store: Knows its codes of types.
        filt: The filter.
        seen: Whether it sees each scope, by its id (:class:`~libra.store.seen.SeenScopes`).
        shared: Items of others that it sees besides.
    """
    allowed = np.take(seen, view.scope, mode="clip")
    if shared:
        allowed |= table(shared, int(view.item.max()))[view.item]
    allowed &= view.alive
    if filt.kinds != frozenset(Kind):
        told = table([int(kind) for kind in filt.kinds], 255).tobytes()
        # A byte for a byte: five times as fast as an index would be.
        allowed &= np.frombuffer(view.kind.tobytes().translate(told), np.bool_)
    active = view.active
    if filt.as_of_ms is not None:
        memory = view.kind == int(Kind.MEMORY)
        allowed &= (view.ts <= filt.as_of_ms) | memory
        active = active | memory
    if filt.active_only:
        allowed &= active | (view.kind == int(Kind.TURN)) if filt.with_covered else active
    if filt.types:
        rows = np.flatnonzero(allowed)
        allowed[rows[~np.isin(view.type[rows], store.vectors.type_codes(filt.types))]] = False
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


@dataclass(frozen=True, slots=True)
class Scan:
    """How many rows come through the stages that read nothing from the database.

    Attributes:
        first: The nearest by the bits of both sides, and all that share the last place.
        second: Of these the nearest by the rows' bits, each weighed by the question's component.
        keep: Of these the nearest by the codes, where there are codes.
    """

    first: int
    second: int
    keep: int


def closest(
    view: View, query: Vector, allowed: npt.NDArray[np.bool_], scan: Scan
) -> tuple[npt.NDArray[np.int64], Vector | None]:
    """Return the rows that are nearest by what the mirror has of them, in no order, and about their cosines.

    Args:
        view: The rows.
        query: Shape ``(dims,)``, unit length.
        allowed: Which rows may be found.
        scan: How many.

    Returns:
        Places, and cosines off by some 0.006; None for these where the mirror holds no codes.
    """
    found = nearest(view, query, allowed, scan.first)
    if len(found) > scan.second:
        found = found[_fewest(_weighed(view, query, found), scan.second, _WEIGHTS * view.dims)]
    if not view.holds_codes:
        return found, None
    about = dots(view.code[found], view.step[found], query)
    if len(found) > scan.keep:
        best = np.argpartition(-about, scan.keep - 1)[: scan.keep]
        found, about = found[best], about[best]
    return found, about


def _weighed(view: View, query: Vector, places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint16]:
    """Return for each row the sum of weights, 0 to 7 by its size, of the question's components whose sign differs.

    That the question's small components weigh little is most of what its bits had lost.
    """
    size = np.abs(query)
    weight = (
        np.minimum(size * (_WEIGHTS / np.quantile(size, _FULL_WEIGHT)), _WEIGHTS).round().astype(np.uint8)
    )
    shifts = np.arange(_WEIGHTS.bit_length(), dtype=np.uint8)[:, None]
    # Shape (words, bits of a weight): the components whose weight has that bit.
    weighed = words_of(sign_bits((weight >> shifts & 1).astype(np.float32)), view.dims)
    n = len(places)
    differ, told, count = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(n, np.uint8)
    sums = np.zeros((len(shifts), n), np.uint16)
    asked = words_of(sign_bits(query[None, :]), view.dims)[:, 0]
    for word, bits_, of_bits in zip(view.words, asked, weighed, strict=True):
        np.bitwise_xor(word.take(places, out=differ), bits_, out=differ)
        for mask_, total in zip(of_bits, sums, strict=True):
            np.bitwise_and(differ, mask_, out=told)
            np.add(total, np.bitwise_count(told, out=count), out=total)
    sums <<= shifts
    out: npt.NDArray[np.uint16] = sums.sum(axis=0, dtype=np.uint16)
    return out


def nearest(view: View, query: Vector, allowed: npt.NDArray[np.bool_], want: int) -> npt.NDArray[np.int64]:
    """Return the rows with the fewest differing bits, in no order; all that share the last place come too."""
    number = int(np.count_nonzero(allowed))
    if number <= want:
        return np.flatnonzero(allowed)
    asked = words_of(sign_bits(query[None, :]), view.dims)[:, 0]
    if number * _NARROW < view.n:
        rows_ = np.flatnonzero(allowed)
        words = np.empty((len(view.words), number), np.uint64)
        for word, held in zip(words, view.words, strict=True):
            held.take(rows_, out=word)
        return rows_[_fewest(_distances(words, asked, np.zeros(number, np.uint16)), want, view.dims)]
    begin = np.multiply(~allowed, np.uint16(view.dims + 1), dtype=np.uint16)
    return _fewest(_distances(view.words, asked, begin), want, view.dims)


def _distances(
    words: npt.NDArray[np.uint64], asked: npt.NDArray[np.uint64], out: npt.NDArray[np.uint16]
) -> npt.NDArray[np.uint16]:
    """Add to ``out`` how many bits of each row differ; a block at a time, so that what is added up stays in the cache."""
    n = words.shape[1]
    other, count = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
    for start in range(0, n, _BLOCK):
        block = out[start : start + _BLOCK]
        size = len(block)
        for word, bits_ in zip(words, asked, strict=True):
            np.bitwise_xor(word[start : start + size], bits_, out=other[:size])
            np.bitwise_count(other[:size], out=count[:size])
            np.add(block, count[:size], out=block)
    return out


def _fewest(distance: npt.NDArray[np.uint16], want: int, dims: int) -> npt.NDArray[np.int64]:
    """Return the places of the ``want`` smallest distances, and of all that share the last.

    How far they reach is guessed from a part, so that only few are counted.
    """
    part = distance[:: max(len(distance) // _SAMPLE, 1)]
    share = min(want * _MARGIN / len(distance), 1.0)
    reach = int(np.partition(part, (place := min(int(share * len(part)) + 1, len(part) - 1)))[place])
    near = np.flatnonzero(distance <= reach)
    while len(near) < want and reach < dims:
        reach += _STEP
        near = np.flatnonzero(distance <= reach)
    upto = np.cumsum(np.bincount(distance[near], minlength=dims + 2))
    return near[distance[near] <= int(np.searchsorted(upto, want))]
