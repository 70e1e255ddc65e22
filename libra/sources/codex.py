"""Codex's rollout lines → turns. White-listed: messages of the person and the agent, and what says where they are.

The host writes most things twice: as ``response_item`` and as ``event_msg``. The items are read; the events only in
a file that holds no items. ``compacted`` repeats old talk and is never read. The person's first item, and texts in
any other, may be the host's (AGENTS.md, environment, skills): these are cut.

Items have no id that a fork keeps, and a fork's copies have times of their own. So a turn is known by the thread it
was first said in, its number there and its words: a copy stands under the header of the thread it comes from.

Source: hosts.md §3.1; transcripts.md, Codex.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from libra.ground.records import Metadata, NewTurn, Origin, Role, SessionRef, digest, normal_text
from libra.sources.events import Event, ParseParams, Said, Verdict, parts_of, text_of, time_of
from libra.text.noise import unwrap

HOST: Final = "codex"

_ROLLOUT: Final = re.compile(r"rollout-.+\.jsonl(?:\.zst)?$")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl)", re.IGNORECASE)
_WORDS: Final = frozenset({"input_text", "output_text", "text"})
_CALLS: Final = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
)
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_BARE: Final = frozenset({"message", "reasoning", *_CALLS, *_OUTPUTS})
"""Types of items in rollouts of the first versions, whose lines have no envelope."""
_SCAFFOLD: Final = re.compile(
    r"\s*(?:# AGENTS\.md instructions\b|<(?:environment_context|user_instructions|INSTRUCTIONS|permissions instructions"
    r"|turn_aborted|user_shell_command|subagent_notification|skill|collaboration_mode|model_switch|personality_spec"
    r"|apps_instructions|plugins_instructions|hook_prompt)\b)"
)
"""Texts in the person's items that the host wrote."""
_IDE: Final = "# Context from my IDE setup:"
_REQUEST: Final = "## My request for Codex:"
_EVENT_TURNS: Final = {"user_message": Role.USER, "agent_message": Role.ASSISTANT}
_ITEM_TURNS: Final = {"UserMessage": Role.USER, "AgentMessage": Role.ASSISTANT}
_COPYING_MS: Final = 2000
"""A helper that begins with its parent's talk has copied it within so long; that is the parent's to tell."""
_ROLLED_BACK: Final = "thread_rolled_back"


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file below ``sessions/`` or ``archived_sessions/`` is."""
    return Verdict.TAKE if _ROLLOUT.match(parts[-1]) else Verdict.IGNORE


def named_session(name: str) -> str:
    """Return the session id at the end of a file's name, for a file without a header."""
    match = _UUID.search(name)
    return match.group().lower() if match else name.partition(".jsonl")[0]


