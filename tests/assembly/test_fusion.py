"""Fusion: one relevance out of vectors, words and names."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from libra.assembly.fusion import Evidence, FusionParams, relevance, unrelated
from libra.ground.records import Kind
from tests.assembly.fakes import FakeItem


def evidence(n: int, **given: list[float]) -> Evidence:
    """Return evidence with zeros where nothing is given."""
    return Evidence(
        cosine=np.array(given.get("cosine", [0.1] * n), dtype=float),
        lexical=np.array(given.get("lexical", [0.0] * n), dtype=float),
        coverage=np.array(given.get("coverage", [0.0] * n), dtype=float),
        exact=np.array(given.get("exact", [0.0] * n), dtype=float),
        asked_speaker=np.array(given.get("speaker", [0] * n), dtype=bool),
        in_window=np.array(given.get("window", [0] * n), dtype=bool),
    )


def items(n: int) -> list[FakeItem]:
    """Return turns of different sessions, so that no neighbour helps another."""
    return [FakeItem(i, uid=f"u{i}", session_id=i, seq=1) for i in range(n)]


def test_empty_pool() -> None:
    """No candidates, no scores, no error."""
    assert relevance([], evidence(0), FusionParams()).shape == (0,)


def test_an_identifier_is_never_lost_behind_neighbours() -> None:
    """One turn holds the asked hash; fifty are semantically nearer. The hash wins."""
    n = 51
    cosine = [0.45] * 50 + [0.05]
    exact = [0.0] * 50 + [1.2]
    got = relevance(items(n), evidence(n, cosine=cosine, exact=exact), FusionParams())
    assert int(got.argmax()) == 50


def test_missing_vectors_are_neutral() -> None:
    """A turn whose vector is not there yet can still be found by its words."""
    got = relevance(
        items(3), evidence(3, cosine=[math.nan, 0.2, 0.1], lexical=[9.0, 0.0, 0.0]), FusionParams()
    )
    assert int(got.argmax()) == 0
    assert np.isfinite(got).all()


def test_a_turn_earns_from_its_neighbour() -> None:
    """The answer next to a found question ranks above an equal turn elsewhere."""
    turns = [
        FakeItem(0, uid="q", session_id=1, seq=1),
        FakeItem(1, uid="a", session_id=1, seq=2),
        FakeItem(2, uid="far", session_id=2, seq=9),
    ]
    got = relevance(turns, evidence(3, cosine=[0.7, 0.1, 0.1]), FusionParams())
    assert got[1] > got[2]


def test_a_question_about_nothing_stored_scores_low() -> None:
    """With no near vector, no covered word and no name, even the best stays under half."""
    got = relevance(items(40), evidence(40, cosine=list(np.linspace(-0.05, 0.14, 40))), FusionParams())
    assert got.max() < 0.5


def test_named_speaker_leads() -> None:
    """A question that names a speaker prefers what that person said."""
    got = relevance(items(2), evidence(2, cosine=[0.5, 0.4], speaker=[0, 1]), FusionParams())
    assert got[1] > got[0]


def test_a_memory_stands_where_its_turn_stood() -> None:
    """A memory that took its turn's place still lifts the answer beside it, and is lifted by it."""
    stored = [
        FakeItem(0, uid="told", kind=Kind.MEMORY, session_id=1, seq=1),
        FakeItem(1, uid="beside", session_id=1, seq=2),
        FakeItem(2, uid="far", session_id=2, seq=9),
    ]
    got = relevance(stored, evidence(3, cosine=[0.7, 0.1, 0.1]), FusionParams())
    assert got[1] > got[2]


