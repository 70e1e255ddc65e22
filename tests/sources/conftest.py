"""A sink in memory that keeps the engine's promises, line makers, and a person's home folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from libra.engine.feed import DocumentState, Taken
from libra.ground.errors import StoreFull
from libra.ground.records import (
    Cursor,
    DocumentText,
    NewTurn,
    SessionRef,
    SourceBatch,
    content_key,
    event_key,
)
from libra.sources.catalog import Surroundings
from libra.sources.follower import LookParams
from libra.sources.service import SourceParams, SourceService

WAIT_S = 20.0
"""Longest wait for an event in a test; none takes near as long."""


@dataclass(frozen=True)
class Kept:
    """A turn as the sink keeps it."""

    session: SessionRef
    turn: NewTurn


@dataclass
class FakeSink:
    """Keeps turns by event and by content, cursors only together with their rows, documents with a state."""

    now_ms: int = 1_800_000_000_000
    turns: list[Kept] = field(default_factory=list)
    cursors: dict[str, Cursor] = field(default_factory=dict)
    docs: dict[str, DocumentText] = field(default_factory=dict)
    doc_states: dict[str, DocumentState] = field(default_factory=dict)
    source_states: dict[str, str] = field(default_factory=dict)
    gone_sessions: set[str] = field(default_factory=set)
    takes: int = 0
    refusals: int = 0
    _keys: set[str] = field(default_factory=set)
    _cond: threading.Condition = field(default_factory=threading.Condition)

    def cursor(self, path: str) -> Cursor | None:
        """Return the kept cursor."""
        return self.cursors.get(path)

    def take(self, batch: SourceBatch) -> Taken:
        """Keep turns and cursor, or neither."""
        with self._cond:
            self.takes += 1
            if self.refusals:
                self.refusals -= 1
                self._cond.notify_all()
                raise StoreFull("the disk is full")
            if batch.cursor is not None and batch.cursor.form == "jsonl":
                assert all(turn.line is not None for turn in batch.turns)
                before = self.cursors.get(batch.cursor.path)
                same = before is not None and before.offset == batch.cursor.offset
                beyond = [t for t in batch.turns if t.line and t.line > batch.cursor.lines]
                assert same or not beyond or batch.cursor.offset == 0, "rows beyond their cursor"
            new = sum(self._keep(batch.session, turn) for turn in batch.turns)
            if batch.present is not None:
                for number, kept in enumerate(self.turns):
                    if kept.session.key == batch.session.key and kept.turn.event_id not in batch.present:
                        self.turns[number] = replace(kept, turn=replace(kept.turn, undone=True))
            if batch.cursor is not None:
                self.cursors[batch.cursor.path] = batch.cursor
            self._cond.notify_all()
            return Taken(new, len(batch.turns) - new, 0)

    def _keep(self, session: SessionRef, turn: NewTurn) -> bool:
        within = "" if turn.ts_ms is not None else session.key
        keys = {content_key(turn.role, turn.ts_ms, turn.content, within)}
        if (by_event := event_key(session.key, session.host, turn.event_id, turn.ts_ms)) is not None:
            keys.add(by_event)
        if keys & self._keys:
            self._keys |= keys
            for number, kept in enumerate(self.turns):
                known = event_key(kept.session.key, kept.session.host, kept.turn.event_id, kept.turn.ts_ms)
                if by_event is not None and known == by_event and kept.session.key == session.key:
                    self.turns[number] = replace(kept, turn=replace(kept.turn, undone=turn.undone))
            return False
        self._keys |= keys
        self.turns.append(Kept(session, turn))
        return True

    def documents(self) -> dict[str, DocumentState]:
        """Return the states of all documents."""
        return dict(self.doc_states)

    def document(self, doc: DocumentText) -> bool:
        """Keep a document as present."""
        with self._cond:
            digest = sha256(doc.text.encode()).hexdigest()
            before = self.doc_states.get(doc.path)
            self.docs[doc.path] = doc
            self.doc_states[doc.path] = DocumentState(
                doc.path, digest, doc.size, doc.mtime_ns, "present", host=doc.host
            )
            self._cond.notify_all()
            return before is None or before.digest != digest or before.state == "gone"

    def document_state(self, path: str, state: str) -> None:
        """Keep a document's state; the first absence keeps its time."""
        with self._cond:
            first_ms = self.now_ms if state == "missing_once" else None
            self.doc_states[path] = replace(self.doc_states[path], state=state, first_missing_ms=first_ms)
            self._cond.notify_all()

    def source_state(self, path: str, state: str) -> None:
        """Keep a transcript's state."""
        with self._cond:
            self.source_states[path] = state
            self._cond.notify_all()

    def transcripts(self) -> frozenset[str]:
        """Return the transcripts that have a cursor and are not known to be gone."""
        return frozenset(p for p in self.cursors if self.source_states.get(p, "ok") == "ok")

    def session_gone(self, key: str) -> None:
        """Keep that a session is gone."""
        with self._cond:
            self.gone_sessions.add(key)
            self._cond.notify_all()

    def wait(self, until: Callable[[FakeSink], bool], timeout_s: float = WAIT_S) -> bool:
        """Wait until something is true of the sink."""
        with self._cond:
            return self._cond.wait_for(lambda: until(self), timeout_s)

    def clock(self) -> int:
        """Return a time that stands still until a test moves it."""
        return self.now_ms

    def contents(self) -> list[str]:
        """Return what was said, in the order in which it was taken."""
        return [kept.turn.content for kept in self.turns]

    def standing(self) -> list[str]:
        """Return what was said and not taken back, in the order in which it was taken."""
        return [kept.turn.content for kept in self.turns if not kept.turn.undone]

    def in_force(self) -> dict[str, DocumentText]:
        """Return the documents whose rules hold, by file name."""
        return {
            Path(path).name: doc for path, doc in self.docs.items() if self.doc_states[path].state != "gone"
        }


