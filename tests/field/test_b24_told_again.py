"""B24: telling the same thing again confirms the memory, it never deletes or doubles it."""

from __future__ import annotations

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]

FACT = "My sister Linh lives in Da Nang."


def test_three_sessions_make_one_memory(running: Running) -> None:
    """One active memory, three confirmations, the same id all along."""
    running.start()
    ids = set()
    for number in range(1, 4):
        turn = {"id": f"t{number}", "role": "user", "content": FACT, "ts": f"2026-04-1{number}T09:00:00Z"}
        running.call("ingest", who={"session": f"s{number}"}, turns=[turn])
        running.drain()
        hits = running.search("Where does Linh live?", kinds=["memory"], k=10)
        assert [hit["text"] for hit in hits] == [FACT]
        ids.add(hits[0]["id"])
        assert running.call("get", id=hits[0]["id"])["confirmations"] == number
    assert len(ids) == 1
