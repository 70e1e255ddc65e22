"""Write the demo's sessions, in the hosts' own line formats, from the plain dialogues in ``assets/talks/``.

    python assets/make_demo.py

A talk begins with ``key: value`` lines and a blank one; then each line is an event: ``U:`` the person, ``P:``
the person with the host's time prefix, ``A:`` the assistant, ``thinking:``, ``tool: name | argument | result``,
``+20m`` a pause, and ``meta:``, ``command:``, ``reminder:``, ``interrupted:`` for a host's wrappers. Ids are
hashes of session and line number, so that the same talks give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DEMO = HERE / "demo"
HOME = "/home/dev"
REPO = f"{HOME}/larder"
SLUG = "-home-dev-larder"
MODEL = "demo-model"

PAUSE = re.compile(r"\+(\d+)([mh])")
SECONDS = {"U": 50, "P": 50, "A": 9, "tool": 4, "thinking": 3}
"""How long each kind of event takes; anything else one second."""

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a talk: its number, kind, text and time."""

    number: int
    kind: str
    text: str
    at: datetime

    @property
    def stamp(self) -> str:
        """The time as the hosts write it."""
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    @property
    def epoch_ms(self) -> int:
        """The time in epoch milliseconds."""
        return int(self.at.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Talk:
    """A parsed talk."""

    head: dict[str, str]
    events: tuple[Event, ...]

    @property
    def session(self) -> str:
        """The session's id."""
        return self.head["session"]


def read(path: Path) -> Talk:
    """Parse one talk file."""
    head_text, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    head = dict(line.split(": ", 1) for line in head_text.splitlines())
    now = datetime.fromisoformat(head["start"]).astimezone(UTC)
    events = []
    for number, line in enumerate(body.splitlines(), 1):
        if pause := PAUSE.fullmatch(line):
            amount, unit = int(pause[1]), pause[2]
            now += timedelta(minutes=amount) if unit == "m" else timedelta(hours=amount)
            continue
        kind, _, text = line.partition(":")
        now += timedelta(seconds=SECONDS.get(kind, 1))
        events.append(Event(number, kind, text.strip().replace("\\n", "\n"), now))
    return Talk(head, tuple(events))


def name(*parts: object, length: int = 32) -> str:
    """Return hex digits that stand for the parts, the same on every run."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:length]


def uuid(*parts: object) -> str:
    """Return a version 4 uuid that stands for the parts."""
    h = name(*parts)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"


# ------------------------------------------------------------------ Claude Code


class ClaudeCode:
    """Writes one session as Claude Code does, in the older (2.0) or the newest (2.1) style."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.newest = talk.head["version"].startswith("2.1")
        self.parent: str | None = None

    def lines(self) -> Iterator[Line]:
        """Yield the file's lines."""
        yield from self._opening()
        last = ""
        for event in self.talk.events:
            yield from self._event(event)
            last = event.text if event.kind == "U" else last
        if self.newest:
            session = {"sessionId": self.talk.session}
            yield {"type": "last-prompt", "lastPrompt": last, "leafUuid": self.parent, **session}
            yield {"type": "ai-title", "aiTitle": self.talk.head["title"], **session}

    def _opening(self) -> Iterator[Line]:
        first = self.talk.events[0]
        if not self.newest:
            yield {
                "type": "summary",
                "summary": self.talk.head["title"],
                "leafUuid": uuid(self.talk.session, self.talk.events[-1].number),
            }
            snapshot = {"messageId": uuid(self.talk.session, "snapshot"), "trackedFileBackups": {}}
            yield {
                "type": "file-history-snapshot",
                "messageId": snapshot["messageId"],
                "snapshot": snapshot | {"timestamp": first.stamp},
                "isSnapshotUpdate": False,
            }
            return
        for operation in ("enqueue", "dequeue"):
            yield {
                "type": "queue-operation",
                "operation": operation,
                "timestamp": first.stamp,
                "sessionId": self.talk.session,
            }
        attachment = {
            "type": "instructions",
            "files": [{"path": f"{REPO}/CLAUDE.md", "type": "Project", "content": "# larder"}],
        }
        yield self._line("attachment", first, "instructions", attachment=attachment)

    def _line(self, kind: str, event: Event, part: str, **fields: Any) -> Line:
        own = uuid(self.talk.session, event.number, part)
        line = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": REPO,
            "sessionId": self.talk.session,
            "version": self.talk.head["version"],
            "gitBranch": "main",
            **({"entrypoint": "cli"} if self.newest else {}),
            "type": kind,
            **fields,
            "uuid": own,
            "timestamp": event.stamp,
        }
        self.parent = own
        return line

    def _user(self, event: Event, content: Any, part: str = "user", **fields: Any) -> Line:
        if self.newest and isinstance(content, str):
            fields |= {"promptId": uuid(self.talk.session, event.number, "prompt"), "promptSource": "user"}
        return self._line("user", event, part, message={"role": "user", "content": content}, **fields)

    def _assistant(self, event: Event, block: Line, stop: str, part: str = "assistant") -> Line:
        answer = name(self.talk.session, event.number, "answer", length=8)
        message = {
            "id": f"msg_{answer}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 900, "output_tokens": 80},
        }
        return self._line("assistant", event, part, message=message, requestId=f"req_{answer}")

    def _event(self, event: Event) -> Iterator[Line]:
        text = event.text
        match event.kind:
            case "U" | "P" | "reminder" | "interrupted":
                yield self._user(event, text)
            case "meta":
                yield self._user(event, text, isMeta=True)
            case "command":
                yield self._user(
                    event,
                    f"<command-name>{text}</command-name>\n<command-message>{text[1:]}</command-message>\n"
                    "<command-args></command-args>",
                )
            case "A":
                yield self._assistant(event, {"type": "text", "text": text}, "end_turn")
            case "thinking":
                yield self._assistant(
                    event, {"type": "thinking", "thinking": text, "signature": "c2ln"}, "tool_use"
                )
            case "tool":
                yield from self._tool(event)
            case _:
                raise ValueError(event.kind)

    def _tool(self, event: Event) -> Iterator[Line]:
        tool, argument, result = (part.strip() for part in event.text.split("|", 2))
        call = f"toolu_{name(self.talk.session, event.number, length=12)}"
        given = (
            {"command": argument, "description": "Run a command"}
            if tool == "Bash"
            else {"file_path": f"{REPO}/{argument}"}
        )
        block = {"type": "tool_use", "id": call, "name": tool, "input": given}
        yield self._assistant(event, block, "tool_use", "call")
        yield self._user(
            event,
            [{"tool_use_id": call, "type": "tool_result", "content": result, "is_error": False}],
            "result",
            toolUseResult={"stdout": result, "stderr": "", "interrupted": False},
        )


