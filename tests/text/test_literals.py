"""Where fixed words stand: what is found must be what a search of the whole text finds."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from libra.text.literals import matches, places, windows

TEXT = st.text(alphabet="abk- ", max_size=60)


def test_places_are_sorted_and_overlap() -> None:
    """A secret whose prefix overlaps another one would stay in the text."""
    assert places("aaab ab", ("aa", "ab")) == [0, 1, 2, 5]
    assert places("xab", ("ab",), back=1) == [0]
    assert places("ab", ("ab",), back=1) == []


@given(TEXT)
def test_matches_are_those_of_a_search(text: str) -> None:
    """A pattern that is tried at fewer places and misses one would let a secret through."""
    pattern = re.compile(r"(?<![a-z])(?:ka|ab)[a-k-]{1,4}")
    found = [m.span() for m in matches(pattern, text, places(text, ("ka", "ab")))]
    assert found == [m.span() for m in pattern.finditer(text)]


@given(TEXT)
def test_windows_cover_each_place_once(text: str) -> None:
    """Windows that overlapped would judge the same name twice, and a gap would skip one."""
    where = places(text, ("ka",))
    found = list(windows(where, 3, 4))
    assert all(any(first <= at < last for first, last in found) for at in where)
    assert all(a[1] < b[0] for a, b in pairwise(found))
