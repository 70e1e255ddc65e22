"""Elevated guidance: what the person told an agent to do from now on, and the shards that compaction protected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from libra.assembly import render
from libra.assembly.packer import Tier
from libra.engine.deps import Deps, GuidanceParams
from libra.engine.entries import Entry, of_guidance
from libra.engine.provenance import foreign_origin
from libra.engine.question import Question
from libra.ground.records import Kind, MemoryType, normal_text
from libra.lifecycle.standing import standing_rules
from libra.store import memories, search
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter

_POOL = 32
_RULE_TYPES = (MemoryType.INSTRUCTION.value, MemoryType.PREFERENCE.value)
_PRIORITY = 85
"""Of a shard, which has none of its own: an instruction's."""
_CONFIDENCE = 0.6


def guidance(
    deps: Deps, snapshot: Snapshot, asked: Filter, question: Question, in_prompt: frozenset[int], room: int
) -> list[Entry]:
    """Return the entries of the tier, best first, as many as its share of the budget holds.

    A standing instruction counts whatever the question: "always include version numbers" has no word in common
    with "which libraries do we use?". A protected shard must be near the question (memory model §6, E*).

    Args:
        deps: Shared parts.
        snapshot: The state.
        asked: What may be recalled.
        question: Its nearness puts conditional instructions in order.
        in_prompt: Turns that stand in the prompt already.
        room: Tokens of the tier.
    """
    protected = Filter(
        asked.visible, frozenset({Kind.GUIDANCE}), as_of_ms=asked.as_of_ms, exclude_ids=asked.exclude_ids
    )
    any_protected = search.any_of_kind(snapshot, protected)
    found = list(_rules(deps, snapshot, asked, question, in_prompt))
    told = {normal_text(row.text) for row, _ in found}
    shards = _shards(deps, snapshot, protected, question) if any_protected else ()
    found += [(row, near) for row, near in shards if normal_text(row.text) not in told]
    params = deps.params.guidance
    found.sort(key=lambda pair: (-_value(pair[0], pair[1], params), -pair[0].ts_ms, pair[0].uid))
    entries = (of_guidance(row, near, deps.zone) for row, near in found)
    return list(_fitting(entries, room - render.overhead(Tier.GUIDANCE)))


def _rules(
    deps: Deps, snapshot: Snapshot, asked: Filter, question: Question, in_prompt: frozenset[int]
) -> Iterator[tuple[ItemRow, float]]:
    filt = replace(asked, kinds=frozenset({Kind.MEMORY}), types=_RULE_TYPES, with_covered=False)
    reading = search.Reading(snapshot, filt)
    reading.mask(deps.store)  # while the question is still being embedded
    if question.vector is not None:
        near = dict(
            search.vector_candidates(snapshot, deps.store, question.vector, filt, _POOL, reading=reading)
        )
    else:
        near = dict.fromkeys(search.newest(snapshot, filt, _POOL), 0.0)
    rows = reading.rows(list(near))
    sources = memories.source_turns(snapshot, list(rows)) if in_prompt else {}
    for item, row in rows.items():
        # An agent's or another person's word, though it may be read, is nobody's rule here (lessons.md C38).
        own = row.scope == f"user:{asked.visible.user}" and foreign_origin(row) is None
        if own and sources.get(item) not in in_prompt and standing_rules(row.text):
            yield row, near[item]


def _shards(
    deps: Deps, snapshot: Snapshot, filt: Filter, question: Question
) -> Iterator[tuple[ItemRow, float]]:
    embedder = deps.model.get()
    if embedder is None or question.vector is None:
        return
    floor = embedder.manifest.floors.guidance
    near = search.vector_candidates(snapshot, deps.store, question.vector, filt, _POOL)
    rows = search.rows(snapshot, [item for item, cosine in near if cosine > floor], filt)
    for item, cosine in near:
        if item in rows:
            yield rows[item], cosine


def _value(row: ItemRow, near: float, params: GuidanceParams) -> float:
    priority = _PRIORITY if row.priority is None else row.priority
    sure = _CONFIDENCE if row.confidence is None else row.confidence
    return near + params.priority * priority / 100 + params.confidence * sure


def _fitting(entries: Iterable[Entry], room: float) -> Iterator[Entry]:
    """Yield what fits; the others may still be recalled."""
    for entry in entries:
        if entry.printed.cost <= room:
            room -= entry.printed.cost
            yield entry
