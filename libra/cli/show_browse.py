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


def stats(result: Json) -> str:
    """Return the counts, a line for each thing that is counted by."""
    by = ("kinds", "types", "states", "scopes", "projects", "agents", "tokens", "recalls")
    rows: list[tuple[str, Any]] = [(name, _counts(result.get(name) or {})) for name in by]
    rows += [(name, count(result.get(name))) for name in ("confirmations", "corrections", "objections")]
    sizes = (result.get("sizes") or {}).items()
    rows.append(
        ("sizes", ", ".join(f"{name.removesuffix('_bytes')} {output.size(n)}" for name, n in sizes if n))
    )
    return output.pairs(rows)


def _counts(counts: Json) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count(n)}" for name, n in counts.items() if n)


def recap(result: Json) -> str:
    """Return what a session was about: its facts in a line, then what tells of it."""
    head = f"{result.get('session')}: {result.get('cue', '')}"
    lines = [
        f"  {str(i.get('id', ''))[:_ID_CHARS]}  {i.get('type') or i.get('kind', '')}  {' '.join(str(i.get('text', '')).split())}"
        for i in result.get("items") or []
    ]
    return joined(
        head, "\n".join(lines), "there is more: raise --budget-tokens" if result.get("truncated") else ""
    )


def episodes(result: Json) -> str:
    """Return stretches of talk: from when to when, how much, where, about what."""
    rows = [
        [
            moment(e.get("start")),
            moment(e.get("end"))[-5:],
            count(e.get("turns")),
            e.get("session"),
            ", ".join([*(e.get("names") or []), *(e.get("about") or [])]),
        ]
        for e in result.get("episodes") or []
    ]
    head = ["from", "to", "turns", "session", "about"]
    more = f"{count(result['more'])} more: raise -k" if result.get("more") else ""
    return joined(output.table(head, rows, right=(2,)) if rows else "nothing was said", more)
