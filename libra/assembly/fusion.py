"""One relevance in [0, 1] out of vector, text and identifier evidence (memory model §5).

Scores are added as z-scores, not ranks: on the public data of benchmarks.md §5 that beats reciprocal
rank fusion by nine points of recall at 10, since a rank throws away how much better the first is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from libra.assembly.items import Item
from libra.ground.records import Kind

Floats = npt.NDArray[np.float64]
_PLACED = frozenset({Kind.TURN, Kind.MEMORY})
_QUESTION_SIGNS = ("?", "？", "؟")
_LEAST_PRESENCE = 0.25
"""Below the recall floor: where nothing is about the query, nothing is recalled."""


@dataclass(frozen=True, slots=True)
class FusionParams:
    """Weights in units of one standard deviation of the vector score.

    Source: benchmarks.md §5 (measured on LoCoMo, BEAM and the technical sessions).
    """

    lexical: float = 0.5
    lexical_length: float = 0.2
    """How much a long text's BM25 is taken down: by this power of how much longer than ``lexical_tokens`` it is. FTS5 allows for
    three quarters of a text's length; a long answer holds many words of any question."""
    lexical_tokens: int = 80
    """From so many tokens on a text counts as long there."""
    exact: float = 2.5
    words_alone: float = 4.0
    """Weight of the share of the question's words that an item holds, while no item has a vector: words are all there is."""
    speaker: float = 4.0
    role: float = 3.0
    window: float = 2.0
    named: float = 0.9
    """Given to what names something, where the question asks who, which, where or what, times the share that names nothing: the
    fourth city that was visited has no word in common with "Which cities?", but it has a name. Where everything holds one, as in
    technical talk, it tells nothing."""
    context: float = 0.4
    """Share of the previous turn's cosine in a short turn's own: "yes, the blue one" means little alone."""
    context_tokens: int = 38
    """Turns longer than this speak for themselves (mixing cost recall on BEAM's long answers)."""
    neighbour: float = 0.4
    reach: int = 2
    session: float = 0.3
    asking: float = 2.0
    """Taken from a short turn that ends with a question: what was asked seldom answers."""
    brief: float = 1.0
    """Taken from a turn for each time that it is e times shorter than ``brief_tokens``, at most twice as much:
    "Thanks, that helps!" says nothing."""
    brief_tokens: int = 24
    """From so many tokens on a turn is not brief."""
    middle: float = 2.7
    """The summed z at which relevance is one half."""
    spread: float = 4.0
    """How many z take relevance from .5 to .73 (the logistic's scale). Wide enough that the best are still told apart:
    else confidence and importance, which multiply it, would order them alone."""
    prior_count: float = 24.0
    """A pool this small is judged half by its own spread and half by the prior below."""
    prior_cosine: float = 0.12
    prior_cosine_spread: float = 0.12
    prior_lexical_spread: float = 2.5
    absent_cosine: float = 0.15
    """Nearest cosine at or below which the vectors say: nothing here."""
    present_cosine: float = 0.30
    """Nearest cosine at or above which the vectors are fully believed."""
    unrelated_cosine: float = 0.05
    """At or below it, what shares no word, name or time with the question and stands beside nothing that is near it is about
    something else, and no prompt shows it. Among few memories z-scores alone let nearly all of them in."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the searches found for one pool; all arrays have one entry an item.

    Attributes:
        cosine: Cosine to the query, NaN where the item has no vector yet.
        lexical: BM25 of the word and side indexes, ≥ 0, 0 where no term matched.
        coverage: Share of the query's content words that the item holds, 0…1.
        exact: Weight of whole identifiers and quoted phrases found in it, ≥ 0.
        asked_speaker: True where the query names the item's speaker.
        in_window: True where the query names a time that the item falls into.
        names: True where the query asks for a name and the item holds one; None if it does not ask.
        reply_asked: The query is about what the agent said: its turns count as much as the person's own.
    """

    cosine: Floats
    lexical: Floats
    coverage: Floats
    exact: Floats
    asked_speaker: npt.NDArray[np.bool_]
    in_window: npt.NDArray[np.bool_]
    names: npt.NDArray[np.bool_] | None = None
    reply_asked: bool = False


