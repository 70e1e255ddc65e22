"""Claude Code's lines: what is talk, whose it is, and in which session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from libra.ground.records import Origin, Role
from libra.sources.claude_code import ClaudeCodeParser, abandoned, named_session, verdict
from libra.sources.events import ParseParams, Said, Verdict

PLACE = ("-work-app", "5d2f6a1e-0b1c-4c5d-8e7f-000000000001.jsonl")


def parse(
    *texts: str, place: tuple[str, ...] = PLACE, **settings: Any
) -> tuple[list[Said], ClaudeCodeParser]:
    """Return what is said in some lines, and the parser after them."""
    parser = ClaudeCodeParser(ParseParams("u", **settings), place)
    said: list[Said] = []
    for number, text in enumerate(texts, 1):
        said += parser.feed(json.loads(text), number)
    return said, parser


def test_question_and_answer(lines: Any) -> None:
    """A person's words are the owner's, the answer the agent's; ids, times and lines are kept."""
    said, parser = parse(
        lines.cc("u1", "user", "Where is it?"), lines.cc("u2", "assistant", "There.", "2026-04-01T10:00:05Z")
    )
    question, answer = (one.turn for one in said)
    assert (question.role, question.origin, question.content) == (Role.USER, Origin.OWNER, "Where is it?")
    assert (answer.role, answer.origin, answer.event_id) == (Role.ASSISTANT, Origin.AGENT, "u2")
    assert answer.ts_ms == 1_775_037_605_000
    assert (question.line, answer.line) == (1, 2)
    session = said[0].session
    assert (session.key, session.kind, session.cwd) == (
        f"claude-code:{lines.session}",
        "main",
        "/home/dev/app",
    )
    assert parser.counts["userTurns"] == parser.counts["assistantTexts"] == 1


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"isApiErrorMessage": True},
        {"promptSource": "system"},
        {"type": "attachment"},
        {"type": "api-request-blob"},
        {"type": "queue-operation"},
        {"type": "from-the-future"},
        {"type": ["user"]},
        {"message": "user"},
        {"message": None},
    ],
)
def test_host_lines_are_no_talk(lines: Any, more: dict[str, Any]) -> None:
    """Only plain user and assistant lines are read."""
    assert parse(lines.cc("u1", "user", "a copy of the prompt", **more))[0] == []


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
        "<local-command-stdout>ok</local-command-stdout>",
        "<task-notification>\n<status>completed</status>\n</task-notification>",
        "<system-reminder>be brief</system-reminder>",
        "[Request interrupted by user]",
        "   ",
    ],
)
def test_wrappers_alone_give_no_turn(lines: Any, text: str) -> None:
    """What the host wrote in the person's name is not the person's."""
    assert parse(lines.cc("u1", "user", text))[0] == []


def test_wrapper_around_words_is_cut(lines: Any) -> None:
    """The person's own words stay."""
    content = [
        {"type": "text", "text": "<system-reminder>be brief</system-reminder>"},
        {"type": "text", "text": "Use port 7443."},
        {"type": "image", "source": {}},
    ]
    assert [one.turn.content for one in parse(lines.cc("u1", "user", content))[0]] == ["Use port 7443."]


def test_tools_and_thinking_are_counted_not_taken(lines: Any) -> None:
    """Tool calls, results and thoughts are no talk."""
    call = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {}},
    ]
    result = [
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "1 failed"}]},
        {"type": "text", "text": "[Request interrupted by user for tool use]"},
    ]
    said, parser = parse(lines.cc("u1", "assistant", call), lines.cc("u2", "user", result))
    assert said == []
    assert (parser.counts["toolUses"], parser.counts["toolResults"]) == (1, 1)


def test_tool_output_on_request(lines: Any) -> None:
    """With the setting, results come as turns of role and origin tool, each with an id of its own."""
    result = [
        {"type": "tool_result", "content": "one"},
        {"type": "tool_result", "content": [{"type": "text", "text": "two"}]},
    ]
    turns = [one.turn for one in parse(lines.cc("u2", "user", result), tool_output=True)[0]]
    assert [(t.role, t.origin, t.content, t.event_id) for t in turns] == [
        (Role.TOOL, Origin.TOOL, "one", "u2/0"),
        (Role.TOOL, Origin.TOOL, "two", "u2/1"),
    ]


def test_line_without_session_and_time_joins_the_lines_before(lines: Any) -> None:
    """B03's last line: session and time of the line before it."""
    bare = json.dumps({"type": "user", "uuid": "u4", "message": {"role": "user", "content": "blue heron"}})
    said, _ = parse(lines.cc("u3", "user", "before"), bare, place=("-work-app", "other.jsonl"))
    assert said[1].session.key == f"claude-code:{lines.session}"
    assert said[1].turn.ts_ms == said[0].turn.ts_ms


def test_line_without_anything_before_it_goes_by_the_file_name() -> None:
    """The file's name is the last resort, and there is no time to be had."""
    said, _ = parse(json.dumps({"type": "user", "message": {"role": "user", "content": "hello there"}}))
    assert said[0].session.key == f"claude-code:{PLACE[1].removesuffix('.jsonl')}"
    assert said[0].turn.ts_ms is None
    assert said[0].turn.event_id is None


def test_session_id_is_the_content_s_not_the_name_s(lines: Any) -> None:
    """C05: a renamed file keeps its session."""
    said, _ = parse(lines.cc("u1", "user", "hello"), place=("-work-app", "copy of something.jsonl"))
    assert said[0].session.key == f"claude-code:{lines.session}"


