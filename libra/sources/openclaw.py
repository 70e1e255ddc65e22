"""OpenClaw's transcript events → turns; one parser for the JSONL lines and for the rows of its database.

White-listed: only ``message`` events of the roles user, assistant and toolResult are read. The message's own
time wins over the event's (lessons.md C104); one without any time gets that of the event before it.

Source: hosts.md §1.6, §1.7; transcripts.md, OpenClaw.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import orjson

from libra.ground.records import Metadata, NewTurn, Origin, Role, SessionRef, digest, normal_text
from libra.sources.events import Event, ParseParams, Said, Verdict, parts_of, text_of, texts_of, time_of
from libra.sources.openclaw_sessions import SessionFacts, session_named
from libra.text.noise import NoiseKind, noise, unwrap

HOST: Final = "openclaw"
DATABASE: Final = "openclaw-agent.sqlite"

_LIVE: Final = re.compile(r"(?!.*\.(?:trajectory|checkpoint\.[^.]+)\.jsonl$)[^.].*\.jsonl$")
_RESET: Final = re.compile(r"[^.].*\.jsonl\.reset\.[0-9TZ.:-]+(?:\.zst)?$")
_DELETED: Final = re.compile(r"[^.].*\.jsonl\.deleted\.[0-9TZ.:-]+(?:\.zst)?$")
_COLD: Final = re.compile(r"[0-9a-f]{16,128}\.jsonl\.zst$")
_IMPORTED: Final = re.compile(r"archive-tier\..+\.jsonl\.imported-.+$")
_MIRROR: Final = "delivery-mirror"
_FAILED: Final = frozenset({"error", "aborted"})
_NEIGHBOURS: Final = 8
"""How many answers since the last question a delivery mirror is compared with."""
_ENVELOPE_MS: Final = 1000

_UNTRUSTED: Final = re.compile(
    r"\A\s*(?P<title>[A-Z][A-Za-z ,']{2,60}) \(untrusted[^)\n]{0,60}\):?[ \t]*\n```json\n(?P<json>.*?)\n```\s*",
    re.DOTALL,
)
_FROM: Final = re.compile(r"\n?\[from: (?P<name>[^\]\n(]{1,80}?)(?: \([^)\n]{0,80}\))?\]\s*\Z")
_SENDER_FIELDS: Final = ("name", "label", "sender", "username")


def verdict(parts: tuple[str, ...]) -> Verdict:
    """Say what a file below ``agents/`` is.

    Args:
        parts: Its path below that folder: ``(agent, "sessions", name)``.
    """
    match parts:
        case (_, "agent", name) if name == DATABASE:
            return Verdict.DATABASE
        case (_, "sessions", name):
            if _LIVE.match(name) or _RESET.match(name):
                return Verdict.TAKE
            return Verdict.EXCLUDED if _DELETED.match(name) else Verdict.IGNORE
        case (_, "sessions", "cold", name):
            return Verdict.TAKE if _COLD.match(name) else Verdict.IGNORE
        case (_, "session-sqlite-import-archive", name):
            return Verdict.TAKE if _IMPORTED.match(name) else Verdict.IGNORE
        case _:
            return Verdict.IGNORE


def named_session(parts: tuple[str, ...]) -> str:
    """Return the session id that a file's name suggests, for a file without a header."""
    name = parts[-1].removeprefix("archive-tier.")
    return name.partition(".jsonl")[0].partition("-topic-")[0]


