"""Sentences are exact slices, found in several languages."""

from hypothesis import given
from hypothesis import strategies as st

from libra.text.sentences import sentences


def _texts(text: str) -> list[str]:
    return [s.text for s in sentences(text)]


def test_plain_sentences() -> None:
    """Full stops, question and exclamation marks end a sentence, also before a lower-case word."""
    assert _texts("We use Postgres. we deploy on Friday! Does it work?") == [
        "We use Postgres.",
        "we deploy on Friday!",
        "Does it work?",
    ]


def test_abbreviations_initials_numbers_and_versions_do_not_end_one() -> None:
    """A stop inside a version, after an abbreviation, an initial or a list number ends nothing."""
    for text in (
        "Use a queue, e.g. Redis or NATS.",
        "Dr. Ha and J. Smith run v1.2.3 of it.",
        "1. Install it",
        "Pi is 3.14 in the test",
    ):
        assert _texts(text) == [text]


def test_chinese_stops_need_no_space() -> None:
    """A CJK stop ends a sentence wherever it stands."""
    assert _texts("我们用 Postgres。下周上线！好吗？") == ["我们用 Postgres。", "下周上线！", "好吗？"]


def test_lines_and_fences() -> None:
    """A line end separates, a fenced block stays whole."""
    text = "first line\nsecond line\n```py\na = 1.\nb = 2\n```\nafter"
    assert _texts(text) == ["first line", "second line", "```py\na = 1.\nb = 2\n```", "after"]


@given(st.text(alphabet="ab. !?\n。`1", max_size=200))
def test_slices_are_exact_and_cover_everything(text: str) -> None:
    """Each sentence is the slice it names, in order, and only white space lies between."""
    at = 0
    for s in sentences(text):
        assert text[s.start : s.end] == s.text
        assert not text[at : s.start].strip()
        at = s.end
    assert not text[at:].strip()
