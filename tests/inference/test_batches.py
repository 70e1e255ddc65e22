"""Batches: each window once, within the limits, alike in length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from libra.inference.batches import plan


@given(st.lists(st.integers(1, 700), max_size=60), st.integers(1, 9), st.integers(1, 1200))
def test_each_window_once_within_the_limits(lengths: list[int], texts: int, tokens: int) -> None:
    """No window is lost or run twice, and padding counts towards the limit."""
    batches = plan(lengths, texts, tokens)
    assert sorted(n for batch in batches for n in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[n] for n in batch)
        assert len(batch) <= texts
        assert len(batch) == 1 or len(batch) * longest <= tokens


def test_sorted_by_length() -> None:
    """Short windows do not pay for long ones."""
    assert plan([256, 3, 255, 4], 2, 512) == [[1, 3], [2, 0]]


def test_nothing_to_do() -> None:
    """No windows, no batches."""
    assert plan([], 8, 256) == []
