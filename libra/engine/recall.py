"""Gather candidates from every visible scope in one snapshot, fuse, rank and diversify them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from libra.assembly.diversity import diversify
from libra.assembly.fusion import Evidence, relevance, unrelated
from libra.assembly.ranker import Floats, ScoreParts, order, rank, worth
from libra.assembly.temporal import cover_slots, in_windows
from libra.engine.ageing import aged, ages
from libra.engine.deps import Deps
from libra.engine.question import Question
from libra.ground.records import Kind, Who
from libra.store import memories, search
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter
from libra.text import terms
from libra.text.names import holds_name
from libra.text.scripts import fold, has_cjk
from libra.text.stopwords import STOP_CHARACTERS

Index = Literal["word", "side"]
"""The two full-text indexes (libra.text.terms)."""
_MOST_WINDOWS = 4
_WINDOW_POOL = 32
"""A question about a day must see that day, whatever else is nearer in meaning (memory model §5, Temporal)."""
_EXACT_POOL = 64
_EXACT_BASE = 0.5
"""A found identifier counts at least this much, and up to 1 more the rarer it is (benchmarks.md §5)."""
_FLOOR = 0.30
"""The default profile's recall floor, for which the fusion's priors were measured."""
_NEAR = 0.5
"""Weight of a word that is one letter away, where no word of the question is found (lessons.md C48)."""
_NUMBER_DIGITS = 3
_YEAR = re.compile(r"(?:19|20)\d\d")
_COVERAGE_HEAD = 48
_STEM_CHARS = 5


@dataclass(frozen=True, slots=True)
class Ask:
    """What to look through for a question.

    Attributes:
        who: The completed caller.
        filt: What may be found.
        pool: Candidates a search leg.
        exclude: Items that are already in the prompt.
        spread_duplicates: Sink near-duplicates, leave out what is about something else, and cover time slots (assemble); search keeps the plain order.
        near: Where none of the question's words is known, look for words one letter away (search: some 50 ms an index, more where the vocabulary is full of near spellings).
    """

    who: Who
    filt: Filter
    pool: int
    exclude: frozenset[int] = frozenset()
    spread_duplicates: bool = False
    near: bool = False


@dataclass(slots=True)
class Ranked:
    """Items best first, and their scores."""

    items: list[ItemRow]
    relevance: list[float]
    """Of each of ``items``, in [0, 1]."""
    score: list[float]
    """Of each of ``items``, in [0, 1]."""
    parts: list[ScoreParts]
    """Of each of ``items`` why it stands where it stands, rounded."""
    named: frozenset[int] = frozenset()
    """Items that hold an identifier, a long number or a quoted phrase of the question."""
    told: dict[int, ItemRow] = field(default_factory=dict)
    """For memories the turn that each was taken from, by the memory's id."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the text searches found, by item id: BM25 and the weight of exact finds.

    Their rows are read, and whatever else can be done while the question is still being embedded.
    """

    lexical: dict[int, float]
    exact: dict[int, float]
    reading: search.Reading
    covered: dict[int, float]
    """Share of the question's words that the best of them hold."""


def recall(
    deps: Deps, snapshot: Snapshot, question: Question, ask: Ask, words: Words | None = None
) -> Ranked:
    """Return everything that may answer, best first; all reads are of one state.

    Args:
        deps: Shared parts.
        snapshot: The state.
        question: What was asked.
        ask: What to look through.
        words: What :func:`find_words` found for these two, if that was done before.
    """
    words = words or find_words(deps, snapshot, question, ask)
    lexical, exact = words.lexical, words.exact
    cosine: dict[int, float] = {}
    if question.vector is not None:
        cosine = dict(
            search.vector_candidates(
                snapshot, deps.store, question.vector, ask.filt, ask.pool, reading=words.reading
            )
        )
        if (late := deps.store.vectors.missing) and late not in question.degraded:
            question.degraded.append(late)
        for start, end in question.time.windows[:_MOST_WINDOWS]:
            within = replace(ask.filt, since_ms=start, until_ms=end)
            cosine |= dict(
                search.vector_candidates(snapshot, deps.store, question.vector, within, _WINDOW_POOL)
            )
    found = dict.fromkeys([*cosine, *lexical, *exact])
    best = sorted(found, key=lambda i: -(cosine.get(i, 0.0) + 0.05 * lexical.get(i, 0.0) + exact.get(i, 0.0)))
    near = search.neighbours(
        snapshot, best[: deps.params.recall.neighbours_of], deps.params.recall.reach, ask.filt
    )
    wanted = [i for i in dict.fromkeys([*found, *near]) if i not in ask.exclude]
    now_ms = deps.clock() if ask.filt.as_of_ms is None else ask.filt.as_of_ms
    kept = aged(list(words.reading.rows(wanted).values()), now_ms, deps.params.lifecycle, ask.filt)
    rows, told = _one_of_memory_and_turn(snapshot, words.reading, kept)
    if question.vector is not None:
        unscored = [r.id for r in rows if r.id not in cosine]
        cosine |= search.cosines(snapshot, deps.store, unscored, question.vector)
    evidence = _evidence(rows, _on_one_scale(deps, cosine), words, question)
    fused = relevance(rows, evidence, deps.params.fusion)
    if ask.spread_duplicates:
        fused = np.where(unrelated(rows, evidence, deps.params.fusion), 0.0, fused)
    named = (evidence.exact > 0).tolist()
    scores = rank(
        rows, fused, ask.who, now_ms, deps.params.rank, named, ages(rows, now_ms, deps.params.lifecycle)
    )
    value = scores.score
    if ask.spread_duplicates:
        value = worth(scores, [told.get(r.id, r).tokens for r in rows], deps.params.rank)
    ranked = _judged(deps, question, rows, order(scores, rows, value), value, named)
    if ask.spread_duplicates:
        ranked = _spread(deps, snapshot, ranked, rows, value.tolist())
        ranked = cover_slots(ranked, rows, question.time.windows)
    parts = scores.parts()
    return Ranked(
        [rows[i] for i in ranked],
        scores.relevance[ranked].tolist(),
        scores.score[ranked].tolist(),
        [parts[i] for i in ranked],
        frozenset(exact),
        told,
    )


