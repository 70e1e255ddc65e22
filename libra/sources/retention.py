"""How long each host keeps its own transcripts: its setting, or its default; None where it keeps them for ever.

| host        | setting                                                        | default |
|-------------|----------------------------------------------------------------|---------|
| claude-code | ``cleanupPeriodDays`` in ``settings.json``                     | 30 days |
| gemini      | ``general.sessionRetention`` in ``settings.json``              | 30 days |
| openclaw    | ``session.maintenance.pruneAfter`` in ``openclaw.json``        | 30 days, unless ``mode`` is ``warn`` |
| hermes      | ``sessions.auto_prune``, ``retention_days`` in ``config.yaml`` | never   |

Source: hosts.md §1.7, §2.1, §3.2; lessons.md C02.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_DAY_S: Final = 86_400.0
_UNITS_S: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": _DAY_S, "w": 7 * _DAY_S}
_SPAN: Final = re.compile(r"\s*(\d{1,9})\s*(ms|[smhdw]?)\s*$")
_DEFAULT_DAYS: Final = 30
_HERMES_DAYS: Final = 90


@dataclass(frozen=True, slots=True)
class Retention:
    """How long a host keeps a transcript after its last change, and which setting says so."""

    seconds: float
    named_by: str = "default"

    @property
    def days(self) -> float:
        """The same in days, to one decimal."""
        return round(self.seconds / _DAY_S, 1)


def claude_code(settings: Mapping[str, Any]) -> Retention | None:
    """Return what Claude Code's settings say."""
    return _days(settings.get("cleanupPeriodDays"), "cleanupPeriodDays")


def gemini(settings: Mapping[str, Any]) -> Retention | None:
    """Return what Gemini CLI's settings say."""
    found = _mapping(_mapping(settings.get("general")).get("sessionRetention"))
    if found.get("enabled") is False:
        return None
    return _span(found.get("maxAge"), "general.sessionRetention.maxAge")


def openclaw(settings: Mapping[str, Any]) -> Retention | None:
    """Return what OpenClaw's settings say."""
    found = _mapping(_mapping(settings.get("session")).get("maintenance"))
    if found.get("mode") == "warn" or found.get("pruneAfter") is False:
        return None
    return _span(found.get("pruneAfter"), "session.maintenance.pruneAfter")


def hermes(config: str) -> Retention | None:
    """Return what Hermes's ``config.yaml`` says: two plain keys of its section ``sessions``."""
    section: dict[str, str] = {}
    inside = False
    for line in config.splitlines():
        if line[:1].strip():
            inside = line.split("#")[0].strip() == "sessions:"
        elif inside and ":" in line:
            key, _, value = line.split("#")[0].partition(":")
            section[key.strip()] = value.strip()
    if section.get("auto_prune", "").lower() not in {"true", "yes", "on"}:
        return None
    days = section.get("retention_days", "")
    named = "sessions.retention_days" if days.isdecimal() else "sessions.auto_prune"
    return Retention((int(days) if days.isdecimal() else _HERMES_DAYS) * _DAY_S, named)


def _days(value: Any, named_by: str) -> Retention:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1_000_000:  # noqa: PLR2004
        return Retention(value * _DAY_S, named_by)
    return Retention(_DEFAULT_DAYS * _DAY_S)


def _span(value: Any, named_by: str) -> Retention:
    """Return a span such as ``30d``; a bare number is days."""
    match = _SPAN.match(value) if isinstance(value, str) else None
    if match is None:
        return _days(value, named_by)
    return Retention(int(match.group(1)) * _UNITS_S[match.group(2) or "d"], named_by)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
