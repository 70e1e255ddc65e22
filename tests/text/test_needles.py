"""The quick look before a slow search: what it leaves out never matches."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import from_regex

from libra.lifecycle import standing_forms
from libra.lifecycle.standing import standing_rules
from libra.text.needles import Sieve, needles

_TONGUES = (*standing_forms.LATIN, standing_forms.JAPANESE, standing_forms.CHINESE)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("abc", {"abc"}),
        ("Straße|weg", {"strasse", "weg"}),
        (r"\bmake (?:sure|certain)\b", {"make sure", "make certain"}),
        (r"every ?time\w+", {"everytime", "every time"}),
        (r"(?:no|not) [^.]{1,9}\bunless\b", {"unless"}),
        (r"(?:long)+er|x\d", {"long", "x"}),
        (r"[ab]c\d(?:x|)", {"ac", "bc"}),
        (r"a?b?", None),
        (r"\w+", None),
        (r"(?=never)\w+", None),
        (r"always|never|nevermore", {"always", "never"}),
    ],
)
def test_needles_are_read_off_a_pattern(pattern: str, wanted: set[str] | None) -> None:
    """A needle that a match can do without would hide what a person said."""
    found = needles(re.compile(pattern, re.IGNORECASE))
    assert (None if found is None else set(found)) == wanted


@pytest.mark.parametrize(
    "rule",
    [tongue.rule for tongue in (standing_forms.GERMAN, standing_forms.VIETNAMESE, standing_forms.CHINESE)],
    ids=["German", "Vietnamese", "Chinese"],
)
def test_no_form_of_a_rule_is_left_out(rule: re.Pattern[str]) -> None:
    """A rule that the quick look passes over would never be heard again, whoever says it."""
    sieve = Sieve([rule])
    assert needles(rule)

    @given(from_regex(rule))
    @settings(max_examples=3, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def each(said: str) -> None:
        assert sieve.passing(said) == {rule}

    each()


def test_what_says_nothing_of_the_kind_is_left_out() -> None:
    """Thirty texts are asked at each prompt: a look that passes all of them saves nothing."""
    sieve = Sieve([tongue.rule for tongue in _TONGUES])
    assert not sieve.passing("The ferry leaves at nine and the parser reads its own dates.")
    assert not standing_rules("The ferry leaves at nine and the parser reads its own dates.")


@pytest.mark.parametrize("said", ["ALWAYS", "alwayſ", "\N{KELVIN SIGN}elvin"])
def test_letters_that_count_as_the_same_are_found(said: str) -> None:
    """``re.IGNORECASE`` takes some letters of other scripts for ours; so must the look before it."""
    pattern = re.compile("always|kelvin", re.IGNORECASE)
    assert pattern.search(said)
    assert Sieve([pattern]).passing(said) == {pattern}
