"""Find candidates by vector and by text, and read their rows; each within one snapshot and one caller's view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from libra.ground.records import Kind
from libra.ground.vectors import Vector, is_usable, normalise
from libra.store import vectors
from libra.store.codes import decoded, dots
from libra.store.nearest import Scan, closest, nearest
from libra.store.reading import Reading, limits, marked, rows
from libra.store.rows import COLUMNS, JOINS, ItemRow, item_rows
from libra.store.snapshot import Snapshot
from libra.store.sql import Reader, json_list
from libra.store.view import View
from libra.store.visibility import Filter, Visible, conditions, select
from libra.store.words import EVERY_ROW, WordParams, text_candidates

if TYPE_CHECKING:
    from libra.store.store import Store

__all__ = [
    "EVERY_ROW", "Filter", "Reading", "SearchParams", "Visible", "WordParams", "any_of_kind", "by_uid", "cosines", "neighbours", "newest", "rough_vectors_of", "rows",
    "text_candidates", "vector_candidates", "vectors_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchParams:
    """How the vector search is cut.

    Attributes:
        rescored_least: Windows that are scored again from the float rows, at least. Bits alone find 60 % of the
            best ten, bits and then the best 200 scored again 99.2 %, the best 400 99.8 % (feasibility.md §3).
        rescored_times: … and at least this many times ``k``.
        read_least: In a store whose vectors are too many to be held in memory as they are: so many of the nearest are read
            from it and scored exactly. Those behind them are told by their codes.
        second_times, second_share: There so many times ``rescored_least``, and at least one row of so many, come to the codes;
        first_times: … and so many times as many to the weighed bits. Measured by ``bench/scale.py``.
    """

    rescored_least: int = 400
    rescored_times: float = 1.5
    read_least: int = 100
    second_times: int = 4
    second_share: int = 128
    first_times: int = 4


_DEFAULT = SearchParams()


def vector_candidates(
    s: Snapshot,
    store: Store,
    query: Vector,
    filt: Filter,
    k: int,
    params: SearchParams = _DEFAULT,
    reading: Reading | None = None,
) -> list[tuple[int, float]]:
    """Return ``(item id, cosine)`` of the items nearest to the query, best first, at most ``k``.

    The filter comes before the nearest-neighbour step, so that a narrow one still fills ``k`` (lessons.md C86). An
    item counts by its best window.

    Args:
        s: Rows that are not in this state are left out.
        store: Has the mirror.
        query: Shape ``(dims,)``, of the database's present model.
        filt: What may be found.
        k: How many.
        params: How deep to look.
        reading: Of this state and filter, if the caller will want the rows.
    """
    reading = reading or Reading(s, filt)
    view, allowed = reading.mask(store)
    if query.shape != (view.dims,) or not is_usable(query) or k <= 0 or not allowed.any():
        return []
    keep = max(params.rescored_least, int(k * params.rescored_times))
    best: dict[int, float] = {}
    unit = normalise(query)
    while True:
        if view.holds_vectors:
            near = nearest(view, unit, allowed, keep)
            scored = _held(view, near, unit)
        else:
            near, scored = _by_stages(s, view, unit, allowed, keep, params)
        best = _allowed_best(reading, scored, k)
        # Several windows of one item, or rows that are gone: look deeper until there are k items.
        if len(best) >= k or len(near) < keep:
            break
        keep *= 4
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


def _by_stages(
    s: Snapshot, view: View, query: Vector, allowed: npt.NDArray[np.bool_], keep: int, params: SearchParams
) -> tuple[npt.NDArray[np.int64], dict[int, float]]:
    """Return the nearest rows of a large store, and the best cosine of each item of them, best first."""
    second = max(params.second_times * keep, int(np.count_nonzero(allowed)) // params.second_share)
    near, about = closest(view, query, allowed, Scan(params.first_times * second, second, keep))
    if about is None:
        return near, _scored(s, view, near, query)
    exact = near
    if len(near) > params.read_least:
        exact = near[np.argpartition(-about, params.read_least - 1)[: params.read_least]]
    known = _scored(s, view, exact, query)
    items, cosines_ = view.item[near], np.clip(about, -1.0, 1.0)
    behind = ~np.isin(items, np.fromiter(known, np.int64, len(known)))
    items = np.concatenate([np.fromiter(known, np.int64, len(known)), items[behind]])
    cosines_ = np.concatenate([np.fromiter(known.values(), np.float32, len(known)), cosines_[behind]])
    return near, _best_first(items, cosines_)


def _held(view: View, places: npt.NDArray[np.int64], query: Vector) -> dict[int, float]:
    """Return the best cosine of each item among these rows of the mirror, best first, from the vectors that it holds."""
    return _best_first(view.item[places], np.clip(view.half[places].astype(np.float32) @ query, -1.0, 1.0))


def _best_first(items: npt.NDArray[np.int64], cosines_: npt.NDArray[np.float32]) -> dict[int, float]:
    """Return the largest cosine of each item, best first."""
    order = np.lexsort((items, -cosines_))
    best: dict[int, float] = {}
    for item, cosine in zip(items[order].tolist(), cosines_[order].tolist(), strict=True):
        best.setdefault(item, cosine)
    return best


def _allowed_best(reading: Reading, found: dict[int, float], k: int) -> dict[int, float]:
    """Return the ``k`` best that the filter lets through; the others are read only if some of these fall out.

    Args:
        reading: Of the filter.
        found: Cosines by item, best first.
        k: How many.
    """
    ranked = list(found)
    best = reading.rows(ranked[:k])
    if len(best) < min(k, len(ranked)):
        best = reading.rows(ranked)
    return {item: found[item] for item in best}


def _scored(s: Snapshot, view: View, places: npt.NDArray[np.int64], query: Vector) -> dict[int, float]:
    """Return :func:`_held` of rows whose vectors only the database holds; of windows that are gone there, nothing."""
    found = s.rows(
        "SELECT chunk.item_id, chunk.vector FROM json_each(?1) wanted CROSS JOIN chunk ON chunk.id = wanted.value"
        " WHERE +chunk.state = 1 AND +chunk.fingerprint = ?2",
        (json_list(np.sort(view.chunk[places]).tolist()), view.fingerprint),
    )
    if not found:
        return {}
    matrix = np.frombuffer(b"".join(blob for _, blob in found), "<f4").reshape(len(found), len(query))
    return _best_first(np.array([item for item, _ in found], np.int64), matrix @ query)


def _best(found: Sequence[tuple[int, bytes]], query: Vector) -> dict[int, float]:
    """Return the largest dot product of each item's vectors with the query."""
    if not found:
        return {}
    matrix = np.frombuffer(b"".join(blob for _, blob in found), "<f4").reshape(len(found), len(query))
    best: dict[int, float] = {}
    for (item, _), cosine in zip(found, (matrix @ query).tolist(), strict=True):
        if cosine > best.get(item, -2.0):
            best[item] = cosine
    return best


