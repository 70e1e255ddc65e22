"""opencode's database, read beside its writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from libra.sources.events import ParseParams, Verdict
from libra.sources.host_sqlite import DatabaseParams
from libra.sources.opencode import verdict
from libra.sources.opencode_sqlite import OpencodeDatabase
from tests.sources.passes import texts, whole_pass

WAIT_S = 20.0
SCHEMA = """
CREATE TABLE project(id TEXT PRIMARY KEY, worktree TEXT);
CREATE TABLE account(id TEXT PRIMARY KEY, token TEXT);
CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
  revert TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE INDEX message_session_idx ON message(session_id, time_created, id);
CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE INDEX part_message_idx ON part(message_id, id);
"""
AT = 1_775_000_000_000


class HostDb:
    """The host's side: a writer that stays connected, in WAL mode."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.db = apsw.Connection(str(path))
        self.db.execute("PRAGMA journal_mode = wal")
        self.db.execute(SCHEMA)

    def session(self, name: str, parent: str | None = None, cwd: str = "/home/dev/app") -> None:
        """Insert a session."""
        self.db.execute(
            "INSERT INTO session(id, parent_id, directory, time_updated) VALUES (?, ?, ?, 0)",
            (name, parent, cwd),
        )

    def say(self, session: str, number: int, role: str, *parts: Any, done: bool = True, **more: Any) -> str:
        """Insert a message with its parts; a bare text is a text part. Return its id."""
        at = AT + number * 1000
        name = f"msg_{session}_{number:020d}"
        times = {"created": at, **({"completed": at + 5} if done and role == "assistant" else {})}
        data = {"role": role, "time": times, **more}
        self.db.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (name, session, at, at, json.dumps(data))
        )
        for place, part in enumerate(parts):
            whole = {"type": "text", "text": part} if isinstance(part, str) else part
            self.db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?)",
                (f"prt_{session}_{number:016d}_{place}", name, session, at, json.dumps(whole)),
            )
        return name

    def revert(self, session: str, message: str | None) -> None:
        """Let the person revert from a message on, or bring all back."""
        place = json.dumps({"messageID": message, "snapshot": "x"}) if message else None
        self.db.execute("UPDATE session SET revert = ? WHERE id = ?", (place, session))

    def clean(self, session: str, *messages: str) -> None:
        """Delete what was reverted, as the host does at the next prompt."""
        self.revert(session, None)
        for message in messages:
            self.db.execute("DELETE FROM part WHERE message_id = ?", (message,))
            self.db.execute("DELETE FROM message WHERE id = ?", (message,))


@pytest.fixture
def host(home: Any) -> Iterator[HostDb]:
    """Return a host's database in the person's home, with its writer connected."""
    made = HostDb(home.path / ".local" / "share" / "opencode" / "opencode.db")
    yield made
    made.db.close()


def read(host: HostDb, cursor: Any = None, **params: Any) -> tuple[list[Any], Any]:
    """Return the sessions and turns of one whole pass, and the cursor after it."""
    return whole_pass(
        OpencodeDatabase(str(host.path), ParseParams("u", **params), DatabaseParams(rows=3)), cursor
    )


def test_files() -> None:
    """Each channel's database; nothing else in the data folder."""
    names = ("opencode.db", "opencode-beta.db", "opencode.db-wal", "auth.json")
    assert [verdict((name,)) for name in names] == [Verdict.DATABASE] * 2 + [Verdict.IGNORE] * 2
    assert verdict(("storage", "opencode.db")) is Verdict.IGNORE


def test_what_is_talk(host: HostDb) -> None:
    """Text parts of both; nothing that the host made up, hid, summed up or failed at."""
    host.session("ses_1")
    host.say(
        "ses_1", 1, "user", "Add a column.", {"type": "text", "text": "Called the tool", "synthetic": True}
    )
    tool = {
        "type": "tool",
        "tool": "bash",
        "callID": "c",
        "state": {"status": "completed", "output": "secret"},
    }
    host.say(
        "ses_1",
        2,
        "assistant",
        {"type": "reasoning", "text": "hm"},
        tool,
        "Done.",
        path={"cwd": "/home/dev/b"},
    )
    host.say("ses_1", 3, "user", {"type": "compaction", "auto": True}, "What did we do?")
    host.say("ses_1", 4, "assistant", "a summary", summary=True)
    host.say("ses_1", 5, "assistant", "half an", error={"name": "MessageAbortedError"})
    host.say("ses_1", 6, "user", {"type": "text", "text": "hidden", "ignored": True})
    said, cursor = read(host)
    assert texts(said) == [("Add a column.", False), ("Done.", False)]
    assert [session.cwd for session, _ in said] == ["/home/dev/app", "/home/dev/b"]
    assert (said[0][0].key, said[0][1].ts_ms) == ("opencode:ses_1", AT + 1000)
    assert read(host, cursor)[0] == []
    assert "secret" in [content for content, _ in texts(read(host, tool_output=True)[0])]


