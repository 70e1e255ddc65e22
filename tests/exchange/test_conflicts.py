"""What both sides of the mirror had said is written down once, and leaves the file when it is forgotten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from libra.exchange.conflicts import Conflict, render, without

_WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30)
_SAID = st.none() | st.lists(_WORDS, min_size=1, max_size=3).map("\n".join)
_ITEM = st.builds(Conflict, st.none() | st.from_regex(r"m[0-9a-f]{4}", fullmatch=True), _SAID, _SAID)


@given(st.lists(_ITEM, max_size=5))
def test_nothing_is_changed_where_nothing_was_forgotten(items: list[Conflict]) -> None:
    """A person's notes of a conflict would change by themselves, or lose lines."""
    text = "# mine\n" + render(items)
    assert without(text, lambda _uid, _words: False) == text


@given(st.lists(_ITEM, max_size=5))
def test_what_was_forgotten_by_its_words_is_nowhere(items: list[Conflict]) -> None:
    """The words would stand in a readable file for good."""
    secret = Conflict("mffff", "The code is Vantor,\n\nin two lines.", "kept")
    text = without(
        render([*items, secret]), lambda _uid, words: words is not None and words.startswith("The code is")
    )
    assert "Vantor" not in text
    assert "two lines" not in text
    assert "  - in Libra: kept\n" in text


def test_what_was_forgotten_by_its_id_goes_whole() -> None:
    """Both sides tell of the forgotten memory, and of an item without words nothing is left to say."""
    items = [Conflict("m1", "red", "blue"), Conflict("m2", "yes", None)]
    assert without(render(items), lambda uid, _words: uid == "m1") == render(items[1:])
    assert without(render(items), lambda _uid, words: words is not None) == ""


def test_lines_of_an_older_libra_are_read() -> None:
    """It wrote the lines of a text without indenting them."""
    old = (
        "- m1\n  - in the file: The code is Vantor.\nSecond line Vantor.\n  - in Libra: (no longer active)\n"
    )
    assert without(old, lambda _uid, words: words is not None and "Vantor" in words) == ""