def relevance(items: Sequence[Item], evidence: Evidence, params: FusionParams) -> Floats:
    """Return the relevance of each item to the query.

    Args:
        items: The pool, any order, length n.
        evidence: Arrays of length n.
        params: Weights.

    Returns:
        Shape ``(n,)``, each in [0, 1], never NaN; empty for an empty pool.
    """
    if not items:
        return np.zeros(0)
    places = _places(items)
    cosine = _in_context(items, evidence.cosine, places, params)
    summed = _z(cosine, params.prior_cosine, params.prior_cosine_spread, params.prior_count)
    # A whole identifier is proof enough: being unlike the question's wording must not count against it.
    summed = np.where(evidence.exact > 0, np.maximum(summed, 0.0), summed)
    lexical = evidence.lexical * _brevity(items, params)
    summed = summed + params.lexical * _z(lexical, 0.0, params.prior_lexical_spread, params.prior_count)
    summed = summed + params.exact * evidence.exact
    if not np.isfinite(evidence.cosine).any():
        summed = summed + params.words_alone * evidence.coverage
    if evidence.asked_speaker.any() and not evidence.asked_speaker.all():
        summed = summed + params.speaker * evidence.asked_speaker
    if evidence.in_window.any() and not evidence.in_window.all():
        summed = summed + params.window * evidence.in_window
    if evidence.names is not None:
        summed = summed + params.named * (1.0 - evidence.names.mean()) * evidence.names
    summed = _smooth(summed, places, params)
    summed = summed + params.role * np.array(
        [_is_owner(i) or (evidence.reply_asked and _is_agent(i)) for i in items], dtype=np.float64
    )
    summed = summed - _emptiness(items, params)
    logistic = 1.0 / (1.0 + np.exp(-np.clip((summed - params.middle) / params.spread, -60, 60)))
    return np.clip(logistic * _presence(evidence, params), 0.0, 1.0)


def unrelated(items: Sequence[Item], evidence: Evidence, params: FusionParams) -> npt.NDArray[np.bool_]:
    """Return which items are about something else, as ``unrelated_cosine`` says; those without a vector are not.

    Args:
        items: The pool, any order, length n.
        evidence: Arrays of length n.
        params: Weights.
    """
    told = (evidence.lexical > 0) | (evidence.exact > 0) | evidence.in_window
    far = ~told & (evidence.cosine <= params.unrelated_cosine)
    if not far.any():
        return far
    near = (evidence.cosine >= params.present_cosine) | (evidence.exact > 0)
    places = _places(items)
    beside = np.zeros(len(items), dtype=bool)
    for step in range(1, min(params.reach, len(places.index) - 1) + 1):
        earlier, later = places.index[:-step], places.index[step:]
        gap = places.seq[step:] - places.seq[:-step]
        close = (places.session[step:] == places.session[:-step]) & (gap <= params.reach)
        beside[later] |= close & near[earlier]
        beside[earlier] |= close & near[later]
    return far & ~beside


def _z(x: Floats, prior_mean: float, prior_spread: float, prior_count: float) -> Floats:
    """Return z-scores of ``x``, mean and spread shrunk to a prior so that three items do not look extreme."""
    known = np.isfinite(x)
    n = float(known.sum())
    if n == 0:
        return np.zeros(len(x))
    own = x[known]
    mean = (own.sum() + prior_count * prior_mean) / (n + prior_count)
    variance = (((own - own.mean()) ** 2).sum() + prior_count * prior_spread**2) / (n + prior_count)
    out = np.zeros(len(x))
    out[known] = (own - mean) / (math.sqrt(variance) + 1e-9)
    return out


def _brevity(items: Sequence[Item], params: FusionParams) -> Floats:
    """Return what is left of each text's BM25, in (0, 1]: all of a short one's."""
    tokens = np.array([max(i.tokens, 1) for i in items], dtype=np.float64)
    return np.minimum(max(params.lexical_tokens, 1) / tokens, 1.0) ** max(params.lexical_length, 0.0)


def _presence(evidence: Evidence, params: FusionParams) -> float:
    """Return how far the whole pool is about the query at all, 0.25…1.

    z-scores always crown somebody; a query about nothing that is stored must still recall nothing, so the
    best absolute evidence (nearest cosine, covered words, an identifier) scales them all.
    """
    cosine = evidence.cosine[np.isfinite(evidence.cosine)]
    width = params.present_cosine - params.absent_cosine
    by_vector = (float(cosine.max()) - params.absent_cosine) / width if len(cosine) else 0.0
    by_words = float(evidence.coverage.max()) * 2.0
    by_name = 1.0 if evidence.exact.max() > 0 else 0.0
    by_time = 1.0 if evidence.in_window.any() else 0.0
    return _LEAST_PRESENCE + (1.0 - _LEAST_PRESENCE) * min(max(by_vector, by_words, by_name, by_time), 1.0)


