"""Patterns for grep: what they find, and that none of them can hang."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.text.pattern import Pattern, PatternError

FOUND = [
    ("error", "An Error here", True),
    ("err.r", "no errar", True),
    ("^error", "an error", False),
    ("^error", "line\nError two", True),
    ("two$", "error two\nthree", True),
    ("two$", "two three", False),
    ("^$", "", True),
    (r"E\w+TIMEDOUT", "it was ETIMEDOUT", False),
    (r"e\w*timedout", "it was ETIMEDOUT", True),
    (r"\d+ ms", "took 120 ms", True),
    (r"\d+ ms", "took a ms", False),
    ("colou?r", "the color", True),
    ("(red|blue) wire", "cut the Blue wire", True),
    ("(red|blue) wire", "cut the green wire", False),
    ("[a-f]+[0-9]", "xyz9 abc1", True),
    ("[^a-z ]+", "only words", False),
    ("[]x]", "a ] b", True),
    (r"src/\w+\.py", "see src/net.py", True),
    (r"src/\w+\.py", "see src/netxpy", False),
    (r"\S+@\S+", "mail me@here now", True),
    ("Ö.", "größe öl", True),
    ("ab+c?d*", "xabbz", True),
    ("a.b", "a\nb", False),
]


@pytest.mark.parametrize(("pattern", "text", "wanted"), FOUND)
def test_expressions(pattern: str, text: str, wanted: bool) -> None:  # noqa: FBT001 - a table of both
    """A search that misses what stands there, or finds what does not, is worse than none."""
    assert (Pattern(pattern, regex=True).find(text) is not None) is wanted


def test_plain_text_is_plain() -> None:
    """Brackets and dots mean themselves, case does not matter, the place is exact."""
    assert Pattern("f(x).").find("call F(X). now") == (5, 10)
    assert Pattern("f(x).").find("call fx now") is None


@pytest.mark.parametrize("pattern", ["", "(a", "a)", "*a", "a**(", "[abc", r"a\q", "[z-a]", "a*", "x" * 501])
def test_what_cannot_be_read_is_refused(pattern: str) -> None:
    """With a reason, not with a crash; what matches the empty text would find everything."""
    with pytest.raises(PatternError):
        Pattern(pattern, regex=True)


SIGNS = st.text(alphabet="ab1 .", max_size=12)
PART = st.sampled_from(["a", "b", "1", ".", "[ab]", "[^a]", "(a|b)", r"\d", r"\w", "ab"])
EXPRESSION = st.lists(st.tuples(PART, st.sampled_from(["", "", "*", "+", "?"])), min_size=1, max_size=5)


@settings(max_examples=300, deadline=None)
@given(EXPRESSION, st.booleans(), st.booleans(), SIGNS)
def test_it_agrees_with_re(parts: list[tuple[str, str]], begin: bool, end: bool, text: str) -> None:  # noqa: FBT001 - drawn
    """For everything that both know, both find the same."""
    body = "".join(part + sign for part, sign in parts)
    expression = f"{'^' if begin else ''}{body}{'$' if end else ''}"
    if re.fullmatch(body, ""):
        return
    found = Pattern(expression, regex=True).find(text)
    assert (found is not None) == (re.search(expression, text) is not None)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(a*)*b", "a?" * 60 + "b", "(.*a){9}".replace("{9}", "") * 9 + "b"]
)
def test_no_expression_hangs(pattern: str) -> None:
    """The worst expressions over a megabyte of their worst text end; a backtracking matcher would not."""
    text = "a" * 1_000_000
    Pattern(pattern, regex=True).find(text)
    assert Pattern(pattern, regex=True).find(text[:50] + "b" * ("b" in pattern)) is not None


def test_the_sieve_loses_nothing() -> None:
    """The literal stands in every match, so that texts without it may be passed over."""
    for pattern, text, wanted in FOUND:
        if wanted:
            assert Pattern(pattern, regex=True).literal in text.lower()
    assert Pattern("colou?r scheme", regex=True).literal == "r scheme"


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        (r"sk-\w+", "a sk-12 and sk-345x.", ["sk-12", "sk-345x"]),
        (r"(a+)+b", "caaab aab", ["aaab", "aab"]),
        ("cat|category", "a category, a cat", ["category", "cat"]),
        (r"^\w+$", "one\ntwo words\nthree", ["one", "three"]),
        ("x.*y", "xay xby z", ["xay xby"]),
    ],
)
def test_where_an_expression_matches(expression: str, text: str, expected: list[str]) -> None:
    """Scrub takes out what was meant, from its first sign to its last, not the line around it."""
    assert [text[a:b] for a, b in Pattern(expression, regex=True).spans(text)] == expected


def test_plain_matches_are_found_in_any_case() -> None:
    """Plain text is found each time that it stands there."""
    assert list(Pattern("ab").spans("ABxab")) == [(0, 2), (3, 5)]


def test_spans_of_a_hard_expression_stay_in_time() -> None:
    """A megabyte on one line ends: each beginning is followed for a bounded way."""
    assert len(list(Pattern("z(a+)+b", regex=True).spans("a" * 200_000 + "zab"))) == 1
