"""Token estimates: never far under a real count, since a budget is a promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.text.tokens import cheap_length, estimate


def test_nothing_costs_nothing() -> None:
    """Only the empty text costs nothing."""
    assert estimate("") == 0
    assert estimate(" ") == 1


def test_b09_chinese_is_no_quarter_of_a_token() -> None:
    """400 characters of Chinese are hundreds of tokens (field case B09, lessons C45)."""
    text = ("記憶體設計文件" * 60)[:400]
    assert 300 <= estimate(text) <= 900


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The relay dropped nine frames and we moved the cap to fifteen minutes.", 13, 20),
        ("def add(a: int, b: int) -> int:\n    return a + b\n", 17, 30),
        ("Hàng đợi đầy nên hệ thống chờ thêm mười phút rồi gửi lại.", 18, 45),
        ("🎉🚀🧪", 6, 20),
    ],
)
def test_known_texts(text: str, least: int, most: int) -> None:
    """English, code, Vietnamese, emoji stay within plain bounds."""
    assert least <= estimate(text) <= most


@given(st.text(min_size=1, max_size=300))
def test_bounds_for_any_text(text: str) -> None:
    """At least one token, never more than a few a character."""
    assert 1 <= estimate(text) <= 5 * len(text) + 1


@given(st.text(max_size=300))
def test_cheap_length(text: str) -> None:
    """The gate's length norm is max(len // 4, 1)."""
    assert cheap_length(text) == max(len(text) // 4, 1)
