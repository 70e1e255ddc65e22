"""The field cases over the hosts that came later, all of them at once, in the running app."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]

NIGHT = "2026-04-11T18:30:00.000Z"
NIGHT_S = 1_775_932_200
HOSTS = ("codex", "gemini", "hermes", "opencode")
CODEX = "01a0c3d4-5e6f-7a8b-9c0d-1e2f3a4b5c6d"


def said(host: str) -> str:
    """Return what the person says to a host that night."""
    return f"I booked the dentist with {host}."


def lines(*events: dict[str, Any]) -> str:
    """Return events as lines."""
    return "".join(json.dumps(event) + "\n" for event in events)


def codex_item(text: str, stamp: str = NIGHT) -> dict[str, Any]:
    """Return a prompt in a rollout."""
    content = [{"type": "input_text", "text": text}]
    payload = {"type": "message", "role": "user", "content": content}
    return {"timestamp": stamp, "type": "response_item", "payload": payload}


def write_all(home: Path) -> dict[str, Path]:
    """Write one prompt of that night for every host, in its own form; return where."""
    codex = home / ".codex" / "sessions" / "2026" / "04" / "11" / f"rollout-2026-04-11T18-00-00-{CODEX}.jsonl"
    gemini = home / ".gemini" / "tmp" / "app" / "chats" / "session-2026-04-11T18-00-aaaa.jsonl"
    hermes = home / ".hermes" / "state.db"
    opencode = home / ".local" / "share" / "opencode" / "opencode.db"
    for path in (codex, gemini, hermes, opencode):
        path.parent.mkdir(parents=True)
    header = {"timestamp": NIGHT, "type": "session_meta", "payload": {"id": CODEX, "cwd": "/home/dev/app"}}
    codex.write_text(lines(header, codex_item(said("codex"))), encoding="utf-8")
    prompt = {"id": "u1", "timestamp": NIGHT, "type": "user", "content": [{"text": said("gemini")}]}
    gemini.write_text(
        lines({"sessionId": "g1", "projectHash": "x", "kind": "main"}, prompt), encoding="utf-8"
    )
    with sqlite3.connect(hermes) as db:
        db.executescript(
            "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, cwd TEXT);"
            "CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,"
            " timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0);"
            "INSERT INTO sessions VALUES ('h1', 'cli', NULL);"
        )
        db.execute(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('h1', 'user', ?, ?)",
            (said("hermes"), NIGHT_S),
        )
    db.close()
    with sqlite3.connect(opencode) as db:
        db.executescript(
            "CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, revert TEXT, time_updated INTEGER);"
            "CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
            "CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
            "INSERT INTO session VALUES ('ses_1', NULL, '/home/dev/app', NULL, 1);"
        )
        at = NIGHT_S * 1000
        db.execute(
            "INSERT INTO message VALUES ('msg_1', 'ses_1', ?, ?)",
            (at, json.dumps({"role": "user", "time": {"created": at}})),
        )
        db.execute(
            "INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', ?)",
            (json.dumps({"type": "text", "text": said("opencode")}),),
        )
    db.close()
    return {"codex": codex, "gemini": gemini, "hermes": hermes, "opencode": opencode}


def take_back(paths: dict[str, Path]) -> None:
    """Let the person undo that prompt in every host, in its own way."""
    rollback = {
        "timestamp": NIGHT,
        "type": "event_msg",
        "payload": {"type": "thread_rolled_back", "num_turns": 1},
    }
    with paths["codex"].open("a", encoding="utf-8") as file:
        file.write(lines(rollback))
    with paths["gemini"].open("a", encoding="utf-8") as file:
        file.write(lines({"$rewindTo": "u1"}))
    for host, statement in (
        ("hermes", "UPDATE messages SET active = 0"),
        ("opencode", """UPDATE session SET revert = '{"messageID":"msg_1"}', time_updated = 2"""),
    ):
        with sqlite3.connect(paths[host]) as db:
            db.execute(statement)
        db.close()


def found(running: Running, **when: str) -> set[str]:
    """Return what a search for the dentist finds."""
    return {h["text"] for h in running.search("booked the dentist", kinds=["turn"], k=50, **when)}


def test_b20_and_c96_in_every_host(data_dir: Path) -> None:
    """The night is the next day, told to whichever agent; taken back in the host, it is found no more."""
    running = Running(data_dir, {"TZ": "Asia/Ho_Chi_Minh"})
    try:
        paths = write_all(running.home)
        running.start()
        running.drain()
        assert found(running, since="2026-04-11", until="2026-04-12") == set()
        assert found(running, since="2026-04-12", until="2026-04-13") == {said(host) for host in HOSTS}
        read = running.call("status")["sources"]["hosts"]
        assert {
            host: (read[host]["found"], read[host]["read"], read[host]["failed"]) for host in HOSTS
        } == dict.fromkeys(HOSTS, (1, 1, 0))
        take_back(paths)
        running.until(lambda: found(running) == set())
        running.drain()
        assert found(running) == set()
        assert running.turns() == len(HOSTS)
    finally:
        running.kill()
