"""What the commands about history print for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libra.cli import output
from libra.cli.output import BOLD, count, moment, paint
from libra.cli.show import by_model, joined

Json = Mapping[str, Any]

_ID_CHARS = 12
_ASK_MORE = "gate: the turns' mean gate score was below compaction.abstractive.min_gate; with a lower one the model is asked more"


def described(result: Json) -> str:
    """Return a summary's cue and the figures of its making."""
    figures = [
        (name.replace("_", " "), f"{result[name]:.3f}")
        for name in ("confidence", "align", "cover", "identifiers_kept")
        if name in result
    ]
    above = ", ".join(uid[:_ID_CHARS] for uid in result.get("covered_by") or [])
    rows = [
        ("kind", result.get("kind")),
        ("level", result.get("level")),
        ("method", result.get("method")),
        ("no model, since", result.get("refused")),
        ("tokens", count(result.get("tokens"))),
        ("made of", count(result["tokens_in"]) if "tokens_in" in result else None),
        *figures,
        ("covered by", above),
    ]
    return joined(str(result.get("cue", "")), output.pairs([row for row in rows if row[1]]))


def grepped(result: Json) -> str:
    """Return found places: when, in which record, what stands around them."""
    rows = [
        [
            moment(h.get("ts")),
            str(h.get("id", ""))[:_ID_CHARS],
            h.get("role") or h.get("kind"),
            h.get("excerpt", ""),
        ]
        for h in result.get("hits") or []
    ]
    found = output.table(["when", "id", "who", "place"], rows) if rows else "nothing found"
    more = "there is more: raise -k or --budget-tokens, or say more exactly what to find"
    return joined(found, more if result.get("truncated") else "")


def report(result: Json) -> str:
    """Return a table for each session: what each level costs, and how far it lies from what was said."""
    parts = []
    for session in result.get("sessions") or []:
        head = (
            f"{session['session']}: {count(session['turns'])} turns, {count(session['tokens'])} tokens;"
            f" {count(session['covered'])} covered, {count(session['guidance'])} kept as guidance"
        )
        head += f", {count(session['purged'])} purged" if session.get("purged") else ""
        told = by_model(session)
        head += f"; by a model: {told}" if told else ""
        rows = [
            [
                "raw" if not level["level"] else f"level {level['level']}",
                count(level["nodes"]),
                count(level["tokens"]),
                f"{100 * level['share']:.0f} %",
                "" if level["distortion"] is None else f"{level['distortion']:.3f}",
                f"{100 * level['identifier_loss']:.1f} %",
            ]
            for level in session["levels"]
        ]
        names = ["level", "nodes", "tokens", "of raw", "distance", "names lost"]
        parts.append(f"{paint(head, BOLD)}\n{output.table(names, rows, right=(1, 2, 3, 4, 5))}")
    unworthy = sum((s.get("rejected") or {}).get("gate", 0) for s in result.get("sessions") or [])
    parts.append(_ASK_MORE if unworthy else "")
    more = result.get("more") or 0
    parts.append(f"{count(more)} more sessions: raise -k" if more else "")
    return "\n\n".join(p for p in parts if p) or "nothing is compacted yet"