class OpenClawParser:
    """Parser of one transcript file or of one session's rows.

    Args:
        params: Settings.
        agent: The agent whose folder it is in.
        session_id: The session id: the last resort for a file, the truth for rows (``fixed``).
        facts_of: What the host's session list says of a session id.
        memory: What :meth:`memory` returned when reading stopped.
        fixed: True if ``session_id`` outranks a header (a copied header keeps the old id).
        abandoned: Ids of events that stand on a branch which the person left; may be set anew at any time.
    """

    def __init__(
        self,
        params: ParseParams,
        agent: str,
        session_id: str,
        *,
        facts_of: Callable[[str], SessionFacts | None] = lambda _id: None,
        memory: Metadata | None = None,
        fixed: bool = False,
        abandoned: frozenset[str] = frozenset(),
    ) -> None:
        memory = memory or {}
        self.counts: Counter[str] = Counter()
        self._params = params
        self._agent = agent
        self._facts_of = facts_of
        self._fixed = fixed
        self.abandoned = abandoned
        self._session: str = memory.get("session") or session_id
        self._cwd: str | None = memory.get("cwd")
        self._parent: str | None = memory.get("parent")
        self._ts_ms: int | None = memory.get("ts_ms")
        self._answers: list[str] = list(memory.get("answers", ()))
        self._mirrored: bool = bool(memory.get("mirrored"))
        self._tip: str | None = memory.get("tip")
        self.forked = False
        self._ref: SessionRef | None = None
        self._facts = SessionFacts()
        self._roles = {"user": self._user, "assistant": self._assistant, "toolResult": self._result}

    def memory(self) -> Metadata:
        """Return what a later reading needs: session, folder, lineage, time, the latest answers' digests."""
        known: Metadata = {
            "session": self._session,
            "cwd": self._cwd,
            "parent": self._parent,
            "ts_ms": self._ts_ms,
            "answers": self._answers,
            "mirrored": self._mirrored,
            "tip": self._tip,
        }
        return {key: value for key, value in known.items() if value}

    def session(self) -> SessionRef:
        """Return the session that is being read."""
        if self._ref is None:
            self._facts = self._facts_of(self._session) or SessionFacts()
            parent = self._parent or self._facts.parent
            self._ref = SessionRef(
                key=f"{HOST}:{self._session}",
                user=self._params.user,
                host=HOST,
                agent=self._agent,
                project=self._params.project_of(self._cwd) if self._cwd else None,
                cwd=self._cwd,
                parent_key=f"{HOST}:{parent}" if parent and parent != self._session else None,
                kind=self._facts.kind,
            )
        return self._ref

    def feed(self, event: Event, line: int) -> tuple[Said, ...]:
        """Return the turn of one event, if it is one."""
        self.counts["events"] += 1
        kind = event.get("type")
        if kind != "session" and (event_id := text_of(event.get("id"))):
            above = text_of(event.get("parentId"))
            self.forked |= bool(self._tip and above and above != self._tip)
            self._tip = event_id
        if kind != "message":
            self.counts[kind if isinstance(kind, str) and len(kind) <= 40 else "unknown"] += 1  # noqa: PLR2004
            if kind == "session":
                self._header(event)
            return ()
        message = event.get("message")
        role = message.get("role") if isinstance(message, dict) else None
        take = self._roles.get(role) if isinstance(role, str) else None
        if take is None or not isinstance(message, dict):
            self.counts["otherRoles"] += 1
            return ()
        self.counts[str(role)] += 1
        turn = take(event, message, line)
        return () if turn is None else (Said(self.session(), turn),)

    def _header(self, event: Event) -> None:
        """Take session id, folder and lineage from a ``session`` event."""
        named = text_of(event.get("id"))
        parent = session_named(event.get("parentSession"))
        if self._fixed:
            parent = parent or (named if named != self._session else None)
        elif named:
            self._session = named
        self._parent = parent or self._parent
        self._cwd = text_of(event.get("cwd")) or self._cwd
        self._ts_ms = time_of(event.get("timestamp")) or self._ts_ms
        self._answers, self._mirrored, self._ref = [], False, None

    def _user(self, event: Event, message: Mapping[str, Any], line: int) -> NewTurn | None:
        """Take a person's words without envelope; a heartbeat is none."""
        self._answers, self._mirrored = [], False
        owner = _is_owner(message)
        speaker = None
        words = []
        for raw in texts_of(parts_of(message.get("content"))):
            named, text = sender(raw)
            speaker = speaker or named
            if own := unwrap(text).strip():
                words.append(own)
        content = "\n\n".join(words)
        if not content or noise(content, Role.USER) is NoiseKind.HEARTBEAT:
            self.counts["heartbeats" if content else "withoutText"] += 1
            self._when(event, message)
            return None
        self.session()
        own_words = owner if owner is not None else not self._facts.shared
        origin = Origin.OWNER if own_words else Origin.EXTERNAL
        if self._facts.kind == "subagent":
            origin = Origin.AGENT
        return self._turn(event, message, line, Role.USER, origin, content, speaker)

    def _assistant(self, event: Event, message: Mapping[str, Any], line: int) -> NewTurn | None:
        """Take an answer's text, unless it failed, says nothing, or repeats its neighbour."""
        texts = texts_of(parts_of(message.get("content")))
        content = "\n\n".join(texts)
        if text_of(message.get("stopReason")) in _FAILED:
            self.counts["failedAnswers"] += 1
            content = ""
        elif content and noise(content, Role.ASSISTANT) is NoiseKind.HEARTBEAT:
            self.counts["silentAnswers"] += 1
            content = ""
        elif content and self._repeats(content, mirror=message.get("model") == _MIRROR):
            self.counts["mirrors"] += 1
            content = ""
        if not content:
            self._when(event, message)
            return None
        return self._turn(event, message, line, Role.ASSISTANT, Origin.AGENT, content, None)

    def _result(self, event: Event, message: Mapping[str, Any], line: int) -> NewTurn | None:
        """Take a tool's output if the setting says so."""
        texts = texts_of(parts_of(message.get("content"))) if self._params.tool_output else []
        if not texts:
            return None
        return self._turn(event, message, line, Role.TOOL, Origin.TOOL, "\n\n".join(texts), None)

    def _repeats(self, content: str, *, mirror: bool) -> bool:
        """Whether one of two neighbours with this text is a delivery mirror, so that one is enough (C19)."""
        answer = digest(normal_text(content))[:12]
        repeated = answer in self._answers and (mirror or self._mirrored)
        self._mirrored = mirror
        if answer not in self._answers:
            self._answers = [*self._answers, answer][-_NEIGHBOURS:]
        return repeated

    def _when(self, event: Event, message: Mapping[str, Any]) -> tuple[int | None, Metadata]:
        """Return the time of a message, and what to keep of the event's if that differs."""
        own, envelope = time_of(message.get("timestamp")), time_of(event.get("timestamp"))
        self._ts_ms = own or envelope or self._ts_ms
        apart = own is not None and envelope is not None and abs(own - envelope) >= _ENVELOPE_MS
        return self._ts_ms, {"envelope_ms": envelope} if apart else {}

    def _turn(
        self,
        event: Event,
        message: Mapping[str, Any],
        line: int,
        role: Role,
        origin: Origin,
        content: str,
        speaker: str | None,
    ) -> NewTurn:
        ts_ms, metadata = self._when(event, message)
        event_id = text_of(event.get("id"))
        left = event_id in self.abandoned
        self.counts["abandoned"] += left
        return NewTurn(role, content, ts_ms, event_id, origin, speaker, None, line, metadata, left)


