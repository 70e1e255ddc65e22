"""Pairs, feelings and passing facts that were written before anything was fitted to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from libra.ground.records import MemoryType, Role
from libra.lifecycle.claims import claim
from libra.lifecycle.supersede import contradicts
from libra.lifecycle.types import detect
from libra.lifecycle.volatile import is_volatile

SET = Path(__file__).resolve().parents[1] / "data" / "lifecycle"


def rows(name: str) -> list[list[str]]:
    """Return the rows of one list, the label first."""
    return [line.split("\t") for line in (SET / name).read_text(encoding="utf-8").splitlines()]


def test_no_unrelated_fact_is_closed_and_most_changes_are_seen() -> None:
    """What is closed wrongly is lost to recall; a change that goes unseen leaves two answers (C92)."""
    said = []
    for label, before, after in rows("pairs.tsv"):
        old, new = claim(before), claim(after)
        said.append((label, old is not None and new is not None and contradicts(new, old)))
    assert said.count(("keeps", True)) == 0
    assert said.count(("closes", True)) >= 23


@pytest.mark.parametrize(("name", "least"), [("pairs_later.tsv", 23), ("pairs_third.tsv", 12)])
def test_ends_and_moves_are_seen_and_nothing_else_is_closed(name: str, least: int) -> None:
    """Else "I'm no longer allergic to cats" would leave the allergy in every prompt, or end that of the son."""
    said = []
    for label, before, after in rows(name):
        old, new = claim(before), claim(after)
        said.append((label, old is not None and new is not None and contradicts(new, old)))
    assert said.count(("keeps", True)) == 0
    assert said.count(("closes", True)) >= least


def test_most_feelings_about_a_task_are_no_preference() -> None:
    """An outburst about a failing test would be kept as a taste (C36)."""
    found = [
        (label, detect(text, Role.USER, 0.0, 0.0) is MemoryType.PREFERENCE)
        for label, text in rows("feelings.tsv")
    ]
    assert found.count(("emotion", True)) == 0
    assert found.count(("preference", True)) >= 12


@pytest.mark.parametrize("name", ["feelings_later.tsv", "feelings_third.tsv"])
def test_tastes_in_other_words_are_heard_and_likings_of_a_draft_are_not(name: str) -> None:
    """Of "I prefer your first version" and "nothing beats a cold shower" only the second is about the person (C36)."""
    found = [
        (label, detect(text, Role.USER, 0.0, 0.0) is MemoryType.PREFERENCE) for label, text in rows(name)
    ]
    assert found.count(("emotion", True)) == 0
    assert found.count(("preference", True)) >= 0.9 * (
        found.count(("preference", True)) + found.count(("preference", False))
    )


def test_passing_facts_are_told_from_lasting_ones() -> None:
    """A port recalled as of last year would mislead; a birthplace with a date beside it would be odd (C34)."""
    found = [(label, is_volatile(text)) for label, text in rows("passing.tsv")]
    assert found.count(("passing", True)) >= 15
    assert found.count(("lasting", True)) <= 1
