"""The app is killed under everything at once, a few times; ``bench/crash.py`` does it two hundred times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.crashing import Crash
from tests.e2e.nursery import ForkedLibra, Nursery

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROUNDS = 4


def test_killed_under_a_mixed_load(data_dir: Path, nursery: Nursery) -> None:
    """The power fails while agents talk: what was answered is there once, what was forgotten stays so, no file is read past."""
    running = ForkedLibra(data_dir, nursery)
    rounds = Crash.of(running, seed=8)
    try:
        for _ in range(ROUNDS):
            rounds.round(rounds.rng.randrange(10, 50))
    finally:
        running.kill()
    assert rounds.ledger.turns
    assert rounds.ledger.read
    assert rounds.ledger.gone
    assert rounds.told.done["backup"]
