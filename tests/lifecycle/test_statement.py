"""What becomes a memory's text: the person's words, cut to whole sentences at most."""

from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle.statement import StatementParams, asks_to_remember, declarative, memorable


def test_a_short_turn_is_kept_as_it_stands() -> None:
    """Outer white space is all that goes."""
    assert (
        memorable("  My sister Linh lives in Da Nang. Nice, isn't it?\n")
        == "My sister Linh lives in Da Nang. Nice, isn't it?"
    )


def test_of_a_long_turn_the_statements_are_kept_in_order() -> None:
    """Chat around a decision goes, an ellipsis stands for it."""
    filler = "So I was looking at the logs for a while and then had lunch with everybody upstairs. " * 6
    text = f"We decided to use SQLite for the store. {filler}I prefer short answers."
    kept = memorable(text, StatementParams(verbatim_chars=100, longest_chars=90))
    assert kept == "We decided to use SQLite for the store. … I prefer short answers."


def test_neighbours_keep_their_own_white_space() -> None:
    """Two sentences that stand side by side stay side by side."""
    text = "We decided to use Go.\nI prefer tabs. " + "What do you think about all of it then? " * 12
    assert memorable(text, StatementParams(100, 60)) == "We decided to use Go.\nI prefer tabs."


def test_one_endless_sentence_is_cut_at_the_limit() -> None:
    """There is always a text, and never one over the limit."""
    assert memorable("x" * 1000, StatementParams(10, 50)) == "x" * 50


def test_code_is_left_out_of_a_long_turn() -> None:
    """A fenced block is no statement."""
    text = "We decided to use Go.\n```\n" + "a = 1\n" * 100 + "```\n"
    assert memorable(text) == "We decided to use Go."


def test_requests_to_remember() -> None:
    """Said in so many words, in three languages; a question is none."""
    for text in (
        "Remember that I park in B2.",
        "Please remember: the code is blue.",
        "记住我住在北京",
        "Nhớ rằng tôi ăn chay",
    ):
        assert asks_to_remember(text)
        assert declarative(text)
    assert not asks_to_remember("Do you remember the code?")
    assert not asks_to_remember("I remember the old house.")


@given(st.text(alphabet="aI ?.!\nwe decided`", max_size=900), st.integers(1, 300), st.integers(1, 300))
def test_every_word_is_the_persons_own(text: str, verbatim: int, longest: int) -> None:
    """What is kept is made of slices of the turn, in order, within the limit."""
    kept = memorable(text, StatementParams(verbatim, longest))
    assert len(kept) <= max(verbatim, longest)
    at = 0
    for part in kept.split(" … "):
        found = text.find(part, at)
        assert found >= 0
        at = found + len(part)