class CodexParser:
    """Parser of one rollout.

    Args:
        params: Settings.
        parts: The file's path below the host's folder.
        memory: What :meth:`memory` returned when reading stopped.
        left: Ids of turns that were rolled back.
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
        self.forked = False
        self._params = params
        self._left = left
        self._session: str | None = memory.get("session")
        self._named = named_session(parts[-1])
        self._origin: str = memory.get("origin") or self._session or self._named
        self._number: int = memory.get("number", 0)
        self._cwd: str | None = memory.get("cwd")
        self._parent: str | None = memory.get("parent")
        self._kind: str = memory.get("kind", "main")
        self._items: bool = bool(memory.get("items"))
        self._ts_ms: int | None = memory.get("ts_ms")
        self._copied_until_ms: int = memory.get("copied_until_ms", 0)
        self._ref: SessionRef | None = None
        self._take = {
            "session_meta": self._header,
            "turn_context": self._context,
            "response_item": self._item,
            "event_msg": self._event,
        }

    def memory(self) -> Metadata:
        """Return what a later reading needs: session, thread and number, folder, lineage, time."""
        known: Metadata = {
            "session": self._session,
            "origin": self._origin,
            "number": self._number,
            "cwd": self._cwd,
            "parent": self._parent,
            "kind": self._kind,
            "items": self._items,
            "ts_ms": self._ts_ms,
            "copied_until_ms": self._copied_until_ms,
        }
        return {key: value for key, value in known.items() if value}

    def session(self) -> SessionRef:
        """Return the session of the file, in the folder of the latest line."""
        if self._ref is None:
            session = self._session or self._named
            self._ref = SessionRef(
                key=f"{HOST}:{session}",
                user=self._params.user,
                host=HOST,
                project=self._params.project_of(self._cwd) if self._cwd else None,
                cwd=self._cwd,
                parent_key=f"{HOST}:{self._parent}" if self._parent and self._parent != session else None,
                kind=self._kind,
            )
        return self._ref

    def feed(self, event: Event, line: int) -> tuple[Said, ...]:
        """Return the turn of one line, if it is one."""
        self._ts_ms = time_of(event.get("timestamp")) or self._ts_ms
        kind = event.get("type")
        payload = event.get("payload")
        if not isinstance(payload, dict) and "payload" not in event:
            bare = isinstance(kind, str) and kind in _BARE
            kind = "response_item" if bare else "session_meta" if kind is None else kind
            payload = event
        take = self._take.get(kind) if isinstance(kind, str) else None
        if take is None or not isinstance(payload, dict):
            self.counts["compaction" if kind == "compacted" else "hostLines"] += 1
            return ()
        turn = take(payload, line)
        return () if turn is None else (Said(self.session(), turn),)

    def _header(self, payload: Mapping[str, Any], _line: int) -> None:
        """Take session, folder and lineage: the first header is the file's, a later one that of what it copied."""
        named = text_of(payload.get("id")) or text_of(payload.get("session_id"))
        if named is None:
            return
        forked = text_of(payload.get("forked_from_id"))
        if self._session is None:
            self._session = named
            self._parent = forked
            spawned, above = _spawned(payload)
            self._kind = "subagent" if spawned else "main"
            self._parent = (above or forked) if spawned else forked
            self._copied_until_ms = (self._ts_ms or 0) + _COPYING_MS if spawned and forked else 0
            named = forked or named
        elif named not in {self._session, self._origin}:
            self._parent = self._parent or named
        if named not in {self._session, self._origin} or self._number == 0:
            self._origin, self._number = named, 0
        self._cwd = text_of(payload.get("cwd")) or self._cwd
        self._ref = None

    def _context(self, payload: Mapping[str, Any], _line: int) -> None:
        """Take the folder that the next turns are said in."""
        cwd = text_of(payload.get("cwd"))
        if cwd and cwd != self._cwd:
            self._cwd, self._ref = cwd, None

    def _item(self, payload: Mapping[str, Any], line: int) -> NewTurn | None:
        """Take a message; count calls of tools, and hand in what they answered if the setting says so."""
        kind = payload.get("type")
        if not isinstance(kind, str):
            return None
        if kind in _CALLS:
            self.counts["toolUses"] += 1
        if kind in _OUTPUTS:
            self.counts["toolResults"] += 1
            return self._result(payload, line) if self._params.tool_output else None
        if kind != "message":
            return None
        self._items = True
        texts = _texts(payload.get("content"))
        match payload.get("role"):
            case "user":
                return self._user(texts, line)
            case "assistant":
                return self._turn(Role.ASSISTANT, "\n\n".join(texts), line)
            case _:
                self.counts["hostItems"] += 1
                return None

    def _event(self, payload: Mapping[str, Any], line: int) -> NewTurn | None:
        """Take a rollback; and what was said, where no items say it."""
        kind = payload.get("type")
        if kind == _ROLLED_BACK:
            self.forked = True
            self.counts["rollbacks"] += 1
        if self._items or not isinstance(kind, str):
            return None
        item = payload.get("item")
        if kind == "item_completed" and isinstance(item, dict):
            role, texts = _ITEM_TURNS.get(str(item.get("type"))), _texts(item.get("content"))
        else:
            role, texts = _EVENT_TURNS.get(kind), _texts(payload.get("message"))
        if role is Role.USER:
            return self._user(texts, line)
        return self._turn(Role.ASSISTANT, "\n\n".join(texts), line) if role is not None else None

    def _user(self, texts: list[str], line: int) -> NewTurn | None:
        """Take the person's own words."""
        words = [own for text in texts if not _SCAFFOLD.match(text) and (own := _request(text))]
        if not words:
            self.counts["scaffolding" if texts else "withoutText"] += 1
            return None
        return self._turn(Role.USER, "\n\n".join(words), line)

    def _result(self, payload: Mapping[str, Any], line: int) -> NewTurn | None:
        output = payload.get("output")
        if isinstance(output, dict):
            output = output.get("content")
        content = "\n\n".join(_texts(output))
        return NewTurn(Role.TOOL, content, self._ts_ms, None, Origin.TOOL, line=line) if content else None

    def _turn(self, role: Role, content: str, line: int) -> NewTurn | None:
        if not content:
            return None
        if (self._ts_ms or 0) < self._copied_until_ms:
            self.counts["copied"] += 1
            return None
        self._number += 1
        event_id = f"{self._origin}/{self._number}/{digest(role.value, normal_text(content))[:12]}"
        owner = role is Role.USER and self._kind == "main"
        if self._kind == "main":
            self.counts["userTurns" if role is Role.USER else "assistantTexts"] += 1
        left = event_id in self._left
        self.counts["abandoned"] += left
        origin = Origin.OWNER if owner else Origin.AGENT
        return NewTurn(role, content, self._ts_ms, event_id, origin, line=line, undone=left)


def left_in(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of turns that were rolled back, given all events of a file.

    A rollback takes the last so many prompts away, with all that followed each.
    """
    parser = CodexParser(ParseParams(""), ("rollout-.jsonl",))
    said: list[tuple[Role, str]] = []
    left: set[str] = set()
    for event in events:
        said += [(one.turn.role, one.turn.event_id or "") for one in parser.feed(event, 0)]
        payload = event.get("payload")
        if not isinstance(payload, dict) or payload.get("type") != _ROLLED_BACK:
            continue
        count = payload.get("num_turns")
        prompts = count if isinstance(count, int) else 0
        while said and prompts > 0:
            role, event_id = said.pop()
            left.add(event_id)
            prompts -= role is Role.USER
    return frozenset(left)


def _texts(content: Any) -> list[str]:
    """Return the texts of a message that are not blank."""
    texts = [part.get("text") for part in parts_of(content) if text_of(part.get("type")) in _WORDS]
    bare = (text.replace("\x00", "") for text in texts if isinstance(text, str))
    return [text for text in bare if text.strip()]


def _request(text: str) -> str:
    """Return the person's words of a prompt: an editor puts open files before them."""
    if text.lstrip().startswith(_IDE):
        text = text.rpartition(_REQUEST)[2] if _REQUEST in text else ""
    return unwrap(text).strip()


def _spawned(header: Mapping[str, Any]) -> tuple[bool, str | None]:
    """Say whether another session started this one, and which, if the header says so."""
    source = header.get("source")
    inner = source.get("subagent") if isinstance(source, dict) else None
    spawn = inner.get("thread_spawn") if isinstance(inner, dict) else None
    above = spawn.get("parent_thread_id") if isinstance(spawn, dict) else header.get("parent_thread_id")
    told = inner is not None or "subagent" in {str(source), str(header.get("thread_source"))}
    return told, text_of(above)
