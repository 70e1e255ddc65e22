"""What a durable statement does to what is known: it confirms, replaces a wording, supersedes, or is new.

One path for turns that the gate admitted and for what is told by a tool call (memory model §4, After the gate).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from libra.engine.deps import Deps
from libra.ground.records import Kind, MemoryType, Role, digest
from libra.ground.vectors import Vector
from libra.lifecycle.confidence import ConfidenceParams, confirmed
from libra.lifecycle.consolidate import ConsolidateParams, content_hash, near_duplicate
from libra.lifecycle.supersede import settle
from libra.lifecycle.types import TYPES
from libra.store import memories, search
from libra.store.memories import MemoryRow, NewMemory
from libra.store.rows import ItemRow
from libra.store.sql import Reader
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

CONFIDENCE = ConfidenceParams()
CONSOLIDATE = ConsolidateParams()
_NEAREST = 10
"""K of the gate: the ten nearest (memory model §4)."""
_RECENT_CLAIMS = 8
"""Latest memories of the conversation that a bare correction may be about."""

Near = Sequence[tuple[MemoryRow, float]]
"""The nearest memories of a statement, each with its cosine."""


class Outcome(StrEnum):
    """What became of a statement."""

    CREATED = "created"
    CONFIRMED = "confirmed"
    MERGED = "merged"
    KNOWN = "known"


@dataclass(frozen=True, slots=True)
class Telling:
    """A statement that is worth keeping.

    Attributes:
        text: Its words, stripped and redacted.
        user: Whose memory it goes into.
        type: What kind of statement it is.
        ts_ms: When it was said.
        turn: The turn that says it; None for what was told by a tool call.
        role: Whose words they are.
        confidence: What a new memory starts with; None for what memory model §4 says.
        bound: True for an agent's tool call: it adds to what the person said and never changes it (lessons C38).
    """

    text: str
    user: str
    type: MemoryType
    ts_ms: int
    turn: ItemRow | None = None
    role: str | None = None
    speaker: str | None = None
    project: str | None = None
    agent: str | None = None
    session_id: int | None = None
    confidence: float | None = None
    priority: int | None = None
    ttl_ms: int | None = None
    signals: Mapping[str, Any] = field(default_factory=dict)
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What a statement did.

    Attributes:
        uid: The memory that holds it now.
        outcome: How it came there.
        superseded: Memories that it closed.
        against: Memories of the person that it contradicts and may not close.
    """

    uid: str
    outcome: Outcome
    superseded: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


def of_turn(
    row: ItemRow, text: str, user: str, kind: MemoryType, signals: Mapping[str, float | bool | str]
) -> Telling:
    """Return what a turn tells."""
    return Telling(
        text=text,
        user=user,
        type=kind,
        ts_ms=row.ts_ms,
        turn=row,
        role=row.role,
        speaker=row.speaker,
        project=row.project,
        agent=row.agent,
        session_id=row.session_id,
        signals=signals,
    )


def known_about(s: Reader, user: str, session_id: int | None, text: str) -> list[MemoryRow]:
    """Return the memories that a statement may be about: the conversation's latest, and those of its slot."""
    known = memories.claims_known(s, user, session_id, _RECENT_CLAIMS)
    about = settle(text, [m.text for m in known]).claim
    if about is not None:
        seen = {m.item_id for m in known}
        known += [m for m in memories.by_slot(s, user, about.subject, about.slot) if m.item_id not in seen]
    return known


def nearest(deps: Deps, snapshot: Snapshot, user: str, vector: Vector | None) -> Near:
    """Return the person's memories that are nearest to a vector; none without one."""
    if vector is None:
        return []
    sees = Visible(user=user, scopes=(f"user:{user}",))
    filt = Filter(visible=sees, kinds=frozenset({Kind.MEMORY}))
    found = search.vector_candidates(snapshot, deps.store, vector, filt, _NEAREST)
    rows = ((memories.get(snapshot, item), cosine) for item, cosine in found)
    return [(row, cosine) for row, cosine in rows if row is not None]


