"""Questions about time: which days they mean, in the person's zone."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.text.dates import day_bounds, local_day
from libra.text.temporal import temporal

NOW = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp() * 1000)  # a Monday


def days(query: str) -> list[tuple[str, str]]:
    """Return first and last day of each window."""
    return [
        (local_day(start, UTC).isoformat(), local_day(end - 1, UTC).isoformat())
        for start, end in temporal(query, NOW, UTC).windows
    ]


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what did I do on 2026-04-12?", "2026-04-12", "2026-04-12"),
        ("what happened on 12 April?", "2026-04-12", "2026-04-12"),
        ("what happened on April 12th, 2025?", "2025-04-12", "2025-04-12"),
        ("what happened on December 24?", "2025-12-24", "2025-12-24"),
        ("what did we decide in May 2026?", "2026-05-01", "2026-05-31"),
        ("what did we decide in May?", "2026-05-01", "2026-05-31"),
        ("what did we ship in 2025?", "2025-01-01", "2025-12-31"),
        ("what did we do yesterday?", "2026-11-29", "2026-11-29"),
        ("what did we do the day before yesterday?", "2026-11-28", "2026-11-28"),
        ("what did we do last week?", "2026-11-23", "2026-11-29"),
        ("since last month?", "2026-10-01", "2026-10-31"),
        ("two weeks ago", "2026-11-16", "2026-11-22"),
        ("what did I say 3 days ago", "2026-11-27", "2026-11-27"),
        ("in the last 3 days", "2026-11-27", "2026-11-30"),
        ("what broke last Friday?", "2026-11-27", "2026-11-27"),
        ("what broke on Monday?", "2026-11-23", "2026-11-23"),
        ("昨天我们决定了什么？", "2026-11-29", "2026-11-29"),
        ("上周发生了什么", "2026-11-23", "2026-11-29"),
        ("2026年4月12日我做了什么", "2026-04-12", "2026-04-12"),
        ("hôm qua mình nói gì?", "2026-11-29", "2026-11-29"),
        ("tuần trước", "2026-11-23", "2026-11-29"),
        ("ngày 12 tháng 4 năm 2026", "2026-04-12", "2026-04-12"),
    ],
)
def test_expressions(query: str, first: str, last: str) -> None:
    """Each form means its own days."""
    assert days(query) == [(first, last)]


def test_two_slots_in_order() -> None:
    """A question with two times has two slots, in the order in which it names them."""
    assert days("how long between 3 May 2026 and 2026-02-01?") == [
        ("2026-05-03", "2026-05-03"),
        ("2026-02-01", "2026-02-01"),
    ]


@pytest.mark.parametrize(
    "query",
    ["you may go", "march on", "the second of three", "version 2026.4.12", "step 12", "a sunday roast"],
)
def test_ordinary_words_name_no_time(query: str) -> None:
    """May, march and numbers alone are no dates."""
    assert days(query) == []


def test_a_question_can_be_about_time_without_naming_one() -> None:
    """When and how long want dates in the answer."""
    assert temporal("when did we change the port?", NOW, UTC).is_temporal
    assert not temporal("which port do we use?", NOW, UTC).is_temporal


def test_b20_days_are_the_persons_own() -> None:
    """Half past one at night belongs to the local day (field case B20)."""
    zone = ZoneInfo("Asia/Ho_Chi_Minh")
    turn = int(datetime(2026, 4, 11, 18, 30, tzinfo=UTC).timestamp() * 1000)
    ((start, end),) = temporal("what was on 12 April 2026?", NOW, zone).windows
    assert start <= turn < end
    ((start, end),) = temporal("what was on 11 April 2026?", NOW, zone).windows
    assert not start <= turn < end


@given(st.text(max_size=200), st.integers(0, 250_000_000_000_000))
def test_any_text_at_any_time(text: str, now_ms: int) -> None:
    """Never an error; windows are never empty or reversed."""
    for start, end in temporal(text, now_ms, UTC).windows:
        assert start < end


@given(st.dates(date(1971, 1, 1), date(2100, 1, 1)))
def test_iso_dates_mean_their_day(day: date) -> None:
    """A date in figures is that day."""
    asked = temporal(f"what was on {day.isoformat()}?", NOW, UTC)
    assert asked.windows == (day_bounds(day.year, day.month, day.day, UTC),)
