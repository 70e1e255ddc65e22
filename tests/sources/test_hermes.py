"""Hermes's database, read beside its writer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from libra.sources.events import ParseParams
from libra.sources.hermes_sqlite import HermesDatabase
from libra.sources.host_sqlite import DatabaseParams
from tests.sources.passes import texts, whole_pass

WAIT_S = 20.0
SCHEMA = """
CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, started_at REAL, cwd TEXT, session_key TEXT);
CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT,
  timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0);
CREATE TABLE secrets(token TEXT);
"""
AT = 1_775_000_000


class HostDb:
    """The host's side: a writer that stays connected, in WAL mode."""

    def __init__(self, path: Path, schema: str = SCHEMA) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.db = apsw.Connection(str(path))
        self.db.execute("PRAGMA journal_mode = wal")
        self.db.execute(schema)
        self.second = 0

    def session(
        self, name: str, source: str = "cli", parent: str | None = None, key: str | None = None
    ) -> None:
        """Insert a session."""
        self.db.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, 0, '/home/dev/harbor', ?)", (name, source, parent, key)
        )

    def say(self, session: str, *words: str | None, role: str = "user", at: float | None = None) -> None:
        """Insert messages, one second after another."""
        for word in words:
            self.second += 1
            self.db.execute(
                "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
                (session, role, word, at or AT + self.second),
            )


@pytest.fixture
def host(home: Any) -> Iterator[HostDb]:
    """Return a host's database in the person's home, with its writer connected."""
    made = HostDb(home.path / ".hermes" / "state.db")
    yield made
    made.db.close()


def read(host: HostDb, cursor: Any = None, **params: Any) -> tuple[list[Any], Any]:
    """Return the sessions and turns of one whole pass, and the cursor after it."""
    return whole_pass(
        HermesDatabase(str(host.path), ParseParams("u", **params), DatabaseParams(rows=3)), cursor
    )


def test_all_then_only_news(host: HostDb) -> None:
    """A first pass brings all sessions in order, the next what came since, the one after that nothing."""
    host.session("s1")
    host.session("s2")
    host.say("s1", "one", "two")
    host.say("s2", "three", "four")
    said, cursor = read(host)
    assert [content for content, _ in texts(said)] == ["one", "two", "three", "four"]
    host.say("s1", "five")
    said, cursor = read(host, cursor)
    assert texts(said) == [("five", False)]
    session, turn = said[0]
    assert (session.key, session.cwd, turn.ts_ms, turn.event_id) == (
        "hermes:s1",
        "/home/dev/harbor",
        (AT + 5) * 1000,
        "s1/5",
    )
    assert read(host, cursor)[0] == []