def _emptiness(items: Sequence[Item], params: FusionParams) -> Floats:
    """Return what to take from turns that tell little whatever is asked: short ones, and short ones that only ask."""
    kind = Kind.TURN
    turn = np.array([i.kind is kind for i in items], dtype=bool)
    if not turn.any():
        return np.zeros(len(items))
    tokens = np.array([max(i.tokens, 1) for i in items], dtype=np.float64)
    brief = np.clip(np.log(max(params.brief_tokens, 1) / tokens), 0.0, 2.0) * params.brief
    asks = np.array([i.text.rstrip().endswith(_QUESTION_SIGNS) for i in items], dtype=bool)
    return np.where(turn, brief + params.asking * (asks & (tokens <= params.context_tokens)), 0.0)


def _is_owner(item: Item) -> bool:
    """A person's own turn in an agent's session; where speakers have names, both are people."""
    return item.role == "user" and (item.speaker is None or item.speaker.lower() == "user")


def _is_agent(item: Item) -> bool:
    """An agent's own turn."""
    return item.role == "assistant"


@dataclass(frozen=True, slots=True)
class _Places:
    """The pool's turns, and memories where their turn stood, by session and place: three arrays of equal length, in order."""

    session: npt.NDArray[np.int64]
    seq: npt.NDArray[np.int64]
    index: npt.NDArray[np.intp]


def _places(items: Sequence[Item]) -> _Places:
    found = sorted(
        (item.session_id, item.seq, index)
        for index, item in enumerate(items)
        if item.kind in _PLACED and item.session_id is not None and item.seq is not None
    )
    session, seq, index = zip(*found, strict=True) if found else ((), (), ())
    return _Places(np.array(session, np.int64), np.array(seq, np.int64), np.array(index, np.intp))


def _in_context(items: Sequence[Item], cosine: Floats, places: _Places, params: FusionParams) -> Floats:
    """Mix the previous turn's cosine into that of a short turn."""
    if len(places.index) <= 1:
        return cosine
    follows = (places.session[1:] == places.session[:-1]) & (places.seq[1:] - places.seq[:-1] == 1)
    later, earlier = places.index[1:][follows], places.index[:-1][follows]
    known = np.isfinite(cosine[later]) & np.isfinite(cosine[earlier])
    short = np.array([items[i].tokens <= params.context_tokens for i in later], dtype=bool)
    later, earlier = later[known & short], earlier[known & short]
    out = cosine.copy()
    out[later] = (1.0 - params.context) * cosine[later] + params.context * cosine[earlier]
    return out


def _smooth(score: Floats, places: _Places, params: FusionParams) -> Floats:
    """Let a turn earn part of its neighbours' score, and of its session's best.

    Questions and answers sit side by side: 51 % of what rank fusion missed lay within three turns of a
    turn that it found (benchmarks.md §5).
    """
    n = len(places.index)
    if n <= 1:
        return score
    own = score[places.index]
    best = np.zeros(n)
    for step in range(1, min(params.reach, n - 1) + 1):
        gap = places.seq[step:] - places.seq[:-step]
        near = (places.session[step:] == places.session[:-step]) & (gap <= params.reach)
        share = np.where(near, params.neighbour * 0.5 ** (np.maximum(gap, 1) - 1.0), 0.0)
        best[step:] = np.maximum(best[step:], share * own[:-step])
        best[:-step] = np.maximum(best[:-step], share * own[step:])
    out = score.copy()
    out[places.index] = own + best
    # Within each session ascending: its best three are its last.
    order = np.lexsort((out[places.index], places.session))
    session, value = places.session[order], out[places.index][order]
    ends = np.flatnonzero(np.r_[session[1:] != session[:-1], True])
    sizes = np.diff(np.r_[-1, ends])
    head = np.zeros(len(ends))
    for back in (2, 1, 0):
        there = sizes > back
        head[there] += value[ends[there] - back]
    head /= np.minimum(sizes, 3)
    out[places.index[order]] += params.session * np.repeat(head, sizes)
    return out
