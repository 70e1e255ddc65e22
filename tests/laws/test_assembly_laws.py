"""Laws of ranking and assembly as properties (memory model §5, §6)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from libra.assembly.continuity import check
from libra.assembly.fusion import Evidence, FusionParams, relevance
from libra.assembly.packer import PackParams, Piece, Tier, Tiers, mandatory_tail, pack
from libra.assembly.ranker import RankParams, order, rank
from libra.ground.records import Kind, Who
from tests.assembly.fakes import FakeItem

_ANY = st.floats(allow_nan=True, allow_infinity=True, width=32)
_TOKENS = st.lists(st.integers(1, 400), max_size=30)


@st.composite
def pieces(draw: st.DrawFn) -> list[Piece]:
    """Draw pieces with costs, bundle marks and shorter forms."""
    return [
        Piece(i, t, begins=draw(st.booleans()), short_tokens=draw(st.none() | st.integers(1, 40)))
        for i, t in enumerate(draw(_TOKENS))
    ]


@st.composite
def tiers(draw: st.DrawFn) -> Tiers:
    """Draw five tiers and their wrappers."""
    over = {tier: draw(st.integers(0, 40)) for tier in Tier}
    return Tiers(*(draw(pieces()) for _ in range(5)), overhead=over)


@given(tiers(), st.integers(0, 4000))
def test_the_continuity_law_holds_for_any_input(some: Tiers, budget: int) -> None:
    """Total <= tau, hard complete or said, soft a prefix, the base in the tail, tiers disjoint."""
    params = PackParams()
    plan = pack(some, budget, params)
    keys = [
        f"{tier}:{key}"
        for tier, ks in zip(
            "hsgtr", (plan.hard, plan.soft, plan.guidance, plan.tail, plan.recall), strict=True
        )
        for key in ks
    ]
    check(some, plan, keys, params)
    assert plan.tokens <= params.usable(budget) <= budget


@given(tiers(), st.integers(0, 3000))
def test_recall_is_the_first_to_go(some: Tiers, budget: int) -> None:
    """Whatever recall holds never costs a higher tier anything."""
    with_recall = pack(some, budget, PackParams())
    without = pack(replace(some, recall=()), budget, PackParams())
    assert (with_recall.hard, with_recall.soft, with_recall.tail, with_recall.guidance) == (
        without.hard,
        without.soft,
        without.tail,
        without.guidance,
    )


@given(tiers(), st.integers(0, 3000))
def test_guidance_never_costs_the_tail_or_a_rule(some: Tiers, budget: int) -> None:
    """E* empties before the tail extension and the soft rules do."""
    with_it = pack(some, budget, PackParams())
    without = pack(replace(some, guidance=()), budget, PackParams())
    assert (with_it.hard, with_it.soft, with_it.tail) == (without.hard, without.soft, without.tail)


@given(pieces(), st.integers(0, 8))
def test_the_mandatory_tail_is_bundle_safe(tail: list[Piece], turns: int) -> None:
    """It has at least the asked turns, begins a bundle, and no shorter suffix does both."""
    size = mandatory_tail(tail, turns)
    assert size >= min(turns, len(tail))
    assert size in (0, len(tail)) or tail[len(tail) - size].begins
    for shorter in range(min(turns, len(tail)), size):
        assert shorter == 0 or not tail[len(tail) - shorter].begins


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[FakeItem], Evidence]:
    """Draw items of any kind with any evidence, NaN and infinity included."""
    n = draw(st.integers(0, 12))
    items = [
        FakeItem(
            i,
            uid=f"u{i}",
            kind=draw(st.sampled_from(Kind)),
            session_id=draw(st.none() | st.integers(1, 3)),
            seq=draw(st.none() | st.integers(1, 9)),
            ts_ms=draw(st.integers(-(10**13), 10**13)),
            confidence=draw(st.none() | _ANY),
            priority=draw(st.none() | st.integers(-50, 500)),
            scope=draw(st.sampled_from(["global", "user:u", "session:s"])),
        )
        for i in range(n)
    ]

    def floats() -> np.ndarray:
        return np.array(draw(st.lists(_ANY, min_size=n, max_size=n)), dtype=float)

    cosine = np.clip(floats(), -1, 1)
    lexical, coverage, exact = (
        np.nan_to_num(np.abs(floats()), nan=0, posinf=50).clip(0, 50) for _ in range(3)
    )
    flags = [np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool) for _ in range(2)]
    return items, Evidence(cosine, lexical, coverage.clip(0, 1), exact, flags[0], flags[1])


@given(pools(), _ANY, _ANY, _ANY)
def test_scores_are_bounded_for_any_input(
    pool: tuple[list[FakeItem], Evidence], alpha: float, beta: float, gamma: float
) -> None:
    """Every relevance and every score is a number in [0, 1], whatever the weights."""
    items, evidence = pool
    rel = relevance(items, evidence, FusionParams())
    weights = [w if math.isfinite(w) else 0.0 for w in (alpha, beta, gamma)]
    params = RankParams(alpha=weights[0], beta=weights[1], gamma=weights[2])
    scores = rank(items, rel, Who("u", session="s"), 10**12, params)
    assert all(0.0 <= s <= 1.0 for s in scores.score.tolist())
    assert all(0.0 <= p <= 1.0 for parts in scores.parts() for p in parts.as_dict().values())
    assert all(0.0 <= r <= 1.0 for r in rel.tolist())
    assert sorted(order(scores, items)) == list(range(len(items)))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_alpha_one_is_pure_relevance_order(rel: list[float]) -> None:
    """With alpha = 1 and equal kinds, the order is that of relevance."""
    items = [FakeItem(i, uid=f"u{i:02}", ts_ms=0) for i in range(len(rel))]
    scores = rank(items, np.array(rel), Who("u", session="s"), 10**12, RankParams(alpha=1, beta=0, gamma=0))
    ordered = [rel[i] for i in order(scores, items)]
    assert ordered == sorted(rel, reverse=True)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_surer_summary_never_scores_lower(rel: float, one: float, other: float) -> None:
    """Higher summary confidence never lowers a score, all else equal."""
    low, high = sorted((one, other))
    items = [FakeItem(i, uid=f"u{i}", kind=Kind.SUMMARY, confidence=c) for i, c in enumerate((low, high))]
    scores = rank(items, np.array([rel, rel]), Who("u"), 10**12, RankParams())
    assert scores.score[1] >= scores.score[0]
