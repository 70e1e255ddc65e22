"""Whole transcripts in the hosts' exact shapes, counted: our own, and the shared samples where they are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from libra.ground.records import NewTurn
from libra.sources.events import ParseParams, Verdict
from libra.sources.formats import formats
from libra.sources.hermes_sqlite import HermesDatabase
from libra.sources.openclaw import verdict
from libra.sources.openclaw_database import OpenClawDatabase
from libra.sources.slices import Slice, TalkFile
from libra.sources.transcripts import Transcript

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "data" / "sources"
SHARED = ROOT.parent / "shared" / "samples"
HOSTS = {
    "claude-code": "claude-code/projects/",
    "openclaw": "openclaw/agents/",
    "codex": "codex/sessions/",
    "gemini": "gemini/tmp/",
}

shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared samples (../shared) are not here")


def expected() -> dict[str, Any]:
    """Return the samples' expected counts, {} without samples."""
    listed = SHARED / "expected.json"
    return json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}


def read(path: Path, host: str, parts: tuple[str, ...]) -> tuple[list[NewTurn], Counter[str], Slice]:
    """Return the turns and counts of a whole file, and its last slice."""
    params = ParseParams("u")
    job = Transcript(TalkFile(host, str(path), parts), formats(params)[host])
    turns: list[NewTurn] = []
    counts: Counter[str] = Counter()
    cursor = None
    while True:
        piece = job.step(cursor)
        cursor = piece.cursor
        turns += [turn for batch in piece.batches for turn in batch.turns]
        counts.update(piece.counts)
        if piece.done:
            return turns, counts, piece


def test_own_claude_code_transcript() -> None:
    """Every type of line that the host writes: five questions' worth of noise, nine turns of talk."""
    path = OWN / "claude-code.jsonl"
    turns, counts, _ = read(path, "claude-code", ("-home-dev-tidewatch", path.name))
    names = ("userTurns", "assistantTexts", "toolUses", "toolResults", "meta", "compactSummary", "apiErrors")
    assert [counts[name] for name in names] == [3, 4, 1, 1, 1, 1, 1]
    assert (counts["sidechainLines"], len(turns)) == (2, 9)
    said = "\n".join(turn.content for turn in turns)
    assert "recalled_memories" not in said
    assert "a copy of the prompt" not in said
    assert "continued from" not in said


def test_own_openclaw_transcript() -> None:
    """Mirror, heartbeat, error, host text and a left branch in one file."""
    path = OWN / "openclaw.jsonl"
    turns, counts, piece = read(path, "openclaw", ("main", "sessions", path.name))
    assert (counts["user"], counts["assistant"], counts["toolResult"], counts["compaction"]) == (3, 7, 1, 1)
    assert [(turn.content, turn.undone) for turn in turns] == [
        ("Decision: alarms go to the harbour office, never to my phone at night.", False),
        ("Noted: harbour office only.", False),
        ("Mình trực từ 6 giờ sáng.", False),
        ("Tôi sẽ gọi lúc 5 giờ.", True),
        ("Đã rõ: từ 6 giờ sáng.", False),
    ]
    assert piece.batches[-1].session.key == "openclaw:3d0b6f3c-1f7e-4a0c-9a3e-2b1c0d9e8f7a"


def test_own_codex_rollout() -> None:
    """Instructions, events that repeat items, a compaction and a rollback in one file."""
    turns, counts, piece = read(OWN / "codex.jsonl", "codex", ("2026", "04", "02", "rollout-x.jsonl"))
    assert [(turn.content, turn.undone) for turn in turns] == [
        ("Add the buoy at the north pier to the list.", False),
        ("Added as number 14.", False),
        ("Nhầm rồi, bỏ phao đó đi.", True),
        ("Đã bỏ.", True),
        ("Keep it, but call it Pier North.", False),
    ]
    assert (counts["toolUses"], counts["toolResults"], counts["compaction"], counts["rollbacks"]) == (
        1,
        1,
        1,
        1,
    )
    assert piece.batches[-1].session.key == "codex:0198c0de-aaaa-7bbb-8ccc-0123456789ab"


def test_own_gemini_chat() -> None:
    """A message in three versions, the host's own lines and a rewind in one file."""
    turns, counts, piece = read(OWN / "gemini.jsonl", "gemini", ("tidewatch", "chats", "session-x.jsonl"))
    assert [(turn.content, turn.undone) for turn in turns] == [
        ("Which gauge is off?", False),
        ("Gauge 7 reads 40 cm too high.", False),
        ("Switch it off.", True),
        ("先不要关，明天校准。", False),
    ]
    assert (counts["toolUses"], counts["rewinds"]) == (1, 1)
    assert piece.batches[-1].session.key == "gemini:9c1d2e3f-0000-4aaa-8bbb-ccccddddeeee"