def abandoned(events: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """Return the ids of events on branches that were left, given each event's id and its parent's id.

    The transcript is a tree. An event is on a left branch if it is no ancestor of the last event of its
    tree, and that tree's active path goes on from one of its ancestors. Events of separate trees (a reset
    that began anew) leave each other alone.

    Source: hosts.md §1.6 (parentId); lessons.md C96.
    """
    parent: dict[str, str | None] = {}
    order: list[str] = []
    for event_id, parent_id in events:
        if event_id not in parent:
            order.append(event_id)
        parent[event_id] = parent_id if parent_id != event_id else None
    root: dict[str, str] = {}
    for event_id in order:
        above = parent[event_id]
        root[event_id] = root[above] if above is not None and above in root else event_id
    leaves = {root[event_id]: event_id for event_id in order}
    active: set[str] = set()
    for leaf in leaves.values():
        at: str | None = leaf
        while at is not None and at not in active:
            active.add(at)
            at = parent.get(at)
    return frozenset(event_id for event_id in order if event_id not in active)


def left_in(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of events on branches that were left, given all events of a session."""
    return abandoned(
        (event_id, text_of(event.get("parentId")))
        for event in events
        if event.get("type") != "session" and (event_id := text_of(event.get("id")))
    )


def sender(text: str) -> tuple[str | None, str]:
    """Return who spoke, as the host's preface says, and the text without that preface.

    Cut are the host's ``… (untrusted metadata):`` JSON blocks in front and a ``[from: …]`` line at the end.
    """
    name: str | None = None
    while match := _UNTRUSTED.match(text):
        name = name or _name_in(match.group("json"))
        text = text[match.end() :]
    if match := _FROM.search(text[-256:]):
        name = name or match.group("name").strip()
        text = text[: len(text) - len(match.group())]
    return name, text


def _name_in(block: str) -> str | None:
    try:
        values = orjson.loads(block)
    except orjson.JSONDecodeError:
        return None
    fields = (values.get(field) for field in _SENDER_FIELDS) if isinstance(values, dict) else ()
    return next((name for value in fields if (name := text_of(value))), None)


def _is_owner(message: Mapping[str, Any]) -> bool | None:
    own = message.get("__openclaw")
    said = own.get("senderIsOwner") if isinstance(own, dict) else None
    return said if isinstance(said, bool) else None
