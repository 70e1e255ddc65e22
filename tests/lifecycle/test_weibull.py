"""Weibull decay: tiers follow from use, weights stay in bounds and fall with time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle.weibull import DecayTier, WeibullParams, freshness

_SHARE = st.floats(0, 1)
_DAYS = st.floats(0, 4_000)


def test_tiers_follow_from_use_and_weight() -> None:
    """What is used all the time would fade like a passing remark."""
    tiers = [
        freshness(0.9, 0.95, 12, 40, 1, WeibullParams())[0],
        freshness(0.5, 0.6, 4, 40, 1, WeibullParams())[0],
        freshness(0.3, 0.6, 0, 90, 90, WeibullParams())[0],
    ]
    assert tiers == [DecayTier.CORE, DecayTier.WORKING, DecayTier.PERIPHERAL]


@given(_SHARE, _SHARE, st.integers(0, 500), _DAYS, _DAYS, _DAYS)
def test_weights_are_shares_and_fall_with_idle_time(
    importance: float, confidence: float, recalls: int, age: float, idle: float, more: float
) -> None:
    """A weight over one, or one that grows while nobody asks, would turn the ranking upside down."""
    age = max(age, idle + more)
    early, late = (
        freshness(importance, confidence, recalls, age, d, WeibullParams()) for d in (idle, idle + more)
    )
    assert 0.5 <= late[1] <= 1
    assert early[0] != late[0] or late[1] <= early[1] + 0.3
