"""Rank = relevance, recency and scope, times quality, confidence and importance (memory model §5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
    confidence_strength: float = 0.3
    importance_strength: float = 0.3
    unpromoted_confidence: float = 0.85
    unpromoted_importance: float = 0.7
    floor: float = 0.30
    """Items whose relevance is under it are not recalled, unless asked for by search.

    It is held against the relevance, not the score: the score of a turn that was never promoted is scaled by
    0.6 whatever it says, and a floor on that would drop evidence (benchmarks.md §5 wants none lost).
    """


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """Why an item stands where it stands; every part is in [0, 1]."""

    relevance: float
    recency: float
    scope: float
    quality: float
    confidence: float
    importance: float
    score: float

    def as_dict(self) -> dict[str, float]:
        """Return the parts rounded to four places, for receipts."""
        return {name: round(getattr(self, name), 4) for name in self.__slots__}


def rank(
    items: Sequence[Item], relevance: Floats, who: Who, now_ms: int, params: RankParams
) -> list[ScoreParts]:
    """Return each item's score and its parts, in the order of ``items``.

    Args:
        items: Length n.
        relevance: Shape ``(n,)`` in [0, 1]; NaN counts as 0.
        who: The caller: its own session and project rank nearer.
        now_ms: The present; later times count as age zero.
        params: Weights; negative or all-zero weights fall back to pure relevance.
    """
    weights = [max(w, 0.0) for w in (params.alpha, params.beta, params.gamma)]
    total = sum(weights)
    alpha, beta, gamma = (w / total for w in weights) if total > 0 else (1.0, 0.0, 0.0)
    out = []
    for item, raw in zip(items, relevance.tolist(), strict=True):
        rel = min(max(raw, 0.0), 1.0) if math.isfinite(raw) else 0.0
        recency = _recency(item, who, now_ms, params)
        scope = _scope(item, who)
        quality, confidence, importance = _factors(item, who, params)
        base = alpha * rel + beta * recency + gamma * scope
        score = base * quality * confidence * importance
        out.append(ScoreParts(rel, recency, scope, quality, confidence, importance, score))
    return out


def _recency(item: Item, who: Who, now_ms: int, params: RankParams) -> float:
    age_s = max(now_ms - item.ts_ms, 0) / 1000.0
    if item.session_key is not None and item.session_key == who.session:
        decay = params.lambda_session
    elif item.scope == "global":
        decay = params.lambda_global
    else:
        decay = params.lambda_user
    return math.exp(-decay * age_s)


def _scope(item: Item, who: Who) -> float:
    """1.0 active session, 0.8 same project, 0.6 user or agent, 0.3 global."""
    if item.session_key is not None and item.session_key == who.session:
        return 1.0
    if item.project is not None and item.project == who.project:
        return 0.8
    return 0.3 if item.scope == "global" else 0.6


def _factors(item: Item, who: Who, params: RankParams) -> tuple[float, float, float]:
    """Return quality, confidence and importance factors."""
    if item.kind is Kind.SUMMARY:
        confidence = _unit(item.confidence, 1.0)
        return 1.0 - params.delta * (1.0 - confidence), 1.0, 1.0
    if item.superseded:
        return 1.0, 0.0, 1.0
    if item.kind is Kind.MEMORY:
        c = params.confidence_strength
        i = params.importance_strength
        return (
            1.0,
            1.0 - c + c * _unit(item.confidence, 0.6),
            1.0 - i + i * _unit((item.priority or 0) / 100.0, 0.5),
        )
    if item.kind is Kind.TURN and item.session_key != who.session:
        return 1.0, params.unpromoted_confidence, params.unpromoted_importance
    return 1.0, 1.0, 1.0


def _unit(value: float | None, default: float) -> float:
    if value is None or not math.isfinite(value):
        return default
    return min(max(value, 0.0), 1.0)


def order(scores: Sequence[ScoreParts], items: Sequence[Item]) -> npt.NDArray[np.intp]:
    """Return indexes best first; ties go to the newer, then to the smaller uid, so the order is total."""
    return np.array(
        sorted(range(len(items)), key=lambda i: (-scores[i].score, -items[i].ts_ms, items[i].uid)),
        dtype=np.intp,
    )