def tell(tx: WriteTx, new: Telling, near: Near, now_ms: int) -> Told:
    """Confirm, merge, supersede or insert, in the caller's transaction."""
    same = memories.find_hash(tx, new.user, content_hash(new.text))
    if same is not None:
        return _again(tx, new, same, now_ms)
    for candidate, cosine in near:
        old = memories.get(tx, candidate.item_id)
        if old is None or not old.active or old.type != new.type.value:
            continue
        if near_duplicate(new.text, old.text, cosine, CONSOLIDATE):
            return _in_other_words(tx, new, old, now_ms)
    return _insert(tx, new, now_ms)


def _again(tx: WriteTx, new: Telling, same: MemoryRow, now_ms: int) -> Told:
    """Take an exact repetition as a confirmation; an agent that repeats what it was shown confirms nothing (C27)."""
    if new.bound:
        return Told(same.uid, Outcome.KNOWN)
    by_turn = new.turn is not None
    sure = None if by_turn else confirmed(same.confidence, CONFIDENCE)
    memories.confirm(tx, same.item_id, new.turn.id if new.turn else None, now_ms, sure)
    return Told(same.uid, Outcome.CONFIRMED)


def _in_other_words(tx: WriteTx, new: Telling, old: MemoryRow, now_ms: int) -> Told:
    if new.bound:
        return Told(old.uid, Outcome.KNOWN)
    if new.turn is not None:
        memories.merge(tx, old.item_id, new.text, content_hash(new.text), new.turn, now_ms)
    else:
        memories.confirm(tx, old.item_id, None, now_ms, confirmed(old.confidence, CONFIDENCE))
        memories.reword(tx, old.item_id, new.text, content_hash(new.text), new.ts_ms)
    return Told(old.uid, Outcome.MERGED)


def _insert(tx: WriteTx, new: Telling, now_ms: int) -> Told:
    known = known_about(tx, new.user, new.session_id, new.text)
    settled = settle(new.text, [m.text for m in known])
    about = known[settled.about] if settled.about is not None else None
    final = MemoryType(about.type) if about is not None and about.type else new.type
    closed = [known[i] for i in settled.closes]
    persons = {m.item_id for m in of_the_person(tx, closed)} if new.bound else set()
    older = [m for m in closed if m.ts_ms <= new.ts_ms and m.item_id not in persons]
    newer = [m for m in closed if m.ts_ms > new.ts_ms and m.item_id not in persons]
    start = CONFIDENCE.replacement if older else CONFIDENCE.start
    row = TYPES[new.type if new.bound else final]
    uid = "m" + digest(new.user, content_hash(settled.text), _event(new))[:23]
    new_id = memories.insert(
        tx,
        NewMemory(
            uid=uid,
            user=new.user,
            type=row.type,
            text=settled.text,
            tokens=estimate(settled.text),
            ts_ms=new.ts_ms,
            project=new.project,
            agent=new.agent,
            session_id=new.session_id,
            role=new.role,
            speaker=new.speaker,
            confidence=start if new.confidence is None else new.confidence,
            priority=row.priority if new.priority is None else new.priority,
            ttl_ms=new.ttl_ms,
            expires_ms=row.expires_ms(new.ts_ms, new.ttl_ms),
            content_hash=content_hash(settled.text),
            subject=settled.claim.subject if settled.claim else None,
            slot=settled.claim.slot if settled.claim else None,
            source_turn=new.turn.id if new.turn else None,
            signals=new.signals,
        ),
        now_ms,
    )
    for old in older:
        memories.supersede(tx, old.item_id, new_id, now_ms)
    if newer:
        # History is back-filled newest first: what is older than its own successor arrives superseded.
        memories.supersede(tx, new_id, min(newer, key=lambda m: m.ts_ms).item_id, now_ms)
    against = tuple(m.uid for m in closed if m.item_id in persons)
    return Told(uid, Outcome.CREATED, tuple(m.uid for m in older), against)


def of_the_person(s: Reader, found: Sequence[MemoryRow]) -> list[MemoryRow]:
    """Return those memories that hold the person's own words."""
    rows = search.rows(s, [m.item_id for m in found])
    return [m for m in found if rows[m.item_id].role != Role.ASSISTANT.value]


def _event(new: Telling) -> str:
    """Return what tells two tellings of the same words apart: the turn, or the moment."""
    return str(new.turn.id) if new.turn is not None else f"told@{new.ts_ms}"
