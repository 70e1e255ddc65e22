"""Claude Code's transcript lines → turns. White-listed: only ``user`` and ``assistant`` lines are ever read.

Where a line says nothing, the file's earlier lines speak: a line without ``sessionId`` belongs to the session
of the lines before it (the file's name is the last resort), one without ``timestamp`` gets the time of the line
before it. The file's own time is never used: it changes, and the time is part of a turn's identity. A turn
without any earlier time has none (``ts_ms`` None).

Source: hosts.md §2.1, §2.2; transcripts.md, Claude Code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from libra.ground.records import Metadata, NewTurn, Origin, Role, SessionRef
from libra.sources.events import Event, ParseParams, Said, Verdict, parts_of, text_of, texts_of, time_of
from libra.text.noise import unwrap

HOST: Final = "claude-code"

_FLAGS: Final = (
    ("isMeta", "meta"),
    ("isCompactSummary", "compactSummary"),
    ("isVisibleInTranscriptOnly", "compactSummary"),
    ("isApiErrorMessage", "apiErrors"),
)
"""Lines that the host wrote about the talk, by flag, and what they are counted as."""
_TALK: Final = frozenset({"user", "assistant"})
_HOST_MODEL: Final = "<synthetic>"
_HOST_PROMPT: Final = "system"
_SESSIONS_REMEMBERED: Final = 8
_SIDE: Final = "side"
"""Name of the sub-session of older side-chain lines, which carry no agent id."""


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file below ``projects/`` is.

    Args:
        parts: Its path below that folder: ``(slug, "<session>.jsonl")``, or deeper for sub-agents.
    """
    name = parts[-1]
    talk = name.endswith(".jsonl") and not name.startswith(".") and len(parts) > 1
    return Verdict.TAKE if talk and "memory" not in parts[1:-1] else Verdict.IGNORE


def named_session(parts: tuple[str, ...]) -> tuple[str, str | None]:
    """Return the session id and agent id that a file's place suggests, for lines that name none."""
    stem = parts[-1].removesuffix(".jsonl")
    if not stem.startswith("agent-"):
        return stem, None
    agent = stem.removeprefix("agent-")
    match parts:
        case (*_, owner, "subagents", _):
            return owner, agent
        case _:
            return stem, agent


