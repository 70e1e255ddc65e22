"""Ageing: use stretches it, the future is now, half-lives halve."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.ground.records import MemoryType
from libra.lifecycle.decay import DecayParams, effective_age_ms, freshness, stretch
from libra.lifecycle.types import DAY_MS

P = DecayParams()


def test_stretch_by_use() -> None:
    """1 + 0.5 ln(1 + n), at most 3."""
    assert stretch(0, P) == 1.0
    assert stretch(5, P) == pytest.approx(1.8959, abs=1e-4)
    assert stretch(10_000, P) == 3.0
    assert stretch(-4, P) == 1.0


def test_half_lives() -> None:
    """A week-old context has half its rank, a decision all of it."""
    assert freshness(MemoryType.CONTEXT, 7 * DAY_MS, 0, P) == pytest.approx(0.5)
    assert freshness(MemoryType.PREFERENCE, 365 * DAY_MS, 0, P) == pytest.approx(0.5)
    assert freshness(MemoryType.DECISION, 9999 * DAY_MS, 0, P) == 1.0


@given(st.floats(-1e13, 1e13), st.integers(0, 10**6), st.sampled_from(MemoryType))
def test_bounds(age: float, recalls: int, kind: MemoryType) -> None:
    """Effective age is never negative nor above the age; freshness lies in [0, 1]."""
    assert 0.0 <= effective_age_ms(age, recalls, P) <= max(age, 0.0)
    assert 0.0 <= freshness(kind, age, recalls, P) <= 1.0
