"""Times at the edge: one parser, one form, days of the person's zone."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.text.dates import day_bounds, local_day, parse_ts, show

HANOI = ZoneInfo("Asia/Ho_Chi_Minh")


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        ("2026-04-11T18:30:00Z", 1_775_932_200_000),
        ("2026-04-12T01:30:00+07:00", 1_775_932_200_000),
        ("2026-04-11 18:30:00", 1_775_932_200_000),
        ("2026-04-11T18:30:00.250Z", 1_775_932_200_250),
        (1_775_932_200, 1_775_932_200_000),
        (1_775_932_200_000, 1_775_932_200_000),
        ("1775932200000", 1_775_932_200_000),
        (1_775_932_200.5, 1_775_932_200_500),
        ("not a time", None),
        (None, None),
        (-5, None),
        (float("nan"), None),
        (True, None),
    ],
)
def test_parse(value: str | float | None, ms: int | None) -> None:
    """What hosts call a time, and what is none (lessons C103)."""
    assert parse_ts(value) == ms


def test_the_night_belongs_to_the_local_day() -> None:
    """Half past one in Hanoi is the next day there (field case B20)."""
    start, end = day_bounds(2026, 4, 12, HANOI)
    assert start <= 1_775_932_200_000 < end
    assert show(1_775_932_200_000, HANOI) == "2026-04-12 01:30"
    assert local_day(1_775_932_200_000, UTC).isoformat() == "2026-04-11"


@given(st.text(max_size=40) | st.floats() | st.integers())
def test_parse_never_fails(value: str | float) -> None:
    """Any value is a time or None."""
    found = parse_ts(value)
    assert found is None or found >= 0
