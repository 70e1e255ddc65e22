"""What became of a document's lines between two readings."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.records import NodeTier
from libra.text.linediff import Fate, Line, compare
from tests.conftest import examples

HARD, SOFT, LORE = NodeTier.HARD, NodeTier.SOFT, NodeTier.LORE
_LINES = st.lists(
    st.builds(Line, st.sampled_from(["a b", "a b c", "d", "d e", "界 人", ""]), st.sampled_from(NodeTier)),
    max_size=8,
)


def _hard(*texts: str) -> list[Line]:
    return [Line(text, HARD) for text in texts]


def test_a_line_in_other_words_is_not_one_removed_and_one_added() -> None:
    """A person who mends a word would read that a rule went and another came."""
    old = _hard("Never push to main.", "Run the tests before every commit.", "Write short messages.")
    new = _hard("Never push to main.", "Run all the tests before every commit.", "Feed the cat.")
    assert [(s.fate, s.old, s.new) for s in compare(old, new)] == [
        (Fate.CHANGED, 1, 1), (Fate.ADDED, None, 2), (Fate.REMOVED, 2, None),
    ]  # fmt: skip


def test_lines_that_only_moved_are_not_mentioned() -> None:
    """A file whose sections change places would fill the history with what nobody changed."""
    lines = _hard("One.", "Two.", "Three.", "Two.")
    assert compare(lines, [*lines[2:], *lines[:2]]) == []


def test_the_same_words_in_another_tier_became_that() -> None:
    """Else nobody could see since when a rule is only advice; of two equal lines the one of that tier is meant."""
    old = [Line("Prefer tabs.", HARD), Line("Prefer tabs.", LORE)]
    new = [Line("Prefer tabs.", SOFT), Line("Prefer tabs.", LORE)]
    assert [(s.fate, s.old, s.new) for s in compare(old, new)] == [(Fate.BECAME, 0, 0)]


def test_words_without_blanks_are_compared_by_their_signs() -> None:
    """A Chinese line of which one sign was mended would be another line."""
    (step,) = compare(_hard("提交之前请运行所有测试"), _hard("提交之前请先运行所有测试"))
    assert step.fate is Fate.CHANGED


@given(old=_LINES, new=_LINES)
@settings(examples(60))
def test_every_line_is_accounted_for_once(old: list[Line], new: list[Line]) -> None:
    """Else the history would lose a removed line, or tell of one twice."""
    steps = compare(old, new)
    olds = [s.old for s in steps if s.old is not None]
    news = [s.new for s in steps if s.new is not None]
    assert len(set(olds)) == len(olds)
    assert len(set(news)) == len(news)
    assert len(old) - len(olds) == len(new) - len(news)  # those that are as they were
    for step in steps:
        if step.fate in (Fate.CHANGED, Fate.BECAME):
            assert step.old is not None
            assert step.new is not None
            assert (old[step.old].text == new[step.new].text) == (step.fate is Fate.BECAME)


def test_a_megabyte_of_other_lines_is_compared() -> None:
    """A large file that was written anew would hold up the writer: held line by line against each other this would not end."""
    old = _hard(*(f"a{n} b{n} c{n} d" for n in range(40_000)))
    new = _hard(*(f"a{n} b{n} c{n} e" for n in range(40_000, 0, -1)))
    assert len(compare(old, new)) >= 40_000