@dataclass
class Home:
    """A person's home folder and the services that follow it."""

    path: Path
    sink: FakeSink
    env: dict[str, str] = field(default_factory=dict)
    services: list[SourceService] = field(default_factory=list)

    @property
    def claude(self) -> Path:
        """Claude Code's folder."""
        return self.path / ".claude"

    @property
    def slug(self) -> Path:
        """A folder of Claude Code transcripts."""
        return self.claude / "projects" / "-work-app"

    @property
    def sessions(self) -> Path:
        """OpenClaw's transcripts of the agent main."""
        return self.path / ".openclaw" / "agents" / "main" / "sessions"

    def surroundings(self) -> Surroundings:
        """Return where this person's hosts keep things; no managed rules of the real machine."""
        return Surroundings(self.path, self.env, "linux", self.path / "managed")

    def service(self, **settings: Any) -> SourceService:
        """Start a service on this home; it is stopped after the test."""
        look = LookParams(poll_s=60, reconcile_s=60, check_s=0.05, confirm_s=0.2)
        params = SourceParams(user="u", surroundings=self.surroundings(), look=look)
        service = SourceService(self.sink, replace(params, **settings), self.sink.clock)
        self.services.append(service)
        service.start()
        return service


@pytest.fixture
def sink() -> FakeSink:
    """Return an empty sink."""
    return FakeSink()


@pytest.fixture
def home(tmp_path: Path, sink: FakeSink) -> Iterator[Home]:
    """Return an empty home folder; all its services are stopped afterwards."""
    (tmp_path / "home").mkdir()
    world = Home(tmp_path / "home", sink)
    yield world
    for service in world.services:
        service.stop()


class Lines:
    """Makes lines of transcripts in the hosts' exact shapes."""

    session = "5d2f6a1e-0b1c-4c5d-8e7f-000000000001"

    def cc(self, uuid: str, role: str, content: Any, ts: str | None = None, **more: Any) -> str:
        """Return one Claude Code line, with its newline."""
        if role == "assistant" and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        event = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/app",
            "sessionId": self.session,
            "version": "2.1.300",
            "type": role,
            "message": {"role": role, "content": content},
            "uuid": uuid,
            "timestamp": ts or "2026-04-01T10:00:00.000Z",
        }
        return _line({**event, **more})

    def header(self, session: str, **more: Any) -> str:
        """Return an OpenClaw ``session`` header line."""
        event = {"type": "session", "version": 3, "id": session, "timestamp": "2026-04-01T09:00:00.000Z"}
        return _line({**event, "cwd": "/home/dev/claw", **more})

    def ocl(self, uid: str, parent: str | None, role: str, text: Any, minute: int = 0, **message: Any) -> str:
        """Return one OpenClaw ``message`` line, with its newline."""
        stamp = f"2026-04-01T10:{minute:02d}:00.000Z"
        content = [{"type": "text", "text": text}] if isinstance(text, str) else text
        event = {"type": "message", "id": uid, "parentId": parent, "timestamp": stamp}
        return _line({**event, "message": {"role": role, "content": content, **message}})


def _line(event: dict[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False) + "\n"


@pytest.fixture
def lines() -> Lines:
    """Return a maker of transcript lines."""
    return Lines()
