"""Codex's rollouts: what is talk, whose it is, and the same talk in copies, archives and packed files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from libra.sources.codex import CodexParser, left_in, named_session, verdict
from libra.sources.events import ParseParams, Verdict

WAIT_S = 20.0
ONE = "01a0c3d4-5e6f-7a8b-9c0d-1e2f3a4b5c6d"
TWO = "01a0c3d4-5e6f-7a8b-9c0d-2e2f3a4b5c6d"


def line(kind: str, second: int = 0, **payload: Any) -> dict[str, Any]:
    """Return one line's event."""
    stamp = f"2026-03-07T11:{second // 60:02d}:{second % 60:02d}.000Z"
    return {"timestamp": stamp, "type": kind, "payload": payload}


def header(session: str = ONE, second: int = 0, **more: Any) -> dict[str, Any]:
    """Return a ``session_meta`` line; its instructions make it long."""
    base = {"text": "x" * 25_000}
    return line("session_meta", second, id=session, cwd="/home/dev/app", base_instructions=base, **more)


def item(role: str, text: str, second: int = 1) -> dict[str, Any]:
    """Return a message item."""
    kind = "output_text" if role == "assistant" else "input_text"
    return line("response_item", second, type="message", role=role, content=[{"type": kind, "text": text}])


def parse(*events: Any, left: frozenset[str] = frozenset(), **params: Any) -> tuple[list[Any], CodexParser]:
    """Return what is said in events, and the parser."""
    parser = CodexParser(
        ParseParams("u", **params), ("2026", "03", "07", f"rollout-x-{ONE}.jsonl"), None, left
    )
    return [one for number, event in enumerate(events, 1) for one in parser.feed(event, number)], parser


def text(*events: Any) -> str:
    """Return events as lines of a file."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def place(home: Any, name: str, *events: Any, folder: str = "sessions/2026/03/07") -> Path:
    """Write a rollout into the person's Codex folder."""
    path: Path = home.path / ".codex" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(*events), encoding="utf-8")
    return path


def test_files() -> None:
    """Rollouts are taken by name, plain or packed; prompts history and temporary files are not."""
    names = (
        "rollout-2026-03-07T11-00-00-x.jsonl",
        "rollout-x.jsonl.zst",
        "history.jsonl",
        "rollout-x.jsonl.tmp",
    )
    assert [verdict(("2026", "03", "07", name)) for name in names] == [Verdict.TAKE] * 2 + [
        Verdict.IGNORE
    ] * 2
    assert named_session(f"rollout-2026-03-07T11-00-00-{ONE}.jsonl.zst") == ONE


def test_what_is_talk() -> None:
    """The person's and the agent's messages; nothing that the host wrote, repeated or summed up."""
    said, parser = parse(
        header(),
        item("developer", "<permissions instructions>"),
        item("user", "# AGENTS.md instructions for /home/dev/app\n\n- Never push."),
        item("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        item("user", "Add a column."),
        line("event_msg", type="user_message", message="Add a column."),
        line(
            "event_msg",
            type="item_completed",
            item={"type": "UserMessage", "content": [{"text": "Add a column."}]},
        ),
        line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "thinking"}]),
        line("response_item", type="function_call", name="exec", arguments="{}"),
        line("response_item", type="function_call_output", output="secret output"),
        line("event_msg", type="agent_message", message="Done."),
        item("assistant", "Done."),
        line("compacted", message="summary", replacement_history=[{"type": "message", "role": "user"}]),
        line("world_state", text="never seen before"),
    )
    assert [(one.turn.role, one.turn.content) for one in said] == [
        ("user", "Add a column."),
        ("assistant", "Done."),
    ]
    assert (parser.counts["toolUses"], parser.counts["toolResults"], parser.counts["compaction"]) == (1, 1, 1)
    assert (said[0].session.key, said[0].session.cwd) == (f"codex:{ONE}", "/home/dev/app")


def test_tool_output_only_if_asked_for() -> None:
    """What tools answered is handed in with the setting only, as a tool's words."""
    output = line(
        "response_item", type="function_call_output", output={"content": [{"type": "text", "text": "ok"}]}
    )
    assert parse(header(), output)[0] == []
    said, _ = parse(header(), output, tool_output=True)
    assert (said[0].turn.role, said[0].turn.content) == ("tool", "ok")


def test_editor_context_is_cut() -> None:
    """A prompt sent from an editor brings open files; only the request is the person's."""
    prompt = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix the test.\n"
    )
    said, _ = parse(header(), item("user", prompt))
    assert said[0].turn.content == "Fix the test."


def test_events_where_there_are_no_items() -> None:
    """A rollout that holds events only is read by them."""
    said, _ = parse(
        header(),
        line("event_msg", type="user_message", message="hello"),
        line("event_msg", type="agent_message", message="hi"),
    )
    assert [one.turn.content for one in said] == ["hello", "hi"]


