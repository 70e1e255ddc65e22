"""Find candidates by vector and by text, and read their rows; each within one snapshot and one caller's view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from libra.ground.records import Kind, Origin
from libra.ground.vectors import Vector, is_usable, normalise
from libra.store import shared, vectors
from libra.store.mirror import View
from libra.store.nearest import mask, nearest, table
from libra.store.rows import COLUMNS, JOINS, ItemRow, item_rows
from libra.store.snapshot import Snapshot
from libra.store.sql import Reader, json_list
from libra.store.visibility import Filter, Visible, conditions, scope_ids, select

if TYPE_CHECKING:
    from libra.store.store import Store

__all__ = [
    "Filter", "Reading", "SearchParams", "Visible", "any_of_kind", "by_uid", "cosines", "neighbours", "newest", "rough_vectors_of", "rows",
    "text_candidates", "vector_candidates", "vectors_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchParams:
    """How the vector search is cut.

    Attributes:
        rescored_least: Windows that are scored again from the float rows, at least. Bits alone find 60 % of the
            best ten, bits and then the best 200 scored again 99.2 %, the best 400 99.8 % (feasibility.md §3).
        rescored_times: … and at least this many times ``k``.
        scored_most: Rows that BM25 is worked out for, about a microsecond each. When more would match, the
            commonest words are left out of the search, down to the rarest one: they tell least.
    """

    rescored_least: int = 400
    rescored_times: float = 1.5
    scored_most: int = 3_000


_DEFAULT = SearchParams()
_TABLES = {"word": "fts_word", "side": "fts_side"}
_TERM = re.compile(r'"(?:[^"]|"")*"')


class Reading:
    """The rows of one state that pass one filter, each read once."""

    def __init__(self, s: Reader, filt: Filter) -> None:
        self._s = s
        self._filt = filt
        self._rows: dict[int, ItemRow] = {}
        self._mask: tuple[View, npt.NDArray[np.bool_]] | None = None

    def mask(self, store: Store) -> tuple[View, npt.NDArray[np.bool_]]:
        """Return the mirror, and which of its rows the filter lets through; worked out once."""
        view = store.vectors.view()
        if self._mask is None or self._mask[0] is not view:
            allowed = view.alive
            if view.n:
                sees = self._filt.visible
                shared_ = shared.of_places(self._s, sees.scopes) if sees.reader is not None else ()
                allowed = mask(view, store, self._filt, scope_ids(self._s, sees), shared_)
            self._mask = view, allowed
        return self._mask

    def rows(self, item_ids: Sequence[int]) -> dict[int, ItemRow]:
        """Return :func:`rows` of these items."""
        if missing := [i for i in item_ids if i not in self._rows]:
            self._rows |= rows(self._s, missing, self._filt)
        return {i: self._rows[i] for i in item_ids if i in self._rows}


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
    want = max(params.rescored_least, int(k * params.rescored_times))
    best: dict[int, float] = {}
    unit = normalise(query)
    while True:
        near = nearest(view, unit, allowed, want)
        if view.holds_vectors:
            best = _allowed_best(reading, _held(view, near, unit), k)
        else:
            best = _scored(s, unit, view.fingerprint, filt, view.chunk[near].tolist())
        # Several windows of one item, or rows that are gone: look deeper until there are k items.
        if len(best) >= k or len(near) < want:
            break
        want *= 4
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:k]


def _held(view: View, places: npt.NDArray[np.int64], query: Vector) -> dict[int, float]:
    """Return the best cosine of each item among these rows of the mirror, best first, from the vectors that it holds."""
    near = np.clip(view.half[places].astype(np.float32) @ query, -1.0, 1.0)
    items = view.item[places]
    order = np.lexsort((items, -near))
    best: dict[int, float] = {}
    for item, cosine in zip(items[order].tolist(), near[order].tolist(), strict=True):
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


def _scored(
    s: Snapshot, query: Vector, fingerprint: str, filt: Filter, chunks: Sequence[int]
) -> dict[int, float]:
    """Return the best cosine of each item among these windows, read through the caller's view."""
    where, values = conditions(filt)
    sql, bindings = select(
        "item.id, chunk.vector", filt.visible,
        source="json_each(:chunks) wanted CROSS JOIN chunk ON chunk.id = wanted.value CROSS JOIN item ON item.id = chunk.item_id",
        where=f"+chunk.state = 1 AND +chunk.fingerprint = :fingerprint AND {where}",
        bindings={**values, "chunks": json_list(chunks), "fingerprint": fingerprint},
    )  # fmt: skip
    return _best(s.rows(sql, bindings), query)


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


def text_candidates(
    s: Reader,
    match: str,
    filt: Filter,
    k: int,
    index: Literal["word", "side"] = "word",
    params: SearchParams = _DEFAULT,
) -> list[tuple[int, float]]:
    """Return ``(item id, BM25)`` of the items that match best, best first, at most ``k``; scores are ≥ 0.

    Args:
        s: The state to search.
        match: An FTS5 expression made by :mod:`libra.text.terms`.
        filt: What may be found.
        k: How many.
        index: ``word`` (stemmed words) or ``side`` (CJK bigrams, identifiers, unaccented forms).
        params: How many rows may be scored.
    """
    table = _TABLES[index]
    match = _affordable(s, table, match, params.scored_most)
    where, values = conditions(filt)
    sql, bindings = select(
        f"{table}.rowid, -{table}.rank", filt.visible,
        source=f"{table} CROSS JOIN item ON item.id = {table}.rowid",
        where=f"{table} MATCH :match AND {where}",
        tail=f"ORDER BY {table}.rank LIMIT :k",
        bindings={**values, "match": match, "k": k},
    )  # fmt: skip
    return [(item, max(score, 0.0)) for item, score in s.rows(sql, bindings)]