def test_what_was_only_asked_gives_way_to_what_was_told() -> None:
    """Of two turns as near to the question, the one that tells something leads, not the one that asks."""
    stored = [
        FakeItem(0, uid="asks", text="Where did you go on holiday?", tokens=30, session_id=1, seq=1),
        FakeItem(1, uid="tells", text="We went to the lake on holiday.", tokens=30, session_id=2, seq=1),
        FakeItem(2, uid="thanks", text="Thanks, a holiday!", tokens=4, session_id=3, seq=1),
    ]
    got = relevance(stored, evidence(3, cosine=[0.5, 0.5, 0.5]), FusionParams())
    assert int(got.argmax()) == 1


def test_a_long_turn_may_end_with_a_question() -> None:
    """Who tells an agent much and then asks for help has told it: nothing is taken from that."""
    stored = [
        FakeItem(0, uid="asks", text="It fails with a time-out. Why?", tokens=200, session_id=1, seq=1),
        FakeItem(1, uid="tells", text="It fails with a time-out.", tokens=200, session_id=2, seq=1),
    ]
    got = relevance(stored, evidence(2, cosine=[0.5, 0.5]), FusionParams())
    assert got[0] == got[1]


def test_a_long_answer_earns_less_for_the_same_words() -> None:
    """A page of advice holds many words of any question: it would stand before the line that answers."""
    pair = [
        FakeItem(0, uid="a", session_id=1, seq=1, tokens=400),
        FakeItem(1, uid="b", session_id=2, seq=1, tokens=60),
    ]
    found = evidence(2, lexical=[8.0, 8.0])
    long, short = relevance(pair, found, FusionParams()).tolist()
    assert short > long
    long, short = relevance(pair, found, FusionParams(lexical_length=0.0)).tolist()
    assert short == long


def test_what_the_agent_recommended_stands_beside_the_persons_question() -> None:
    """Asked what it recommended, an agent would be shown that it was asked, and not what it said."""
    talk = [
        FakeItem(0, uid="asked", role="user", session_id=1, seq=1, tokens=60),
        FakeItem(1, uid="answered", role="assistant", session_id=2, seq=1, tokens=60),
    ]
    found = evidence(2, cosine=[0.4, 0.41])
    person, agent = relevance(talk, found, FusionParams()).tolist()
    assert person > agent
    person, agent = relevance(talk, replace(found, reply_asked=True), FusionParams()).tolist()
    assert agent > person


def test_what_names_something_leads_where_a_name_is_asked_for() -> None:
    """Asked "Which cities has he been to?", it would find who likes cities, and not the city that was named in passing."""
    talk = items(3)
    found = evidence(3, cosine=[0.41, 0.4, 0.4])
    about, named, _ = relevance(talk, found, FusionParams()).tolist()
    assert about > named
    asked = replace(found, names=np.array([False, True, False]))
    about, named, _ = relevance(talk, asked, FusionParams()).tolist()
    assert named > about


def test_where_everything_holds_a_name_it_tells_nothing() -> None:
    """In technical talk, and in German, every line has its capitals: the order stays what it was."""
    found = replace(evidence(3, cosine=[0.41, 0.4, 0.3]), names=np.array([True, True, True]))
    assert relevance(items(3), found, FusionParams()).argsort().tolist() == [2, 1, 0]


def test_what_is_about_something_else_is_known() -> None:
    """Among seven memories each question brought all seven into the prompt: tabs and spaces when a database was asked about."""
    talk = [FakeItem(i, uid=f"u{i}", session_id=1 if i < 3 else i, seq=i + 1) for i in range(7)]
    cosine = [0.7, 0.0, 0.0, 0.0, math.nan, 0.01, 0.2]
    found = evidence(7, cosine=cosine, lexical=[0, 0, 0, 2.0, 0, 0, 0])
    # Beside the answer, with a word of the question, without a vector, near enough: all but one have something for them.
    assert unrelated(talk, found, FusionParams()).tolist() == [False, False, False, False, False, True, False]
    timed = replace(found, in_window=np.ones(7, dtype=bool))
    assert not unrelated(talk, timed, FusionParams()).any()
    assert not unrelated([], evidence(0), FusionParams()).any()
