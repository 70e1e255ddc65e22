"""The tray's menu as a pure function of the answer to ``status``: a state drawn, none kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import Enum, StrEnum
from typing import Any

_LEARNT_CHARS = 60
"""How much of the last learnt statement a menu line shows."""

_STORE_REASONS = frozenset({"disk_full", "read_only", "damaged", "store", "busy"})
"""Reasons under which nothing new can be kept: the tray turns red (memory model §9)."""

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
    told = [Item(sentence), Item(_learnt(status)), Item(_counts(status))]
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
    broken = [reason for reason in reasons if reason in _STORE_REASONS]
    progress = _progress(status)
    if status.get("error"):
        return IconState.ERROR, f"Error: {status['error']}"
    if broken:
        return IconState.ERROR, f"Error: {_words(broken)}"
    if not status.get("ready"):
        return IconState.STARTING, "Starting"
    if status.get("paused"):
        return IconState.PAUSED, f"Paused {_until(status.get('paused_until'), zone)}"
    working = f"Working, {progress} % done" if progress is not None else ""
    if reasons:
        return IconState.DEGRADED, f"Degraded: {_words(reasons)}" + (
            f" ({working.lower()})" if working else ""
        )
    if working:
        return IconState.WORKING, working
    return IconState.WATCHING, "Watching"


def _words(reasons: list[str]) -> str:
    return ", ".join(reason.replace("_", " ") for reason in reasons)


def _progress(status: Mapping[str, Any]) -> int | None:
    """Return how much of the queue is done in whole per cent, 0 to 99, or None if nothing waits."""
    queue = status.get("queue") or {}
    pending, total = int(queue.get("pending") or 0), int(queue.get("total") or 0)
    if pending <= 0:
        return None
    return min(100 * max(total - pending, 0) // max(total, pending), 99)


def _until(until_ms: float | None, zone: tzinfo | None) -> str:
    if until_ms is None:
        return "until resumed"
    return "until " + datetime.fromtimestamp(until_ms / 1000, tz=zone).strftime("%H:%M")


def _learnt(status: Mapping[str, Any]) -> str:
    last = status.get("last_learnt") or {}
    text = " ".join(str(last.get("text") or "").split())
    if not text:
        return "Nothing learnt yet"
    return "Learnt last: " + (
        text if len(text) <= _LEARNT_CHARS else text[: _LEARNT_CHARS - 1].rstrip() + "…"
    )


def _counts(status: Mapping[str, Any]) -> str:
    counts = status.get("counts") or {}
    memories, sessions = int(counts.get("memory") or 0), int(counts.get("session") or 0)
    return f"{memories:,} {_plural('memory', 'memories', memories)}, {sessions:,} {_plural('session', 'sessions', sessions)}"


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many
