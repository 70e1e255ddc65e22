"""Frozen values that cross package borders. Times are epoch milliseconds in UTC, tokens are estimates."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Protocol

Metadata = dict[str, Any]
"""Free JSON that a caller attached to a turn."""


class Kind(IntEnum):
    """What a stored item is; the number is what the database keeps."""

    TURN = 1
    SUMMARY = 2
    MEMORY = 3
    GUIDANCE = 4
    DIRECTIVE = 5
    LORE = 6

    @property
    def wire(self) -> str:
        """The name used on the socket, in lower case."""
        return _WIRE[self]


_WIRE = {kind: kind.name.lower() for kind in Kind}
"""A member's name is slow to look up, and a prompt asks for a hundred."""


class Role(StrEnum):
    """Who spoke a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Origin(StrEnum):
    """Where a turn's words come from; only the owner's may become preferences or rules."""

    OWNER = "owner"
    AGENT = "agent"
    TOOL = "tool"
    EXTERNAL = "external"


class NodeTier(StrEnum):
    """The partition of an authored document: hard, soft, lore (memory model §3)."""

    HARD = "hard"
    SOFT = "soft"
    LORE = "lore"


class Modality(StrEnum):
    """What a deontic form says."""

    OBLIGATION = "obligation"
    PROHIBITION = "prohibition"
    PERMISSION = "permission"


class MemoryType(StrEnum):
    """Types of durable memory (memory model §1)."""

    DECISION = "decision"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    IDENTITY = "identity"
    CONTEXT = "context"
    TODO = "todo"
    FACT = "fact"
    ENTITY = "entity"
    SESSION = "session"
    LESSON = "lesson"
    """What went wrong, why, what helped, and how it does not happen again."""


class ScopeKind(IntEnum):
    """The five kinds of scope; the number is what the database keeps."""

    SESSION = 1
    USER = 2
    AGENT = 3
    PROJECT = 4
    GLOBAL = 5


@dataclass(frozen=True, slots=True)
class Scope:
    """A place that memory belongs to: ``session:<key>``, ``user:<id>``, … or ``global``.

    ``owner`` is the user whose session it is (sessions of one user see each other); empty elsewhere.
    """

    kind: ScopeKind
    name: str = ""
    owner: str = ""

    @property
    def text(self) -> str:
        """The form used on the socket and in configuration."""
        if self.kind is ScopeKind.GLOBAL:
            return "global"
        return f"{self.kind.name.lower()}:{self.name}"

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read the text form.

        Raises:
            ValueError: The text is no scope.
        """
        if text == "global":
            return cls(ScopeKind.GLOBAL)
        kind, sep, name = text.partition(":")
        if not sep or not name or kind.upper() not in ScopeKind.__members__:
            raise ValueError(text)
        return cls(ScopeKind[kind.upper()], name)


@dataclass(frozen=True, slots=True)
class Who:
    """The caller of a request: decides which scopes it sees.

    ``session`` is the session's key as the caller names it, ``project`` a project key
    (normalised git origin, else the real path), ``cwd`` a folder from which it can be found.
    """

    user: str
    agent: str | None = None
    project: str | None = None
    session: str | None = None
    host: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRef:
    """A session as its source names it. ``key`` is unique over all hosts: ``<host>:<id>``."""

    key: str
    user: str
    host: str | None = None
    agent: str | None = None
    project: str | None = None
    cwd: str | None = None
    parent_key: str | None = None
    kind: str = "main"
    """``main``, ``subagent``, ``cron``, ``heartbeat``: only ``main`` is learnt from."""

    @property
    def scope(self) -> Scope:
        """The scope of this session's turns."""
        return Scope(ScopeKind.SESSION, self.key, self.user)


