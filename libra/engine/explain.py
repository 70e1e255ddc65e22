"""Explain: everything about a record: why it is kept, how sure it is, who told it, what it replaced, where it was used."""

from __future__ import annotations

from typing import Any

from libra.engine import changes
from libra.engine.ageing import confidence_now
from libra.engine.calibrate import threshold_in_force
from libra.engine.deps import Deps
from libra.engine.keeping import kept_by
from libra.engine.reading import one, past, record
from libra.engine.scopes import complete, visible
from libra.gate.admission import branch_weights
from libra.ground.records import Kind, MemoryType, Who
from libra.lifecycle.decay import freshness, stretch
from libra.lifecycle.types import DAY_MS, TYPES
from libra.store import journal, memories, receipts, search, use
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.use import Used
from libra.store.visibility import Visible

_MOST = 20
"""Relations, prompts and changes that are shown of one record."""
_EXCERPT_CHARS = 160
_USED = {Used.YES: "used", Used.NO: "not used", Used.WRONG: "called wrong"}


def explain(deps: Deps, who: Who | None, uid: str) -> dict[str, Any]:
    """Answer the method ``explain``.

    Raises:
        NotFound: There is no such record that the caller may see.
    """
    sees = visible(deps, complete(deps, who))
    deps.store.settle()
    with deps.store.snapshot() as snapshot:
        item = one(deps, snapshot, who, uid)
        out = record(deps, snapshot, item)
        out["uses"] = _uses(snapshot, item)
        found = memories.get(snapshot, item.id) if item.kind is Kind.MEMORY else None
        if found is not None:
            out |= _memory(deps, snapshot, item, found, sees)
        return out


def _memory(deps: Deps, snapshot: Snapshot, item: ItemRow, found: MemoryRow, sees: Visible) -> dict[str, Any]:
    line = memories.history(snapshot, item.id)
    return {
        "gate": _gate(deps, snapshot, found),
        "confidence": _confidence(deps, found),
        **kept_by(found),
        "archived": found.archived_ms,
        "active": found.active,
        "valid_from": found.valid_from_ms,
        "valid_to": found.valid_to_ms,
        "subject": found.subject,
        "slot": found.slot,
        "confirmations": found.confirmations,
        "tellings": _tellings(snapshot, item.id, sees),
        "relations": _relations(snapshot, item.id, sees),
        "history": [past(row, line) for row in line],
        "age": _age(deps, found),
        "journal": [changes.shown(snapshot, e, sees) for e in journal.of_item(snapshot, item.id, _MOST)],
    }


def _gate(deps: Deps, snapshot: Snapshot, found: MemoryRow) -> dict[str, Any]:
    """Return why it was admitted: every signal, its weight, and how G came about.

    Weights are today's; the signals are those of the moment of admission.
    """
    seen = found.signals
    out: dict[str, Any] = {"admitted_by": seen.get("admitted_by"), "origin": seen.get("origin", "owner")}
    if not isinstance(seen.get("g"), float | int):
        return out
    weights = branch_weights(deps.params.gate)
    terms = [
        {"branch": branch, "signal": name, "value": seen[name], "weight": weight, "part": seen[name] * weight}
        for branch, names, shares in (
            ("conversation", ("h", "r", "d"), weights[0]),
            ("technical", ("p", "a", "dtech"), weights[1]),
        )
        for name, weight in zip(names, shares, strict=True)
    ]
    return {
        **out,
        **{name: seen[name] for name in ("g", "gconv", "gtech", "t")},
        "formula": "g = (1 - t) * gconv + t * gtech",
        "terms": terms,
        "with_vectors": bool(seen.get("vectors")),
        "threshold": threshold_in_force(deps, snapshot),
    }


def _confidence(deps: Deps, found: MemoryRow) -> dict[str, Any]:
    """Return how sure it is now, and how that follows from what is stored."""
    now_ms = deps.clock()
    params = deps.params.lifecycle
    kind = MemoryType(found.type or MemoryType.FACT.value)
    days = max(now_ms - found.touched_ms, 0) / DAY_MS
    return {
        "now": confidence_now(found, now_ms, params),
        "stored": found.confidence,
        "touched": found.touched_ms,
        "daily_loss": params.confidence.daily_loss if TYPES[kind].ephemeral else 0.0,
        "days": round(days, 2),
        "recalls_used": found.recalls,
        "last_used": found.last_recalled_ms,
    }


def _age(deps: Deps, found: MemoryRow) -> dict[str, Any]:
    """Return what its age does to its rank."""
    params = deps.params.lifecycle.decay
    kind = MemoryType(found.type or MemoryType.FACT.value)
    age_ms = max(deps.clock() - found.ts_ms, 0)
    return {
        "days": round(age_ms / DAY_MS, 2),
        "half_life_days": TYPES[kind].half_life_days,
        "stretched_by_use": round(stretch(found.recalls, params), 4),
        "freshness": round(freshness(kind, age_ms, found.recalls, params), 4),
    }


def _tellings(snapshot: Snapshot, item_id: int, sees: Visible) -> list[dict[str, Any]]:
    rows = search.rows(snapshot, memories.tellings(snapshot, item_id), sees)
    parts = (
        {
            "id": row.uid, "ts": row.ts_ms, "session": row.session_key, "role": row.role, "speaker": row.speaker,
            "origin": row.origin, "path": row.source_path, "line": row.line,
        }
        for row in sorted(rows.values(), key=lambda row: row.ts_ms)
    )  # fmt: skip
    return [{name: value for name, value in part.items() if value is not None} for part in parts]


def _relations(snapshot: Snapshot, item_id: int, sees: Visible) -> list[dict[str, Any]]:
    """Return what it has to do with, one hop: never with what the caller may not see."""
    found = memories.related(snapshot, [item_id], sees)
    rows = search.rows(snapshot, [other for _, other, _ in found], sees)
    return [
        {
            "kind": kind,
            "id": rows[other].uid,
            "of": rows[other].kind.wire,
            "text": rows[other].text[:_EXCERPT_CHARS],
        }
        for _, other, kind in found[:_MOST]
        if other in rows
    ]


def _uses(snapshot: Snapshot, item: ItemRow) -> list[dict[str, Any]]:
    """Return the last prompts that it stood in, and what became of it there, where that was seen."""
    judged = {row.receipt_id: row for row in use.of_item(snapshot, item.id, _MOST)}
    out = {
        receipt.id: {
            "receipt_id": receipt.id,
            "at": receipt.created_ms,
            "session": receipt.session_key,
            "outcome": "not judged",
        }
        for receipt in receipts.of_item(snapshot, item.uid, _MOST)
    }
    for row in judged.values():
        entry = out.setdefault(
            row.receipt_id, {"receipt_id": row.receipt_id, "at": row.at_ms, "session": row.session_key}
        )
        entry["outcome"] = _USED[row.used]
    return sorted(out.values(), key=lambda entry: -int(entry["at"] or 0))[:_MOST]
