"""C02: a host deletes its transcripts; what was learnt stays, and the status says what is kept of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from libra.engine.core import Engine
from libra.ground.records import Cursor, NewTurn, Role, SessionRef, SourceBatch, Who


def batch(session: str, path: str, event: str) -> SourceBatch:
    """Return one turn of a session, read from a file."""
    ref = SessionRef(f"claude-code:{session}", "u", host="claude-code")
    turn = NewTurn(Role.USER, f"Talk {event}.", 1_775_000_000_000, event * 8)
    return SourceBatch(ref, (turn,), Cursor(path, "claude-code", offset=1, session_key=ref.key))


def test_kept_sessions_are_counted_by_host(engine: Engine) -> None:
    """A session counts once all its transcripts are gone; one that is there again counts no more."""
    engine.take(batch("s1", "/t/a.jsonl", "aaa"))
    engine.take(batch("s2", "/t/b.jsonl", "bbb"))
    engine.take(replace(batch("s2", "/t/c.jsonl", "ccc")))
    engine.source_state("/t/a.jsonl", "gone")
    engine.source_state("/t/b.jsonl", "gone")
    read = engine.status()["sources"]
    assert read["hosts"]["claude-code"]["sessions_kept"] == 1
    assert {row["path"] for row in read["gone"]} == {"/t/a.jsonl", "/t/b.jsonl"}
    assert engine.transcripts() == {"/t/c.jsonl"}
    engine.source_state("/t/c.jsonl", "gone")
    assert engine.status()["sources"]["hosts"]["claude-code"]["sessions_kept"] == 2
    engine.take(batch("s1", "/t/a.jsonl", "ddd"))
    engine.session_gone("claude-code:nobody")
    assert engine.status()["sources"]["hosts"]["claude-code"]["sessions_kept"] == 1
    engine.session_gone("claude-code:s1")
    assert engine.status()["sources"]["hosts"]["claude-code"]["sessions_kept"] == 2


def test_undo_reaches_search(engine: Engine) -> None:
    """C96: a turn that is handed over as undone is found no more, and is found again when it stands again."""
    told = batch("s1", "/t/a.jsonl", "zebra")
    engine.take(told)

    def found() -> list[Any]:
        return engine.search(who=Who(user="u"), query="Talk zebra", k=5)["hits"]

    assert found()
    engine.take(replace(told, turns=(replace(told.turns[0], undone=True),)))
    assert not found()
    engine.take(told)
    assert found()
