"""What a conversation was shown a moment ago is not shown again, unless it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.core import Engine
from libra.ground.records import Who
from tests.engine.conftest import ME, assistant, settle, user

FACT = "We decided that the relay in the harbour listens on port 7443."
ABOUT = "How is the harbour doing these days, anything new there?"


@pytest.fixture
def talk(engine: Engine) -> Engine:
    """Return an engine in the middle of a conversation, with something to recall from an older one."""
    engine.ingest(who=Who("me", session="old"), turns=[user(FACT), assistant("Noted.")])
    engine.ingest(who=ME, turns=[user("Let us look at the dashboard."), assistant("Which colour?")])
    settle(engine)
    return engine


def ask(engine: Engine, query: str, who: Who = ME) -> dict[str, Any]:
    """Assemble, and wait until its receipt is written."""
    answer = engine.assemble(who=who, query=query, budget_tokens=2000, explain=True)
    engine.deps.store.write(lambda _: None).result()
    return answer


def test_it_is_held_back_and_said_so(talk: Engine) -> None:
    """The second question about something near does not bring the same line once more."""
    assert FACT in ask(talk, "On which port does the harbour relay listen?")["text"]
    again = ask(talk, ABOUT)
    assert FACT not in again["text"]
    held = [i for i in again["left_out"] if i["left_out"] == "shown a few turns ago"]
    assert [i["kind"] for i in held] == ["memory"]


@pytest.mark.parametrize(
    "query",
    [
        "On which port does the harbour relay listen?",
        "Which port did the relay use again?",
        "Do you remember the harbour?",
        "What was it with 7443?",
        "The relay listens where in the harbour?",
    ],
)
def test_asked_for_it_comes_again(talk: Engine, query: str) -> None:
    """The same question, its words, its number, or "remember": what is asked for is answered."""
    ask(talk, "On which port does the harbour relay listen?")
    assert FACT in ask(talk, query)["text"]


def test_after_some_questions_it_comes_again(talk: Engine) -> None:
    """What was said long ago has scrolled away."""
    ask(talk, "On which port does the harbour relay listen?")
    for number in range(talk.deps.params.recall.repeat_after):
        ask(talk, f"Tell me about the weather of mountain {number}, please.")
    assert FACT in ask(talk, ABOUT)["text"]


def test_another_conversation_is_not_concerned(talk: Engine) -> None:
    """Each conversation is shown what it needs."""
    ask(talk, "On which port does the harbour relay listen?")
    other = Who("me", session="s2")
    talk.ingest(who=other, turns=[user("Let us look at the dashboard.")])
    assert FACT in ask(talk, ABOUT, other)["text"]


def test_without_a_conversation_nothing_is_held_back(talk: Engine) -> None:
    """A caller that only asks, and keeps no session here, gets what there is each time."""
    alone = Who("me", session="asker")
    ask(talk, "On which port does the harbour relay listen?", alone)
    assert FACT in ask(talk, ABOUT, alone)["text"]
