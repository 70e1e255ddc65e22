"""The tray's menu as a pure function of the answer to ``status``: a state drawn, none kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import Enum, StrEnum
from typing import Any

_STORE = "store:"
"""How a reason begins under which nothing new can be kept: the tray turns red (memory model §9)."""

_REASON_CHARS = 80
"""How much of a reason the tool tip and the first line show."""

PAUSES: tuple[tuple[str, int | None], ...] = (
    ("Pause for 15 minutes", 15 * 60),
    ("Pause for 1 hour", 60 * 60),
    ("Pause until resumed", None),
)
"""Label and seconds of each way to pause; None pauses until somebody resumes."""


class IconState(StrEnum):
    """What the icon shows; each value is the name of a file in ``assets/icons``."""

    STARTING = "starting"
    WATCHING = "watching"
    WORKING = "working"
    PAUSED = "paused"
    DEGRADED = "degraded"
    ERROR = "error"


class Action(Enum):
    """What a click asks for."""

    PAUSE = "pause"
    RESUME = "resume"
    COMPACT = "compact"
    OPEN_FOLDER = "open_folder"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the menu.

    Attributes:
        label: Its text; empty for a separator.
        action: What a click does; None for a line that only tells something.
        seconds: For :attr:`Action.PAUSE`, how long; None until resumed.
        default: True for the one line that a click on the icon itself means.
    """

    label: str = ""
    action: Action | None = None
    seconds: int | None = None
    default: bool = False


SEPARATOR = Item()


@dataclass(frozen=True, slots=True)
class Menu:
    """All that the tray draws.

    Attributes:
        items: The menu's lines, top to bottom.
        icon_state: Which icon to show.
        title: The tool tip.
    """

    items: tuple[Item, ...]
    icon_state: IconState
    title: str


def menu(status: Mapping[str, Any], *, zone: tzinfo | None = None) -> Menu:
    """Return what the tray should show for an answer to ``status``.

    A field that is absent is read as "nothing to say", so that a part of Libra that has not started yet, or
    an older one, still gets a menu.

    Args:
        status: The result of the method ``status`` (docs/protocol.md); ``{"error": sentence}`` if it failed.
        zone: Time zone of the times shown; None for the machine's own.
    """
    state, sentence = _state(status, zone)
    resume_or_pause = (
        (Item("Resume", Action.RESUME),)
        if state is IconState.PAUSED
        else tuple(Item(label, Action.PAUSE, seconds) for label, seconds in PAUSES)
    )
    told = [Item(sentence), Item(_learnt(status, zone)), Item(_counts(status))]
    items = (
        *told,
        SEPARATOR,
        *resume_or_pause,
        Item("Compact now", Action.COMPACT),
        Item("Open data folder", Action.OPEN_FOLDER, default=True),
        SEPARATOR,
        Item("Quit", Action.QUIT),
    )
    return Menu(items, state, f"Libra: {sentence[:1].lower()}{sentence[1:]}")


def _state(status: Mapping[str, Any], zone: tzinfo | None) -> tuple[IconState, str]:
    """Return the state that matters most to a person, and a sentence about it, worst first."""
    reasons = [str(reason) for reason in status.get("degraded") or ()]
    broken = [reason for reason in reasons if reason.startswith(_STORE)]
    progress = _progress(status)
    if status.get("error"):
        return IconState.ERROR, f"Error: {_cut(str(status['error']))}"
    if broken:
        return IconState.ERROR, f"Error: {_cut('; '.join(broken))}"
    if not status.get("ready"):
        return IconState.STARTING, "Starting"
    if status.get("paused"):
        return IconState.PAUSED, f"Paused {_until(status.get('paused_until'), zone)}"
    working = f"Working, {progress} % done" if progress is not None else ""
    if reasons:
        suffix = f" ({working.lower()})" if working else ""
        return IconState.DEGRADED, f"Degraded: {_cut('; '.join(reasons))}{suffix}"
    if working:
        return IconState.WORKING, working
    return IconState.WATCHING, "Watching"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _REASON_CHARS else line[: _REASON_CHARS - 1].rstrip() + "…"


def _progress(status: Mapping[str, Any]) -> int | None:
    """Return how much of the work is done in whole per cent, 0 to 99, or None if nothing waits.

    While files are being read, of their bytes; then, of the texts that need a vector.
    """
    reading = (status.get("sources") or {}).get("progress") or {}
    if reading.get("busy"):
        return _share(reading.get("bytes_done"), reading.get("bytes_known"))
    queue = status.get("queue") or {}
    waiting = _number(queue.get("waiting"))
    if waiting <= 0:
        return None
    embedded, left = _number(queue.get("embedded")), _number(queue.get("embed"))
    return _share(embedded, embedded + left) if left > 0 else _share(embedded, embedded + waiting)


def _share(done: object, of: object) -> int:
    whole = _number(of)
    return min(max(100 * _number(done) // whole, 0), 99) if whole > 0 else 0


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _until(until: object, zone: tzinfo | None) -> str:
    """Say when a pause ends; the status gives epoch milliseconds, or a word if only a person ends it."""
    if not isinstance(until, int | float):
        return "until resumed"
    return "until " + datetime.fromtimestamp(until / 1000, tz=zone).strftime("%H:%M")


def _learnt(status: Mapping[str, Any], zone: tzinfo | None) -> str:
    """Say when something was learnt last: what it was is nobody's business who looks over a shoulder."""
    last = status.get("last_learnt")
    if not isinstance(last, int | float):
        return "Nothing learnt yet"
    return "Learnt last: " + datetime.fromtimestamp(last / 1000, tz=zone).strftime("%Y-%m-%d %H:%M")


def _counts(status: Mapping[str, Any]) -> str:
    counts = status.get("counts") or {}
    memories, sessions = _number(counts.get("memory")), _number(counts.get("session"))
    memory, session = _plural("memory", "memories", memories), _plural("session", "sessions", sessions)
    return f"{memories:,} {memory}, {sessions:,} {session}"


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many