def cosines(
    s: Reader, store: Store, item_ids: Sequence[int], query: Vector, filt: Filter | Visible | None = None
) -> dict[int, float]:
    """Return the cosine of each of these items that has a vector of the present model: its best window's.

    Args:
        s: The state to read.
        store: Knows the model of its mirror, which a query vector must be of.
        item_ids: Items.
        query: Shape ``(dims,)``.
        filt: The caller's view; None for items that came out of a filtered search.
    """
    fingerprint, dims = model_of(s, store)
    if query.shape != (dims,) or not is_usable(query):
        return {}
    if filt is None and (view := _in_memory(store)) is not None:
        places = _places(store, view, item_ids)
        if view.holds_vectors:
            return _held(view, places, normalise(query))
        near = dots(view.code[places], view.step[places], normalise(query))
        return _best_first(view.item[places], np.clip(near, -1.0, 1.0))
    return _best(_vectors(s, item_ids, fingerprint, filt), normalise(query))


def _in_memory(store: Store) -> View | None:
    """Return the mirror if it holds the vectors, as they are or as codes."""
    if not store.vectors.loaded:
        return None
    view = store.vectors.view()
    return view if view.holds_vectors or view.holds_codes else None


def _places(store: Store, view: View, item_ids: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the mirror's rows of these items."""
    places = store.vectors.rows_of(view, item_ids)
    return places[view.alive[places]]


def vectors_of(
    s: Reader, store: Store, item_ids: Sequence[int], filt: Filter | Visible | None = None
) -> dict[int, Vector]:
    """Return the vector of each of these items: of its windows the mean, at unit length."""
    found = _vectors(s, item_ids, model_of(s, store)[0], filt)
    return _means((item, np.frombuffer(blob, "<f4")) for item, blob in found)


def rough_vectors_of(s: Reader, store: Store, item_ids: Sequence[int]) -> dict[int, Vector]:
    """Return :func:`vectors_of` items that came out of a filtered search, perhaps to three decimals only.

    They come out of the mirror where it holds them: enough to tell what says the same, and no reading.
    """
    view = _in_memory(store)
    if view is None:
        return vectors_of(s, store, item_ids)
    places = _places(store, view, item_ids)
    held = (
        view.half[places].astype(np.float32)
        if view.holds_vectors
        else decoded(view.code[places], view.step[places])
    )
    return _means(zip(view.item[places].tolist(), held, strict=True))


def _means(windows: Iterable[tuple[int, Vector]]) -> dict[int, Vector]:
    parts: dict[int, list[Vector]] = {}
    for item, vector in windows:
        parts.setdefault(item, []).append(vector)
    return {
        i: v[0] if len(v) == 1 else normalise(np.mean(v, axis=0, dtype=np.float32)) for i, v in parts.items()
    }


def model_of(s: Reader, store: Store) -> tuple[str, int]:
    """Return the model of the database: from the mirror if it is loaded, to save the look."""
    if store.vectors.loaded:
        view = store.vectors.view()
        return view.fingerprint, view.dims
    return vectors.current_model(s) or ("", 0)


def _vectors(
    s: Reader, item_ids: Sequence[int], fingerprint: str, filt: Filter | Visible | None
) -> list[tuple[int, bytes]]:
    visible, where, values = limits(filt)
    sql, bindings = select(
        "item.id, chunk.vector", visible,
        source="json_each(:ids) wanted CROSS JOIN item ON item.id = wanted.value CROSS JOIN chunk ON chunk.item_id = item.id",
        where=f"+chunk.state = 1 AND +chunk.fingerprint = :fingerprint AND {where}",
        bindings={**values, "ids": json_list(item_ids), "fingerprint": fingerprint},
    )  # fmt: skip
    return [(row[0], row[1]) for row in s.rows(sql, bindings)]


def by_uid(s: Reader, uids: Sequence[str], *, visible: Visible | None) -> dict[str, ItemRow]:
    """Return the full rows of the items with these uids that are visible."""
    sql, bindings = select(
        COLUMNS, visible, source="json_each(:uids) wanted CROSS JOIN item ON item.uid = wanted.value", joins=JOINS,
        bindings={"uids": json_list(uids)},
    )  # fmt: skip
    return {row.uid: row for row in marked(item_rows(s.rows(sql, bindings)), visible)}


def neighbours(
    s: Reader, item_ids: Sequence[int], reach: int, filt: Filter | Visible | None = None
) -> list[int]:
    """Return the turns at most ``reach`` places from these turns in the same session, without these turns.

    Args:
        s: The state to read.
        item_ids: Turns; items of other kinds have no neighbours.
        reach: Places, at least 0.
        filt: The caller's view, or the filter of the search that found the turns.
    """
    visible, where, values = limits(filt)
    asked = json_list(item_ids)
    sql, bindings = select(
        "DISTINCT item.id", visible,
        source="json_each(:ids) wanted CROSS JOIN item middle ON middle.id = wanted.value AND middle.kind = 1"
        " CROSS JOIN item ON item.session_id = middle.session_id AND item.kind = 1"
        " AND item.seq BETWEEN middle.seq - :reach AND middle.seq + :reach",
        where=f"{where} AND item.id NOT IN (SELECT value FROM json_each(:ids))",
        bindings={**values, "ids": asked, "reach": reach},
    )  # fmt: skip
    return [row[0] for row in s.rows(sql, bindings)]


def any_of_kind(s: Reader, filt: Filter) -> bool:
    """Say whether anything at all passes the filter: saves embedding a query for an empty pool."""
    where, values = conditions(filt)
    if Kind.TURN not in filt.kinds:
        where += " AND item.kind <> 1"  # said so, the small index of all that are no turns serves
    sql, bindings = select("1", filt.visible, where=where, tail="LIMIT 1", bindings=values)
    return s.value(sql, bindings) is not None


def newest(s: Reader, filt: Filter, k: int) -> list[int]:
    """Return the newest items but turns that pass the filter, at most ``k``, newest first."""
    where, values = conditions(filt)
    sql, bindings = select(
        "item.id", filt.visible, where=f"{where} AND item.kind <> 1",
        tail="ORDER BY item.ts_ms DESC, item.id DESC LIMIT :k", bindings={**values, "k": k},
    )  # fmt: skip
    return [row[0] for row in s.rows(sql, bindings)]
