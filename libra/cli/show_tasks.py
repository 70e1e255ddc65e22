"""Work on the whole database, as a person reads how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def tasks_line(result: Mapping[str, Any]) -> str:
    """Return how far each piece of work is, in a line; nothing where there is none."""
    out = [
        f"{task['name']} {100 * task['done'] // max(task['of'], 1)} %" for task in result.get("tasks") or ()
    ]
    rules = result.get("redaction") or {}
    if not rules.get("done", True):
        out.append(f"new rules for secrets {int(100 * rules.get('share', 0))} %")
    return ", ".join(out)
