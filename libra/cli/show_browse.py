"""What the commands print for a person that show what is kept and say how long and how much it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libra.cli import output
from libra.cli.output import count, moment
from libra.cli.show import joined

Json = Mapping[str, Any]

_ID_CHARS = 12


def listed(result: Json) -> str:
    """Return a page of what is kept: when, which, what, how sure, how much it matters, its words."""
    rows = [
        [
            moment(i.get("ts")),
            str(i.get("id", ""))[:_ID_CHARS],
            i.get("type") or i.get("kind"),
            "" if i.get("confidence") is None else f"{i['confidence']:.2f}",
            i.get("priority"),
            _state(i),
            i.get("text", ""),
        ]
        for i in result.get("items") or []
    ]
    head = ["when", "id", "what", "sure", "priority", "state", "text"]
    shown = output.table(head, rows, right=(3, 4)) if rows else "nothing is kept"
    more = f"there is more: --after {result['next']}" if result.get("next") else ""
    return joined(shown, more)


def _state(item: Json) -> str:
    if item.get("superseded"):
        return "superseded"
    if item.get("archived"):
        return "archived"
    return "pinned" if item.get("pinned") else ""


def kept_by(result: Json) -> str:
    """Return how much a memory matters and how long it stays, and who says so."""
    by = {"person": "by hand", "type": "as its type"}
    until = f"until {moment(result['expires'])}" if result.get("expires") else "for good"
    line = f"priority {result.get('priority')} ({by.get(str(result.get('priority_by')), '')}), kept {until}"
    line += f" ({by.get(str(result.get('ttl_by')), '')})"
    head = f"{str(result.get('id', ''))[:_ID_CHARS]}  {'pinned: ' if result.get('pinned') else ''}{line}"
    return head + ("" if result.get("journal_id") else "; nothing changed")


def archived(result: Json) -> str:
    """Return what was or would be put away."""
    if result.get("dry_run"):
        return preview(f"{count(result.get('would_archive'))} memories would be put away", result)
    return preview(f"{count(result.get('archived'))} memories put away{_back(result)}", result)


def unarchived(result: Json) -> str:
    """Return what was brought back."""
    return preview(f"{count(result.get('unarchived'))} memories brought back{_back(result)}", result)


def _back(result: Json) -> str:
    return f"; libra undo {result['journal_id']} takes it back" if result.get("journal_id") else ""


def preview(head: str, result: Json) -> str:
    """Return a sum and the first records that it is about."""
    lines = [
        f"  {str(i.get('id', ''))[:_ID_CHARS]}  {i.get('type') or i.get('kind', '')}"
        f"  {output.fit(str(i.get('text', '')), 70)}".rstrip()
        for i in result.get("items") or []
    ]
    more = f"  … and {count(result['more'])} more" if result.get("more") else ""
    return "\n".join(line for line in (head, *lines, more) if line)