# ------------------------------------------------------------------ OpenClaw


class OpenClaw:
    """Writes one session as OpenClaw up to 2026.7.1 does: a tree of events, one a line."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.parent: str | None = None

    def lines(self) -> Iterator[Line]:
        """Yield the file's lines."""
        first = self.talk.events[0]
        yield {
            "type": "session",
            "version": 3,
            "id": self.talk.session,
            "timestamp": first.stamp,
            "cwd": f"{HOME}/openclaw/workspace",
        }
        yield self._line("model_change", first, "model", provider="local", modelId=MODEL)
        yield self._line("thinking_level_change", first, "level", thinkingLevel="off")
        for event in self.talk.events:
            yield from self._event(event)

    def _line(self, kind: str, event: Event, part: str, **fields: Any) -> Line:
        own = name(self.talk.session, event.number, part, length=8)
        line = {"type": kind, "id": own, "parentId": self.parent, "timestamp": event.stamp, **fields}
        self.parent = own
        return line

    def _message(self, event: Event, part: str, **message: Any) -> Line:
        return self._line("message", event, part, message=message | {"timestamp": event.epoch_ms})

    def _assistant(self, event: Event, block: Line, stop: str) -> Line:
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
        usage = {
            "input": 812,
            "output": 64,
            "cacheRead": 0,
            "cacheWrite": 0,
            "totalTokens": 876,
            "cost": cost,
        }
        source = {"api": "openai-completions", "provider": "local", "model": MODEL}
        return self._message(
            event, "assistant", role="assistant", content=[block], **source, usage=usage, stopReason=stop
        )

    def _event(self, event: Event) -> Iterator[Line]:
        text = event.text
        match event.kind:
            case "U" | "P":
                prefix = event.at.strftime("[%a %Y-%m-%d %H:%M UTC] ") if event.kind == "P" else ""
                yield self._message(
                    event, "user", role="user", content=[{"type": "text", "text": prefix + text}]
                )
            case "A":
                yield self._assistant(event, {"type": "text", "text": text}, "stop")
            case "tool":
                tool, argument, result = (part.strip() for part in text.split("|", 2))
                call = f"call_{name(self.talk.session, event.number, length=6)}"
                given = {"command": argument} if tool == "exec" else {"request": argument}
                block = {"type": "toolCall", "id": call, "name": tool, "arguments": given}
                yield self._assistant(event, block, "toolUse")
                yield self._message(
                    event,
                    "result",
                    role="toolResult",
                    toolCallId=call,
                    toolName=tool,
                    content=[{"type": "text", "text": result}],
                    isError=False,
                )
            case _:
                raise ValueError(event.kind)


# ------------------------------------------------------------------ files


def sessions_index(talks: list[Talk]) -> Line:
    """Return OpenClaw's ``sessions.json`` for these talks."""
    return {
        talk.head["key"]: {
            "sessionId": talk.session,
            "updatedAt": talk.events[-1].epoch_ms,
            "sessionStartedAt": talk.events[0].epoch_ms,
            "lastInteractionAt": talk.events[-1].epoch_ms,
            "chatType": "direct",
            "sessionFile": f"{HOME}/openclaw/agents/main/sessions/{talk.session}.jsonl",
            "compactionCount": 0,
            "modelProvider": "local",
            "model": MODEL,
        }
        for talk in talks
    }


def write(path: Path, lines: Iterator[Line]) -> None:
    """Write one JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Write every session of the demo."""
    talks = [read(path) for path in sorted((HERE / "talks").glob("*.txt"))]
    openclaw = [talk for talk in talks if talk.head["host"] == "openclaw"]
    for talk in talks:
        if talk in openclaw:
            write(
                DEMO / "openclaw" / "agents" / "main" / "sessions" / f"{talk.session}.jsonl",
                OpenClaw(talk).lines(),
            )
        else:
            folder = DEMO / "live" if talk.head.get("live") else DEMO / "claude" / "projects" / SLUG
            write(folder / f"{talk.session}.jsonl", ClaudeCode(talk).lines())
    index = DEMO / "openclaw" / "agents" / "main" / "sessions" / "sessions.json"
    index.write_text(json.dumps(sessions_index(openclaw), indent=2) + "\n", encoding="utf-8", newline="\n")
    print(f"{len(talks)} sessions, {sum(e.kind in 'UPA' for t in talks for e in t.events)} turns")


if __name__ == "__main__":
    main()
