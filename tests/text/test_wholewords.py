"""Whole words in any script."""

from __future__ import annotations

import pytest

from libra.text.wholewords import found


@pytest.mark.parametrize(
    ("text", "phrase", "there"),
    [
        ("I like banana bread.", "ana", False),
        ("Ana is here.", "ana", True),
        ("The price   list is out.", "price list", True),
        ("We use C++ here", "c++", True),
        ("Ghi giá bán vào đây", "giá bán", True),
        ("giản đơn", "gi", False),
        ("不要告诉他们价格表", "价格", True),
        ("서울은 좋다", "서울", True),
        ("x_price", "price", False),
        ("12 EUR.", "eur", True),
        ("anything", "  ", False),
    ],
)
def test_a_word_is_found_whole(text: str, phrase: str, there: bool) -> None:  # noqa: FBT001
    """LibraVDB's keyword "ana" blocks "banana", and a reply about fruit would never be seen."""
    assert found(text, [phrase]) == ([phrase] if there else [])
