"""What OpenClaw's own session list says about a session: its kind, its parent, whose words its users are."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

_LIST_MAX_BYTES: Final = 64 * 1024 * 1024
_HEADER_BYTES: Final = 64 * 1024
_GROUPS: Final = frozenset({"group", "channel", "room", "supergroup"})

_KINDS: Final = {
    "cron": "cron",
    "hook": "cron",
    "subagent": "subagent",
    "acp": "subagent",
    "heartbeat": "heartbeat",
}
"""Kinds of session by the word in the session key that says so."""

_CREATED: Final = {
    "cron": "cron",
    "spawn": "subagent",
    "plugin": "subagent",
    "internal": "subagent",
}
"""Kinds by ``session_nodes.created_via``; operator, channel, talk and run are a person's own. A plugin's and
the host's helper sessions are nobody's child, but like a sub-agent's they are not learnt from (lessons.md C28)."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What is known of a session beside its events.

    Attributes:
        kind: ``main``, ``subagent``, ``cron`` or ``heartbeat``.
        parent: The session that it goes on from or was started by, if known.
        shared: Other people than the owner may write in it, so a user's words are only the owner's where
            the message says so.
    """

    kind: str = "main"
    parent: str | None = None
    shared: bool = False


def facts_of_key(session_key: str, created_via: str | None = None, parent: str | None = None) -> SessionFacts:
    """Return the facts that a session key such as ``agent:main:telegram:group:12`` carries.

    Source: hosts.md §1.6 (keys), transcripts.md (created_via).
    """
    words = session_key.split(":")
    if words[0] == "agent":
        words = words[2:]
    first, last = (words[0], words[-1]) if words else ("", "")
    kind = _KINDS.get(first) or ("heartbeat" if last == "heartbeat" else None)
    return SessionFacts(
        kind=kind or _CREATED.get(created_via or "", "main"),
        parent=parent,
        shared=first == "hook" or not _GROUPS.isdisjoint(words),
    )


class SessionLists:
    """The ``sessions.json`` files of the JSONL era, each read again only when it changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, int], dict[str, SessionFacts]]] = {}

    def facts(self, folder: str, session_id: str) -> SessionFacts | None:
        """Return what ``folder/sessions.json`` says of a session, None if it does not name it."""
        path = Path(folder) / "sessions.json"
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._known.get(folder)
            if known is None or known[0] != stamp:
                known = (stamp, _read_list(path) if stat.st_size <= _LIST_MAX_BYTES else {})
                self._known[folder] = known
        except OSError:
            return None
        return known[1].get(session_id)


def _read_list(path: Path) -> dict[str, SessionFacts]:
    try:
        listed = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError:
        return {}
    out: dict[str, SessionFacts] = {}
    for key, entry in listed.items() if isinstance(listed, dict) else ():
        session_id = entry.get("sessionId") if isinstance(entry, dict) else None
        if isinstance(session_id, str):
            out[session_id] = facts_of_key(key)
    return out


def predecessor(path: str) -> str | None:
    """Return the session id in the newest ``.reset.`` archive that once had this file's name, or None.

    A reset renames the live file and begins a new one; the new window goes on from the archived one.
    """
    folder, _, name = path.rpartition(os.sep)
    if not name.endswith(".jsonl"):
        return None
    try:
        archives = sorted(
            entry.name for entry in os.scandir(folder) if entry.name.startswith(f"{name}.reset.")
        )
    except OSError:
        return None
    return header_id(Path(folder) / archives[-1]) if archives else None


def header_id(path: Path) -> str | None:
    """Return the session id that a JSONL transcript's first line names."""
    try:
        with path.open("rb") as file:
            header = orjson.loads(file.read(_HEADER_BYTES).removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0])
    except (OSError, orjson.JSONDecodeError):
        return None
    named = header.get("id") if isinstance(header, dict) and header.get("type") == "session" else None
    return named if isinstance(named, str) else None


def session_named(value: Any) -> str | None:
    """Return the session id in a header's ``parentSession``, which is an id or the path of a transcript."""
    if not isinstance(value, str) or not value.strip():
        return None
    return re.split(r"[\\/]", value.strip())[-1].partition(".jsonl")[0] or None
