"""Whom a question asks about, of those who were there."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.question import Question, read_question
from libra.engine.scopes import visible
from libra.ground.records import NewTurn, Role
from tests.engine.conftest import ME, settle


def asked(engine: Engine, deps: Deps, query: str) -> Question:
    """Return a question to a store in which Linh and Tom have spoken."""
    engine.ingest(
        who=ME,
        turns=[
            NewTurn(Role.USER, "The boat is in the yard.", None, "e1", speaker="Linh"),
            NewTurn(Role.ASSISTANT, "Then it rains in.", None, "e2", speaker="Tom"),
        ],
    )
    settle(engine)
    with deps.store.snapshot() as snapshot:
        return read_question(deps, snapshot, query, visible(deps, ME), Deadline.after(10_000), [])


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ("Where does Linh keep the boat?", {"linh"}),
        ("What did Tom tell Linh about the rain?", {"tom"}),
        ("What does Linh think of Tom's roof?", {"linh"}),
        ("Which of Tom's boats does Linh like?", {"linh"}),
        ("What do Linh and Tom mend?", set()),
        ("Do both mend the boat, Tom as well as Linh?", set()),
        ("Who keeps the boat?", set()),
    ],
)
def test_a_question_that_names_two_asks_about_the_first(
    engine: Engine, deps: Deps, query: str, about: set[str]
) -> None:
    """Without it, whoever is named beside somebody else is not asked about at all: every tenth question of two people's talk."""
    found = asked(engine, deps, query)
    assert found.speakers == about
    assert not {"linh", "tom"} & set(found.terms.words)


def test_a_question_of_names_alone_is_searched_as_it_is(engine: Engine, deps: Deps) -> None:
    """There is nothing else to search for."""
    assert asked(engine, deps, "Linh?").terms.words == ("linh",)
    assert set(asked(engine, deps, "Linh Tom").terms.words) == {"linh", "tom"}


def test_a_question_for_an_answer_of_then_is_known(engine: Engine, deps: Deps) -> None:
    """The agent's own turns give way to the person's, except where it is asked what it said."""
    assert asked(engine, deps, "What did you recommend for the boat?").reply
    assert not asked(engine, deps, "What do you recommend for the boat?").reply
