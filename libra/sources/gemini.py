"""Gemini CLI's chat records → turns. White-listed: messages of the types user and gemini.

A chat is a log of upserts: a repeated id replaces the earlier message, ``$set.messages`` sets several (after a
compression the model's new context: what it lacks was said all the same), ``$rewindTo`` takes a message and all after
it back. A message that changes after it was read is another version: it has the message's id and a digest of its
words, and an earlier version is left like an undone turn.

Source: hosts.md §3.2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from libra.ground.records import Metadata, NewTurn, Origin, Role, SessionRef, digest
from libra.sources.events import Event, ParseParams, Said, Verdict, parts_of, text_of, time_of
from libra.text.noise import unwrap

HOST: Final = "gemini"

_CHAT: Final = re.compile(r"[^.].*\.jsonl$")
_OLD_CHAT: Final = re.compile(r"session-.+\.json$")
_ROLES: Final = {"user": Role.USER, "gemini": Role.ASSISTANT}
_SCAFFOLD: Final = re.compile(r"\s*<(?:session_context|state_snapshot|loaded_context|environment_context)>")
_FILES_BEGIN: Final = "--- Content from referenced files ---"
_FILES_END: Final = "--- End of content ---"
_HOOK_BEGIN, _HOOK_END = "<hook_context>", "</hook_context>"
_REMEMBERED: Final = 64
"""How many of the latest messages' versions are known when reading goes on: only a late one is replaced."""


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file below ``tmp/`` is: ``(project, "chats", name)``, or one deeper for sub-agents."""
    match parts:
        case (_, "chats", name) | (_, "chats", _, name) if _CHAT.match(name):
            return Verdict.TAKE
        case (_, "chats", name) if _OLD_CHAT.match(name):
            return Verdict.WHOLE
        case _:
            return Verdict.IGNORE


def events_of(document: Any) -> Iterator[Event]:
    """Yield the events of a chat of the first versions, which is one JSON document."""
    if isinstance(document, dict):
        yield {key: value for key, value in document.items() if key != "messages"}
        yield {"$set": {"messages": document.get("messages")}}


class GeminiParser:
    """Parser of one chat.

    Args:
        params: Settings.
        parts: The file's path below ``tmp/``.
        cwd: The folder that the file's project stands for, if it is known.
        memory: What :meth:`memory` returned when reading stopped.
        left: What :func:`left_in` found.
    """

    def __init__(
        self,
        params: ParseParams,
        parts: tuple[str, ...],
        cwd: str | None,
        memory: Metadata | None = None,
        left: frozenset[str] = frozenset(),
    ) -> None:
        memory = memory or {}
        self.counts: Counter[str] = Counter()
        self.forked = False
        self._params = params
        self._left = left
        self._cwd = cwd
        self._session: str = memory.get("session") or parts[-1].partition(".json")[0]
        self._helper: bool = bool(memory.get("helper")) or len(parts) > 3  # noqa: PLR2004 - project, chats, name
        self._parent = parts[-2] if len(parts) > 3 else None  # noqa: PLR2004
        self._versions: dict[str, str] = dict(memory.get("versions", ()))
        self._calls: set[str] = set()
        self._ts_ms: int | None = memory.get("ts_ms")

    def memory(self) -> Metadata:
        """Return what a later reading needs: session, the latest messages' versions, time."""
        known: Metadata = {
            "session": self._session,
            "helper": self._helper,
            "versions": list(self._versions.items())[-_REMEMBERED:],
            "ts_ms": self._ts_ms,
        }
        return {key: value for key, value in known.items() if value}

    def session(self) -> SessionRef:
        """Return the session of the file."""
        return SessionRef(
            key=f"{HOST}:{self._session}",
            user=self._params.user,
            host=HOST,
            project=self._params.project_of(self._cwd) if self._cwd else None,
            cwd=self._cwd,
            parent_key=f"{HOST}:{self._parent}" if self._parent else None,
            kind="subagent" if self._helper else "main",
        )

    def feed(self, event: Event, line: int) -> tuple[Said, ...]:
        """Return the turns of one record."""
        if "$rewindTo" in event:
            self.forked = True
            self.counts["rewinds"] += 1
        elif "id" not in event and (named := text_of(event.get("sessionId"))):
            self._session = named
            self._helper |= event.get("kind") == "subagent"
        messages = _set_messages(event)
        self.forked |= bool(messages)
        if "id" in event:
            messages = [event]
        if not messages:
            self.counts["hostLines"] += 1
        return tuple(said for message in messages if (said := self._message(message, line)) is not None)

    def _message(self, message: Mapping[str, Any], line: int) -> Said | None:
        """Take one message, unless a later version replaces it."""
        self._ts_ms = time_of(message.get("timestamp")) or self._ts_ms
        role = _ROLES.get(str(message.get("type")))
        named = text_of(message.get("id"))
        if role is None or named is None:
            self.counts["hostLines"] += 1
            return None
        version = _version(named, message)
        self.forked |= self._versions.get(named, version) != version
        self._versions[named] = version
        if version in self._left and named not in self._left:
            return None
        for call in message.get("toolCalls") or () if isinstance(message.get("toolCalls"), list) else ():
            if (call_id := str(call.get("id") if isinstance(call, dict) else call)) not in self._calls:
                self._calls.add(call_id)
                self.counts["toolUses"] += 1
        words = _words(message) if role is Role.USER else _texts(message)
        if not words:
            self.counts["scaffolding" if _texts(message) else "withoutText"] += 1
            return None
        left = version in self._left
        self.counts["abandoned"] += left
        if not self._helper:
            self.counts["userTurns" if role is Role.USER else "assistantTexts"] += 1
        origin = Origin.OWNER if role is Role.USER and not self._helper else Origin.AGENT
        content = "\n\n".join(words)
        return Said(
            self.session(), NewTurn(role, content, self._ts_ms, version, origin, line=line, undone=left)
        )


