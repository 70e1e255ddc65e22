"""Rank = relevance, recency and scope, times quality, confidence and importance (memory model §5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from libra.assembly.items import Item
from libra.ground.records import Kind, Who

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankParams:
    """Weights and decays. ``alpha + beta + gamma`` need not be 1: they are normalised.

    Source: memory model §5.
    """

    alpha: float = 0.7
    beta: float = 0.2
    gamma: float = 0.1
    lambda_session: float = 1e-4
    lambda_user: float = 1e-5
    lambda_global: float = 2e-6
    delta: float = 0.5
    """How much a summary's missing confidence costs."""
    confidence_strength: float = 0.05
    importance_strength: float = 0.05
    freshness_strength: float = 0.05
    """How much a memory's age costs at most, by its type's half-life.

    These strengths are far below the memory model's first values, which cost 7 to 18 points of cover on LoCoMo: what
    answers best has a relevance near the others', and a factor of 0.7 buries it (docs/benchmarks.md).
    """
    unpromoted_confidence: float = 0.95
    unpromoted_importance: float = 0.95
    cost_strength: float = 0.07
    """How much worth a text loses by its length, where a budget must hold it: ``score * (cheap / tokens) ** strength``.

    Of two that answer nearly as well the shorter goes first. On BEAM, whose turns are long, it gives 7 points of cover at 2k;
    on LoCoMo nothing changes.
    """
    cheap_tokens: int = 57
    """Up to so many tokens a text loses nothing."""
    floor: float = 0.30
    """Items whose relevance is under it are not recalled, unless asked for by search.

    It is held against the relevance, not the score: the score of a turn that was never promoted is scaled by
    0.6 whatever it says, and a floor on that would drop evidence (benchmarks.md §5 wants none lost).
    """


class ScoreParts(NamedTuple):
    """Why an item stands where it stands; every part is in [0, 1]."""

    relevance: float
    recency: float
    scope: float
    quality: float
    confidence: float
    importance: float
    freshness: float
    score: float

    def as_dict(self) -> dict[str, float]:
        """Return the parts by their names."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a pool and what they are made of; arrays of one entry an item."""

    relevance: Floats
    recency: Floats
    scope: Floats
    quality: Floats
    confidence: Floats
    importance: Floats
    freshness: Floats
    score: Floats

    def parts(self) -> list[ScoreParts]:
        """Return the parts of every item's score, rounded to four places, for receipts."""
        columns = [np.round(getattr(self, name), 4).tolist() for name in ScoreParts._fields]
        return [ScoreParts(*row) for row in zip(*columns, strict=True)]


class Age(NamedTuple):
    """What use and type make of a memory's age.

    Attributes:
        effective_ms: The age that recency sees, epoch ms; use makes it smaller.
        freshness: In [0, 1]: halved once per half-life of its type.
    """

    effective_ms: float
    freshness: float


_NO_AGES: Mapping[int, Age] = MappingProxyType({})


def rank(
    items: Sequence[Item],
    relevance: Floats,
    who: Who,
    now_ms: int,
    params: RankParams,
    named: Sequence[bool] | None = None,
    ages: Mapping[int, Age] = _NO_AGES,
) -> Scores:
    """Return each item's score and its parts, in the order of ``items``.

    Args:
        items: Length n.
        relevance: Shape ``(n,)`` in [0, 1]; NaN counts as 0.
        who: The caller: its own session and project rank nearer.
        now_ms: The present; later times count as age zero.
        params: Weights; negative or all-zero weights fall back to pure relevance.
        named: True for items that hold an identifier of the query: a turn that was never promoted pays nothing
            then, so that no semantic neighbour passes it for being of a better kind (memory model §5).
        ages: Of memories, by item id; other items age by their time alone.
    """
    weights = [max(w, 0.0) for w in (params.alpha, params.beta, params.gamma)]
    total = sum(weights)
    alpha, beta, gamma = (w / total for w in weights) if 0 < total < math.inf else (1.0, 0.0, 0.0)
    rel = np.clip(np.nan_to_num(relevance, nan=0.0), 0.0, 1.0)
    true_ms = [ages[item.id].effective_ms if item.id in ages else now_ms - item.ts_ms for item in items]
    age_s = np.maximum(np.array(true_ms, dtype=np.float64), 0.0) / 1000.0
    near = [_nearness(item, who, params) for item in items]
    decay, scope = np.array(near, dtype=np.float64).reshape(-1, 2).T
    quality, confidence, importance = _factors(items, who, params, named)
    recency = np.exp(-np.minimum(decay * age_s, 700.0))
    freshness = _freshness(items, ages, confidence * importance, params)
    score = (alpha * rel + beta * recency + gamma * scope) * quality * confidence * importance * freshness
    return Scores(rel, recency, scope, quality, confidence, importance, freshness, np.clip(score, 0.0, 1.0))


