"""Each host's way to write the same talk: what the field cases are tried with, over all hosts at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

BEGIN_MS = 1_775_932_200_000
"""2026-04-11T18:30:00Z: the night of the eleventh in Berlin, the twelfth in Saigon."""
ONE, TWO = "01a0c3d4-5e6f-7a8b-9c0d-1e2f3a4b5c6d", "01a0c3d4-5e6f-7a8b-9c0d-2e2f3a4b5c6d"
"""Two sessions; the second may begin with the first one's talk."""


@dataclass(frozen=True)
class Say:
    """One message: the how-manieth of its session, whose, what, where."""

    number: int
    role: str
    text: str
    cwd: str = "/home/dev/app"

    @property
    def at_ms(self) -> int:
        """When it was said: minutes apart, since Cursor tells no more."""
        return BEGIN_MS + self.number * 60_000

    def id(self, session: str) -> str:
        """Return an id that is the host's own."""
        return f"{session[:-4]}{self.number:04d}"


Talk = Sequence[Say]


def iso(at_ms: int) -> str:
    """Return a time as most hosts write it."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


# ------------------------------------------------------------------ hosts that write lines


def claude_code(session: str, talk: Talk, copied: int) -> list[Any]:
    """A resumed session keeps the copied lines' ids and times."""
    return [
        {"type": say.role, "uuid": say.id(ONE if n < copied else session), "parentUuid": None, "isSidechain": False,
         "sessionId": session, "cwd": say.cwd, "timestamp": iso(say.at_ms),
         "message": {"role": say.role, "content": [{"type": "text", "text": say.text}]}}
        for n, say in enumerate(talk)
    ]  # fmt: skip


def codex(session: str, talk: Talk, copied: int) -> list[Any]:
    """A fork has its own header, then that of the thread it comes from; the copies have new times."""
    out: list[Any] = []

    def line(kind: str, at_ms: int, **payload: Any) -> None:
        out.append({"timestamp": iso(at_ms), "type": kind, "payload": payload})

    line("session_meta", BEGIN_MS, id=session, cwd=talk[0].cwd, **({"forked_from_id": ONE} if copied else {}))
    if copied:
        line("session_meta", BEGIN_MS, id=ONE, cwd=talk[0].cwd)
    for n, say in enumerate(talk):
        if n and say.cwd != talk[n - 1].cwd:
            line("turn_context", say.at_ms, cwd=say.cwd)
        kind = "output_text" if say.role == "assistant" else "input_text"
        at_ms = say.at_ms + (86_400_000 if n < copied else 0)
        line(
            "response_item", at_ms, type="message", role=say.role, content=[{"type": kind, "text": say.text}]
        )
    return out


def cursor(_session: str, talk: Talk, _copied: int) -> list[Any]:
    """No ids; a prompt tells the minute."""
    out = []
    for say in talk:
        stamp = datetime.fromtimestamp(say.at_ms / 1000, UTC).strftime("%A, %b %d, %Y, %I:%M %p (UTC)")
        words = f"<timestamp>{stamp}</timestamp>\n<user_query>\n{say.text}\n</user_query>"
        content = [{"type": "text", "text": words if say.role == "user" else say.text}]
        out.append({"role": say.role, "message": {"content": content}})
    return out


def gemini(session: str, talk: Talk, copied: int) -> list[Any]:
    """Messages keep ids and times in a copy."""
    kinds = {"user": "user", "assistant": "gemini"}
    head = {"sessionId": session, "projectHash": "ab", "kind": "main"}
    return [head, *(
        {"id": say.id(ONE if n < copied else session), "timestamp": iso(say.at_ms), "type": kinds[say.role],
         "content": [{"text": say.text}]}
        for n, say in enumerate(talk)
    )]  # fmt: skip


def openclaw(session: str, talk: Talk, copied: int) -> list[Any]:
    """Ids are eight hex digits, good only with the time."""
    head = {"type": "session", "version": 3, "id": session, "timestamp": iso(BEGIN_MS), "cwd": talk[0].cwd}
    return [head, *(
        {"type": "message", "id": f"{0 if n < copied else int(session == TWO):04x}{say.number:04x}", "parentId": None,
         "timestamp": iso(say.at_ms), "message": {"role": say.role, "content": [{"type": "text", "text": say.text}]}}
        for n, say in enumerate(talk)
    )]  # fmt: skip


# ------------------------------------------------------------------ hosts with a database, or many files


def openclaw_rows(path: Path, session: str, talk: Talk, copied: int) -> None:
    """The same events as in its files, as rows."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE IF NOT EXISTS session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT,"
            " created_via TEXT);"
            "CREATE TABLE IF NOT EXISTS session_windows(session_id TEXT PRIMARY KEY, session_key TEXT,"
            " previous_session_id TEXT, reason TEXT, parent_session_key TEXT);"
            "CREATE TABLE IF NOT EXISTS transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,"
            " event_zstd BLOB, PRIMARY KEY(session_id, seq));"
        )
        reason = (ONE, "reset") if session == TWO and not copied else (None, "initial")
        db.execute(
            "INSERT INTO session_windows VALUES (?, 'agent:main:main', ?, ?, NULL)", (session, *reason)
        )
        for seq, event in enumerate(openclaw(session, talk, copied)):
            db.execute(
                "INSERT INTO transcript_events VALUES (?, ?, ?, 0, NULL)", (session, seq, json.dumps(event))
            )


def hermes(path: Path, session: str, talk: Talk, copied: int) -> None:
    """A branch writes the copies anew, with the time of the copying."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, cwd TEXT);"
            "CREATE TABLE IF NOT EXISTS messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,"
            " timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0);"
        )
        db.execute(
            "INSERT INTO sessions VALUES (?, 'cli', ?, ?)", (session, ONE if copied else None, talk[0].cwd)
        )
        for n, say in enumerate(talk):
            at_ms = say.at_ms + (86_400_000 if n < copied else 0)
            db.execute(
                "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
                (session, say.role, say.text, at_ms / 1000),
            )


