"""The app is killed in the middle of compactions, again and again, and nothing is lost or doubled."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.e2e.killing import KILLS, one_round, small_app
from tests.e2e.nursery import Nursery

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROUNDS = 3


def test_killed_three_times_a_round(data_dir: Path, nursery: Nursery) -> None:
    """A battery that dies while Libra tidies up costs no word, and no summary stands twice."""
    running = small_app(data_dir, nursery)
    rng = random.Random(11)
    try:
        running.start()
        left = [one_round(running, number, rng) for number in range(ROUNDS)]
    finally:
        running.kill()
    assert all(one.summaries == 4 for one in left)
    assert all(one.guidance > 0 for one in left)
    assert sum(one.hits for one in left) >= ROUNDS * KILLS // 3
