"""Ranking: what stands above what, all else equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.assembly.ranker import Age, RankParams, order, rank, worth
from libra.ground.records import Kind, Who
from tests.assembly.fakes import FakeItem


def test_a_named_turn_is_not_passed_by_a_note() -> None:
    """A turn of another session that holds the asked identifier stands above a note that is merely alike."""
    items = [
        FakeItem(0, uid="note", kind=Kind.LORE, session_id=None, session_key=None, scope="user:u"),
        FakeItem(1, uid="turn", session_id=2, session_key="other", scope="session:other"),
    ]
    close = np.array([0.80, 0.85])
    who = Who("u", session="mine")
    assert order(rank(items, close, who, 10**12, RankParams(), [False, True]), items) == [1, 0]
    assert order(rank(items, close, who, 10**12, RankParams()), items) == [0, 1]


_WHO = Who("u", session="mine")


def _memory(n: int, uid: str, confidence: float = 0.6, priority: int = 30) -> FakeItem:
    return FakeItem(
        n,
        uid=uid,
        kind=Kind.MEMORY,
        session_id=None,
        session_key=None,
        scope="user:u",
        confidence=confidence,
        priority=priority,
    )


def test_the_fresher_of_two_memories_stands_first() -> None:
    """Of two equally near ones the one that its half-life has spared; a used one is younger for recency, too."""
    items = [_memory(0, "a", 0.9, 85), _memory(1, "b", 0.9, 85)]
    same = np.array([0.8, 0.8])
    stale = {0: Age(0.0, 0.1), 1: Age(0.0, 0.9)}
    assert order(rank(items, same, _WHO, 10**12, RankParams(), ages=stale), items) == [1, 0]
    used = {0: Age(9e7, 1.0), 1: Age(3e7, 1.0)}
    assert order(rank(items, same, _WHO, 10**12, RankParams(), ages=used), items) == [1, 0]


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 100), st.floats(0, 1))
def test_no_memory_ranks_below_what_its_turn_alone_is_worth(
    freshness: float, confidence: float, priority: int, relevance: float
) -> None:
    """However old: promotion never loses evidence for its age. A strength of 0 leaves age to recency alone."""
    memory = _memory(0, "m", confidence, priority)
    turn = FakeItem(1, uid="t", session_id=2, session_key="other", scope="session:other")
    near = np.array([relevance, relevance])
    params = RankParams()
    scores = rank([memory, turn], near, _WHO, memory.ts_ms, params, ages={0: Age(0.0, freshness)})
    plain = rank([memory, turn], near, _WHO, memory.ts_ms, params)
    assert scores.score[0] >= min(scores.score[1], plain.score[0]) - 1e-12
    assert 0.0 <= scores.freshness[0] <= 1.0
    off = rank(
        [memory],
        near[:1],
        _WHO,
        memory.ts_ms,
        RankParams(freshness_strength=0.0),
        ages={0: Age(0.0, freshness)},
    )
    assert off.score[0] == pytest.approx(plain.score[0])


def test_of_two_equal_answers_the_shorter_is_worth_more() -> None:
    """A budget holds ten short answers where it holds one long one; below a few lines length says nothing."""
    items = [FakeItem(n, uid=uid, session_key="other") for n, uid in enumerate("abc")]
    scores = rank(items, np.array([0.8, 0.8, 0.8]), _WHO, 10**12, RankParams())
    value = worth(scores, [600, 57, 6], RankParams())
    assert value[0] < value[1] == value[2]
    assert order(scores, items, value) == [1, 2, 0]


def test_a_far_better_answer_may_be_long() -> None:
    """Length never buries the one turn that answers."""
    items = [FakeItem(n, uid=uid, session_key="other") for n, uid in enumerate("ab")]
    scores = rank(items, np.array([0.9, 0.5]), _WHO, 10**12, RankParams())
    assert order(scores, items, worth(scores, [2000, 20], RankParams())) == [0, 1]
