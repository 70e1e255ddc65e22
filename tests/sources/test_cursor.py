"""Cursor's agent transcripts: what is the person's in a prompt, when it was said, and where."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from libra.ground.records import Role
from libra.sources.cursor import CursorParser, Told, verdict
from libra.sources.cursor_projects import folder_named, name_of
from libra.sources.events import ParseParams, Verdict

WAIT_S = 20.0
ONE = "5c1a7e52-4f1f-4a09-9a33-000000000001"
TWO = "5c1a7e52-4f1f-4a09-9a33-000000000002"
STAMP = "Saturday, Mar 7, 2026, 11:05 PM (UTC+7)"
STAMP_MS = 1_772_899_500_000
ENDED = {"type": "turn_ended", "status": "success"}


def say(role: str, *texts: str) -> dict[str, Any]:
    """Return one line's event."""
    return {"role": role, "message": {"content": [{"type": "text", "text": text} for text in texts]}}


def ask(words: str, stamp: str = STAMP, before: str = "") -> dict[str, Any]:
    """Return a prompt as the host writes it."""
    return say("user", f"<timestamp>{stamp}</timestamp>\n{before}<user_query>\n{words}\n</user_query>")


def parse(
    *events: Any, parts: tuple[str, ...] = ("app", "agent-transcripts", ONE, f"{ONE}.jsonl"), **told: Any
) -> Any:
    """Return what is said in events, and the parser."""
    parser = CursorParser(ParseParams("u"), parts, Told(**told))
    return [one for number, event in enumerate(events, 1) for one in parser.feed(event, number)], parser


def place(home: Any, session: str, *events: Any, flat: bool = False) -> Path:
    """Write a transcript into the person's Cursor folder."""
    folder = home.path / ".cursor" / "projects" / "home-dev-app" / "agent-transcripts"
    path: Path = folder / f"{session}.jsonl" if flat else folder / session / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events), "utf-8")
    return path


def test_files() -> None:
    """The editor's, the command line's and helpers' transcripts; not what lies beside them."""
    taken = [("a", "agent-transcripts", ONE, f"{ONE}.jsonl"), ("a", "agent-transcripts", f"{ONE}.jsonl"),
             ("a", "agent-transcripts", ONE, "subagents", f"{TWO}.jsonl")]  # fmt: skip
    assert {verdict(parts) for parts in taken} == {Verdict.TAKE}
    left = [
        ("a", "terminals", "1.jsonl"),
        ("a", "agent-transcripts", f"{ONE}.txt"),
        ("a", "mcp-auth.json"),
        ("x.jsonl",),
    ]
    assert {verdict(parts) for parts in left} == {Verdict.IGNORE}


def test_what_is_talk() -> None:
    """The person's words alone: no files, rules, notices, tool calls or thinking."""
    tool = {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}
    answer = say("assistant", "On 7443.\n\n[REDACTED]")
    answer["message"]["content"].append(tool)
    said, parser = parse(
        ask("Where does the relay listen?", before="<attached_files>\nsecret\n</attached_files>\n"),
        answer,
        say("assistant", "[REDACTED]"),
        ENDED,
        say(
            "user",
            f"<timestamp>{STAMP}</timestamp>\n<system_notification>\nA task has finished.\n</system_notification>",
        ),
        ask("Briefly inform the user about the task result and perform any follow-up actions (if needed)."),
        say("user", "Plain words of an older version"),
    )
    assert [(one.turn.role, one.turn.content) for one in said] == [
        (Role.USER, "Where does the relay listen?"),
        (Role.ASSISTANT, "On 7443."),
        (Role.USER, "Plain words of an older version"),
    ]
    assert parser.counts["toolUses"] == 1


@pytest.mark.parametrize(
    ("stamp", "wanted"),
    [
        (STAMP, STAMP_MS),
        ("Sunday, Mar 8, 2026, 12:05 AM (UTC+8)", STAMP_MS),
        ("Saturday, March 7, 2026, 4:05 PM (UTC)", STAMP_MS),
        ("Saturday, Mar 7, 2026, 12:35 PM (UTC-3:30)", STAMP_MS),
        ("Saturday, Feb 30, 2026, 12:35 PM (UTC)", 7),
        ("yesterday", 7),
    ],
)
def test_b20_the_time_is_the_prompts_own(stamp: str, wanted: int) -> None:
    """B20: the night belongs to the person's day; without a time that can be read, the file's own stands in."""
    said, _ = parse(ask("one", stamp), say("assistant", "two"), ask("three", stamp), written_ms=7)
    assert [one.turn.ts_ms for one in said] == [wanted, wanted + 1, wanted + 2]


def test_helpers_are_kept_apart() -> None:
    """What an agent tells its helper is not the person's word."""
    said, _ = parse(ask("look for it"), parts=("app", "agent-transcripts", ONE, "subagents", f"{TWO}.jsonl"))
    session = said[0].session
    assert (session.key, session.parent_key, session.kind) == (f"cursor:{TWO}", f"cursor:{ONE}", "subagent")
    assert said[0].turn.origin == "agent"


def test_reading_goes_on_where_it_stopped() -> None:
    """A turn's identity would depend on where a reading began."""
    events = [ask("one"), say("assistant", "two"), ask("one")]
    whole, _ = parse(*events)
    _, first = parse(*events[:2])
    rest = CursorParser(
        ParseParams("u"), ("app", "agent-transcripts", f"{ONE}.jsonl"), Told(), first.memory()
    )
    assert rest.feed(events[2], 3)[0].turn == whole[2].turn


def test_folders(home: Any, sink: Any) -> None:
    """The project is the trusted folder's; without that note the one folder whose path gives the name."""
    work = home.path / "dev" / "my.app"
    work.mkdir(parents=True)
    path = place(home, ONE, ask("one"))
    projects = path.parents[3]
    (projects / "home-dev-app").rename(projects / name_of(str(work)))
    note = projects / "elsewhere" / ".workspace-trusted"
    note.parent.mkdir()
    note.write_text(json.dumps({"workspacePath": "/home/dev/trusted"}), "utf-8")
    other = note.parent / "agent-transcripts" / f"{TWO}.jsonl"
    other.parent.mkdir()
    other.write_text(json.dumps(ask("two")) + "\n", "utf-8")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert {kept.turn.content: kept.session.cwd for kept in sink.turns} == {
        "one": str(work),
        "two": "/home/dev/trusted",
    }


def test_a_name_that_two_folders_give_is_none(tmp_path: Path) -> None:
    """A guess would put one project's talk into another."""
    (tmp_path / "a" / "b-c").mkdir(parents=True)
    assert folder_named("a-b-c", tmp_path) == str(tmp_path / "a" / "b-c")
    (tmp_path / "a-b" / "c").mkdir(parents=True)
    assert folder_named("a-b-c", tmp_path) is None
    assert folder_named("a-x", tmp_path) is None


def test_unstamped_times_are_the_files(home: Any, sink: Any) -> None:
    """Old talk would be told as today's."""
    path = place(home, ONE, say("user", "<user_query>\nold\n</user_query>"), flat=True)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert [kept.turn.ts_ms for kept in sink.turns] == [1_700_000_000_000]
