"""B15: ``/new`` renames the transcript; nothing is lost and nothing read twice."""

from __future__ import annotations

import sqlite3

import pytest

from tests.e2e.running import Running, minute, oc, oc_header, write
from tests.field.test_b02_resumed_copy import database

pytestmark = [pytest.mark.e2e, pytest.mark.model]

OLD = [
    oc_header("old-window"),
    *(oc(f"aaaa000{i}", None, "user", f"old talk number {i}", minute(i)) for i in range(4)),
]
NEW = [
    oc_header("new-window"),
    oc("bbbb0001", None, "user", "new talk", minute(20)),
    oc("bbbb0002", "bbbb0001", "assistant", "yes", minute(21)),
]


def test_a_renamed_transcript_and_its_larger_successor(running: Running) -> None:
    """Six turns in two windows, whichever event comes first."""
    path = running.sessions() / "s1.jsonl"
    write(path, *OLD)
    running.start()
    running.drain()
    assert running.turns() == 4
    path.rename(path.with_name("s1.jsonl.reset.2026-04-11T10-00-00.000Z"))
    long = "a new talk that is longer than everything that stood there before " * 40
    write(
        path,
        oc_header("new-window"),
        oc("bbbb0001", None, "user", long, minute(20)),
        oc("bbbb0002", "bbbb0001", "assistant", "yes", minute(21)),
    )
    running.until(lambda: running.turns() == 6)
    running.drain()
    assert running.turns() == 6
    found = [
        h["text"]
        for h in running.search("old talk number", kinds=["turn"], k=50)
        if h["text"].startswith("old talk")
    ]
    assert sorted(found) == [f"old talk number {i}" for i in range(4)]
    assert windows(running) == {"openclaw:old-window": 4, "openclaw:new-window": 2}


def test_the_same_after_a_restart(running: Running) -> None:
    """The rename happens while Libra is not there."""
    path = running.sessions() / "s1.jsonl"
    write(path, *OLD)
    running.start()
    running.drain()
    running.kill()
    path.rename(path.with_name("s1.jsonl.reset.2026-04-11T10-00-00.000Z"))
    write(path, *NEW)
    running.start()
    running.drain()
    assert windows(running) == {"openclaw:old-window": 4, "openclaw:new-window": 2}


def test_openclaw_sqlite_window(running: Running) -> None:
    """In the database era a reset opens another window of the same key."""
    path = running.openclaw / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    database(path, {"old-window": OLD})
    running.start()
    running.drain()
    db = sqlite3.connect(path)
    db.execute(
        "INSERT INTO session_windows VALUES('new-window','agent:main:old-window','old-window','reset',2,2)"
    )
    for seq, event in enumerate(NEW):
        db.execute(
            "INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES('new-window',?,?,2)",
            (seq, event),
        )
    db.commit()
    db.close()
    running.until(lambda: running.turns() == 6)
    running.drain()
    assert windows(running) == {"openclaw:old-window": 4, "openclaw:new-window": 2}


def windows(running: Running) -> dict[str, int]:
    """Return how many turns each session has."""
    db = sqlite3.connect(f"file:{running.data / 'libra.db'}?mode=ro", uri=True)
    found = dict(
        db.execute(
            "SELECT s.key, count(*) FROM turn t JOIN item i ON i.id = t.item_id JOIN session s ON s.id = i.session_id GROUP BY s.key"
        )
    )
    db.close()
    return found
