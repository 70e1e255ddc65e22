"""C96: what a person takes back in the host while Libra follows is taken back, and a redo brings it back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAIT_S = 20.0

Talk = Callable[[str, str | None, str, int], str]


def write(path: Path, text: str) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def append(path: Path, text: str) -> None:
    """Append to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def rewind_and_back(home: Any, sink: Any, path: Path, head: str, say: Talk) -> None:
    """Talk, go back, say something else, then go on where the first branch ended."""
    write(
        path,
        head + say("p1", None, "plan", 0) + say("p2", "p1", "wrong way", 1) + say("p3", "p2", "further", 2),
    )
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.standing() == ["plan", "wrong way", "further"]
    append(path, say("p4", "p1", "right way", 3))
    assert sink.wait(lambda s: s.standing() == ["plan", "right way"])
    append(path, say("p5", "p4", "done", 4))
    assert sink.wait(lambda s: s.standing() == ["plan", "right way", "done"])
    append(path, say("p6", "p3", "the first way after all", 5))
    back = ["plan", "wrong way", "further", "the first way after all"]
    assert sink.wait(lambda s: s.standing() == back)
    assert service.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == sorted([*back, "right way", "done"])


def test_claude_code(home: Any, sink: Any, lines: Any) -> None:
    """A rewind in Claude Code: another prompt answers the line that an earlier one had answered."""

    def say(uid: str, above: str | None, text: str, minute: int) -> str:
        stamp = f"2026-04-01T10:{minute:02d}:00.000Z"
        prompt = lines.cc(uid * 8, "user", text, stamp, parentUuid=above and (above * 8 + "-answer"))
        answer = lines.cc(uid * 8 + "-answer", "assistant", [], stamp, parentUuid=uid * 8)
        return prompt + answer

    rewind_and_back(home, sink, home.slug / "s.jsonl", "", say)


def test_openclaw(home: Any, sink: Any, lines: Any) -> None:
    """The same in OpenClaw's JSONL, which is a tree by ``parentId``."""

    def say(uid: str, above: str | None, text: str, minute: int) -> str:
        return lines.ocl(uid, above, "user", text, minute)

    rewind_and_back(home, sink, home.sessions / "s.jsonl", lines.header("s"), say)


def test_rewind_while_libra_is_away(home: Any, sink: Any, lines: Any) -> None:
    """The person went back between two runs of Libra: the next run takes it back."""
    talk = [lines.ocl("a", None, "user", "plan"), lines.ocl("b", "a", "user", "wrong", 1)]
    path = write(home.sessions / "s.jsonl", lines.header("s") + "".join(talk))
    first = home.service()
    assert first.wait_idle(WAIT_S)
    first.stop()
    append(path, lines.ocl("c", "a", "user", "right", 2))
    second = home.service()
    assert second.wait_idle(WAIT_S)
    assert sink.standing() == ["plan", "right"]


def test_lines_that_fork_without_a_prompt_change_nothing(home: Any, sink: Any, lines: Any) -> None:
    """Tool results beside each other hang on one line and are no rewind: nothing is read again."""
    talk = [
        lines.cc("u1" * 8, "user", "start"),
        lines.cc("a1" * 8, "assistant", "hello", parentUuid="u1" * 8),
    ]
    path = write(home.slug / "s.jsonl", "".join(talk))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    result = [{"type": "tool_result", "content": "ok"}]
    append(path, lines.cc("t1" * 8, "user", result, parentUuid="a1" * 8))
    append(path, lines.cc("t2" * 8, "user", result, parentUuid="a1" * 8))
    append(path, lines.cc("u2" * 8, "user", "next", "2026-04-01T11:00:00Z", parentUuid="t1" * 8))
    assert sink.wait(lambda s: s.standing() == ["start", "hello", "next"])
    assert service.wait_idle(WAIT_S)
    assert sum(tally["duplicates"] for tally in service.status()["hosts"].values()) == 0
    assert json.loads(talk[0])["uuid"] == "u1" * 8
