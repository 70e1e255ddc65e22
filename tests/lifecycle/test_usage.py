"""Was a memory used, and is the person calling it wrong: careful in both, in several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle.usage import UsageParams, meant, objects, used_in

P = UsageParams()

USED = [
    ("My sister Linh lives in Da Nang.", "Where does my sister live?", "Your sister Linh lives in Da Nang."),
    ("We deploy on Fridays.", "When do we deploy?", "You deploy on Fridays, so wait until tomorrow."),
    ("Our staging port is 7443.", "Which port is staging on?", "It listens on 7443."),
    (
        "The loader lives in src/load/reader.py.",
        "Where is the loader?",
        "Open `src/load/reader.py` and look at the top.",
    ),
    (
        "I prefer short answers without bullet points.",
        "Explain TCP.",
        "In short: no bullet points, as you like it. TCP resends.",
    ),
    (
        "We decided to use Postgres because of its window functions.",
        "Which database?",
        "Postgres, for its window functions.",
    ),
    ("我住在上海浦东", "我住在哪里?", "你住在上海浦东。"),
    ("Em gái tôi sống ở Đà Nẵng.", "Em tôi ở đâu?", "Em gái của bạn sống ở Đà Nẵng."),
]


@pytest.mark.parametrize(("memory", "asked", "answer"), USED)
def test_what_comes_back_was_used(memory: str, asked: str, answer: str) -> None:
    """A name, an identifier, a number, or several words together that the question did not hold."""
    assert used_in(memory, [asked], answer, P)


UNUSED = [
    # An answer that only repeats the question.
    (
        "My sister Linh lives in Da Nang.",
        "Where does my sister Linh live?",
        "I do not know where your sister Linh lives.",
    ),
    # Another thing of the same subject.
    ("Server A runs Postgres 15.", "Is Server A up?", "Server A is up since Monday."),
    ("Linh works at Harbor.", "When is Linh's flight?", "Her flight leaves at nine."),
    ("Our staging port is 7443.", "Is staging up?", "Staging is up; the port is open."),
    (
        "I prefer short answers without bullet points.",
        "How do I bake bread?",
        "Mix flour and water. Wait. Bake it for a short while.",
    ),
    ("We deploy on Fridays.", "What is a mutex?", "A lock that one thread holds at a time."),
    # Words that are far apart in a long answer.
    (
        "I like hiking in the mountains at dawn.",
        "Plan my day.",
        "Start at dawn with a coffee. Then read mail. "
        + "Work on the report. " * 50
        + "Later, look at pictures of mountains.",
    ),
    # A small number proves nothing.
    (
        "The team has 15 people.",
        "How long is the film?",
        "It takes 15 minutes to the cinema, and the film is long.",
    ),
    ("我住在上海浦东", "今天天气怎么样?", "今天天气很好。"),
    ("", "x", "y"),
    ("We use Go.", "", ""),
]


@pytest.mark.parametrize(("memory", "asked", "answer"), UNUSED)
def test_chance_is_no_use(memory: str, asked: str, answer: str) -> None:
    """The question's own words, the subject alone, scattered words and small numbers prove nothing."""
    assert not used_in(memory, [asked], answer, P)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "That's wrong.",
            "No, that's not true any more.",
            "that is not right",
            "Nope, this isn't correct",
            "Wrong!",
            "You're wrong, it is blue",
        ),
        *(
            "No, it is no longer the case.",
            "Nein, das stimmt nicht.",
            "Das ist nicht mehr aktuell",
            "Falsch!",
            "Stimmt nicht, es ist blau.",
        ),
        *(
            "Non, c'est faux.",
            "Ce n'est plus vrai.",
            "No, eso no es cierto",
            "Eso ya no es así",
            "sai rồi",
            "Không, điều đó không đúng nữa",
        ),
        *("不对，是蓝色", "你说错了", "それは違います"),
    ],
)
def test_objections(text: str) -> None:
    """In eight languages, at the beginning of a turn."""
    assert objects(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "That's right.",
            "Is that wrong?",
            "I was wrong about the tests.",
            "The build is wrong, fix it.",
            "Nothing is wrong.",
            "No problem!",
        ),
        *(
            "Das stimmt.",
            "Was ist falsch?",
            "C'est vrai.",
            "对",
            "đúng rồi",
            "What is wrong with this test?",
            "No, use tabs.",
            "",
            "no",
        ),
        "The second test asserts that's wrong.",
    ],
)
def test_no_objections(text: str) -> None:
    """Agreement, questions, other faults and other wishes are none."""
    assert not objects(text)


def test_which_memory_is_meant() -> None:
    """The only one that was used, else the one whose words the objection holds; nobody guesses."""
    two = ["My sister Linh lives in Da Nang.", "Our staging port is 7443."]
    assert meant("That's wrong.", two[:1]) == 0
    assert meant("That's wrong.", two) is None
    assert meant("That's wrong, Linh moved.", two) == 0
    assert meant("No, that's not the staging port.", two) == 1
    assert meant("That's wrong.", []) is None


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=300))
def test_total(memory: str, asked: str, answer: str) -> None:
    """Any texts have an answer; an empty answer uses nothing; an objection is found in linear time."""
    used_in(memory, [asked], answer, P)
    assert not used_in(memory, [asked], "", P)
    objects(answer)


def test_what_the_question_holds_proves_nothing() -> None:
    """A memory that is wholly in the question cannot be told to have been used."""
    text = "My sister Linh lives in Da Nang."
    assert not used_in(text, [text], text, P)


def test_a_megabyte_is_read_in_time() -> None:
    """Only the beginning of an answer is looked at (lessons C67)."""
    assert not used_in("The loader is in src/x.py.", [""], "no wrong " * 120_000, P)
    assert not objects("no, " * 250_000)
