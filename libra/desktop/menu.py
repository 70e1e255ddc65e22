"""The tray's menu as a pure function of the answer to ``status``: a state drawn, none kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import Enum, StrEnum
from typing import Any

_STORE = "store:"
"""How a reason begins under which nothing new can be kept: the tray turns red (memory model §9)."""

_REASON_CHARS = 80
"""How much of a reason the tool tip and the first line show."""
_PLACE_CHARS = 32
"""How much of a project's name is shown."""

PAUSES: tuple[tuple[str, int | None], ...] = (
    ("For 15 minutes", 15 * 60),
    ("For 1 hour", 60 * 60),
    ("Until resumed", None),
)
"""Label and seconds of each way to pause everything; None pauses until somebody resumes."""

OFF_RECORD_MINUTES = 10
"""What "Forget the last minutes" forgets."""


class IconState(StrEnum):
    """What the icon shows; each value is the name of a file in each folder of ``assets/icons``."""

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
    OFF_RECORD = "off_record"
    COMPACT = "compact"
    OPEN_PAGE = "open_page"
    OPEN_FOLDER = "open_folder"
    AT_LOGIN = "at_login"
    CONNECT = "connect"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the menu.

    Attributes:
        label: Its text; empty for a separator.
        action: What a click does; None for a line that only tells something.
        seconds: For :attr:`Action.PAUSE`, how long; None until resumed.
        about: The project of a pause, or the session that goes off the record; None for everything, or for the last
            minutes.
        checked: For :attr:`Action.AT_LOGIN`, whether it is so now; a click asks for the other. None for no mark.
        default: True for the one line that a click on the icon itself means.
        under: The lines of a submenu.
    """

    label: str = ""
    action: Action | None = None
    seconds: int | None = None
    about: str | None = None
    checked: bool | None = None
    default: bool = False
    under: tuple[Item, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tray knows of this desktop beside the app's own status.

    Attributes:
        page: Whether there is a page to open.
        at_login: Whether Libra starts at login; None where that cannot be set.
        agents: Titles of agents that are here, and whether each is connected.
    """

    page: bool = False
    at_login: bool | None = None
    agents: tuple[tuple[str, bool], ...] = ()


def menu(status: Mapping[str, Any], desk: Desk | None = None, *, zone: tzinfo | None = None) -> Menu:
    """Return what the tray should show for an answer to ``status``.

    A field that is absent is read as "nothing to say", so that a part of Libra that has not started yet, or
    an older one, still gets a menu.

    Args:
        status: The result of the method ``status`` (docs/protocol.md); ``{"error": sentence}`` if it failed.
        desk: What this desktop has.
        zone: Time zone of the times shown; None for the machine's own.
    """
    desk = desk or Desk()
    state, sentence = _state(status, zone)
    told = [sentence, _learnt(status, zone), _counts(status), _today(status), _connected(desk)]
    page = (Item("Open Libra", Action.OPEN_PAGE, default=True),) if desk.page else ()
    items = (
        *(Item(line) for line in told if line),
        SEPARATOR,
        *page,
        *_pauses(status, state, zone),
        Item("Off the record", under=_off_record(status)),
        Item("Compact now", Action.COMPACT),
        SEPARATOR,
        Item("Open data folder", Action.OPEN_FOLDER, default=not desk.page),
        *_settings(desk),
        SEPARATOR,
        Item("Quit", Action.QUIT),
    )
    return Menu(items, state, f"Libra: {sentence[:1].lower()}{sentence[1:]}")