def left_in(events: Iterable[Event]) -> frozenset[str]:
    """Return what no longer stands in a chat, given all its records.

    That is each version that another replaced, and of messages that the person took back both the versions and the
    bare ids. A target that is not there takes everything back, as in the host.
    """
    standing: dict[str, str] = {}
    left: set[str] = set()
    for event in events:
        target = text_of(event.get("$rewindTo"))
        if target is not None:
            order = list(standing)
            gone = order[order.index(target) :] if target in standing else order
            for named in gone:
                left.update((named, standing.pop(named)))
        for message in [event] if "id" in event else _set_messages(event):
            own = text_of(message.get("id"))
            if own is not None:
                version = _version(own, message)
                if standing.get(own, version) != version:
                    left.add(standing[own])
                standing[own] = version
                left -= {own, version}
    return frozenset(left)


def _set_messages(event: Event) -> list[Mapping[str, Any]]:
    patch = event.get("$set")
    messages = patch.get("messages") if isinstance(patch, dict) else None
    return (
        [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    )


def _version(named: str, message: Mapping[str, Any]) -> str:
    return f"{named}#{digest(*_texts(message))[:8]}"


def _texts(message: Mapping[str, Any]) -> list[str]:
    """Return the texts of a message: what the person typed, where that is kept beside what was sent."""
    content = message.get("displayContent") or message.get("content")
    texts = []
    for part in parts_of([content] if isinstance(content, dict) else content):
        text = part.get("text") if part.get("type", "text") == "text" and not part.get("thought") else None
        if text_of(text) and isinstance(text, str):
            bare = text.replace("\x00", "")
            texts += [bare] if bare.strip() else []
    return texts


def _words(message: Mapping[str, Any]) -> list[str]:
    """Return the person's own words: without referenced files, hooks' additions and the host's own texts."""
    words = []
    inside = False
    for text in _texts(message):
        if text.strip() in {_FILES_BEGIN, _FILES_END}:
            inside = text.strip() == _FILES_BEGIN
            continue
        own = unwrap(_without_hooks(text.partition(_FILES_BEGIN)[0])).strip()
        if own and not inside and not _SCAFFOLD.match(text):
            words.append(own)
    return words


def _without_hooks(text: str) -> str:
    """Cut what hooks have added, ours among them."""
    pieces = []
    while _HOOK_BEGIN in text:
        before, _, rest = text.partition(_HOOK_BEGIN)
        pieces.append(before)
        _, end, text = rest.partition(_HOOK_END)
        if not end:
            return "".join(pieces)
    return "".join([*pieces, text])
