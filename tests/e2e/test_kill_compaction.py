"""The app is killed in the middle of compactions, again and again, and nothing is lost or doubled."""

from __future__ import annotations

import random

import pytest

from tests.e2e.killing import KILLS, one_round
from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.slow]

ROUNDS = 3


def test_killed_three_times_a_round(running: Running) -> None:
    """A battery that dies while Libra tidies up costs no word, and no summary stands twice."""
    running.start()
    rng = random.Random(11)
    left = [one_round(running, number, rng) for number in range(ROUNDS)]
    assert all(one.summaries == 4 for one in left)
    assert all(one.guidance > 0 for one in left)
    assert sum(one.hits for one in left) >= ROUNDS * KILLS // 3
