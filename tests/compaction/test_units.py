"""A question and its answer stay together; a long summary says first what it is about."""

from __future__ import annotations

import numpy as np

from libra.compaction.extract import summarise
from libra.compaction.header import header, without_header
from libra.compaction.pieces import Grain, cut
from libra.compaction.turns import ClusterTurn
from libra.compaction.units import UnitParams, closure
from libra.ground.records import Role
from libra.inference.fake import FakeEmbedder

FAKE = FakeEmbedder(dims=64)
ASKED = [
    ClusterTurn("The pump stops every night. Which valve do we close first?", Role.USER),
    ClusterTurn("The blue one. Then the main valve in the yard is closed by hand.", Role.ASSISTANT),
    ClusterTurn("Good, I will write that down for the night shift.", Role.USER),
]


def _closure(turns: list[ClusterTurn]) -> tuple[list[str], list[list[int]]]:
    pieces = cut([t.text for t in turns], Grain.SENTENCE)
    rows = closure(pieces, turns, UnitParams())
    return [p.text for p in pieces], [[int(k) for k in np.flatnonzero(row)] for row in rows]


def test_a_question_brings_its_answer() -> None:
    """A summary that keeps only the question tells nothing; "The blue one." alone is a riddle."""
    texts, rows = _closure(ASKED)
    question, answer = texts.index("Which valve do we close first?"), texts.index("The blue one.")
    assert rows[question] == [question, answer] == rows[answer]
    assert rows[0] == [0]


def test_a_full_answer_stands_alone() -> None:
    """An answer in full words need not cost its question's tokens."""
    turns = [ASKED[0], ClusterTurn("First the blue valve beside the boiler is closed.", Role.ASSISTANT)]
    texts, rows = _closure(turns)
    assert rows[-1] == [len(texts) - 1]
    assert len(rows[1]) == 2


def test_only_somebody_else_answers() -> None:
    """A person who goes on talking has not answered, and a tool's output is no answer."""
    for other in (ClusterTurn("The blue one.", Role.USER), ClusterTurn("The blue one.", Role.TOOL)):
        _, rows = _closure([ASKED[0], other])
        assert all(row == [k] for k, row in enumerate(rows))


def test_a_clause_of_a_question_brings_the_answer_too() -> None:
    """However finely a question is cut, no part of it stands without the answer."""
    asked = ClusterTurn("Which valve do we close first, when the pump has stopped at night again?", Role.USER)
    pieces = cut([asked.text, ASKED[1].text], Grain.CLAUSE)
    rows = closure(pieces, [asked, ASKED[1]], UnitParams())
    answer = next(k for k, p in enumerate(pieces) if p.turn == 1)
    assert sum(p.turn == 0 for p in pieces) > 1
    assert all(rows[k][answer] for k, p in enumerate(pieces) if p.turn == 0)


def test_summaries_hold_no_bare_question() -> None:
    """What is chosen under a budget obeys the bond."""
    filler = [
        ClusterTurn(f"The harbour shed number {n} got a new roof of tin.", Role.ASSISTANT) for n in range(3)
    ]
    made = summarise([*ASKED, *filler], FAKE.embed_texts)
    assert made is not None
    assert ("Which valve" in made.text) == ("The blue one" in made.text)


def test_the_header_names_what_is_shared() -> None:
    """Words of at least three turns, as they were written; the summary above a summary does not repeat it."""
    turns = [
        ClusterTurn(f"The Käseglocke in hall {n} is broken, and nobody saw it.", Role.USER) for n in range(4)
    ]
    line = header(turns, [t.text for t in turns])
    assert "Käseglocke" in line
    assert without_header(f"{line}User: it broke.") == "User: it broke."
    assert without_header("About nothing at all") == "About nothing at all"
    assert header(turns[:2], [t.text for t in turns[:2]]) == ""
    lower = [f"Anna: Hall {n} has a new door. Bert: Yes, and the door is red." for n in range(4)]
    line = header([ClusterTurn(text) for text in lower], lower)
    assert "door" in line
    assert "Anna" not in line
    assert "Bert" not in line