def test_side_chain_is_a_session_of_its_own(lines: Any) -> None:
    """Sub-agents' talk is kept apart, under its parent, and nothing in it is the owner's."""
    said, _ = parse(
        lines.cc("u1", "user", "List all sleeps.", isSidechain=True, agentId="ab12"),
        lines.cc("u2", "assistant", "Two.", isSidechain=True),
        lines.cc("u3", "user", "Go on."),
    )
    first, second, third = said
    assert first.session.key == f"claude-code:{lines.session}/ab12"
    assert first.session.parent_key == f"claude-code:{lines.session}"
    assert (first.session.kind, first.turn.origin) == ("subagent", Origin.AGENT)
    assert second.session.key == f"claude-code:{lines.session}/side"
    assert (third.session.kind, third.session.parent_key) == ("main", None)


def test_sub_agent_file_without_flags(lines: Any) -> None:
    """A file in ``subagents/`` is a side chain whatever its lines say."""
    place = ("-work-app", "s1", "subagents", "agent-ff00.jsonl")
    said, _ = parse(lines.cc("u1", "user", "List.", sessionId=None), place=place)
    assert said[0].session.key == "claude-code:s1/ff00"
    assert named_session(("-work-app", "agent-ff00.jsonl")) == ("agent-ff00", "ff00")


def test_second_session_in_a_file_goes_on_from_the_first(lines: Any) -> None:
    """A resumed file that holds the old session's lines links the new session to it."""
    said, parser = parse(
        lines.cc("u1", "user", "first", sessionId="A" * 20),
        lines.cc("u2", "user", "second", sessionId="B" * 20),
    )
    assert said[1].session.parent_key == "claude-code:" + "A" * 20
    assert said[0].session.parent_key is None
    again = ClaudeCodeParser(ParseParams("u"), PLACE, parser.memory())
    assert (
        again.feed(json.loads(lines.cc("u3", "user", "third", sessionId="B" * 20)), 3)[0].session
        == said[1].session
    )


def test_fork_names_its_origin(lines: Any) -> None:
    """A forked session's lines say where it came from."""
    said, _ = parse(lines.cc("u1", "user", "on", forkedFrom={"sessionId": "A" * 20, "messageUuid": "x"}))
    assert said[0].session.parent_key == "claude-code:" + "A" * 20


def test_host_written_answers_are_left_out(lines: Any) -> None:
    """C39: a provider's error or a placeholder is no answer."""
    text = lines.cc("u1", "assistant", "API Error: 529 overloaded")
    event = json.loads(text)
    event["message"]["model"] = "<synthetic>"
    assert parse(json.dumps(event))[0] == []


def test_project_follows_the_folder_of_each_line(lines: Any) -> None:
    """C74: the project is found from each line's own folder."""
    said, _ = parse(
        lines.cc("u1", "user", "here", cwd="/home/dev/a"),
        lines.cc("u2", "user", "there", cwd="/home/dev/b"),
        project_of=lambda cwd: cwd.upper(),
    )
    assert [one.session.project for one in said] == ["/HOME/DEV/A", "/HOME/DEV/B"]


def test_prompt_that_was_taken_back(lines: Any) -> None:
    """C96: of two prompts that answer one line the later counts; the earlier goes with its answer."""
    result = [{"type": "tool_result", "content": "ok"}]
    talk = [
        json.loads(text)
        for text in (
            lines.cc("u1", "user", "start"),
            lines.cc("a1", "assistant", "hello", parentUuid="u1"),
            lines.cc("u2", "user", "wrong way", parentUuid="a1"),
            lines.cc("a2", "assistant", "going wrong", parentUuid="u2"),
            lines.cc("u3", "user", "right way", parentUuid="a1"),
            lines.cc("a3", "assistant", "going right", parentUuid="u3"),
            lines.cc("t1", "user", result, parentUuid="a3"),
            lines.cc("t2", "user", result, parentUuid="a3"),
            lines.cc("a4", "assistant", "done", parentUuid="t2"),
        )
    ]
    assert abandoned(talk) == {"u2", "a2"}
    assert abandoned(talk[:4]) == frozenset()
    back = json.loads(lines.cc("u4", "user", "the wrong way after all", parentUuid="a2"))
    assert abandoned([*talk, back]) == {"u3", "a3", "t1", "t2", "a4"}
    assert abandoned([{"uuid": "x", "parentUuid": "y"}, {"uuid": "y", "parentUuid": "x"}, {}]) == frozenset()
    parser = ClaudeCodeParser(ParseParams("u"), PLACE, left=abandoned(talk))
    said = [one.turn for number, event in enumerate(talk) for one in parser.feed(event, number)]
    assert [turn.content for turn in said if turn.undone] == ["wrong way", "going wrong"]


def test_time_may_be_a_number(lines: Any) -> None:
    """Old files have epoch milliseconds."""
    said, _ = parse(lines.cc("u1", "user", "x", ts=None, timestamp=1_775_037_600_123))
    assert said[0].turn.ts_ms == 1_775_037_600_123


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("slug", "a.jsonl"), Verdict.TAKE),
        (("slug", "a", "subagents", "agent-1.jsonl"), Verdict.TAKE),
        (("slug", "a", "subagents", "agent-1.meta.json"), Verdict.IGNORE),
        (("slug", "memory", "x.jsonl"), Verdict.IGNORE),
        (("slug", ".a.jsonl"), Verdict.IGNORE),
        (("slug", "a.jsonl.tmp"), Verdict.IGNORE),
        (("loose.jsonl",), Verdict.IGNORE),
    ],
)
def test_which_files_are_transcripts(parts: tuple[str, ...], expected: Verdict) -> None:
    """Only transcripts below a slug are read."""
    assert verdict(parts) is expected