def _judged(
    deps: Deps,
    question: Question,
    rows: Sequence[ItemRow],
    ranked: list[int],
    value: Floats,
    named: Sequence[bool],
) -> list[int]:
    """Return the order with its head put anew by the reranker, if there is one and it answers in time.

    An identifier of the question is proof enough, whatever a model thinks of the wording around it.
    """
    params = deps.reranker.params
    head = ranked[: params.pool]
    judged = deps.reranker.scores(
        question.text, [rows[i].text for i in head], question.deadline, question.degraded
    )
    if judged is None:
        return ranked
    final = {
        i: params.share * (1.0 if named[i] else score) + (1.0 - params.share) * float(value[i])
        for i, score in zip(head, judged, strict=True)
    }
    return sorted(head, key=lambda i: -final[i]) + ranked[len(head) :]


def _on_one_scale(deps: Deps, cosine: dict[int, float]) -> dict[int, float]:
    """Return the cosines as the default profile would give them.

    Unrelated texts have cosines near .1 in one model and near .8 in another (feasibility.md §2): each
    profile's recall floor is put where the default one's is.
    """
    embedder = deps.model.get()
    floor = embedder.manifest.floors.recall if embedder is not None else _FLOOR
    if floor == _FLOOR:
        return cosine
    stretch = (1.0 - _FLOOR) / (1.0 - floor)
    return {item: _FLOOR + (c - floor) * stretch for item, c in cosine.items()}


def _spread(
    deps: Deps, snapshot: Snapshot, ranked: list[int], rows: Sequence[ItemRow], scores: Sequence[float]
) -> list[int]:
    """Sink near-duplicates within the head of the ranking."""
    head = ranked[: deps.params.diversity.head]
    vectors = search.rough_vectors_of(snapshot, deps.store, [rows[i].id for i in head])
    known = [vectors.get(rows[i].id) for i in head] + [None] * (len(ranked) - len(head))
    return [ranked[i] for i in diversify([scores[i] for i in ranked], known, deps.params.diversity)]


def find_words(deps: Deps, snapshot: Snapshot, question: Question, ask: Ask) -> Words:
    """Return BM25 of the word and side indexes (the larger of both), the weight of exact finds, and their rows.

    None of it needs the question's embedding, which is worked out meanwhile.
    """
    asked = question.terms
    reading = search.Reading(snapshot, ask.filt)
    lexical = _by_words(snapshot, asked, ask, reading)
    exact: dict[int, float] = {}
    for match, index in _exact_matches(asked):
        hits = search.text_candidates(snapshot, match, ask.filt, _EXACT_POOL, index, reading=reading)
        weight = _EXACT_BASE + 1.0 / (1.0 + len(hits)) ** 0.5
        for item, _ in hits:
            exact[item] = exact.get(item, 0.0) + weight
    if ask.near and not lexical and not exact:
        # It may be written otherwise here (cafe, caffè).
        near = _by_words(snapshot, terms.near(asked), ask, reading)
        lexical = {i: _NEAR * score for i, score in near.items()}
    rows = reading.rows([i for i in dict.fromkeys([*lexical, *exact]) if i not in ask.exclude])
    reading.mask(deps.store)
    stems = _stems(question)
    head = sorted(rows, key=lambda i: -lexical.get(i, 0.0))[:_COVERAGE_HEAD]
    covered = {i: _covered(stems, rows[i].text) for i in head} if stems else {}
    return Words(lexical, exact, reading, covered)