def problems(status: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is wrong, each by a sentence that stays the same while only its figures change."""
    reasons = [str(reason) for reason in status.get("degraded") or ()]
    if status.get("error"):
        reasons.append(str(status["error"]))
    return tuple(dict.fromkeys(re.sub(r"\d[\d,.]*", "…", _cut(reason)) for reason in reasons))


def _pauses(status: Mapping[str, Any], state: IconState, zone: tzinfo | None) -> tuple[Item, ...]:
    """Return what pauses, or ends a pause; a project of its own is paused and resumed beside the rest."""
    paused: Mapping[str, Any] = status.get("paused_projects") or {}
    resumes = tuple(
        Item(f"Resume {_short(key)} (paused {_until(until, zone)})", Action.RESUME, about=key)
        for key, until in paused.items()
    )
    if state is IconState.PAUSED or status.get("paused"):
        return (Item("Resume", Action.RESUME), *resumes)
    ways = [Item(label, Action.PAUSE, seconds) for label, seconds in PAUSES]
    project = (status.get("talk") or {}).get("project")
    if project and project not in paused:
        ways.append(Item(f"Project {_short(project)}, until resumed", Action.PAUSE, about=project))
    return (Item("Pause", under=tuple(ways)), *resumes)


def _off_record(status: Mapping[str, Any]) -> tuple[Item, ...]:
    lines = [Item(f"Forget the last {OFF_RECORD_MINUTES} minutes", Action.OFF_RECORD)]
    talk = status.get("talk") or {}
    if talk.get("key"):
        whose = _places(talk)
        lines.append(
            Item(f"Forget this session{f' ({whose})' if whose else ''}", Action.OFF_RECORD, about=talk["key"])
        )
    return tuple(lines)


def _settings(desk: Desk) -> tuple[Item, ...]:
    lines = []
    if desk.at_login is not None:
        lines.append(Item("Start at login", Action.AT_LOGIN, checked=desk.at_login))
    if any(not connected for _, connected in desk.agents):
        lines.append(Item("Connect agents", Action.CONNECT))
    return tuple(lines)


def _connected(desk: Desk) -> str:
    """Name the agents that are connected, since that is what makes Libra useful; nothing if none is here."""
    if not desk.agents:
        return ""
    names = [title for title, connected in desk.agents if connected]
    return f"Connected: {', '.join(names)}" if names else "No agent is connected"


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
    resting = str((status.get("queue") or {}).get("resting") or "")
    verb = f"Resting ({_cut(resting)})" if resting else "Working"
    working = f"{verb}, {progress} % done" if progress is not None else ""
    if reasons:
        suffix = f" ({working.lower()})" if working else ""
        return IconState.DEGRADED, f"Degraded: {_cut('; '.join(reasons))}{suffix}"
    if working:
        return IconState.WORKING, working
    return IconState.WATCHING, "Watching"


def _cut(text: str, chars: int = _REASON_CHARS) -> str:
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


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
    """Say when something was learnt last, what kind of memory it is and from where.

    Its words are nobody's business who looks over a shoulder.
    """
    learnt = status.get("learnt") or {}
    last = learnt.get("ts_ms", status.get("last_learnt"))
    if not isinstance(last, int | float):
        return "Nothing learnt yet"
    when = datetime.fromtimestamp(last / 1000, tz=zone).strftime("%Y-%m-%d %H:%M")
    kind = str(learnt.get("type") or "").replace("_", " ")
    places = _places(learnt)
    what = " ".join(part for part in (kind, f"from {places}" if places else "") if part)
    return f"Learnt last: {what}, {when}" if what else f"Learnt last: {when}"


def _places(of: Mapping[str, Any]) -> str:
    """Return the agent and the project of a memory or a session."""
    host, project = of.get("host"), of.get("project")
    return ", ".join(part for part in (str(host or ""), _short(project) if project else "") if part)


def _short(project: object) -> str:
    """Return the last part of a project's key: a path, or the address of its repository."""
    name = re.split(r"[\\/]", str(project).rstrip("\\/"))[-1] or str(project)
    return _cut(name, _PLACE_CHARS)


def _counts(status: Mapping[str, Any]) -> str:
    counts = status.get("counts") or {}
    memories, sessions = _number(counts.get("memory")), _number(counts.get("session"))
    memory, session = _plural("memory", "memories", memories), _plural("session", "sessions", sessions)
    return f"{memories:,} {memory}, {sessions:,} {session}"


def _today(status: Mapping[str, Any]) -> str:
    """Say how often and how much was given to agents today, and what the summaries in it saved."""
    today = status.get("today")
    if not isinstance(today, Mapping):
        return ""
    times, saved = _number(today.get("injections")), _number(today.get("saved_tokens"))
    line = f"Today: {times:,} {_plural('injection', 'injections', times)}"
    if times:
        line += f", {_number(today.get('tokens')):,} tokens"
    return line + (f", {saved:,} saved" if saved else "")


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many
