"""Search: the same ranking as assemble, without a budget; the order for a larger k extends a smaller one's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from libra.engine.admission import Asked
from libra.engine.again import once_more
from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.provenance import foreign_origin, volatile_since
from libra.engine.question import read_question
from libra.engine.recall import Ask, recall
from libra.engine.scopes import complete, readable
from libra.ground.records import Kind, MemoryType, Scope, Who
from libra.store.rows import ItemRow
from libra.store.visibility import Filter

DEFAULT_KINDS = frozenset({Kind.TURN, Kind.SUMMARY, Kind.MEMORY, Kind.GUIDANCE, Kind.LORE})
_LIMIT_MS = 10_000
"""A search waits this long for the query's vector; then it answers by words."""
_PATIENCE_S = 20.0
"""So long it waits for its turn while many ask at once: its turn comes, unless those before it are stuck."""
_TURN = Kind.TURN
_ANY_SCORE = 1e-9
_FEW = 2
"""Fewer active finds than this, and the archive is searched too (memory model §1)."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The parameters of ``search`` (protocol.md); times in epoch ms, ``until`` exclusive, ``as_of`` inclusive."""

    query: str
    k: int = 10
    kinds: frozenset[Kind] | None = None
    types: tuple[MemoryType, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    since: int | None = None
    until: int | None = None
    as_of: int | None = None
    project: str | None = None
    agent: str | None = None
    archive: bool = False
    min_score: float | None = None
    explain: bool = False


def search(deps: Deps, who: Who | None, asked: SearchRequest) -> dict[str, Any]:
    """Return ``{hits, degraded}`` as protocol.md says; ``hits`` best first, at most ``k``.

    Raises:
        Forbidden: A scope was asked for that the caller may not see.
    """
    caller = complete(deps, who)
    with deps.admission.turn(Asked.SEARCH, _PATIENCE_S):
        return once_more(lambda: _found(deps, caller, asked))


def _found(deps: Deps, caller: Who, asked: SearchRequest) -> dict[str, Any]:
    filt = Filter(
        visible=readable(deps, caller, None if asked.scopes is None else [s.text for s in asked.scopes]),
        kinds=frozenset(asked.kinds or DEFAULT_KINDS),
        types=tuple(t.value for t in asked.types or ()),
        since_ms=asked.since,
        until_ms=asked.until,
        as_of_ms=asked.as_of,
        active_only=not asked.archive,
        project=asked.project,
        agent=asked.agent,
        with_covered=True,
    )
    degraded: list[str] = []
    least = 0.0
    pool = max(deps.params.recall.search_pool, asked.k)
    with deps.store.snapshot() as snapshot:
        deadline = Deadline.after(_LIMIT_MS)
        question = read_question(deps, snapshot, asked.query, filt.visible, deadline, degraded)
        found = recall(deps, snapshot, question, Ask(caller, filt, pool, near=True))
        if len(found.items) < _FEW and not asked.archive and asked.as_of is None:
            # What was superseded scores nothing and stays out; ``archive`` asks for it in so many words.
            least = _ANY_SCORE
            found = recall(
                deps, snapshot, question, Ask(caller, replace(filt, active_only=False), pool, near=True)
            )
    floor = max(asked.min_score or 0.0, least)
    hits = []
    for item, score, parts in zip(found.items, found.score, found.parts, strict=True):
        if score >= floor:
            hits.append(hit(item, score, parts.as_dict() if asked.explain else None))
        if len(hits) == asked.k:
            break
    return {"hits": hits, "degraded": degraded}


def hit(item: ItemRow, score: float, why: dict[str, float] | None) -> dict[str, Any]:
    """Return the wire form of one found item (protocol.md, Common objects)."""
    out: dict[str, Any] = {
        "id": item.uid,
        "kind": item.kind.wire,
        "text": item.text,
        "score": round(min(max(score, 0.0), 1.0), 6),
        "tokens": item.tokens,
        "scope": item.scope,
        "ts": item.ts_ms,
        "source": source(item),
    }
    optional = {
        "external_id": item.external_id,
        "type": item.type,
        "as_of": volatile_since(item),
        "role": item.role,
        "speaker": item.speaker,
        "metadata": item.metadata or None,
        "archived": item.archived_ms,
        "why": why,
    }
    out.update({name: value for name, value in optional.items() if value is not None})
    return out


def source(item: ItemRow) -> dict[str, Any]:
    """Return where an item comes from: file and line, or session and turn; and whose words it holds, if not the person's."""
    origin = foreign_origin(item)
    parts: dict[str, Any] = {}
    if item.source_path is not None:
        parts["path"] = item.source_path
    if item.line is not None:
        parts["line"] = item.line
    if item.session_key is not None:
        parts["session"] = item.session_key
    if item.kind is _TURN:
        parts["turn_ids"] = [item.uid]
    if origin is not None:
        parts["origin"] = origin.value
    return parts