def _by_words(snapshot: Snapshot, asked: terms.Query, ask: Ask, reading: search.Reading) -> dict[int, float]:
    """Return BM25 of the items that either index finds, the larger of both."""
    legs: tuple[tuple[str | None, Index], ...] = (
        (terms.word_match(asked), "word"),
        (terms.side_match(asked), "side"),
    )
    found: dict[int, float] = {}
    for match, index in legs:
        if match:
            for item, score in search.text_candidates(
                snapshot, match, ask.filt, ask.pool, index, reading=reading
            ):
                found[item] = max(score, found.get(item, 0.0))
    return found


def _exact_matches(asked: terms.Query) -> list[tuple[str, Index]]:
    """Return one expression a whole identifier (side index), quoted phrase and long number (word index)."""
    names = [terms.side_match(terms.Query((), (), (), (terms.encode(name),))) for name in asked.identifiers]
    phrases = [terms.phrase_match(terms.Query((), (phrase,), (), ())) for phrase in asked.phrases]
    numbers = [terms.word_match(terms.Query((w,), (), (), ())) for w in asked.words if _is_number_name(w)]
    found: list[tuple[str, Index]] = [(m, "side") for m in names if m]
    return found + [(m, "word") for m in [*phrases, *numbers] if m]


def _is_number_name(word: str) -> bool:
    """A number of three digits or more names something (a port, an issue, an error); a year does not."""
    return word.isdecimal() and len(word) >= _NUMBER_DIGITS and not _YEAR.fullmatch(word)


def _one_of_memory_and_turn(
    snapshot: Snapshot, reading: search.Reading, rows: Sequence[ItemRow]
) -> tuple[list[ItemRow], dict[int, ItemRow]]:
    """Drop a turn whose memory is there too: the memory ranks, the turn is its source (memory model §5).

    The memory stands where its turn stood, so that it and the turns around it earn from each other.

    Returns:
        What is left, and the turn of each memory by the memory's id.
    """
    memory = Kind.MEMORY
    promoted = [r.id for r in rows if r.kind is memory]
    sources = memories.source_turns(snapshot, promoted) if promoted else {}
    if not sources:
        return list(rows), {}
    turns = reading.rows(list(set(sources.values())))
    told = {memory: turns[turn] for memory, turn in sources.items() if turn in turns}
    dropped = set(sources.values())
    return [_in_place(row, told.get(row.id)) for row in rows if row.id not in dropped], told


def _in_place(row: ItemRow, turn: ItemRow | None) -> ItemRow:
    return row if turn is None else row._replace(session_id=turn.session_id, seq=turn.seq)


def _evidence(
    rows: Sequence[ItemRow],
    cosine: dict[int, float],
    words: Words,
    asked: Question,
) -> Evidence:
    coverage = np.zeros(len(rows))
    stems = _stems(asked)
    if stems:
        head = sorted(range(len(rows)), key=lambda i: -words.lexical.get(rows[i].id, 0.0))[:_COVERAGE_HEAD]
        for i in head:
            known = words.covered.get(rows[i].id)
            coverage[i] = _covered(stems, rows[i].text) if known is None else known
    return Evidence(
        cosine=np.array([cosine.get(r.id, np.nan) for r in rows]),
        lexical=np.array([words.lexical.get(r.id, 0.0) for r in rows]),
        coverage=coverage,
        exact=np.array([words.exact.get(r.id, 0.0) for r in rows]),
        asked_speaker=np.array([(r.speaker or "").lower() in asked.speakers for r in rows], dtype=bool),
        in_window=np.array(in_windows(rows, asked.time.windows), dtype=bool),
        names=_names(rows) if asked.name else None,
        reply_asked=asked.reply,
    )


def _names(rows: Sequence[ItemRow]) -> npt.NDArray[np.bool_]:
    """Return which rows name something but those who speak."""
    speakers = {(r.speaker or "").lower() for r in rows}
    return np.array([holds_name(r.text, speakers) for r in rows], dtype=bool)


def _stems(asked: Question) -> list[str]:
    """Return the beginnings of the question's words."""
    stems = [fold(w)[:_STEM_CHARS] for w in asked.terms.words]
    # A question in Chinese or Japanese has no words in the word index: its pairs of characters stand for them.
    return stems + [
        fold(pair) for pair in asked.terms.side if has_cjk(pair) and STOP_CHARACTERS.isdisjoint(pair)
    ]


def _covered(stems: Collection[str], text: str) -> float:
    low = fold(text)
    return sum(stem in low for stem in stems) / len(stems)