def test_what_is_talk(host: HostDb) -> None:
    """No tool output, no summaries, no heartbeats; contents of several parts are read."""
    host.session("s1")
    host.say("s1", '{"output": "secret"}', role="tool")
    host.say("s1", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns …", "[System note: model switched]")
    host.say("s1", "", None, "HEARTBEAT_OK", role="assistant")
    host.say("s1", '\x00json:[{"type":"text","text":"in parts"},{"type":"image_url"}]', "\x00json:[broken")
    assert texts(read(host)[0]) == [("in parts", False)]
    assert len(read(host, tool_output=True)[0]) == 2


@pytest.mark.parametrize(
    ("source", "kind"), [("cron", "cron"), ("subagent", "subagent"), ("telegram", "main")]
)
def test_who_began_it(host: HostDb, source: str, kind: str) -> None:
    """Cron jobs and helpers are kept apart; in a group the words are not the owner's."""
    key = "agent:main:telegram:group:12" if source == "telegram" else None
    host.session("s1", source=source, parent="s0", key=key)
    host.say("s1", "hello there")
    session, turn = read(host)[0][0]
    assert (session.kind, session.parent_key) == (kind, "hermes:s0")
    assert turn.origin == ("external" if key else "agent")


def test_compaction_takes_nothing_and_copies_nothing(host: HostDb) -> None:
    """What was compacted was said all the same; the summary and the copies of the last turns are no talk."""
    host.session("s1")
    host.say("s1", "one", "two", "three")
    said, cursor = read(host)
    host.db.execute("UPDATE messages SET active = 0, compacted = 1")
    host.say("s1", "[CONTEXT COMPACTION — REFERENCE ONLY] summary", "two", "three", "four", "two")
    more, cursor = read(host, cursor)
    assert texts(said) + texts(more) == [(word, False) for word in ("one", "two", "three", "four", "two")]
    assert read(host, cursor)[0] == []


def test_b02_a_branch_copies_history(host: HostDb) -> None:
    """B02: /branch and a compaction that goes on in another session write the talk anew, with new ids and times."""
    host.session("s1")
    host.say("s1", "one", "two", "one")
    _, cursor = read(host)
    host.session("s2", parent="s1")
    host.say("s2", "one", "two")
    more, cursor = read(host, cursor)  # while the host is still copying
    assert more == []
    host.say("s2", "one", "[CONTEXT COMPACTION — REFERENCE ONLY] summary", "one", "other way")
    host.session("s3", source="subagent", parent="s2")
    host.say("s3", "look for the relay")
    more, cursor = read(host, cursor)
    assert texts(more) == [("one", False), ("other way", False), ("look for the relay", False)]
    assert {session.parent_key for session, _ in more} == {"hermes:s1", "hermes:s2"}
    assert read(host, cursor)[0] == []


def test_undo_and_redo_while_following(home: Any, sink: Any, host: HostDb) -> None:
    """C96: rows that the host takes out of use are taken back, and come back with them."""
    host.session("s1")
    host.say("s1", "plan", "wrong way")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    host.db.execute("UPDATE messages SET active = 0 WHERE content = 'wrong way'")
    assert sink.wait(lambda s: s.standing() == ["plan"])
    host.say("s1", "right way")
    assert sink.wait(lambda s: s.standing() == ["plan", "right way"])
    host.db.execute("UPDATE messages SET active = 1")
    assert sink.wait(lambda s: s.standing() == ["plan", "wrong way", "right way"])


def test_older_versions_delete_what_is_undone(home: Any, sink: Any) -> None:
    """Without the column, a row that is not there any more was taken back; the next one has its own number."""
    old = SCHEMA.replace(", active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0", "")
    host = HostDb(home.path / ".hermes" / "state.db", old)
    host.session("s1")
    host.say("s1", "plan", "wrong way")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    host.db.execute("DELETE FROM messages WHERE content = 'wrong way'")
    assert sink.wait(lambda s: s.standing() == ["plan"])
    host.say("s1", "right way")
    assert sink.wait(lambda s: s.standing() == ["plan", "right way"])
    host.db.execute("DELETE FROM messages")
    host.db.execute("DELETE FROM sessions")
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["plan", "right way"]
    host.db.close()


def test_another_database_under_the_name(host: HostDb) -> None:
    """A database that was replaced is read from its start."""
    host.session("s1")
    host.say("s1", "one", "two")
    _, cursor = read(host)
    host.db.execute("DELETE FROM messages")
    host.db.execute("DELETE FROM sqlite_sequence")
    host.session("s9")
    host.say("s9", "new", "newer", "newest")
    assert [content for content, _ in texts(read(host, cursor)[0])] == ["new", "newer", "newest"]


def test_profiles_and_home(home: Any, sink: Any, tmp_path: Path) -> None:
    """C77: HERMES_HOME moves it; the profiles below it are read, too."""
    home.env["HERMES_HOME"] = str(tmp_path / "hm")
    hosts = [HostDb(tmp_path / "hm" / "state.db"), HostDb(tmp_path / "hm" / "profiles" / "work" / "state.db")]
    for number, host in enumerate(hosts):
        host.session(f"s{number}")
        host.say(f"s{number}", f"talk {number}")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == ["talk 0", "talk 1"]
    for host in hosts:
        host.db.close()