def _opencode_message(session: str, say: Say) -> tuple[str, Any, Any]:
    times = {"created": say.at_ms, **({"completed": say.at_ms + 5} if say.role == "assistant" else {})}
    data = {"role": say.role, "time": times, "path": {"cwd": say.cwd}}
    return f"msg_{session}_{say.number}", data, {"type": "text", "text": say.text}


def opencode(path: Path, session: str, talk: Talk, _copied: int) -> None:
    """A fork has new ids and keeps the times."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE IF NOT EXISTS session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, revert TEXT,"
            " time_updated INTEGER);"
            "CREATE TABLE IF NOT EXISTS message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
            "CREATE TABLE IF NOT EXISTS part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
        )
        db.execute("INSERT INTO session VALUES (?, NULL, ?, NULL, 1)", (session, talk[0].cwd))
        for say in talk:
            name, data, part = _opencode_message(session, say)
            db.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?)", (name, session, say.at_ms, json.dumps(data))
            )
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)", (f"prt_{name}", name, session, json.dumps(part))
            )


def opencode_files(path: Path, session: str, talk: Talk, _copied: int) -> None:
    """The same before the database: a file each."""
    storage = path.parents[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    for say in talk:
        name, data, part = _opencode_message(session, say)
        for file, value in (
            (storage / "message" / path.stem / f"{name}.json", data),
            (storage / "part" / name / f"prt_{name}.json", part),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(value), "utf-8")
    path.write_text(json.dumps({"id": path.stem, "directory": talk[0].cwd, "time": {"updated": 1}}), "utf-8")


# ------------------------------------------------------------------ the table


@dataclass(frozen=True)
class Host:
    """How one host keeps talk.

    Attributes:
        place: Where a session is, below the home folder; ``{}`` stands for its id.
        lines: Makes the events of a file of lines.
        write: Writes into a database, or several files.
        moved: Where the host puts a session's file when it is reset, archived or its project renamed; None for one that
            stays.
        moves: A message tells its own folder.
    """

    place: str
    lines: Callable[[str, Talk, int], list[Any]] | None = None
    write: Callable[[Path, str, Talk, int], None] | None = None
    moved: str | None = None
    moves: bool = False

    def path(self, home: Path, session: str, place: str | None = None) -> Path:
        """Return where a session is."""
        return home / (place or self.place).format(session)

    def put(self, home: Path, session: str, talk: Talk, copied: int = 0) -> Path:
        """Write a whole session, of which the first so many messages are copies of the first session's."""
        path = self.path(home, session)
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.lines is not None:
            path.write_bytes(self.bytes(session, talk, copied))
        elif self.write is not None:
            self.write(path, session, talk, copied)
        return path

    def bytes(self, session: str, talk: Talk, copied: int = 0) -> bytes:
        """Return a file of lines."""
        assert self.lines is not None
        return b"".join(json.dumps(event).encode() + b"\n" for event in self.lines(session, talk, copied))


HOSTS: Mapping[str, Host] = {
    "claude-code": Host(
        ".claude/projects/-home-dev-app/{}.jsonl", claude_code, moves=True,
        moved=".claude/projects/-home-dev-renamed/{}.jsonl",
    ),
    "codex": Host(
        ".codex/sessions/2026/04/11/rollout-2026-04-11T18-30-00-{}.jsonl", codex, moves=True,
        moved=".codex/archived_sessions/rollout-2026-04-11T18-30-00-{}.jsonl",
    ),
    "cursor": Host(
        ".cursor/projects/home-dev-app/agent-transcripts/{0}/{0}.jsonl", cursor,
        moved=".cursor/projects/home-dev-app/agent-transcripts/{}.jsonl",
    ),
    "gemini": Host(
        ".gemini/tmp/app/chats/session-{}.jsonl", gemini, moved=".gemini/tmp/renamed/chats/session-{}.jsonl"
    ),
    "openclaw": Host(
        ".openclaw/agents/main/sessions/{}.jsonl", openclaw,
        moved=".openclaw/agents/main/sessions/{}.jsonl.reset.2026-04-12T10-00-00.000Z",
    ),
    "openclaw (database)": Host(".openclaw/agents/main/agent/openclaw-agent.sqlite", write=openclaw_rows),
    "hermes": Host(".hermes/state.db", write=hermes),
    "opencode": Host(".local/share/opencode/opencode.db", write=opencode, moves=True),
    "opencode (files)": Host(
        ".local/share/opencode/storage/session/global/ses_{}.json", write=opencode_files, moves=True
    ),
}  # fmt: skip