def test_answer_waits_until_it_is_complete(host: HostDb) -> None:
    """B03 in rows: a running answer is not taken half; one that never ended is, once talk has gone on."""
    host.session("ses_1")
    host.say("ses_1", 1, "user", "Why?")
    half = host.say("ses_1", 2, "assistant", "Beca", done=False)
    said, cursor = read(host)
    assert texts(said) == [("Why?", False)]
    host.db.execute(
        "UPDATE part SET data = ? WHERE message_id = ?", ('{"type":"text","text":"Because."}', half)
    )
    whole = {"role": "assistant", "time": {"created": AT + 2000, "completed": AT + 2500}}
    host.db.execute("UPDATE message SET data = ? WHERE id = ?", (json.dumps(whole), half))
    said, cursor = read(host, cursor)
    assert texts(said)[-1] == ("Because.", False)
    host.say("ses_1", 3, "assistant", "broken off", done=False)
    _, cursor = read(host, cursor)
    host.say("ses_1", 4, "user", "go on")
    again = list(dict.fromkeys(texts(read(host, cursor)[0])))
    assert again[-2:] == [("broken off", False), ("go on", False)]


def test_helpers_are_kept_apart(host: HostDb) -> None:
    """A session with a parent is a sub-agent's."""
    host.session("ses_2", parent="ses_1")
    host.say("ses_2", 1, "user", "look it up")
    session, turn = read(host)[0][0]
    assert (session.kind, session.parent_key, turn.origin) == ("subagent", "opencode:ses_1", "agent")


def test_long_sessions_in_steps(host: HostDb) -> None:
    """Ten messages in steps of three, with a revert in the middle of them: each once, each as it stands."""
    host.session("ses_1")
    names = [host.say("ses_1", number, "user", f"talk {number}") for number in range(10)]
    host.revert("ses_1", names[4])
    said, _ = read(host)
    assert dict(texts(said)) == {f"talk {number}": number >= 4 for number in range(10)}


def test_b02_fork(host: HostDb) -> None:
    """B02: a fork gives the copies new ids, and keeps their times: a second key makes them the same turns."""
    host.session("ses_1")
    host.session("ses_2")
    for session in ("ses_1", "ses_2"):
        host.say(session, 1, "user", "one")
    said, _ = read(host)
    assert len({(turn.role, turn.ts_ms, turn.content) for _, turn in said}) == 1
    assert {session.key for session, _ in said} == {"opencode:ses_1", "opencode:ses_2"}


def test_revert_and_back_while_following(home: Any, sink: Any, host: HostDb) -> None:
    """C96: revert takes back, unrevert brings back, and what the host then deletes stays taken back."""
    host.session("ses_1")
    host.say("ses_1", 1, "user", "plan")
    wrong = host.say("ses_1", 2, "user", "wrong way")
    answer = host.say("ses_1", 3, "assistant", "going wrong")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["plan", "wrong way", "going wrong"]
    host.revert("ses_1", wrong)
    assert sink.wait(lambda s: s.standing() == ["plan"])
    host.revert("ses_1", None)
    assert sink.wait(lambda s: s.standing() == ["plan", "wrong way", "going wrong"])
    host.revert("ses_1", wrong)
    assert sink.wait(lambda s: s.standing() == ["plan"])
    host.clean("ses_1", wrong, answer)
    host.say("ses_1", 4, "user", "right way")
    assert sink.wait(lambda s: s.standing() == ["plan", "right way"])
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["plan", "right way"]


def test_revert_and_delete_while_libra_is_away(home: Any, sink: Any, host: HostDb) -> None:
    """What is not there any more in a session that is, was taken back."""
    host.session("ses_1")
    host.say("ses_1", 1, "user", "plan")
    wrong = host.say("ses_1", 2, "user", "wrong way")
    host.session("ses_2")
    host.say("ses_2", 1, "user", "other", time={"created": 5})
    first = home.service()
    assert first.wait_idle(WAIT_S)
    first.stop()
    host.clean("ses_1", wrong)
    second = home.service()
    assert second.wait_idle(WAIT_S)
    assert sorted(sink.standing()) == ["other", "plan"]


def test_a_deleted_session_stays_learnt(home: Any, sink: Any, host: HostDb) -> None:
    """C02: a session that is gone as a whole takes nothing with it."""
    host.session("ses_1")
    only = host.say("ses_1", 1, "user", "plan")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    host.clean("ses_1", only)
    host.db.execute("DELETE FROM session")
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["plan"]


def test_other_schemas_bring_nothing_and_no_error(home: Any, sink: Any) -> None:
    """A database of another version is no reason to fail."""
    path = home.path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE session(id TEXT); CREATE TABLE message(x)")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert service.status()["hosts"]["opencode"]["failed"] == 0
    db.close()