def _freshness(items: Sequence[Item], ages: Mapping[int, Age], kind: Floats, params: RankParams) -> Floats:
    """Return what age costs each item; only memories pay, and none so much that its unpromoted turn would rank higher.

    A memory stands for its turn (memory model §5): were it to sink below what the turn alone is worth, promotion
    would lose evidence.

    Args:
        items: Length n.
        ages: Of memories, by item id.
        kind: Shape ``(n,)``: confidence times importance.
        params: Strength, and what an unpromoted turn is worth.
    """
    fresh = np.array([ages[i.id].freshness if i.id in ages else 1.0 for i in items], dtype=np.float64)
    weight = 1.0 - params.freshness_strength * (1.0 - np.clip(np.nan_to_num(fresh, nan=1.0), 0.0, 1.0))
    least = params.unpromoted_confidence * params.unpromoted_importance / np.maximum(kind, 1e-9)
    return np.minimum(np.maximum(weight, least), 1.0)


def _nearness(item: Item, who: Who, params: RankParams) -> tuple[float, float]:
    """Return decay a second, and scope preference: 1.0 active session, 0.8 project, 0.6 user or agent, 0.3 global."""
    if item.session_key is not None and item.session_key == who.session:
        return params.lambda_session, 1.0
    if item.scope == "global":
        return params.lambda_global, 0.3
    return params.lambda_user, 0.8 if item.project is not None and item.project == who.project else 0.6


def _factors(
    items: Sequence[Item], who: Who, params: RankParams, named: Sequence[bool] | None
) -> tuple[Floats, Floats, Floats]:
    """Return quality, confidence and importance factors, each of shape ``(n,)``."""
    kinds = np.array([int(item.kind) for item in items], dtype=np.int64)
    superseded = np.array([item.superseded for item in items], dtype=bool)
    other = np.array([item.session_key != who.session for item in items], dtype=bool)
    sure = np.array([item.confidence for item in items], dtype=np.float64)
    weight = np.array([item.priority or 0 for item in items], dtype=np.float64) / 100.0
    memory = (kinds == Kind.MEMORY) & ~superseded
    turn = (kinds == Kind.TURN) & ~superseded & other
    if named is not None:
        turn &= ~np.array(named, dtype=bool)
    c, i = params.confidence_strength, params.importance_strength
    quality = np.where(
        (kinds == Kind.SUMMARY) & ~superseded, 1.0 - params.delta * (1.0 - _unit(sure, 1.0)), 1.0
    )
    confidence = np.where(memory, 1.0 - c + c * _unit(sure, 0.6), 1.0)
    importance = np.where(memory, 1.0 - i + i * _unit(weight, 0.5), 1.0)
    confidence = np.where(turn, params.unpromoted_confidence, confidence)
    importance = np.where(turn, params.unpromoted_importance, importance)
    return quality, np.where(superseded, 0.0, confidence), importance


def _unit(value: Floats, default: float) -> Floats:
    """Return values cut to [0, 1]; what is not known or no finite number is the default."""
    return np.clip(np.where(np.isfinite(value), value, default), 0.0, 1.0)


def worth(scores: Scores, tokens: Sequence[int], params: RankParams) -> Floats:
    """Return each item's score for a budget: what it says, less a little for what it costs; in [0, 1].

    Args:
        scores: Of n items.
        tokens: What each would cost.
        params: Weights.
    """
    long = np.maximum(np.array(tokens, dtype=np.float64) / max(params.cheap_tokens, 1), 1.0)
    return scores.score * long ** -max(params.cost_strength, 0.0)


def order(scores: Scores, items: Sequence[Item], worths: Floats | None = None) -> list[int]:
    """Return indexes best first, by :func:`worth` if given; ties go to the newer, then to the smaller uid: the order is total."""
    best = (scores.score if worths is None else worths).tolist()
    return sorted(range(len(items)), key=lambda i: (-best[i], -items[i].ts_ms, items[i].uid))
