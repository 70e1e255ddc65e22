"""B20: a turn of the night belongs to the person's own day."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.running import Running, cc, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

SAID = "I booked the dentist."


def test_the_night_is_the_next_day(data_dir: Path) -> None:
    """Asked by day in search and in a question: found on 12 April, not on 11 April, shown as 01:30."""
    running = Running(data_dir, {"TZ": "Asia/Ho_Chi_Minh"})
    try:
        write(running.transcript("A"), cc("u1", "user", SAID, "2026-04-11T18:30:00Z"))
        running.start()
        running.drain()
        day = {"2026-04-11": [], "2026-04-12": [SAID], "2026-04-13": []}
        for start, end in (("2026-04-11", "2026-04-12"), ("2026-04-12", "2026-04-13")):
            found = running.search("dentist", kinds=["turn"], since=start, until=end)
            assert [h["text"] for h in found] == day[start]
        who = {"session": "later"}
        answer = running.call(
            "assemble", who=who, query="What did I book on 12 April 2026?", budget_tokens=1000
        )
        assert "2026-04-12 01:30" in answer["text"]
        other = running.call("assemble", who=who, query="What did I do on 11 April 2026?", budget_tokens=1000)
        assert "2026-04-11" not in other["text"]
    finally:
        running.kill()
