"""Contradictions: same subject, same slot, other value; everything else is left alone (C92)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle.claims import claim, correction, subject_slot
from libra.lifecycle.supersede import Dated, Place, contradicts, interrupted, place, settle


def test_field_case_b22() -> None:
    """A-15 is superseded by A-17 only, B-16 stays."""
    assert subject_slot("Server A runs Postgres 15.") == ("server a", "runs postgres", "15")
    assert settle("Server B runs Postgres 16.", ["Server A runs Postgres 15."]).closes == ()
    known = ["Server B runs Postgres 16.", "Server A runs Postgres 15."]
    assert settle("Server A runs Postgres 17.", known).closes == (1,)


CLOSES = [
    ("my favourite colour is blue", "My favorite color is green now."),
    ("we use Postgres", "we switched to SQLite"),
    ("We use Postgres.", "We switched from Postgres to SQLite last week."),
    ("We use Webpack.", "We replaced Webpack with Vite."),
    ("We use Redis.", "We no longer use Redis."),
    ("Our staging host is zeta-9, port 7443.", "The staging host is zeta-10."),
    ("Our staging host is zeta-9.", "zeta-10 is our staging host now"),
    ("Server A's port is 80.", "The port of Server A is 8080."),
    ("Server A runs Postgres 15.", "We upgraded Server A to Postgres 17."),
    ("I live in Da Nang.", "I moved to Hue."),
    ("I prefer tabs.", "I prefer spaces over tabs."),
    ("I love coriander.", "I don't like coriander any more."),
    ("The release is on Friday.", "The release moved to Monday."),
    ("The plan costs 20 dollars.", "The plan costs 25 dollars."),
    ("The deploy is slow.", "Actually, the deploy is fast."),
    ("我最喜欢的颜色是蓝色", "我最喜欢的颜色是绿色"),
    ("我们用Postgres", "我们改用SQLite了"),
    ("我住在北京", "我现在住在上海"),
    ("Màu yêu thích của tôi là xanh", "Màu yêu thích của tôi là đỏ"),
    ("chúng tôi dùng Postgres", "chúng tôi đã chuyển sang SQLite"),
    ("tôi sống ở Đà Nẵng", "tôi sống ở Huế"),
]


@pytest.mark.parametrize(("old", "new"), CLOSES)
def test_a_new_value_closes_the_old_one(old: str, new: str) -> None:
    """In English, Chinese and Vietnamese."""
    assert settle(new, [old]).closes == (0,)


def test_an_introduction_is_no_part_of_the_subject() -> None:
    """What is to be remembered of Server A is about Server A, so that a later port closes it."""
    assert subject_slot("Remember that Server A's port is 80.") == ("server a", "port", "80")
    assert settle("Please note: Server A's port is 81.", ["Remember that Server A's port is 80."]).closes == (
        0,
    )


STAYS = [
    ("we use Postgres", "We use SQLite."),
    ("we use Postgres", "We use SQLite for tests now."),
    ("we use React", "we switched to SQLite"),
    ("We use Redis.", "We no longer use Postgres."),
    ("My sister Linh lives in Da Nang.", "I live in Hue."),
    ("Server A's port is 80.", "Server B's port is 8080."),
    ("My sister is a nurse.", "My sister is in Hue."),
    ("my favourite colour is blue", "my favourite food is noodles"),
    ("my favourite colour is blue", "What is my favourite colour?"),
    ("my favourite colour is blue", "If my favourite colour was green, would it show?"),
    ("my favourite colour is blue", "My favourite colour is blue."),
    ("The deploy is slow.", "The deploy is manual."),
    ("I love coriander.", "I love tea."),
    ("The API supports paging.", "The UI looks dated."),
    ("The web team's deploy day is Friday.", "The web team's lead is Priya."),
    ("My sister's car is red.", "My sister's dog is old."),
    ("The server’s name was zeta.", "The server’s owner is Priya."),
    ("The web team's server runs Postgres 15.", "The web team's lead is Priya."),
]


@pytest.mark.parametrize(("old", "new"), STAYS)
def test_unrelated_statements_close_nothing(old: str, new: str) -> None:
    """Another subject, another slot, a question, the same value, or no word of change in an open slot."""
    assert settle(new, [old]).closes == ()


CORRECTIONS = [
    (
        "my favourite colour is blue",
        "actually it is green",
        "my favourite colour — actually it is green",
        "green",
    ),
    ("Our staging port is 7443.", "No, 8443.", "Our staging port — No, 8443.", "8443"),
    (
        "My sister Linh lives in Da Nang.",
        "It's Hue, not Da Nang",
        "My sister Linh lives in — It's Hue, not Da Nang",
        "hue",
    ),
    ("我最喜欢的颜色是蓝色", "其实是绿色", "我最喜欢的颜色 — 其实是绿色", "绿色"),
    ("Màu yêu thích của tôi là xanh", "thực ra là đỏ", "Màu yêu thích của tôi — thực ra là đỏ", "đỏ"),
]


@pytest.mark.parametrize(("old", "new", "text", "value"), CORRECTIONS)
def test_a_bare_correction_is_about_what_was_said_before(old: str, new: str, text: str, value: str) -> None:
    """It is kept with the words that it is about, closes them, and can be superseded in its turn."""
    settled = settle(new, ["The weather is nice here.", old])
    assert (settled.text, settled.closes, settled.about) == (text, (1,), 1)
    assert settled.claim is not None
    assert settled.claim.value == value
    again = claim(settled.text)
    assert again is not None
    assert (again.subject, again.slot, again.value) == (settled.claim.subject, settled.claim.slot, value)


@pytest.mark.parametrize(
    "text",
    ["actually it is fun", "it is green", "thanks", "No, I like it.", "it's working now", "Is it green?", ""],
)
def test_what_is_no_correction(text: str) -> None:
    """Opinions, plain statements and questions give no new value."""
    assert settle(text, ["my favourite colour is blue"]).closes == ()


def test_a_correction_needs_a_value_of_the_same_kind() -> None:
    """A number does not correct a colour; without anything to correct nothing happens."""
    assert settle("actually it is 8443", ["my favourite colour is blue"]).closes == ()
    assert settle("actually it is green", []).claim is None
    assert correction("actually it is green") is not None


@given(st.text(max_size=300), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_is_survived(text: str, known: list[str]) -> None:
    """No input raises; what is closed is an index into what was known."""
    settled = settle(text, known)
    assert all(0 <= i < len(known) for i in settled.closes)


@given(
    st.sampled_from([t for pair in (*CLOSES, *STAYS) for t in pair]),
    st.sampled_from([t for pair in CLOSES for t in pair]),
)
def test_nothing_closes_itself_and_subjects_decide(a: str, b: str) -> None:
    """A claim never contradicts itself, and never one about another subject or slot."""
    one, other = claim(a), claim(b)
    if one is None or other is None:
        return
    assert not contradicts(one, one)
    if (one.subject, one.slot) != (other.subject, other.slot):
        assert not contradicts(one, other)


def _told(text: str, from_ms: int, to_ms: int | None = None) -> Dated:
    return Dated(claim(text), from_ms, to_ms)


_HANOI, _DA_NANG, _HUE = "I live in Hanoi.", "I live in Da Nang.", "I live in Hue."


@pytest.mark.parametrize(
    ("text", "at", "line", "want"),
    [
        (_DA_NANG, 20, [_told(_HANOI, 10)], Place((0,))),
        (_HANOI, 10, [_told(_DA_NANG, 20)], Place((), 0)),
        (_DA_NANG, 20, [_told(_HANOI, 10, 30), _told(_HUE, 30)], Place((0,), 1)),
        (_HANOI, 30, [_told(_HANOI, 10, 20), _told(_DA_NANG, 20)], Place((1,))),
        (_HANOI, 10, [_told(_DA_NANG, 20, 30), _told(_HANOI, 30)], Place((), 0)),
        (_HUE, 25, [_told(_HANOI, 10, 20), _told(_DA_NANG, 20)], Place((1,))),
        (_HANOI, 25, [_told("The weather is nice.", 10), _told(_HANOI, 10)], Place()),
        ("We use Postgres.", 10, [_told("We switched from Postgres to SQLite.", 20)], Place((), 0)),
        ("We use Postgres.", 10, [_told("We use SQLite.", 20)], Place()),
        ("We use Redis.", 10, [_told("We no longer use Redis.", 20)], Place((), 0)),
        ("Server B runs Postgres 16.", 20, [_told("Server A runs Postgres 15.", 10)], Place()),
    ],
)
def test_a_statement_finds_its_place_in_time(text: str, at: int, line: list[Dated], want: Place) -> None:
    """In whatever order history is read, each statement holds from its telling to its successor's."""
    made = claim(text)
    assert made is not None
    assert place(made, at, line) == want


def test_the_same_again_after_something_else_is_another_period() -> None:
    """Hanoi, Da Nang, Hanoi: the first Hanoi is no earlier telling of the last one."""
    hanoi = claim(_HANOI)
    assert hanoi is not None
    line = [_told(_DA_NANG, 20, 30), _told(_HANOI, 30)]
    assert interrupted(hanoi, 10, 30, line)
    assert not interrupted(hanoi, 25, 30, line)
    assert not interrupted(hanoi, 10, 30, line[1:])