def _affordable(s: Reader, table: str, match: str, most: int) -> str:
    """Return the expression, or only its rarer terms if all of them together match too many rows.

    Counting matches takes a tenth of the time of scoring them. Only a plain OR of terms is ever shortened.
    """
    terms = _TERM.findall(match)
    if len(terms) < 2 or " OR ".join(terms) != match:  # noqa: PLR2004 - one term cannot be shortened
        return match
    if int(s.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'") or 0) <= most:
        return match
    count = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"
    if s.value(count, (match,)) <= most:
        return match
    total = 0
    kept: list[str] = []
    for number, term in sorted((int(s.value(count, (term,))), term) for term in dict.fromkeys(terms)):
        total += number
        if kept and total > most:
            break
        kept += [term] if number else []
    return " OR ".join(kept) or match


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
    fingerprint, dims = _model(s, store)
    if query.shape != (dims,) or not is_usable(query):
        return {}
    view = store.vectors.view()
    if filt is None and view.holds_vectors:
        return _held(view, _places(view, item_ids), normalise(query))
    return _best(_vectors(s, item_ids, fingerprint, filt), normalise(query))


def _places(view: View, item_ids: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the mirror's rows of these items."""
    if not item_ids:
        return np.zeros(0, np.int64)
    wanted = table(item_ids, int(view.item.max())) if view.n else np.zeros(1, np.bool_)
    return np.flatnonzero(wanted[view.item] & view.alive)


def vectors_of(
    s: Reader, store: Store, item_ids: Sequence[int], filt: Filter | Visible | None = None
) -> dict[int, Vector]:
    """Return the vector of each of these items: of its windows the mean, at unit length."""
    found = _vectors(s, item_ids, _model(s, store)[0], filt)
    return _means((item, np.frombuffer(blob, "<f4")) for item, blob in found)


def rough_vectors_of(s: Reader, store: Store, item_ids: Sequence[int]) -> dict[int, Vector]:
    """Return :func:`vectors_of` items that came out of a filtered search, perhaps to three decimals only.

    They come out of the mirror where it holds them: enough to tell what says the same, and no reading.
    """
    view = store.vectors.view()
    if not view.holds_vectors:
        return vectors_of(s, store, item_ids)
    places = _places(view, item_ids)
    return _means(zip(view.item[places].tolist(), view.half[places].astype(np.float32), strict=True))


def _means(windows: Iterable[tuple[int, Vector]]) -> dict[int, Vector]:
    parts: dict[int, list[Vector]] = {}
    for item, vector in windows:
        parts.setdefault(item, []).append(vector)
    return {
        i: v[0] if len(v) == 1 else normalise(np.mean(v, axis=0, dtype=np.float32)) for i, v in parts.items()
    }


def _model(s: Reader, store: Store) -> tuple[str, int]:
    """Return the model of the database: from the mirror if it is loaded, to save the look."""
    if store.vectors.loaded:
        view = store.vectors.view()
        return view.fingerprint, view.dims
    return vectors.current_model(s) or ("", 0)


def _vectors(
    s: Reader, item_ids: Sequence[int], fingerprint: str, filt: Filter | Visible | None
) -> list[tuple[int, bytes]]:
    visible, where, values = _limits(filt)
    sql, bindings = select(
        "item.id, chunk.vector", visible,
        source="json_each(:ids) wanted CROSS JOIN item ON item.id = wanted.value CROSS JOIN chunk ON chunk.item_id = item.id",
        where=f"+chunk.state = 1 AND +chunk.fingerprint = :fingerprint AND {where}",
        bindings={**values, "ids": json_list(item_ids), "fingerprint": fingerprint},
    )  # fmt: skip
    return [(row[0], row[1]) for row in s.rows(sql, bindings)]


def _limits(filt: Filter | Visible | None) -> tuple[Visible | None, str, dict[str, Any]]:
    """Return the view and the further conditions of a filter."""
    if isinstance(filt, Filter):
        return filt.visible, *conditions(filt)
    return filt, "1", {}


def rows(s: Reader, item_ids: Sequence[int], filt: Filter | Visible | None = None) -> dict[int, ItemRow]:
    """Return the full rows of these items, in the order asked; what is not there or not visible is missing."""
    visible, where, values = _limits(filt)
    sql, bindings = select(
        COLUMNS, visible, source="json_each(:ids) wanted CROSS JOIN item ON item.id = wanted.value", joins=JOINS,
        where=where, bindings={**values, "ids": json_list(item_ids)},
    )  # fmt: skip
    return {row.id: row for row in _marked(item_rows(s.rows(sql, bindings)), visible)}


def _marked(found: list[ItemRow], visible: Visible | None) -> list[ItemRow]:
    """Mark another user's memories as somebody else's words, by name; what is the reader's own stays as it is."""
    if visible is None or visible.reader is None:
        return found
    own = f"user:{visible.reader}"
    return [
        row._replace(origin=Origin.EXTERNAL.value, speaker=row.speaker or row.scope.removeprefix(_USER))
        if row.kind is Kind.MEMORY and row.scope != own and row.scope.startswith(_USER)
        else row
        for row in found
    ]


_USER = "user:"


def by_uid(s: Reader, uids: Sequence[str], *, visible: Visible | None) -> dict[str, ItemRow]:
    """Return the full rows of the items with these uids that are visible."""
    sql, bindings = select(
        COLUMNS, visible, source="json_each(:uids) wanted CROSS JOIN item ON item.uid = wanted.value", joins=JOINS,
        bindings={"uids": json_list(uids)},
    )  # fmt: skip
    return {row.uid: row for row in _marked(item_rows(s.rows(sql, bindings)), visible)}


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
    visible, where, values = _limits(filt)
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
