"""Ranking: what stands above what, all else equal."""

from __future__ import annotations

import numpy as np

from libra.assembly.ranker import RankParams, order, rank
from libra.ground.records import Kind, Who
from tests.assembly.fakes import FakeItem


def test_a_named_turn_is_not_passed_by_a_note() -> None:
    """A turn of another session that holds the asked identifier stands above a note that is merely alike."""
    items = [
        FakeItem(0, uid="note", kind=Kind.LORE, session_id=None, session_key=None, scope="user:u"),
        FakeItem(1, uid="turn", session_id=2, session_key="other", scope="session:other"),
    ]
    close = np.array([0.80, 0.85])
    who = Who("u", session="mine")
    assert order(rank(items, close, who, 10**12, RankParams(), [False, True]), items) == [1, 0]
    assert order(rank(items, close, who, 10**12, RankParams()), items) == [0, 1]
