"""Confidence: confirmations, used recalls, supersession, daily loss at read time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.ground.records import MemoryType
from libra.lifecycle.confidence import ConfidenceParams, as_of, confirmed, recalled
from libra.lifecycle.types import DAY_MS, TYPES

P = ConfidenceParams()
UNIT = st.floats(0, 1)


def test_numbers_of_the_memory_model() -> None:
    """0.6, 0.95, 0.8, 0, +10 % of the distance."""
    assert (P.start, P.replacement, P.superseded) == (0.6, 0.8, 0.0)
    assert confirmed(0.6, P) == 0.95
    assert confirmed(0.99, P) == 0.99
    assert recalled(0.6, P) == pytest.approx(0.64)
    assert recalled(0.0, P) == 0.0


def test_ephemeral_types_lose_five_percent_a_day() -> None:
    """Worked out at read time from one date, so that two looks do not decay twice."""
    two_days = as_of(0.8, MemoryType.TODO, 0, 2 * DAY_MS, P)
    assert two_days == pytest.approx(0.8 * 0.95**2)
    assert as_of(0.8, MemoryType.TODO, 0, 2 * DAY_MS, P) == two_days
    assert as_of(0.8, MemoryType.DECISION, 0, 900 * DAY_MS, P) == 0.8
    assert as_of(0.8, MemoryType.TODO, 5 * DAY_MS, 0, P) == 0.8


def test_only_types_that_expire_are_ephemeral() -> None:
    """Context, todo and session."""
    assert {t for t, r in TYPES.items() if r.ephemeral} == {
        MemoryType.CONTEXT,
        MemoryType.TODO,
        MemoryType.SESSION,
    }


@given(UNIT, st.sampled_from(MemoryType), st.integers(0, 10**13), st.integers(0, 10**13))
def test_confidence_stays_in_the_unit_interval(c: float, kind: MemoryType, a: int, b: int) -> None:
    """Whatever happens to it; use never lowers it, age never raises it."""
    assert 0.0 <= as_of(c, kind, a, b, P) <= c
    assert c <= recalled(c, P) <= 1.0
    assert c <= confirmed(c, P) <= 1.0
