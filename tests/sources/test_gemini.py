"""Gemini CLI's chats: a log of upserts, of which the last version counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from libra.sources.events import ParseParams, Verdict
from libra.sources.gemini import GeminiParser, left_in, verdict

WAIT_S = 20.0
PLACE = ("harbor", "chats", "session-2026-03-07T15-00-3f2a1b0c.jsonl")
SESSION = "3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c"
HEADER: dict[str, Any] = {"sessionId": SESSION, "projectHash": "ab", "kind": "main"}


def message(named: str, kind: str, content: Any, second: int = 1, **more: Any) -> dict[str, Any]:
    """Return a message record."""
    stamp = f"2026-03-07T15:00:{second:02d}.000Z"
    return {"id": named, "timestamp": stamp, "type": kind, "content": content, **more}


def parse(*events: Any, parts: tuple[str, ...] = PLACE) -> tuple[list[Any], GeminiParser]:
    """Return what is said in a whole chat, and the parser."""
    parser = GeminiParser(ParseParams("u"), parts, "/home/dev/harbor", None, left_in(events))
    return [one for number, event in enumerate(events, 1) for one in parser.feed(event, number)], parser


def text(*events: Any) -> str:
    """Return events as lines of a file."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def place(home: Any, *events: Any) -> Path:
    """Write a chat into the person's Gemini folder."""
    path: Path = home.path / ".gemini" / "tmp" / "harbor" / "chats" / PLACE[-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(*events), encoding="utf-8")
    return path


def append(path: Path, *events: Any) -> None:
    """Append events to a chat."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text(*events))


def test_files() -> None:
    """Chats, those of sub-agents, and the single documents of the first versions; no logs, no checkpoints."""
    assert verdict(PLACE) is Verdict.TAKE
    assert verdict(("harbor", "chats", SESSION, "helper.jsonl")) is Verdict.TAKE
    assert verdict(("harbor", "chats", "session-1.json")) is Verdict.WHOLE
    assert verdict(("harbor", "logs.json")) is Verdict.IGNORE
    assert verdict(("harbor", "checkpoint-x.json")) is Verdict.IGNORE


def test_what_is_talk() -> None:
    """The person's and the agent's words once each, however often a message is written; nothing of the host's."""
    said, parser = parse(
        HEADER,
        {"$set": {"messages": [message("ctx", "user", [{"text": "<session_context>\nhost"}])]}},
        message("u1", "user", [{"text": "How many?"}]),
        message("g1", "gemini", "", toolCalls=[{"id": "t1"}]),
        message("g1", "gemini", "Sev", toolCalls=[{"id": "t1"}], thoughts=[{"subject": "thinking"}]),
        message("g1", "gemini", "Seventeen.", toolCalls=[{"id": "t1"}]),
        message("u2", "user", [{"functionResponse": {"response": {"output": "17"}}}]),
        message("i1", "info", "Request cancelled."),
        {"$set": {"lastUpdated": "2026-03-07T15:00:08.000Z", "summary": "About retries"}},
    )
    assert [(one.turn.role, one.turn.content) for one in said] == [
        ("user", "How many?"),
        ("assistant", "Seventeen."),
    ]
    assert parser.counts["toolUses"] == 1
    assert (said[0].session.key, said[0].session.cwd) == (f"gemini:{SESSION}", "/home/dev/harbor")


def test_what_was_typed_without_files_and_hooks() -> None:
    """Referenced files and hooks' additions, ours among them, are cut from a prompt."""
    files = [
        {"text": "Look at @a.py"},
        {"text": "\n--- Content from referenced files ---"},
        {"text": "secret = 1"},
    ]
    said, _ = parse(
        message("u1", "user", [*files, {"text": "\n--- End of content ---"}, {"text": "and fix it"}]),
        message("u2", "user", "Hello<hook_context>recalled</hook_context> there", 2),
        message("u3", "user", [{"text": "expanded"}], 3, displayContent=[{"text": "typed"}]),
        message("u4", "user", "open<hook_context>never closed", 4),
    )
    assert [one.turn.content for one in said] == [
        "Look at @a.py\n\nand fix it",
        "Hello there",
        "typed",
        "open",
    ]


def test_compression_takes_nothing_away() -> None:
    """After a compression the model's context lacks old messages: they were said all the same."""
    said, _ = parse(
        message("u1", "user", "old"),
        {
            "$set": {
                "messages": [message("s", "user", "<state_snapshot>summary"), message("u2", "user", "new", 2)]
            }
        },
    )
    assert [(one.turn.content, one.turn.undone) for one in said] == [("old", False), ("new", False)]


