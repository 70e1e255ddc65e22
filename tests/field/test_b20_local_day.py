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


@pytest.mark.parametrize(
    ("zone", "day", "following", "inside", "outside"),
    [
        ("Asia/Ho_Chi_Minh", "2026-04-12", "2026-04-13", ("2026-04-11T17:30:00Z", "2026-04-12T16:30:00Z"), ("2026-04-11T16:30:00Z", "2026-04-12T17:30:00Z")),
        ("America/New_York", "2026-03-08", "2026-03-09", ("2026-03-08T05:30:00Z", "2026-03-09T03:30:00Z"), ("2026-03-08T04:30:00Z", "2026-03-09T04:30:00Z")),
        ("Europe/Berlin", "2026-10-25", "2026-10-26", ("2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z"), ("2026-10-24T21:30:00Z", "2026-10-25T23:30:00Z")),
        ("Asia/Kathmandu", "2026-04-12", "2026-04-13", ("2026-04-11T18:45:00Z", "2026-04-12T17:45:00Z"), ("2026-04-11T17:45:00Z", "2026-04-12T18:45:00Z")),
        ("America/St_Johns", "2026-04-12", "2026-04-13", ("2026-04-12T03:00:00Z", "2026-04-13T02:00:00Z"), ("2026-04-12T02:00:00Z", "2026-04-13T03:00:00Z")),
    ],
    ids=["east", "a day of 23 hours", "a day of 25 hours", "quarters of an hour", "half an hour, west"],
)  # fmt: skip
def test_both_ends_of_a_day(
    data_dir: Path, zone: str, day: str, following: str, inside: tuple[str, str], outside: tuple[str, str]
) -> None:
    """Half an hour after midnight and half an hour before the next belong to a day, whatever its length; their neighbours do not."""
    running = Running(data_dir, {"TZ": zone})
    try:
        running.start()
        turns = [
            {"id": ts, "role": "user", "content": f"I called the dentist, {ts}.", "ts": ts}
            for ts in (*inside, *outside)
        ]
        running.call("ingest", who={"session": "a"}, turns=turns)
        running.drain()
        found = running.search("dentist", kinds=["turn"], since=day, until=following)
        assert {hit["text"] for hit in found} == {f"I called the dentist, {ts}." for ts in inside}
        shown = running.call(
            "assemble",
            who={"session": "b"},
            query=f"When did I call the dentist on {day}?",
            budget_tokens=2000,
        )["text"]
        assert f"[{day} 00:30]" in shown
        assert f"[{day} 23:30]" in shown
    finally:
        running.kill()
