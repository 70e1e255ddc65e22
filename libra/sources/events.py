"""What the parsers of all hosts share: one line of bytes to one event, one event to what was said."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

import orjson

from libra.ground.records import Metadata, NewTurn, SessionRef
from libra.text.dates import parse_ts

Event = dict[str, Any]
"""One line of a transcript, or one row's ``event_json``."""

_STARTS: Final = re.compile(
    rb'\{"(?:type|parentUuid|logicalParentUuid|uuid|isSidechain|id|sessionId|timestamp|message|cwd)":'
)
_SALVAGE_BYTES: Final = 1024 * 1024
_SALVAGE_TRIES: Final = 16


class Verdict(Enum):
    """What a file below a host's folder is to us."""

    TAKE = "take"
    EXCLUDED = "excluded"
    """A transcript that the person deleted: known, shown in the status, never read."""
    IGNORE = "ignore"
    WHOLE = "whole"
    """A transcript that is one JSON document, written anew each time."""
    DATABASE = "database"
    """The host's database, read row by row."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn and the session it belongs to: a file may hold turns of several sessions."""

    session: SessionRef
    turn: NewTurn


@dataclass(frozen=True, slots=True)
class ParseParams:
    """Settings of all parsers.

    Attributes:
        user: Whose sessions these are.
        tool_output: Hand in the results of tools too, as turns of role tool. Off by default: they carry
            more secrets than talk (lessons.md C81).
        project_of: Project key of a working folder, None if it has none.
    """

    user: str
    tool_output: bool = False
    project_of: Callable[[str], str | None] = lambda _cwd: None


class Parser(Protocol):
    """Turns the events of one file or one session into turns; knows no files, no clock, no database."""

    counts: Counter[str]
    """How many events of which kind were seen since the parser was made."""
    forked: bool
    """An event did not go on where the talk stood: lines before it may have been left."""

    def feed(self, event: Event, line: int) -> tuple[Said, ...]:
        """Return what was said in this event; () for everything that is not a person's or an agent's words."""
        ...

    def session(self) -> SessionRef:
        """Return the session that the last event belonged to."""
        ...

    def memory(self) -> Metadata:
        """Return what must be known to go on from here later: small JSON for the cursor."""
        ...


def decode(data: bytes) -> tuple[Event | None, bool]:
    """Return the event that a line holds, and whether the line was sound.

    Sound UTF-8 and JSON go the fast way. Broken UTF-8 becomes U+FFFD, halves of surrogate pairs too. A line
    that begins with the torso of another record or with NUL bytes gives the whole record at its end, but
    counts as malformed, since something was lost (lessons.md C07, C09).
    """
    if b"{" not in data:  # no record in it; a megabyte may have half a million such lines
        return None, False
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        event = _loads_slowly(data)
    if isinstance(event, dict):
        return event, True
    return _salvage(data), False


def _loads_slowly(data: bytes) -> Any:
    """Read what orjson refuses: broken UTF-8, lone surrogate escapes, NaN. None if it is no JSON."""
    try:
        event = json.loads(data.decode("utf-8", errors="replace"))
        text = json.dumps(event, ensure_ascii=False)
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        return None


def _salvage(data: bytes) -> Event | None:
    """Return the whole record at the end of a damaged line, or None."""
    if len(data) > _SALVAGE_BYTES:
        return None
    for tries, match in enumerate(_STARTS.finditer(data)):
        if tries >= _SALVAGE_TRIES:
            break
        if match.start() == 0:
            continue
        try:
            event = orjson.loads(data[match.start() :].rstrip(b"\x00"))
        except orjson.JSONDecodeError:
            continue
        if isinstance(event, dict) and isinstance(event.get("type"), str):
            return event
    return None


def text_of(value: Any) -> str | None:
    """Return ``value`` if it is a string that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def time_of(value: Any) -> int | None:
    """Return the epoch ms of what a host wrote as a time, None for anything else."""
    return parse_ts(value) if isinstance(value, (str, int, float)) else None


def parts_of(content: Any) -> list[Mapping[str, Any]]:
    """Return the parts of a message: a bare string is one text part, anything else that is no part is left out."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [part if isinstance(part, dict) else {"type": "text", "text": part} for part in content]


def texts_of(parts: list[Mapping[str, Any]]) -> list[str]:
    """Return the texts of the text parts that are not blank; NUL characters, which no text needs, dropped."""
    texts = [text for part in parts if part.get("type") == "text" and (text := text_of(part.get("text")))]
    bare = (text.replace("\x00", "") if "\x00" in text else text for text in texts)
    return [text for text in bare if text.strip()]
