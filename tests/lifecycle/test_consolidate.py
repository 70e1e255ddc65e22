"""Duplicates: equal after normalising, or near with the same particulars."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle.claims import claim
from libra.lifecycle.consolidate import ConsolidateParams, content_hash, near_duplicate

P = ConsolidateParams()


@pytest.mark.parametrize(
    "other",
    [
        "my sister  Linh lives in Da Nang",
        "My sister Linh lives in Da Nang!",
        " - My sister Linh lives in Da Nang.\n",
        "Remember that my sister Linh lives in Da Nang.",
        "MY SISTER LINH LIVES IN DA NANG…",
    ],
)
def test_same_content(other: str) -> None:
    """Case, white space, edges and an introduction make no other memory."""
    assert content_hash(other) == content_hash("My sister Linh lives in Da Nang.")


def test_other_content() -> None:
    """Accents and words do; texts of signs only keep their own hash."""
    assert content_hash("bán") != content_hash("ban")
    assert content_hash("port 80") != content_hash("port 81")
    assert content_hash("我住在北京。") == content_hash("我住在北京")
    assert content_hash("?!") != content_hash("...")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("The deploy window is Friday evening.", "The deploy window is on Friday evening.", True),
        ("We keep the logs for 30 days.", "Logs are kept for 30 days.", True),
        ("We keep the logs for 30 days.", "We keep the logs for 90 days.", False),
        ("We keep the logs for two weeks.", "We keep the logs for three weeks.", False),
        ("The API supports paging.", "The API does not support paging.", False),
        ("I never drink coffee.", "I drink coffee.", False),
        ("Linh reviews the parser.", "Huy reviews the parser.", False),
        ("The parser is reviewed by Linh.", "The parser is reviewed by Huy.", False),
        ("my favourite colour is blue", "my favourite colour is green", False),
        ("my favourite colour is blue", "My favorite color is blue.", True),
        ("Server A runs Postgres 15.", "Server B runs Postgres 15.", False),
        ("The config is in etc/app.yaml", "The config is in etc/web.yaml", False),
        ("我住在北京", "我不住在北京", False),
        ("Tôi thích cà phê", "Tôi không thích cà phê", False),
    ],
)
def test_near_duplicates_agree_in_particulars(a: str, b: str, same: bool) -> None:  # noqa: FBT001 - a table of cases
    """Numbers, negation, names, identifiers and slots must be the same (C21)."""
    assert near_duplicate(a, b, 0.97, P) is same
    assert near_duplicate(b, a, 0.97, P) is same


def test_far_texts_are_no_duplicates() -> None:
    """Below the nearness, and for a cosine that is no number, nothing is one."""
    assert not near_duplicate("Go is nice here.", "Go is nice here.", 0.94, P)
    assert not near_duplicate("Go is nice here.", "Go is nice here.", float("nan"), P)


@given(st.text(max_size=200), st.text(max_size=200))
def test_symmetric_and_total(a: str, b: str) -> None:
    """Any two texts have an answer, the same both ways; a text is its own duplicate."""
    assert near_duplicate(a, b, 1.0, P) == near_duplicate(b, a, 1.0, P)
    assert near_duplicate(a, a, 1.0, P)
    assert content_hash(a) == content_hash(a)


@pytest.mark.parametrize("mood", [" 🙂", " 😀👍🏽", " :)", " ;-)", "! 🎉", " ☺️", ". ^^", " 🙂."])
def test_a_smile_is_no_other_content(mood: str) -> None:
    """B24: told with a smile is told again, not told otherwise; what is eaten, drunk or loved is content."""
    assert content_hash(f"My sister Linh lives in Da Nang{mood}") == content_hash(
        "My sister Linh lives in Da Nang."
    )
    assert claim(f"My sister lives in Hue{mood}") == claim("My sister lives in Hue.")
    assert content_hash("I like 🍕") != content_hash("I like 🍺")
    assert content_hash("🙂") != content_hash("😀")
