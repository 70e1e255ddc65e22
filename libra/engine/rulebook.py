"""Rulebook: every instruction file as it is loaded, line by line, and what the rule doctor says of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine.deps import Deps
from libra.engine.rules_history import seen
from libra.engine.scopes import complete
from libra.ground.records import NodeTier, Who
from libra.lifecycle import ruledoctor
from libra.lifecycle.ruledoctor import Rule
from libra.store import documents
from libra.store.documents import DocumentState, NodeRow

_LONG_SHARE = 0.25
"""A single rule that takes so much of what is reserved for all hard ones is worth a look."""


def rulebook(deps: Deps, who: Who | None, *, everywhere: bool, show: str | None = None) -> dict[str, Any]:
    """Answer the method ``rulebook``.

    Args:
        deps: Shared parts.
        who: The caller.
        everywhere: Files of all projects and agents, as the person wants to see them; else those of the caller.
        show: ``documents`` or ``findings`` alone: the doctor reads every rule, which takes a while where there are thousands.
    """
    caller = complete(deps, who)
    limit = int(
        deps.params.pack.hard * deps.params.pack.usable(deps.params.documents.reference_budget_tokens)
    )
    with deps.store.snapshot() as snapshot:
        states = documents.states(snapshot)
        sees = seen(deps, snapshot, caller, everywhere=everywhere)
        nodes = documents.every_node(snapshot, sees)
    shown = {path for path, doc in states.items() if doc.scope in sees.scopes}
    out: dict[str, Any] = {"limit_tokens": limit}
    if show != "findings":
        own: dict[str, list[NodeRow]] = {}
        for row in nodes:
            own.setdefault(row.path, []).append(row)
        out["documents"] = [_document(states[path], own.get(path, [])) for path in sorted(shown)]
    if show != "documents":
        out["findings"] = [*_pairs(nodes), *_loads(states, shown, limit), *_long(nodes, limit)]
    return out


def _document(doc: DocumentState, own: Sequence[NodeRow]) -> dict[str, Any]:
    return {
        "path": doc.path,
        "host": doc.host,
        "scope": doc.scope,
        "instructions": doc.instructions,
        "state": doc.state,
        "since": doc.state_ms,
        "changed": doc.mtime_ns // 1_000_000,
        "size": doc.size,
        "degraded": doc.degraded,
        "imported_by": doc.imported_by,
        "tokens": {tier.value: sum(row.tokens for row in own if row.tier is tier) for tier in NodeTier},
        "nodes": [_node(row) for row in own],
    }


def _node(row: NodeRow) -> dict[str, Any]:
    return {
        "id": row.uid,
        "tier": row.tier.value,
        "kind": row.block,
        "text": row.text,
        "lines": [row.line_start, row.line_end],
        "heading": list(row.heading),
        "tokens": row.tokens,
        "modalities": [m.value for m in row.modalities],
        "since": row.created_ms,
    }


def _pairs(nodes: Sequence[NodeRow]) -> list[dict[str, Any]]:
    """Return the rules that say the same or the opposite, of those that are in force."""
    held = [row for row in nodes if row.tier is not NodeTier.LORE and row.in_force]
    found = ruledoctor.look([Rule(row.text, row.heading, row.scope) for row in held])
    return [
        {"kind": pair.trouble.value, "rules": [_place(held[pair.first]), _place(held[pair.second])]}
        for pair in found
    ]


def _place(row: NodeRow) -> dict[str, Any]:
    return {"id": row.uid, "path": row.path, "lines": [row.line_start, row.line_end], "text": row.text}


def _loads(states: dict[str, DocumentState], shown: set[str], limit: int) -> list[dict[str, Any]]:
    """Return the files whose hard rules are more than is reserved, and those that cannot be read."""
    held = [
        states[path]
        for path in sorted(shown)
        if states[path].instructions and states[path].state != documents.GONE
    ]
    over = [
        {"kind": "over_budget", "path": doc.path, "tokens": doc.tokens_hard, "limit_tokens": limit}
        for doc in held
        if doc.degraded or doc.tokens_hard > limit
    ]
    return over + [{"kind": doc.state, "path": doc.path} for doc in held if doc.state != documents.PRESENT]


def _long(nodes: Sequence[NodeRow], limit: int) -> list[dict[str, Any]]:
    return [
        {"kind": "long", "rules": [_place(row)], "tokens": row.tokens, "limit_tokens": limit}
        for row in nodes
        if row.tier is NodeTier.HARD and row.in_force and row.tokens > _LONG_SHARE * limit
    ]