@shared
@pytest.mark.parametrize(
    "name", [name for name in expected() if name.endswith("jsonl") and name.startswith("claude")]
)
def test_shared_claude_code_counts(name: str) -> None:
    """The counts of the shared Claude Code transcripts, by our reader."""
    want = expected()[name]
    parts = tuple(name.removeprefix(HOSTS["claude-code"]).split("/"))
    turns, counts, piece = read(SHARED / name, "claude-code", parts)
    for key, value in want.items():
        if isinstance(value, int):
            assert counts[key] == value, key
    assert f"claude-code:{want['sessionId']}" in {
        piece.batches[0].session.key,
        piece.batches[0].session.parent_key,
    }
    assert not any(
        "recalled_memories" in turn.content or "task-notification" in turn.content for turn in turns
    )


@shared
@pytest.mark.parametrize(
    "name", [name for name in expected() if ".jsonl" in name and name.startswith("openclaw")]
)
def test_shared_openclaw_counts(name: str) -> None:
    """The counts of the shared OpenClaw transcripts; the deleted one is told apart before it is opened."""
    want = expected()[name]
    parts = tuple(name.removeprefix(HOSTS["openclaw"]).split("/"))
    deleted = want.get("archived") == "deleted"
    assert verdict(parts) is (Verdict.EXCLUDED if deleted else Verdict.TAKE)
    _, counts, piece = read(SHARED / name, "openclaw", parts)
    for key, value in want.items():
        if isinstance(value, int):
            assert counts[key] == value, key
    assert piece.batches[-1].session.key == f"openclaw:{want['sessionId']}"


@shared
@pytest.mark.parametrize("name", [name for name in expected() if name.startswith(("codex/", "gemini/"))])
def test_shared_codex_and_gemini_counts(name: str) -> None:
    """The counts of the shared rollouts and chats; nothing that the host itself wrote is a turn."""
    want = expected()[name]
    host = want["host"]
    turns, counts, piece = read(SHARED / name, host, tuple(name.removeprefix(HOSTS[host]).split("/")))
    for key, value in want.items():
        if isinstance(value, int):
            assert counts[key] == value, key
    assert len(turns) == want["userTurns"] + want["assistantTexts"]
    assert piece.batches[-1].session.key == f"{host}:{want['sessionId']}"
    assert not any("_context" in turn.content or "AGENTS.md" in turn.content for turn in turns)


@shared
def test_shared_database_counts_and_identity() -> None:
    """The database has the counts that are expected, and its turns are those of the JSONL file."""
    name = "openclaw/agents/main/agent/openclaw-agent.sqlite"
    want = expected()[name]
    job = OpenClawDatabase(str(SHARED / name), "main", ParseParams("u"))
    counts: Counter[str] = Counter()
    rows: list[NewTurn] = []
    piece = job.step(None)
    while not piece.done:
        counts.update(piece.counts)
        rows += [turn for batch in piece.batches for turn in batch.turns]
        piece = job.step(piece.cursor)
    for key, value in want.items():
        if isinstance(value, int):
            assert counts[key] == value, key
    lines = SHARED / "openclaw/agents/main/sessions" / f"{want['sessionId']}.jsonl"
    turns, _, _ = read(lines, "openclaw", ("main", "sessions", lines.name))
    same = [(turn.event_id, turn.ts_ms, turn.role, turn.content, turn.metadata) for turn in turns]
    assert same == [(turn.event_id, turn.ts_ms, turn.role, turn.content, turn.metadata) for turn in rows]


@shared
def test_shared_hermes_counts() -> None:
    """The counts of the shared Hermes database."""
    name = "hermes/state.db"
    want = expected()[name]
    job = HermesDatabase(str(SHARED / name), ParseParams("u"))
    counts: Counter[str] = Counter()
    piece = job.step(None)
    sessions = set()
    while not piece.done:
        counts.update(piece.counts)
        sessions |= {batch.session.key for batch in piece.batches}
        piece = job.step(piece.cursor)
    for key, value in want.items():
        if isinstance(value, int):
            assert counts[key] == value, key
    assert sessions == {f"hermes:{want['sessionId']}"}


@shared
@pytest.mark.parametrize("name", [name for name in expected() if name.startswith("edge/")])
def test_shared_edge_lines(name: str) -> None:
    """Bad, empty, torn and unknown lines are told apart as expected."""
    want = expected()[name]
    path = SHARED / name
    _, counts, piece = read(path, "openclaw", ("main", "sessions", path.name))
    cursor = piece.cursor
    assert cursor.bad_lines == want.get("badLines", 0)
    assert cursor.lines == want["wholeLines"] + want.get("badLines", 0) + want.get("emptyLines", 0)
    assert counts["events"] == want["wholeLines"]
    assert (cursor.waiting_bytes > 0) == ("torn" in name)
