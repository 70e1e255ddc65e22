"""B02: a resumed session's copied history is taken once, and the copy is a child."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.e2e.running import Running, cc, minute, oc, oc_header, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

SAID = [
    ("u1", "user", "We decided to keep the queue on port 5671 with TLS."),
    ("u2", "assistant", "Noted: the queue stays on 5671 with TLS."),
    ("u3", "user", "I prefer short answers with file paths."),
    ("u4", "assistant", "Short answers with paths, understood."),
]


def lines(session: str) -> list[str]:
    """Return the four shared lines as a session's file holds them."""
    return [cc(u, role, text, minute(i), session) for i, (u, role, text) in enumerate(SAID)]


def parents(running: Running) -> dict[str, str | None]:
    """Return each session's parent, by key."""
    db = sqlite3.connect(f"file:{running.data / 'libra.db'}?mode=ro", uri=True)
    found = dict(db.execute("SELECT s.key, p.key FROM session s LEFT JOIN session p ON p.id = s.parent_id"))
    db.close()
    return found


def check(running: Running, turns: int = 5) -> None:
    """Assert that everything is there once and B hangs below A."""
    running.drain()
    assert running.turns() == turns
    for word in ("5671", "short answers"):
        found = [h for h in running.search(word, kinds=["memory"], k=50) if word in h["text"]]
        assert len(found) <= 1
    links = parents(running)
    assert links["claude-code:B"] == "claude-code:A"
    assert links["claude-code:A"] is None


def test_both_files_are_there_before_the_start(running: Running) -> None:
    """Whichever file is read first, the result is the same."""
    write(running.transcript("A"), *lines("A"))
    write(running.transcript("B"), *lines("B"), cc("u5", "user", "Now add the limiter.", minute(9), "B"))
    running.start()
    check(running)


def test_the_copy_appears_later(running: Running) -> None:
    """The copy comes while Libra runs."""
    write(running.transcript("A"), *lines("A"))
    running.start()
    running.drain()
    write(running.transcript("B"), *lines("B"), cc("u5", "user", "Now add the limiter.", minute(9), "B"))
    running.until(lambda: running.turns() == 5)
    check(running)


def test_openclaw_sqlite_fork(running: Running) -> None:
    """The same over OpenClaw's database: two sessions that share four events."""
    path = running.openclaw / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    events = [oc(f"aaaa000{i}", None, role, text, minute(i)) for i, (_, role, text) in enumerate(SAID)]
    database(
        path,
        {
            "A": [oc_header("A"), *events],
            "B": [oc_header("B"), *events, oc("bbbb0001", None, "user", "Now add the limiter.", minute(9))],
        },
    )
    running.start()
    running.drain()
    assert running.turns() == 5
    assert parents(running)["openclaw:B"] == "openclaw:A"


def database(path: Path, sessions: dict[str, list[str]]) -> None:
    """Write an OpenClaw agent database with these events."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(
        """
        CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
          updated_at INTEGER NOT NULL);
        CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, previous_session_id TEXT,
          reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
        CREATE TABLE transcript_events(session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
          event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY(session_id, seq));
        CREATE TABLE transcript_rewrite_watermarks(session_id TEXT PRIMARY KEY, generation TEXT NOT NULL, updated_at INTEGER NOT NULL);
        """
    )
    for session, events in sessions.items():
        key = f"agent:main:{session}"
        db.execute(
            "INSERT INTO session_nodes VALUES(?,?,?,1)", (key, session, json.dumps({"sessionId": session}))
        )
        db.execute("INSERT INTO session_windows VALUES(?,?,NULL,'initial',1,1)", (session, key))
        db.execute("INSERT INTO transcript_rewrite_watermarks VALUES(?, 'g1', 1)", (session,))
        for seq, event in enumerate(events):
            db.execute(
                "INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES(?,?,?,1)",
                (session, seq, event),
            )
    db.commit()
    db.close()
