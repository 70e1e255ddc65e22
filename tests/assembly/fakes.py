"""Items of our own for tests of the pure assembly."""

from __future__ import annotations

from dataclasses import dataclass

from libra.ground.records import Kind


@dataclass(frozen=True, slots=True)
class FakeItem:
    """Has the shape of a stored row."""

    id: int
    uid: str = ""
    kind: Kind = Kind.TURN
    type: str | None = None
    text: str = "a text"
    tokens: int = 3
    ts_ms: int = 0
    scope: str = "session:s"
    session_id: int | None = 1
    session_key: str | None = "s"
    seq: int | None = None
    project: str | None = None
    agent: str | None = None
    role: str | None = "user"
    speaker: str | None = None
    confidence: float | None = None
    priority: int | None = None
    superseded: bool = False
