"""Runs of commands that sessions repeat."""

from __future__ import annotations

import pytest

from libra.lifecycle.prune import Kept, PruneParams, why
from libra.lifecycle.workflows import commands, frequent

_DAY = 86_400_000


def test_commands_lose_what_differs_each_time() -> None:
    """The same step with another message or path would be another step, and no run ever repeat."""
    text = 'First `git commit -m "one"` and then:\n$ git push origin main && npm run build\n$ pytest -q tests/a.py\nThen it works.'
    assert commands(text) == ["git commit", "git push", "npm run build", "pytest"]
    assert commands("We go to the harbour and make it work.") == []


def test_frequent_runs_are_whole_and_useful_first() -> None:
    """Parts of a run would be told beside it, or a chance meeting in one session be called a habit."""
    run = ["ruff check", "pytest", "git commit", "git push"]
    found = frequent([[*run], ["ls", *run], [*run, "ls"], ["pytest", "git commit"], ["ls", "cat"]], 3)
    assert [(w.steps, w.sessions) for w in found] == [(tuple(run), 3), (("pytest", "git commit"), 4)]
    assert found[0].places == (0, 1, 2)
    assert frequent([["a", "b"], ["a", "b"]], 3) == []
    assert frequent([["a", "a", "b"]] * 2, 2)[0].steps == ("a", "b")
    assert frequent([], 2) == []


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        (Kept(0.04, 31 * _DAY, 3, 2, 30, by_hand=False), "unsure"),
        (Kept(0.04, 29 * _DAY, 3, 2, 30, by_hand=False), None),
        (Kept(0.6, 61 * _DAY, 0, 1, 30, by_hand=False), "unused"),
        (Kept(0.6, 61 * _DAY, 1, 1, 30, by_hand=False), None),
        (Kept(0.6, 61 * _DAY, 0, 2, 30, by_hand=False), None),
        (Kept(0.6, 61 * _DAY, 0, 1, 85, by_hand=False), None),
        (Kept(0.0, 900 * _DAY, 0, 1, 0, by_hand=True), None),
    ],
)
def test_only_what_is_of_no_use_is_put_away(memory: Kept, reason: str | None) -> None:
    """A decision, or what a person weighed by hand, would vanish after sixty quiet days."""
    assert why(memory, PruneParams()) == reason