def test_first_versions_have_no_envelope() -> None:
    """Bare lines of the oldest rollouts are read as well."""
    said, parser = parse(
        {"id": TWO, "timestamp": "2025-06-01T10:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"record_type": "state"},
    )
    assert [one.turn.content for one in said] == ["hello"]
    assert parser.session().key == f"codex:{TWO}"


def test_project_is_that_of_each_turn() -> None:
    """B28: the folder changes inside a session; each turn belongs to the project it was said in."""
    said, _ = parse(
        header(),
        item("user", "here"),
        line("turn_context", cwd="/home/dev/other"),
        item("user", "there"),
        project_of=lambda cwd: cwd.rpartition("/")[2],
    )
    assert [one.session.project for one in said] == ["app", "other"]


def test_helpers_are_kept_apart() -> None:
    """A session that another one spawned is its child, and not learnt from."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": ONE, "depth": 1}}}
    said, _ = parse(header(TWO, source=source), item("user", "do this"))
    session = said[0].session
    assert (session.kind, session.parent_key, said[0].turn.origin) == ("subagent", f"codex:{ONE}", "agent")


def test_a_helper_does_not_take_its_parents_talk(home: Any, sink: Any) -> None:
    """A helper that begins with a copy of the talk must not make the person's words its own, though it is read first."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": ONE}}}
    copied = [header(ONE, 90), item("user", "never push", 90)]
    helper = [header(TWO, 90, forked_from_id=ONE, source=source), *copied, item("user", "look it up", 95)]
    place(home, f"rollout-b-{TWO}.jsonl", *helper)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    place(home, f"rollout-a-{ONE}.jsonl", header(), item("user", "never push"))
    assert service.wait_idle(WAIT_S)
    said = {kept.turn.content: (kept.session.kind, kept.turn.origin) for kept in sink.turns}
    assert said == {"look it up": ("subagent", "agent"), "never push": ("main", "owner")}


def test_time_is_the_lines_own() -> None:
    """B20: the time of a turn is its line's, whatever day the file is called after."""
    said, _ = parse(header(), item("user", "I booked the dentist.", 30))
    assert said[0].turn.ts_ms == 1_772_881_230_000


def test_rollback_takes_prompts_back() -> None:
    """C96: a rollback takes the last prompts with all that followed them, and no other."""
    talk = [
        header(),
        item("user", "a", 1),
        item("assistant", "b", 2),
        item("user", "c", 3),
        item("assistant", "d", 4),
        line("event_msg", 5, type="thread_rolled_back", num_turns=1),
        item("user", "e", 6),
    ]
    said, _ = parse(*talk, left=left_in(talk))
    assert [(one.turn.content, one.turn.undone) for one in said] == [
        ("a", False),
        ("b", False),
        ("c", True),
        ("d", True),
        ("e", False),
    ]
    assert left_in([line("event_msg", type="thread_rolled_back", num_turns=10**9)]) == frozenset()


def test_rollback_while_following(home: Any, sink: Any) -> None:
    """What was taken already is taken back when the rollback is written."""
    path = place(home, f"rollout-a-{ONE}.jsonl", header(), item("user", "keep"), item("user", "wrong", 2))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    with path.open("a", encoding="utf-8") as file:
        file.write(text(line("event_msg", 3, type="thread_rolled_back", num_turns=1)))
    assert sink.wait(lambda s: s.standing() == ["keep"])


def test_b02_fork_copies_history(home: Any, sink: Any) -> None:
    """B02: a fork copies the talk under new times; it is there once, in either order of reading."""
    talk = [header(), item("user", "one", 1), item("assistant", "two", 2), item("user", "one", 3)]
    copied = [item("user", "one", 90), item("assistant", "two", 90), item("user", "one", 90)]
    fork = [header(TWO, 90, forked_from_id=ONE), header(ONE, 90), *copied, item("user", "new", 95)]
    place(home, f"rollout-a-{ONE}.jsonl", *talk)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    place(home, f"rollout-b-{TWO}.jsonl", *fork)
    assert sink.wait(lambda s: "new" in s.contents())
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two", "one", "new"]
    last = sink.turns[-1].session
    assert (last.key, last.parent_key) == (f"codex:{TWO}", f"codex:{ONE}")


def test_b03_torn_line(home: Any, sink: Any) -> None:
    """B03: a half-written last line waits and is taken once when it is whole, over a restart."""
    path = place(home, f"rollout-a-{ONE}.jsonl", header(), item("user", "whole"))
    whole = json.dumps(item("user", "blue heron", 5)) + "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[:40])
    first = home.service()
    assert first.wait_idle(WAIT_S)
    assert (sink.contents(), first.status()["waiting_lines"]) == (["whole"], 1)
    first.stop()
    with path.open("a", encoding="utf-8") as file:
        file.write(whole[40:])
    second = home.service()
    assert second.wait_idle(WAIT_S)
    assert sink.contents() == ["whole", "blue heron"]


@pytest.mark.parametrize("running", [True, False])
def test_b15_archived_and_packed(home: Any, sink: Any, *, running: bool) -> None:
    """B15, C03: moved to the archive, then packed away, then with new talk: nothing twice, nothing lost."""
    name = f"rollout-a-{ONE}.jsonl"
    path = place(home, name, header(), item("user", "one"), item("assistant", "two", 2))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    if not running:
        service.stop()
    archive = home.path / ".codex" / "archived_sessions"
    archive.mkdir(parents=True)
    path.rename(archive / name)
    if running:
        assert service.wait_idle(WAIT_S)
    data = (archive / name).read_bytes() + text(item("user", "three", 3)).encode()
    (archive / f"{name}.zst").write_bytes(zstandard.ZstdCompressor().compress(data))
    (archive / name).unlink()
    service = service if running else home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two", "three"]
    assert {kept.session.key for kept in sink.turns} == {f"codex:{ONE}"}


def test_codex_home(home: Any, sink: Any, tmp_path: Path) -> None:
    """C77: CODEX_HOME moves it, and the status says what named it."""
    home.env["CODEX_HOME"] = str(tmp_path / "elsewhere")
    path = tmp_path / "elsewhere" / "sessions" / f"rollout-a-{ONE}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(text(header(), item("user", "moved")), encoding="utf-8")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["moved"]
    named = {root["path"]: root["named_by"] for root in service.status()["roots"] if root["host"] == "codex"}
    assert set(named.values()) == {"CODEX_HOME"}