@dataclass(frozen=True, slots=True)
class NewTurn:
    """One message on its way into the store, as an edge hands it in.

    Attributes:
        role: Who spoke.
        content: The text, not yet stripped or redacted.
        ts_ms: When it was said; ``None`` if the source does not say.
        event_id: The id that the host or caller gave it, if any.
        origin: Whose words they are.
        speaker: A display name, if the source has one.
        tokens: The caller's own token count, if it gave one.
        line: 1-based line or row in the source, for receipts.
        metadata: Free JSON kept with the turn.
        undone: The person took it back in the host (a rewind, a left branch): it is kept, but out of use.
            Handing a turn over again with another ``undone`` takes it back or brings it back.
    """

    role: Role
    content: str
    ts_ms: int | None = None
    event_id: str | None = None
    origin: Origin = Origin.OWNER
    speaker: str | None = None
    tokens: int | None = None
    line: int | None = None
    metadata: Metadata = field(default_factory=dict)
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a source was read; an optimisation only, losing it inserts nothing twice (transcripts.md).

    Attributes:
        path: Real path of the file or database.
        host: ``claude-code``, ``openclaw``, …
        form: ``jsonl``, ``zst`` (packed lines), ``json`` (one document) or ``sqlite``.
        device, inode: File identity at the last read (inode is the file id on Windows).
        size: Bytes at the last read; of a packed file 0 until all of it was read.
        offset: Bytes (unpacked) after the last complete newline that was taken.
        head_sha256: Hex digest of the first 1 KiB (or of less, if the file was shorter then).
        head_bytes: How many bytes ``head_sha256`` covers.
        tail_sha256: Hex digest of the ≤ 256 bytes before ``offset``.
        lines: Complete lines taken so far.
        bad_lines: Malformed lines skipped so far.
        oversize_lines: Lines over 8 MiB skipped so far.
        waiting_bytes: Bytes of an unterminated last line that waits for its end.
        session_key: The session that the file's content names.
        positions: For a database: ``{session id: [seq, generation]}``.
        parser: What the host's parser must remember between reads (small JSON).
    """

    path: str
    host: str
    form: str = "jsonl"
    device: int = 0
    inode: int = 0
    size: int = 0
    offset: int = 0
    mtime_ns: int = 0
    head_sha256: str = ""
    head_bytes: int = 0
    tail_sha256: str = ""
    lines: int = 0
    bad_lines: int = 0
    oversize_lines: int = 0
    waiting_bytes: int = 0
    session_key: str | None = None
    positions: dict[str, tuple[int, str]] = field(default_factory=dict)
    parser: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """Turns of one session read from one source, and the cursor that is true once they are stored.

    Attributes:
        present: If given, the ids of all events that the source now holds of the session: its turns from this source
            whose events are not among them were taken back by the person.
    """

    session: SessionRef
    turns: tuple[NewTurn, ...]
    cursor: Cursor | None
    present: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A Markdown document as read from disk.

    Attributes:
        path: Real path.
        text: Decoded text, BOM removed, ``@imports`` not yet followed.
        host: Whose file it is (``claude-code``, ``openclaw``, ``any``).
        scope: Who gets it.
        instructions: True for tiers 1 and 2; False for watched notes (all lore).
        imported_by: Real path of the document that imports it, if any.
    """

    path: str
    text: str
    host: str
    scope: Scope
    instructions: bool
    size: int = 0
    mtime_ns: int = 0
    imported_by: str | None = None
    order: int = 0
    """Position among the documents of its scope: lower comes first in a prompt."""


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf of a partitioned document (memory model §3).

    Attributes:
        tier: hard, soft or lore.
        kind: ``list_item``, ``front_matter``, ``quote``, ``paragraph``, ``code``, ``table``, ``html``.
        text: The source text of the node, list markers and quote signs removed.
        start, end: Byte span in the UTF-8 source.
        line_start, line_end: 1-based, inclusive.
        heading: Titles from the outermost heading down.
        tokens: Estimate for ``text``.
        modalities: What the deontic lexer found.
    """

    tier: NodeTier
    kind: str
    text: str
    start: int
    end: int
    line_start: int
    line_end: int
    heading: tuple[str, ...] = ()
    tokens: int = 0
    modalities: tuple[Modality, ...] = ()


class Clock(Protocol):
    """Now, in epoch milliseconds (UTC). Passed in, so that pure code and tests have no clock."""

    def __call__(self) -> int:
        """Return the time."""
        ...


_SPACE = re.compile(r"\s+")
_STRONG_ID_CHARS = 16
"""Ids this long (uuids, ULIDs, hashes) do not collide by chance; shorter ones are joined with their time."""


def normal_text(text: str) -> str:
    """Return NFC text with white space collapsed: the form that is hashed for identity."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def digest(*parts: str) -> str:
    """Return 32 hex digits of SHA-256 over the parts, kept apart by NUL bytes."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def event_key(session_key: str, host: str | None, event_id: str | None, ts_ms: int | None) -> str | None:
    """Return the identity that a host's event id gives a turn, or None without an id.

    A strong id stands for itself over all files of the host, so that a resumed or archived copy is the
    same turn. A short id (OpenClaw's eight hex digits) is joined with the time; without a host or a time
    it is only good within its session.

    Source: architecture.md, Identity; transcripts.md.
    """
    if not event_id:
        return None
    if host and len(event_id) >= _STRONG_ID_CHARS:
        return f"{host}:{event_id}"
    if host and ts_ms is not None:
        return f"{host}:{event_id}@{ts_ms}"
    return f"{session_key}#{event_id}"


def content_key(role: Role, ts_ms: int | None, text: str, within: str = "") -> str:
    """Return the second identity of a turn: role, time and normalised (redacted) text.

    ``within`` narrows it to a session when the time is not the event's own (a caller that sent none).

    Source: lessons.md C20.
    """
    return digest(role.value, "" if ts_ms is None else str(ts_ms), normal_text(text), within)
