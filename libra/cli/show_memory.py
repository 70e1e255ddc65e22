"""What the commands about single memories print for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from libra.cli import output
from libra.cli.output import BOLD, DIM, count, moment, paint
from libra.cli.show import joined

Json = Mapping[str, Any]

_ID_CHARS = 12
_BAR = 30
"""Columns of a bar that stands for 1."""
_NAMES = {
    "h": "novelty",
    "r": "repetition",
    "d": "natural statement",
    "p": "artifacts",
    "a": "decision",
    "dtech": "structure",
}


def confirmed(result: Json) -> str:
    """Return what ``confirm`` did."""
    return f"confirmed: {result.get('confidence', 0):.2f} sure, told {count(result.get('confirmations'))} times, kept for good"


def corrected(result: Json) -> str:
    """Return what ``correct`` did."""
    replaced = ", ".join(str(uid)[:_ID_CHARS] for uid in result.get("superseded") or [])
    head = f"{str(result.get('id', ''))[:_ID_CHARS]}  {result.get('type', '')}  {result.get('confidence') or 0:.2f} sure"
    did = (
        f"in the place of {replaced}"
        if replaced
        else ""
        if result.get("changed", True)
        else "nothing changed: it said so already"
    )
    return joined(head, str(result.get("text", "")), did)


def undone(result: Json) -> str:
    """Return what ``undo`` did."""
    ids = ", ".join(str(uid)[:_ID_CHARS] for uid in result.get("ids") or [])
    return f"undone: {result.get('verb')} (journal {result.get('undone')}), {ids}"


def journal(result: Json) -> str:
    """Return the journal as a table."""
    entries = result.get("entries") or []
    if not entries:
        return "nothing was changed"
    rows = [
        [
            e.get("id"),
            moment(e.get("at")),
            e.get("verb"),
            e.get("actor"),
            "undone" if e.get("undone") else "",
            _changes(e),
        ]
        for e in entries
    ]
    return output.table(["id", "when", "what", "by", "state", "records"], rows, right=(0,))


def _changes(entry: Json) -> str:
    parts = [
        f"{str(item.get('id', ''))[:_ID_CHARS]} ({', '.join(c.replace('_', ' ') for c in item.get('changed') or {})})"
        for item in entry.get("items") or []
    ]
    return ", ".join([*parts, *(f"new {str(uid)[:_ID_CHARS]}" for uid in entry.get("made") or [])])


def calibration(result: Json) -> str:
    """Return the reliability curve as numbers and bars, and the threshold."""
    labels, needed = result.get("labels") or 0, result.get("needed") or 0
    head = [
        (
            "labels",
            f"{count(labels)} of {count(needed)} needed" if not result.get("calibrated") else count(labels),
        ),
        ("from", ", ".join(f"{cause} {count(n)}" for cause, n in (result.get("causes") or {}).items())),
        (
            "threshold",
            f"{result.get('threshold', 0):.3f}" + ("" if result.get("calibrated") else " (the default)"),
        ),
    ]
    curve = result.get("curve") or []
    rows = [
        [
            f"{b['from']:.3f}–{b['to']:.3f}",
            f"{b['chance']:.2f}",
            count(b["labels"]),
            "█" * round(b["chance"] * _BAR),
        ]
        for b in curve
    ]
    table = output.table(["score", "useful", "labels", "share"], rows, right=(1, 2)) if rows else ""
    return joined(output.pairs(head), table)


def explained(result: Json) -> str:
    """Return everything about a record, in the order in which a person asks: what, how sure, why, whence, what else."""
    plain = ("id", "kind", "type", "scope", "subject", "slot", "priority", "confirmations")
    rows: list[tuple[str, Any]] = [(name, result.get(name)) for name in plain]
    rows += [("told first", _moment(result, "valid_from")), ("held until", _moment(result, "valid_to"))]
    rows.append(("pinned", "yes: before all others, for good" if result.get("pinned") else None))
    rows += [("expires", _moment(result, "expires")), ("archived", _moment(result, "archived"))]
    rows.append(("episode", _episode(result.get("episode"))))
    return joined(
        str(result.get("text", "")),
        output.pairs(rows),
        _section("how sure", _confidence(result.get("confidence"))),
        _section("why it is kept", _gate(result.get("gate") or {})),
        _section("told by", _lines(result.get("tellings"), _telling)),
        _section("history", _lines(result.get("history"), _past)),
        _section("has to do with", _lines(result.get("relations"), _relation)),
        _section("stood in prompts", _lines(result.get("uses"), _use)),
        _section("changes", journal({"entries": result["journal"]}) if result.get("journal") else ""),
    )


def _section(title: str, body: str) -> str:
    return f"{paint(title, BOLD)}\n{body}" if body else ""


def _lines(found: Sequence[Json] | None, line: Any) -> str:
    return "\n".join(f"  {line(entry)}" for entry in found or [])


def _moment(result: Json, name: str) -> str | None:
    return moment(result[name]) if result.get(name) else None


def _episode(found: Json | None) -> str | None:
    if not found:
        return None
    return f"{moment(found.get('start'))} – {moment(found.get('end'))}, {count(found.get('turns'))} turns"


def _confidence(found: Any) -> str:
    if not isinstance(found, Mapping):
        return ""
    line = f"  {found.get('now', 0):.2f} now; {found.get('stored', 0):.2f} on {moment(found.get('touched'))}"
    if found.get("daily_loss"):
        line += f", less {found['daily_loss']:.0%} a day for {found.get('days')} days"
    return line + f"; used {count(found.get('recalls_used'))} times"


def _gate(found: Json) -> str:
    out = [
        f"  admitted by: {found.get('admitted_by') or 'unknown'} (words of: {found.get('origin', 'owner')})"
    ]
    if found.get("terms"):
        out.append(
            f"  g {found['g']:.3f} = (1 - t) * {found['gconv']:.3f} + t * {found['gtech']:.3f}, t {found['t']:.3f};"
            f" threshold {found.get('threshold', 0):.3f}"
        )
        out += [
            f"  {term['branch']:<12}  {_NAMES.get(term['signal'], term['signal']):<17}  {term['value']:.3f} * {term['weight']:.2f}"
            f" = {term['part']:.3f}"
            for term in found["terms"]
        ]
    return "\n".join(out)


def _telling(entry: Json) -> str:
    who = entry.get("speaker") or entry.get("role") or ""
    where = entry.get("path") or entry.get("session") or ""
    return f"{moment(entry.get('ts'))}  {str(entry.get('id', ''))[:_ID_CHARS]}  {who} ({entry.get('origin', '')})  {where}"


def _past(entry: Json) -> str:
    until = moment(entry["valid_to"]) if entry.get("valid_to") else "now"
    span = f"{moment(entry.get('valid_from'))} – {until}"
    return f"{span}  {str(entry.get('id', ''))[:_ID_CHARS]}  {output.fit(str(entry.get('text', '')), 60)}"


def _relation(entry: Json) -> str:
    kind = str(entry.get("kind", "")).replace("_", " ")
    return f"{kind}  {str(entry.get('id', ''))[:_ID_CHARS]}  {paint(output.fit(str(entry.get('text', '')), 60), DIM)}"


def _use(entry: Json) -> str:
    return f"{moment(entry.get('at'))}  {entry.get('outcome', '')}  {entry.get('session') or ''}"
