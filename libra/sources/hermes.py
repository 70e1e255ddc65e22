"""Hermes's message rows → turns. White-listed: the roles user and assistant.

A row that is not active was taken back, unless the host compacted it: then it was said all the same, and the summary
and the copies that took its place are left out.

Source: hosts.md §3.4.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libra.ground.records import NewTurn, Origin, Role, SessionRef
from libra.sources.events import ParseParams, Said, Verdict, decode, parts_of, text_of, texts_of, time_of
from libra.sources.openclaw_sessions import facts_of_key
from libra.text.noise import NoiseKind, noise, unwrap

HOST: Final = "hermes"
DATABASE: Final = "state.db"

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
_KINDS: Final = {
    "cron": "cron",
    "webhook": "cron",
    "subagent": "subagent",
    "delegate": "subagent",
    "delegation": "subagent",
    "batch": "subagent",
    "heartbeat": "heartbeat",
}
"""Kinds of session by what started it (``sessions.source``); all other sources are a person's own."""
_HOSTS_WORDS: Final = re.compile(r"\s*\[(?:CONTEXT (?:COMPACTION|SUMMARY)|System note:|Runtime note:)")
_PARTS: Final = "\x00json:"
"""A content of several parts begins with this."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A session as its row says it; ``origin`` is what started it."""

    session_id: str
    origin: str = ""
    parent: str | None = None
    cwd: str | None = None
    key: str | None = None


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file in Hermes's home is."""
    return Verdict.DATABASE if parts == (DATABASE,) else Verdict.IGNORE


class HermesParser:
    """Parser of rows.

    Args:
        params: Settings.
    """

    def __init__(self, params: ParseParams) -> None:
        self.counts: Counter[str] = Counter()
        self._params = params

    def session(self, talk: Talk) -> SessionRef:
        """Return a session."""
        facts = facts_of_key(talk.key or "")
        return SessionRef(
            key=f"{HOST}:{talk.session_id}",
            user=self._params.user,
            host=HOST,
            project=self._params.project_of(talk.cwd) if talk.cwd else None,
            cwd=talk.cwd,
            parent_key=f"{HOST}:{talk.parent}" if talk.parent else None,
            kind=_KINDS.get(talk.origin.lower(), facts.kind),
        )

    def feed(self, talk: Talk, row: Mapping[str, Any], *, copied: bool = False) -> tuple[Said, ...]:
        """Return the turn of one row.

        Args:
            talk: Its session.
            row: The row by column name.
            copied: The host put it there as a copy when it compacted the session.
        """
        calls, _ = decode(b'{"type":' + str(row.get("tool_calls") or "[]").encode("utf-8", "replace") + b"}")
        listed = calls.get("type") if calls is not None else None
        self.counts["toolUses"] += len(listed) if isinstance(listed, list) else 0
        role = _ROLES.get(str(row.get("role")))
        texts = _texts(row.get("content"))
        if role is None or (role is Role.TOOL and not self._params.tool_output):
            self.counts["otherRoles"] += 1
            return ()
        if copied or hosts_words(row.get("content")):
            self.counts["copied" if copied else "compaction"] += 1
            return ()
        if role is Role.USER:
            texts = [own for text in texts if (own := unwrap(text).strip())]
        content = "\n\n".join(texts)
        if not content or noise(content, role) is NoiseKind.HEARTBEAT:
            self.counts["heartbeats" if content else "withoutText"] += 1
            return ()
        session = self.session(talk)
        if session.kind == "main" and role is not Role.TOOL:
            self.counts["userTurns" if role is Role.USER else "assistantTexts"] += 1
        undone = row.get("active") == 0 and not row.get("compacted")
        self.counts["abandoned"] += undone
        turn = NewTurn(
            role,
            content,
            time_of(row.get("timestamp")),
            f"{talk.session_id}/{row.get('id')}",
            self._origin(role, session, talk),
            line=row["id"] if isinstance(row.get("id"), int) else None,
            undone=undone,
        )
        return (Said(session, turn),)

    def _origin(self, role: Role, session: SessionRef, talk: Talk) -> Origin:
        """Say whose words they are: in a group anybody's, in a session that no person began the agent's."""
        if role is not Role.USER:
            return Origin.TOOL if role is Role.TOOL else Origin.AGENT
        if session.kind != "main":
            return Origin.AGENT
        return Origin.EXTERNAL if facts_of_key(talk.key or "").shared else Origin.OWNER


def hosts_words(content: Any) -> bool:
    """Whether a row's content is the host's own: a summary, a note."""
    return any(_HOSTS_WORDS.match(text) for text in _texts(content))


def _texts(content: Any) -> list[str]:
    """Return the texts of a row's content, which is a text or a list of parts."""
    if isinstance(content, str) and content.startswith(_PARTS):
        event, _ = decode(b'{"type":' + content.removeprefix(_PARTS).encode("utf-8", "replace") + b"}")
        content = event.get("type") if event is not None else None
    texts = texts_of(parts_of(content))
    return [text for text in texts if text_of(text)]
