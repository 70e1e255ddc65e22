"""B25: what a person made Libra forget is not learnt again from old text, by whatever way it comes back."""

from __future__ import annotations

import sqlite3

import pytest

from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

HINT = "My PIN hint is the blue bike."
EXPORT = {"role": "user", "content": HINT, "ts": "2026-04-10T08:00:00Z"}
"""The turn as an older export has it: without the event's id."""


def _hits(running: Running) -> int:
    count: int = running.call("status")["counts"]["tombstone_hits"]
    return count


def test_reading_again_and_importing_are_held_back_and_counted(running: Running) -> None:
    """The cursor is lost and the file is read from its start; an export from before comes in: one hit each, nothing kept."""
    path = running.transcript("A")
    write(path, cc("11111111-0000-4000-8000-000000000001", "user", HINT, minute(0)))
    write(
        path,
        cc(
            "11111111-0000-4000-8000-000000000002",
            "user",
            "We deploy the harbour service on Fridays.",
            minute(1),
        ),
    )
    running.start()
    running.drain()
    assert HINT in [hit["text"] for hit in running.search("PIN hint", kinds=["memory"])]
    assert running.call("forget", query="PIN hint")["forgotten"] == 2
    assert _hits(running) == 0
    running.stop()
    with sqlite3.connect(running.data / "libra.db") as db:
        assert db.execute("UPDATE source SET has_cursor = 0 WHERE has_cursor = 1").rowcount == 1
    db.close()
    running.start()
    running.drain()
    assert _hits(running) == 1
    assert running.call("ingest", who={"session": "import"}, turns=[EXPORT])["accepted"] == 0
    running.drain()
    assert _hits(running) == 2
    for archive in (False, True):
        found = [hit["text"] for hit in running.search("PIN hint blue bike", k=50, archive=archive)]
        assert all("blue bike" not in text for text in found)
    answer = running.call("assemble", query="What is my PIN hint?", budget_tokens=2000)
    assert "blue bike" not in answer["text"]
    assert running.call("status")["counts"]["tombstone"] == 2
    assert running.turns() == 1
    running.stop()
    assert b"blue bike" not in running.bytes_of_everything()


def test_said_in_other_words_before(running: Running) -> None:
    """C90: an old talk that tells it in nearly the same words is known by its meaning, and goes as well."""
    running.start()
    running.call("ingest", who={"session": "one"}, turns=[EXPORT])
    running.drain()
    running.call("forget", query="PIN hint")
    other = {"role": "user", "content": "My PIN hint is: the blue bike!", "ts": "2026-04-09T08:00:00Z"}
    apart = {"role": "user", "content": "My bike is blue and has three gears.", "ts": "2026-04-09T08:01:00Z"}
    running.call("ingest", who={"session": "two"}, turns=[other, apart])
    running.drain()
    assert _hits(running) == 1
    found = [hit["text"] for hit in running.search("blue bike", kinds=["turn", "memory"], k=50)]
    assert set(found) == {apart["content"]}


def test_in_other_dress_and_by_other_ways(running: Running) -> None:
    """A resumed copy, a copy with new ids and other spaces, the same in capitals, an agent's tool: all are held back."""
    ts = minute(0)
    write(running.transcript("A"), cc("11111111-0000-4000-8000-000000000001", "user", HINT, ts))
    running.start()
    running.drain()
    assert running.call("forget", query="PIN hint")["forgotten"] == 2
    write(running.transcript("B"), cc("11111111-0000-4000-8000-000000000001", "user", HINT, ts, session="B"))
    write(
        running.transcript("C"),
        cc("99999999-0000-4000-8000-000000000009", "user", HINT.replace(" ", "  "), ts, session="C"),
    )
    write(
        running.transcript("D"),
        cc("99999999-0000-4000-8000-00000000000d", "user", HINT.upper(), ts, session="D"),
    )
    running.drain()
    told = running.call("remember", who={"host": "claude-code", "agent": "main"}, text=HINT)
    assert told["id"] is None
    running.drain()
    for archive in (False, True):
        found = [hit["text"] for hit in running.search("PIN hint blue bike", k=50, archive=archive)]
        assert all("blue" not in text.lower() for text in found)
    assert (
        "blue"
        not in running.call("assemble", query="What is my PIN hint?", budget_tokens=2000)["text"].lower()
    )
    running.stop()
    assert b"blue bike" not in running.bytes_of_everything().lower()