class ClaudeCodeParser:
    """Parser of one transcript file.

    Args:
        params: Settings.
        parts: The file's path below ``projects/``.
        memory: What :meth:`memory` returned when reading stopped.
        left: Ids of lines on a branch that the person left.
    """

    def __init__(
        self,
        params: ParseParams,
        parts: tuple[str, ...],
        memory: Metadata | None = None,
        left: frozenset[str] = frozenset(),
    ) -> None:
        memory = memory or {}
        self.counts: Counter[str] = Counter()
        self._params = params
        self._left = left
        self._named, self._agent = named_session(parts)
        self._sessions: list[str] = list(memory.get("sessions", ()))
        self._session: str | None = memory.get("session")
        self._cwd: str | None = memory.get("cwd")
        self._ts_ms: int | None = memory.get("ts_ms")
        self._forked_from: str | None = memory.get("forked_from")
        self._tip: str | None = memory.get("tip")
        self.forked = False
        self._refs: dict[tuple[str | None, ...], SessionRef] = {}
        self._last = self._ref(self._agent)
        # The white list: line types that hold talk.
        self._take = {"user": self._user, "assistant": self._assistant}

    def memory(self) -> Metadata:
        """Return what a later reading needs: session, folder, time, lineage."""
        known = {
            "sessions": self._sessions,
            "session": self._session,
            "cwd": self._cwd,
            "ts_ms": self._ts_ms,
            "forked_from": self._forked_from,
            "tip": self._tip,
        }
        return {key: value for key, value in known.items() if value}

    def session(self) -> SessionRef:
        """Return the session of the last line that was fed."""
        return self._last

    def feed(self, event: Event, line: int) -> tuple[Said, ...]:
        """Return the turns of one line: none, or one (several only with ``tool_output``)."""
        self._note(event)
        kind = event.get("type")
        take = self._take.get(kind) if isinstance(kind, str) else None
        if take is None:
            self.counts["hostLines"] += 1
            return ()
        agent = None
        if event.get("isSidechain") or self._agent:
            self.counts["sidechainLines"] += 1
            agent = text_of(event.get("agentId")) or self._agent or _SIDE
        self._last = self._ref(agent)
        for flag, name in _FLAGS:
            if event.get(flag):
                self.counts[name] += 1
                return ()
        message = event.get("message")
        if not isinstance(message, dict):
            self.counts["withoutMessage"] += 1
            return ()
        return take(event, message, line)

    def _note(self, event: Event) -> None:
        """Remember what the line says about session, folder and time."""
        session = text_of(event.get("sessionId"))
        if session and session != self._session:
            if session not in self._sessions:
                self._sessions = [*self._sessions, session][-_SESSIONS_REMEMBERED:]
            self._session = session
        fork = event.get("forkedFrom")
        if isinstance(fork, dict) and (origin := text_of(fork.get("sessionId"))) and origin != self._session:
            self._forked_from = origin
        if (uuid := text_of(event.get("uuid"))) and not event.get("isSidechain"):
            above = text_of(event.get("parentUuid"))
            self.forked |= bool(self._tip and above and above != self._tip and _is_prompt(event))
            self._tip = uuid
        self._cwd = text_of(event.get("cwd")) or self._cwd
        self._ts_ms = time_of(event.get("timestamp")) or self._ts_ms

    def _ref(self, agent: str | None) -> SessionRef:
        """Return the session of the current line; a side chain is a child session of its own."""
        session = self._session or self._named
        known = (session, agent, self._cwd, self._forked_from)
        if (ref := self._refs.get(known)) is None:
            at = self._sessions.index(session) if session in self._sessions else 0
            before = self._sessions[at - 1] if at > 0 else self._forked_from
            main = f"{HOST}:{session}"
            ref = self._refs[known] = SessionRef(
                key=f"{main}/{agent}" if agent else main,
                user=self._params.user,
                host=HOST,
                project=self._params.project_of(self._cwd) if self._cwd else None,
                cwd=self._cwd,
                parent_key=main if agent else (f"{HOST}:{before}" if before else None),
                kind="subagent" if agent else "main",
            )
        return ref

    def _user(self, event: Event, message: Mapping[str, Any], line: int) -> tuple[Said, ...]:
        """Take a person's line, without what the host wrapped around it; leave tool results to the setting."""
        parts = parts_of(message.get("content"))
        results = [part for part in parts if part.get("type") == "tool_result"]
        if results:
            # Texts beside a tool result are the host's ("Request interrupted", "The user rejected …").
            self.counts["toolResults"] += len(results)
            return self._results(event, results, line) if self._params.tool_output else ()
        if event.get("promptSource") == _HOST_PROMPT:
            self.counts["hostPrompts"] += 1
            return ()
        texts = texts_of(parts)
        words = [own for text in texts if (own := unwrap(text).strip())]
        if not words:
            self.counts["wrappers" if texts else "withoutText"] += 1
            return ()
        side = self._last.kind != "main"
        if not side:
            self.counts["userTurns"] += 1
        return (
            self._said(event, Role.USER, Origin.AGENT if side else Origin.OWNER, "\n\n".join(words), line),
        )

    def _assistant(self, event: Event, message: Mapping[str, Any], line: int) -> tuple[Said, ...]:
        """Take the text blocks of an answer; thinking and tool calls are counted."""
        parts = parts_of(message.get("content"))
        self.counts["toolUses"] += sum(part.get("type") == "tool_use" for part in parts)
        if message.get("model") == _HOST_MODEL:
            self.counts["hostAnswers"] += 1
            return ()
        texts = texts_of(parts)
        if not texts:
            return ()
        if self._last.kind == "main":
            self.counts["assistantTexts"] += 1
        return (self._said(event, Role.ASSISTANT, Origin.AGENT, "\n\n".join(texts), line),)

    def _results(self, event: Event, results: list[Mapping[str, Any]], line: int) -> tuple[Said, ...]:
        """Return what tools answered, one turn a result."""
        said = []
        for number, part in enumerate(results):
            if texts := texts_of(parts_of(part.get("content"))):
                said.append(self._said(event, Role.TOOL, Origin.TOOL, "\n\n".join(texts), line, f"/{number}"))
        return tuple(said)

    def _said(
        self, event: Event, role: Role, origin: Origin, content: str, line: int, suffix: str = ""
    ) -> Said:
        uuid = text_of(event.get("uuid"))
        left = uuid in self._left
        self.counts["abandoned"] += left
        return Said(
            self._last,
            NewTurn(
                role=role,
                content=content,
                ts_ms=self._ts_ms,
                event_id=uuid + suffix if uuid else None,
                origin=origin,
                line=line,
                undone=left,
            ),
        )


def abandoned(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of lines on branches that the person left, given all lines of a file.

    A prompt was left if another prompt answers the same line and the talk's last line descends from that one; it
    goes with all that hangs on it. Other forks (parallel tool calls, host lines) are none.

    Source: hosts.md §2.2 (parentUuid, logicalParentUuid); lessons.md C96.
    """
    parent: dict[str, str | None] = {}
    prompts: dict[str, list[str]] = {}
    last: str | None = None
    for event in events:
        uuid = text_of(event.get("uuid"))
        if uuid is None or event.get("isSidechain") or uuid in parent:
            continue
        above = text_of(event.get("parentUuid"))
        parent[uuid] = above or text_of(event.get("logicalParentUuid"))
        if text_of(event.get("type")) in _TALK:
            last = uuid
        if above is not None and _is_prompt(event):
            prompts.setdefault(above, []).append(uuid)
    active: set[str] = set()
    while last is not None and last not in active:
        active.add(last)
        last = parent.get(last)
    left: set[str] = set()
    for rivals in prompts.values():
        if not active.isdisjoint(rivals):
            left.update(uuid for uuid in rivals if uuid not in active)
    for uuid, above in parent.items() if left else ():
        if above in left and uuid not in active:
            left.add(uuid)
    return frozenset(left)


def _is_prompt(event: Event) -> bool:
    """Whether a line is a prompt of the person, not a tool's result or the host's own."""
    message = event.get("message")
    if event.get("type") != "user" or not isinstance(message, dict) or any(event.get(f) for f, _ in _FLAGS):
        return False
    parts = parts_of(message.get("content"))
    return bool(texts_of(parts)) and not any(part.get("type") == "tool_result" for part in parts)