def test_rewind() -> None:
    """C96: a rewind takes its target and all after it back; an unknown target takes everything."""
    talk = [message("u1", "user", "a"), message("g1", "gemini", "b", 2), message("u2", "user", "c", 3)]
    said, _ = parse(*talk, {"$rewindTo": "g1"}, message("u3", "user", "d", 4))
    assert [(one.turn.content, one.turn.undone) for one in said] == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", False),
    ]
    assert all(one.turn.undone for one in parse(*talk, {"$rewindTo": "?"})[0])


def test_helpers_are_kept_apart() -> None:
    """A sub-agent's chat is a child of its session."""
    said, _ = parse(
        {"sessionId": "x", "kind": "subagent"}, message("u1", "user", "do"), parts=(*PLACE[:2], SESSION, "x")
    )
    session = said[0].session
    assert (session.kind, session.parent_key, said[0].turn.origin) == (
        "subagent",
        f"gemini:{SESSION}",
        "agent",
    )


def test_a_message_that_grows_while_it_is_followed(home: Any, sink: Any) -> None:
    """The half answer that was read leaves when the whole one comes; a rewind takes that back, too."""
    path = place(home, HEADER, message("u1", "user", "How many?"), message("g1", "gemini", "Sev", 2))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["How many?", "Sev"]
    append(path, message("g1", "gemini", "Seventeen.", 2))
    assert sink.wait(lambda s: "Seventeen." in s.standing())
    assert service.wait_idle(WAIT_S)
    append(path, {"$rewindTo": "u1"}, message("u2", "user", "How few?", 9))
    assert sink.wait(lambda s: "How few?" in s.standing())
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["How few?"]


def test_b03_torn_line(home: Any, sink: Any) -> None:
    """B03: a half-written last record waits, and is taken once when it is whole."""
    path = place(home, HEADER, message("u1", "user", "whole"))
    torn = json.dumps(message("u2", "user", "blue heron", 5)) + "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(torn[:30])
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert (sink.contents(), service.status()["waiting_lines"]) == (["whole"], 1)
    with path.open("a", encoding="utf-8") as file:
        file.write(torn[30:])
    assert sink.wait(lambda s: s.contents() == ["whole", "blue heron"])


def test_b02_copied_chat(home: Any, sink: Any) -> None:
    """B02: the same messages in another file are the same turns."""
    long = [message(f"{SESSION}-{n}", "user", f"talk {n}", n) for n in range(3)]
    path = place(home, HEADER, *long)
    copy = path.with_name("session-2026-03-08T10-00-00000000.jsonl")
    copy.write_text(
        text({**HEADER, "sessionId": "other"}, *long, message("new", "user", "new", 30)), encoding="utf-8"
    )
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == ["new", "talk 0", "talk 1", "talk 2"]


def test_folder_of_a_project(home: Any, sink: Any) -> None:
    """The host's list, or its note in the folder, says which folder a project is."""
    path = place(home, HEADER, message("u1", "user", "one"))
    listed = {"projects": {"/home/dev/harbor": "harbor"}}
    (home.path / ".gemini" / "projects.json").write_text(json.dumps(listed), encoding="utf-8")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.turns[-1].session.cwd == "/home/dev/harbor"
    (path.parents[1] / ".project_root").write_text("/home/dev/moved\n", encoding="utf-8")
    append(path, message("u2", "user", "two", 2))
    assert sink.wait(lambda s: len(s.turns) == 2)
    assert sink.turns[-1].session.cwd == "/home/dev/moved"


def test_first_versions_wrote_one_document(home: Any, sink: Any) -> None:
    """A chat that is one JSON document is read whole, each time it changes; a half-written one waits."""
    path = place(home).with_name("session-2025-09-01T10-00-aa.json")
    talk = [message("u1", "user", "one"), message("g1", "gemini", "two", 2)]
    path.write_text(json.dumps({**HEADER, "messages": talk}, indent=2), encoding="utf-8")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two"]
    whole = json.dumps({**HEADER, "messages": [*talk, message("u2", "user", "three", 3)]}, indent=2)
    path.write_text(whole[:-20], encoding="utf-8")
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two"]
    path.write_text(whole, encoding="utf-8")
    assert sink.wait(lambda s: s.contents() == ["one", "two", "three"])
    assert service.wait_idle(WAIT_S)
    service.stop()
    takes = sink.takes
    again = home.service()
    assert again.wait_idle(WAIT_S)
    assert sink.takes == takes
