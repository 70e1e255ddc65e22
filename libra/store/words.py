"""Find candidates by their words: a bounded piece of work, however large the store and however common the words.

FTS5 works BM25 out for every row that matches, and walks a word's whole list to learn how rare it is. Among a million
items a common word is in a hundred thousand. So rows are scored only for words that few hold; of the others, which tell
little, those rows count that hold most of them together, newest first, and nothing is read of them but their numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from libra.store.reading import Reading
from libra.store.sql import Reader
from libra.store.visibility import Filter

__all__ = ["EVERY_ROW", "WordParams", "text_candidates"]


@dataclass(frozen=True, slots=True)
class WordParams:
    """How the search by words is cut.

    Attributes:
        scored_most: Rows that BM25 is worked out for, about a microsecond each. When more would match, the
            commonest words are not scored: they tell least.
        sampled: Of so many of the newest items the share that hold a common word is taken for its share of all.
    """

    scored_most: int = 3_000
    sampled: int = 20_000


_DEFAULT = WordParams()
EVERY_ROW = WordParams(scored_most=1 << 62)
"""For who wants all that matches, at whatever cost: what is to be forgotten."""
_TABLES = {"word": "fts_word", "side": "fts_side"}
_TERM = re.compile(r'"(?:[^"]|"")*"')
_LEAST_BATCH = 64
_LEAST_IDF = 1e-6
"""FTS5's own, for a word that more than half of all rows hold."""


@dataclass(frozen=True, slots=True)
class _Index:
    """One full-text index as it is in one state; ``last`` is the newest item's id."""

    s: Reader
    table: str
    last: int

    def count(self, match: str, most: int) -> int:
        """Return how many rows match, at most ``most``."""
        found = self.s.value(
            f"SELECT count(*) FROM (SELECT 1 FROM {self.table} WHERE {self.table} MATCH ? LIMIT ?)",
            (match, most),
        )
        return int(found)

    def scored(self, match: str) -> dict[int, float]:
        """Return BM25 of all rows that match."""
        rows = self.s.rows(
            f"SELECT rowid, max(-rank, 0.0) FROM {self.table} WHERE {self.table} MATCH ?", (match,)
        )
        return dict(rows)

    def newest(self, match: str, most: int) -> list[int]:
        """Return the newest rows that match, at most ``most``."""
        rows = self.s.rows(
            f"SELECT rowid FROM {self.table} WHERE {self.table} MATCH ? ORDER BY rowid DESC LIMIT ?",
            (match, most),
        )
        return [row[0] for row in rows]

    def idf(self, term: str, sampled: int) -> float:
        """Return what BM25 weighs a term by, from the newest rows."""
        since = max(self.last - sampled, 0)
        held = self.s.value(
            f"SELECT count(*) FROM {self.table} WHERE {self.table} MATCH ? AND rowid > ?", (term, since)
        )
        rows = self.last - since
        return max(math.log((rows - held + 0.5) / (held + 0.5)), _LEAST_IDF)


def text_candidates(
    s: Reader,
    match: str,
    filt: Filter,
    k: int,
    index: Literal["word", "side"] = "word",
    params: WordParams = _DEFAULT,
    reading: Reading | None = None,
) -> list[tuple[int, float]]:
    """Return ``(item id, BM25)`` of the items that match best, best first, at most ``k``; scores are ≥ 0.

    Args:
        s: The state to search.
        match: An FTS5 expression made by :mod:`libra.text.terms`.
        filt: What may be found.
        k: How many.
        index: ``word`` (stemmed words) or ``side`` (CJK bigrams, identifiers, unaccented forms).
        params: How many rows may be scored.
        reading: Of this state and filter, if the caller will want the rows.
    """
    last = int(s.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'") or 0)
    scores = _scores(_Index(s, _TABLES[index], last), match, params)
    found = np.fromiter(scores, np.int64, len(scores))
    # Of equal ones in the order in which they were found.
    order = np.argsort(-np.fromiter(scores.values(), np.float64, len(scores)), kind="stable")
    return [(item, scores[item]) for item in _allowed(reading or Reading(s, filt), found[order].tolist(), k)]


def _allowed(reading: Reading, ranked: Sequence[int], k: int) -> list[int]:
    """Return the first ``k`` items that the filter lets through; what is behind them is hardly ever read."""
    found: list[int] = []
    begin, batch = 0, k
    while begin < len(ranked) and len(found) < k:
        found += reading.rows(ranked[begin : begin + batch])
        begin += batch
        # Where few are lost the next batch is small, where most are it grows.
        batch = max(_LEAST_BATCH, 2 * (k - len(found)), 0 if found else 2 * batch)
    return found[:k]


def _scores(index: _Index, match: str, params: WordParams) -> dict[int, float]:
    """Return the scores of the rows that match, by id: of all of them, or of those that can be afforded."""
    most = params.scored_most
    if index.last <= most or index.count(match, most + 1) <= most:
        return index.scored(match)
    terms = list(dict.fromkeys(_TERM.findall(match)))
    if not terms or " OR ".join(terms) != match:
        return dict.fromkeys(index.newest(match, most), _LEAST_IDF)
    held = {term: index.count(term, most + 1) for term in terms}
    rare: list[str] = []
    total = 0
    for term in sorted(terms, key=lambda term: (held[term], term)):
        if not held[term]:
            continue
        total += held[term]
        if total > most:
            break
        rare.append(term)
    scores = index.scored(" OR ".join(rare)) if rare else {}
    if not rare:
        scores = _together(index, [t for t in terms if held[t]], params)
    return scores


def _together(index: _Index, common: Sequence[str], params: WordParams) -> dict[int, float]:
    """Return the newest rows that hold all of some common words, then all but the commonest, and so on.

    Each row weighs what the words weigh that it was found by: BM25 of a text of average length that says each once.
    """
    idf = {term: index.idf(term, params.sampled) for term in common}
    rarest = sorted(common, key=lambda term: (-idf[term], term))
    scores: dict[int, float] = {}
    for number in range(len(rarest), 0, -1):
        weight = sum(idf[term] for term in rarest[:number])
        for item in index.newest(" AND ".join(rarest[:number]), params.scored_most):
            scores.setdefault(item, weight)
        if len(scores) >= params.scored_most:
            break
    return scores
