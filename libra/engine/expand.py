"""Walk from a summary back to the turns that it covers, within a depth and a budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from libra.compaction.cue import CueParams, cue
from libra.compaction.turns import ClusterTurn
from libra.engine.deps import Deps
from libra.engine.reading import one
from libra.engine.scopes import complete, visible
from libra.engine.search import hit
from libra.ground.records import Kind, Role, Who
from libra.store import history, memories, search, summaries
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Visible

_DEFAULT_BUDGET_TOKENS = 8000
"""What an expansion may bring without a budget of the caller's. Source: reference-systems.md 2.1b."""
_WHOLE_DEPTH = 64


def expand(
    deps: Deps, who: Who | None, uid: str, depth: int = 3, budget_tokens: int | None = None
) -> dict[str, Any]:
    """Answer the method ``expand``: what a summary covers, each item before what is below it, in time order.

    A memory or a piece of guidance leads to the turns that told it; a turn has nothing below it.
    ``truncated`` says that depth or budget left something out.

    Args:
        deps: Shared parts.
        who: The caller.
        uid: The record's id.
        depth: Levels down, at least 1.
        budget_tokens: Tokens of all items together.

    Raises:
        NotFound: There is no such record that the caller may see.
    """
    sees = visible(deps, complete(deps, who))
    room = _DEFAULT_BUDGET_TOKENS if budget_tokens is None else budget_tokens
    out: list[dict[str, Any]] = []
    truncated = False
    with deps.store.snapshot() as snapshot:
        top = one(deps, snapshot, who, uid)
        for row, level, parent, cut in _walk(snapshot, top, depth, sees):
            truncated = truncated or cut
            if row.tokens > room:
                truncated = True
                break
            room -= row.tokens
            out.append({**_shown(row), "depth": level, "parent": parent})
    return {"id": uid, "items": out, "truncated": truncated}


def describe(deps: Deps, who: Who | None, uid: str, budget_tokens: int | None = None) -> dict[str, Any]:
    """Return the cue of a summary: what it covers, in at most sixty tokens or so many, with the figures of its making.

    Raises:
        NotFound: There is no such record that the caller may see.
    """
    sees = visible(deps, complete(deps, who))
    with deps.store.snapshot() as snapshot:
        top = one(deps, snapshot, who, uid)
        below = [row for row, _, _, _ in _walk(snapshot, top, _WHOLE_DEPTH, sees) if row.kind is Kind.TURN]
        figures = summaries.details(snapshot, [top.id]).get(top.id)
        above = [row.uid for row in summaries.parents(snapshot, uid, visible=sees)]
    found = cue([_turn(row) for row in below or [top]])
    out: dict[str, Any] = {
        "id": uid,
        "kind": top.kind.wire,
        "cue": found.text(
            deps.zone, CueParams() if budget_tokens is None else CueParams(tokens=budget_tokens)
        ),
        "turns": len(below),
        "tokens": top.tokens,
        "covered_by": above,
    }
    if figures is not None:
        out |= {
            "level": figures.level,
            "method": figures.method,
            "confidence": figures.confidence,
            "align": figures.align,
            "cover": figures.cover,
            "identifiers_kept": figures.ident,
            "tokens_in": figures.tokens_in,
        }
        if figures.refused is not None:
            out["refused"] = figures.refused
    return out


Step = tuple[ItemRow, int, str, bool]
"""Row, depth below the top, id of what covers it, whether more lies below it than the depth lets see."""


def _walk(snapshot: Snapshot, top: ItemRow, depth: int, sees: Visible) -> Iterator[Step]:
    """Yield what lies below ``top``, each item before its own children; nothing twice."""
    seen = {top.id}
    stack: list[tuple[ItemRow, int, str]] = [
        (row, 1, top.uid) for row in reversed(_below(snapshot, top, sees))
    ]
    while stack:
        row, level, parent = stack.pop()
        if row.id in seen:
            continue
        seen.add(row.id)
        children = _below(snapshot, row, sees) if row.kind is Kind.SUMMARY else []
        yield row, level, parent, bool(children) and level >= depth
        if level < depth:
            stack += [(child, level + 1, row.uid) for child in reversed(children)]


def _below(snapshot: Snapshot, row: ItemRow, sees: Visible) -> list[ItemRow]:
    """Return what a record was made of."""
    if row.kind is Kind.SUMMARY:
        return summaries.children(snapshot, row.uid, visible=sees)
    if row.kind is Kind.MEMORY:
        return list(search.rows(snapshot, memories.tellings(snapshot, row.id), sees).values())
    if row.kind is Kind.GUIDANCE:
        return list(search.rows(snapshot, history.turns_behind(snapshot, row.id), sees).values())
    return []


def _shown(row: ItemRow) -> dict[str, Any]:
    """Return the wire form of an item that was not searched for."""
    out = hit(row, 1.0, None)
    del out["score"]
    if "purged_ms" in row.metadata and not row.text:
        out["purged"] = row.metadata["purged_ms"]
    return out


def _turn(row: ItemRow) -> ClusterTurn:
    return ClusterTurn(row.text, Role(row.role) if row.role else None, row.ts_ms, speaker=row.speaker)
