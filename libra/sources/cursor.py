"""Cursor's agent transcripts → turns. White-listed: texts of the roles user and assistant.

Lines are ``{"role", "message": {"content": […]}}`` without ids, and lines with a ``type`` (``turn_ended``) that are the host's. A prompt
is ``<timestamp>…</timestamp>`` to the minute, what the host attaches, and the person's words in ``<user_query>``; a prompt without
them, such as a finished task's notice, is the host's. An answer has its prompt's time.

A turn is known by all that was said up to it, from its session's first time on: a copy in another file is the same turns.

Source: hosts.md §3.5; the layout that Cursor names "for tooling and hooks" (``transcript_path``), as of its versions of 2026.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from libra.ground.records import Metadata, NewTurn, Origin, Role, SessionRef, digest, normal_text
from libra.sources.events import Event, ParseParams, Said, Verdict, parts_of, texts_of
from libra.text.noise import unwrap

HOST: Final = "cursor"

_FOLDER: Final = "agent-transcripts"
_HELPERS: Final = "subagents"
_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT}
_STAMP: Final = re.compile(
    r"<timestamp>\s*(?:[A-Z][a-z]+, )?([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2}) ([AP])M"
    r" \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\)\s*</timestamp>"
)
_STAMP_CHARS: Final = 200
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NOON: Final = 12
_OPEN, _CLOSE = "<user_query>", "</user_query>"
_TAGGED: Final = re.compile(r"\s*<[a-z_]+>")
_NOTICE: Final = "Briefly inform the user about the task result"
"""Begins the prompt that the host itself gives when a task in the background has ended."""
_REDACTED: Final = "[REDACTED]"
"""Stands where an answer's thinking was."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a transcript's place says: the working folder, and when the file was last written, in epoch ms."""

    cwd: str | None = None
    written_ms: int | None = None


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file below ``projects/`` is: a transcript in its own folder, or bare, or a helper's."""
    match parts:
        case (_, _, name) | (_, _, _, name) | (_, _, _, "subagents", name) if parts[
            1
        ] == _FOLDER and name.endswith(".jsonl"):
            return Verdict.TAKE
        case _:
            return Verdict.IGNORE


class CursorParser:
    """Parser of one transcript.

    Args:
        params: Settings.
        parts: The file's path below ``projects/``.
        told: What its place says.
        memory: What :meth:`memory` returned when reading stopped.
    """

    def __init__(
        self, params: ParseParams, parts: tuple[str, ...], told: Told, memory: Metadata | None = None
    ) -> None:
        memory = memory or {}
        self.counts: Counter[str] = Counter()
        self.forked = False
        self._params = params
        self._told = told
        self._named = parts[-1].removesuffix(".jsonl")
        self._parent = parts[-3] if parts[-2] == _HELPERS else None
        self._chain: str = memory.get("chain", "")
        self._stamp_ms: int | None = memory.get("stamp_ms")
        self._number: int = memory.get("number", 0)

    def memory(self) -> Metadata:
        """Return what a later reading needs: what was said up to here, the prompt's time, the turns since."""
        known: Metadata = {"chain": self._chain, "stamp_ms": self._stamp_ms, "number": self._number}
        return {key: value for key, value in known.items() if value}

    def session(self) -> SessionRef:
        """Return the session of the file."""
        cwd = self._told.cwd
        return SessionRef(
            key=f"{HOST}:{self._named}",
            user=self._params.user,
            host=HOST,
            project=self._params.project_of(cwd) if cwd else None,
            cwd=cwd,
            parent_key=f"{HOST}:{self._parent}" if self._parent else None,
            kind="subagent" if self._parent else "main",
        )

    def feed(self, event: Event, line: int) -> tuple[Said, ...]:
        """Return the turn of one line, if it is one."""
        role = _ROLES.get(str(event.get("role")))
        message = event.get("message")
        content = message.get("content") if isinstance(message, Mapping) else message
        if role is None or content is None:
            self.counts["hostLines"] += 1
            return ()
        parts = parts_of(content)
        self.counts["toolUses"] += sum(part.get("type") == "tool_use" for part in parts)
        texts = [text.replace("\x00", "") for text in texts_of(parts)]
        words = self._words(texts) if role is Role.USER else _answer(texts)
        if not words:
            self.counts["scaffolding" if texts and role is Role.USER else "withoutText"] += 1
            return ()
        return (Said(self.session(), self._turn(role, words, line)),)

    def _words(self, texts: list[str]) -> str:
        """Return the person's own words of a prompt, whose time is noted."""
        for text in texts:
            stamp_ms = _time_in(text)
            if stamp_ms is not None and stamp_ms != self._stamp_ms:
                self._stamp_ms, self._number = stamp_ms, 0
        own = [words for text in texts if (words := _query(text))]
        return "\n\n".join(own)

    def _turn(self, role: Role, content: str, line: int) -> NewTurn:
        first = self._chain or (str(self._stamp_ms) if self._stamp_ms is not None else self._named)
        self._chain = digest(first, role.value, normal_text(content))
        at_ms = self._stamp_ms if self._stamp_ms is not None else self._told.written_ms
        # Turns of one minute stay apart, and in their order.
        ts_ms = None if at_ms is None else at_ms + self._number
        self._number += 1
        if self._parent is None:
            self.counts["userTurns" if role is Role.USER else "assistantTexts"] += 1
        owner = role is Role.USER and self._parent is None
        origin = Origin.OWNER if owner else Origin.AGENT
        return NewTurn(role, content, ts_ms, self._chain[:32], origin, line=line)


def _answer(texts: list[str]) -> str:
    kept = (text.strip().removesuffix(_REDACTED).rstrip() for text in texts)
    return "\n\n".join(text for text in kept if text)


def _query(text: str) -> str:
    """Return the person's words in a text: between the marks, or all of it where the host has put none."""
    begin, end = text.find(_OPEN), text.rfind(_CLOSE)
    if begin >= 0:
        text = text[begin + len(_OPEN) : end if end > begin else len(text)]
    else:
        text = _STAMP.sub("", text[:_STAMP_CHARS], count=1) + text[_STAMP_CHARS:]
        if _TAGGED.match(text):
            return ""
    own = unwrap(text).strip()
    return "" if own.startswith(_NOTICE) else own


def _time_in(text: str) -> int | None:
    """Return the time that stands before the person's words, in epoch ms."""
    begin = text.find(_OPEN)
    place = text[:begin] if begin >= 0 else text[:_STAMP_CHARS]
    at = place.rfind("<timestamp>")
    found = _STAMP.match(place, at) if at >= 0 else None
    if found is None:
        return None
    month, day, year, hour, minute, half, sign, away_h, away_m = found.groups()
    away = timedelta(hours=int(away_h or 0), minutes=int(away_m or 0)) * (-1 if sign == "-" else 1)
    try:
        local = datetime(
            int(year), _MONTHS.index(month) + 1, int(day), int(hour) % _NOON, int(minute), tzinfo=UTC
        )
    except ValueError:
        return None
    local += timedelta(hours=_NOON if half == "P" else 0)
    return int((local - away).timestamp() * 1000)
