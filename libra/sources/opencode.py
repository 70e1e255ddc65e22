"""opencode's messages and their parts → turns. White-listed: text parts of the person and of the agent.

Left out: parts that the host made up (``synthetic``) or hides (``ignored``), the host's compaction (a ``compaction``
part, an answer that is a ``summary``), answers that failed. An answer is taken when it is complete, or when talk has
gone on after it.

Source: hosts.md §3.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libra.ground.records import NewTurn, Origin, Role, SessionRef
from libra.sources.events import Event, ParseParams, Said, Verdict, text_of, time_of
from libra.text.noise import unwrap

HOST: Final = "opencode"

_ROLES: Final = {"user": Role.USER, "assistant": Role.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Talk:
    """A session as its row says it.

    Attributes:
        parent: The session that started it, if one did.
        cwd: Its folder.
        reverted: The message from which on the person took everything back, if so.
        reverted_part: The part of that message from which on; None for the whole message.
    """

    session_id: str
    parent: str | None = None
    cwd: str | None = None
    reverted: str | None = None
    reverted_part: str | None = None


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file is: in opencode's data folder a database for each channel of releases, in ``storage/session`` a session of before."""
    match parts:
        case (name,) if name == "opencode.db" or (name.startswith("opencode-") and name.endswith(".db")):
            return Verdict.DATABASE
        case (_, name) if name.startswith("ses_") and name.endswith(".json"):
            return Verdict.WHOLE
        case _:
            return Verdict.IGNORE


def is_open(data: Event | None) -> bool:
    """Whether an answer is still being written."""
    if data is None or data.get("role") != "assistant" or data.get("error"):
        return False
    times = data.get("time")
    return not (isinstance(times, dict) and time_of(times.get("completed")) is not None)


class OpencodeParser:
    """Parser of one session's messages, in their order.

    Args:
        params: Settings.
        talk: The session.
        undone: All from here on was taken back.
    """

    def __init__(self, params: ParseParams, talk: Talk, *, undone: bool = False) -> None:
        self.undone = undone
        self.counts: Counter[str] = Counter()
        self._params = params
        self._talk = talk

    def session(self, cwd: str | None = None) -> SessionRef:
        """Return the session, in the folder of a message that names one."""
        talk = self._talk
        cwd = cwd or talk.cwd
        return SessionRef(
            key=f"{HOST}:{talk.session_id}",
            user=self._params.user,
            host=HOST,
            project=self._params.project_of(cwd) if cwd else None,
            cwd=cwd,
            parent_key=f"{HOST}:{talk.parent}" if talk.parent else None,
            kind="subagent" if talk.parent else "main",
        )

    def feed(
        self, message_id: str, data: Event, parts: Sequence[tuple[str, Event, int]], line: int
    ) -> tuple[Said, ...]:
        """Return the turns of one message.

        Args:
            message_id: Its id.
            data: Its row's JSON.
            parts: Id, JSON and size of its parts, in their order.
            line: Its number in the session.
        """
        reverted = message_id == self._talk.reverted
        whole = reverted and self._talk.reverted_part is None
        self.undone |= whole
        role = _ROLES.get(str(data.get("role")))
        hosts = data.get("summary") is True or any(part.get("type") == "compaction" for _, part, _ in parts)
        if role is None or hosts or data.get("error"):
            self.counts[
                "failedAnswers" if data.get("error") else "compaction" if hosts else "otherRoles"
            ] += 1
            return ()
        texts = []
        for part_id, part, _ in parts:
            if reverted and part_id == self._talk.reverted_part:
                self.undone = True
            if not self.undone or whole or not reverted:
                texts += _words(part, role)
        said = self._results(data, parts, line) if self._params.tool_output else ()
        if not texts:
            self.counts["withoutText"] += 1
            return said
        return (self._said(message_id, data, role, "\n\n".join(texts), line), *said)

    def _said(self, event_id: str, data: Event, role: Role, content: str, line: int) -> Said:
        path = data.get("path")
        session = self.session(text_of(path.get("cwd")) if isinstance(path, dict) else None)
        if session.kind == "main":
            self.counts["userTurns" if role is Role.USER else "assistantTexts"] += 1
        self.counts["abandoned"] += self.undone
        owner = role is Role.USER and session.kind == "main"
        origin = Origin.TOOL if role is Role.TOOL else Origin.OWNER if owner else Origin.AGENT
        return Said(
            session, NewTurn(role, content, _when(data), event_id, origin, line=line, undone=self.undone)
        )

    def _results(self, data: Event, parts: Sequence[tuple[str, Event, int]], line: int) -> tuple[Said, ...]:
        """Return what tools answered."""
        said = []
        for part_id, part, _ in parts:
            state = part.get("state")
            output = text_of(state.get("output")) if isinstance(state, dict) else None
            if part.get("type") == "tool" and output:
                said.append(self._said(part_id, data, Role.TOOL, output, line))
        return tuple(said)


def _words(part: Mapping[str, Any], role: Role) -> list[str]:
    text = part.get("text")
    if (
        part.get("type") != "text"
        or part.get("synthetic")
        or part.get("ignored")
        or not isinstance(text, str)
    ):
        return []
    text = text.replace("\x00", "")
    own = unwrap(text).strip() if role is Role.USER else text
    return [own] if own.strip() else []


def _when(data: Event) -> int | None:
    times = data.get("time")
    return time_of(times.get("created")) if isinstance(times, dict) else None
