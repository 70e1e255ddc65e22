"""What a durable statement does to what is known: it confirms, replaces a wording, supersedes, or is new.

One path for turns that the gate admitted and for what is told by a tool call (memory model §4, After the gate).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps, LifecycleParams
from libra.ground.errors import Conflict
from libra.ground.records import Kind, MemoryType, Role
from libra.ground.vectors import Vector
from libra.lifecycle.claims import claim
from libra.lifecycle.confidence import confirmed
from libra.lifecycle.consolidate import content_hash, near_duplicate
from libra.lifecycle.slots import kin
from libra.lifecycle.supersede import Dated, Settled, interrupted, place, settle
from libra.lifecycle.types import DAY_MS, TYPES
from libra.lifecycle.volatile import says_impossible
from libra.store import journal, memories, revisions, search
from libra.store.memories import MemoryRow, NewMemory
from libra.store.rows import ItemRow
from libra.store.sql import Reader
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

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
        uid: The name of a new memory; None to make one of what was told and when.
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
    uid: str | None = None


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


def nearest(deps: Deps, snapshot: Snapshot, user: str, vector: Vector | None) -> Near:
    """Return the person's memories that are nearest to a vector; none without one."""
    if vector is None:
        return []
    sees = Visible(user=user, scopes=(f"user:{user}",))
    filt = Filter(visible=sees, kinds=frozenset({Kind.MEMORY}))
    found = search.vector_candidates(snapshot, deps.store, vector, filt, _NEAREST)
    rows = ((memories.get(snapshot, item), cosine) for item, cosine in found)
    return [(row, cosine) for row, cosine in rows if row is not None]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a statement stands among what is known.

    Attributes:
        settled: What it says, as it will be kept.
        about: The memory that a bare correction is about.
        closes: What it supersedes.
        closed_by: What supersedes it: told later, and known already.
    """

    settled: Settled
    about: MemoryRow | None = None
    closes: tuple[MemoryRow, ...] = ()
    closed_by: MemoryRow | None = None


def standing(s: Reader, user: str, session_id: int | None, text: str, at_ms: int) -> Standing:
    """Return where words that were said at a time stand among what is known of their user."""
    known = memories.claims_known(s, user, session_id, _RECENT_CLAIMS)
    settled = settle(text, [m.text for m in known])
    about = known[settled.about] if settled.about is not None else None
    if settled.claim is None:
        return Standing(settled, about)
    line = memories.slot_line(s, user, settled.claim.subject, kin(settled.claim.slot))
    found = place(settled.claim, at_ms, _dated(line))
    closed_by = line[found.closed_by] if found.closed_by is not None else None
    return Standing(settled, about, tuple(line[i] for i in found.closes), closed_by)


def _dated(line: Sequence[MemoryRow]) -> list[Dated]:
    return [Dated(claim(m.text), m.valid_from_ms, m.valid_to_ms) for m in line]


def same(
    s: Reader, user: str, text: str, at_ms: int, near: Near, params: LifecycleParams
) -> MemoryRow | None:
    """Return the memory that says the same, exactly or nearly, and held when this was told; None if there is none.

    A memory that began later says the same only if nothing else held in between: a fact of two periods is two memories.

    Args:
        s: The state to read.
        user: Whose memories.
        text: The statement.
        at_ms: When it was told.
        near: Nearest memories.
        params: Nearness.
    """
    equal = memories.of_hash(s, user, content_hash(text))
    alike = [m for m, cosine in near if near_duplicate(text, m.text, cosine, params.consolidate)]
    fresh = [m for c in alike if (m := memories.get(s, c.item_id)) is not None and m.active]
    return next((m for m in [*equal, *fresh] if _holds(s, user, m, text, at_ms)), None)


def _holds(s: Reader, user: str, memory: MemoryRow, text: str, at_ms: int) -> bool:
    if memory.valid_from_ms <= at_ms:
        return memory.valid_to_ms is None or at_ms < memory.valid_to_ms
    made = claim(text)
    if made is None:
        return True
    line = memories.slot_line(s, user, made.subject, kin(made.slot))
    return not interrupted(made, at_ms, memory.valid_from_ms, _dated(line))


def tell(tx: WriteTx, new: Telling, near: Near, now_ms: int, params: LifecycleParams) -> Told:
    """Confirm, merge, supersede or insert, in the caller's transaction; what can be undone goes into the journal."""
    known = same(tx, new.user, new.text, new.ts_ms, near, params)
    if known is not None and known.content_hash == content_hash(new.text):
        return _again(tx, new, known, now_ms, params)
    if known is not None and known.type == new.type.value:
        return _in_other_words(tx, new, known, now_ms, params)
    return _insert(tx, new, now_ms, params)


def _again(tx: WriteTx, new: Telling, known: MemoryRow, now_ms: int, params: LifecycleParams) -> Told:
    """Take an exact repetition as a confirmation; an agent that repeats what it was shown confirms nothing (C27)."""
    if new.bound:
        return Told(known.uid, Outcome.KNOWN)
    kind = MemoryType(known.type or new.type.value)
    until = None if known.ttl_manual else expiry(kind, known.text, new.ts_ms, None, params)
    sure = _sure(new, known, now_ms, params)
    revisions.confirm(tx, known.item_id, new.turn, now_ms, sure, until)
    return Told(known.uid, Outcome.CONFIRMED)


def _sure(new: Telling, known: MemoryRow, now_ms: int, params: LifecycleParams) -> float | None:
    """Return the confidence after a telling: what is told by a tool call is confirmed, a turn only counts."""
    if new.turn is not None:
        return None
    return confirmed(confidence_now(known, now_ms, params), params.confidence)


def _in_other_words(tx: WriteTx, new: Telling, old: MemoryRow, now_ms: int, params: LifecycleParams) -> Told:
    if new.bound:
        return Told(old.uid, Outcome.KNOWN)
    with journal.change(tx, "merge", new.user, [old.item_id], now_ms, params.journal):
        if new.turn is not None:
            revisions.merge(tx, old.item_id, new.text, content_hash(new.text), new.turn, now_ms)
        else:
            revisions.confirm(tx, old.item_id, None, now_ms, _sure(new, old, now_ms, params))
            revisions.reword(tx, old.item_id, new.text, content_hash(new.text), new.ts_ms)
    return Told(old.uid, Outcome.MERGED)


def _insert(tx: WriteTx, new: Telling, now_ms: int, params: LifecycleParams) -> Told:
    found = standing(tx, new.user, new.session_id, new.text, new.ts_ms)
    final = MemoryType(found.about.type) if found.about is not None and found.about.type else new.type
    persons = {m.item_id for m in of_the_person(tx, found.closes)} if new.bound else set()
    closes = [m for m in found.closes if m.item_id not in persons]
    kind = new.type if new.bound else final
    start = params.confidence.replacement if closes else params.confidence.start
    text, made = found.settled.text, found.settled.claim
    memory = NewMemory(
        uid=new.uid or memories.free_uid(tx, new.user, content_hash(text), _event(new)),
        user=new.user,
        type=kind,
        text=text,
        tokens=estimate(text),
        ts_ms=new.ts_ms,
        project=new.project,
        agent=new.agent,
        session_id=new.session_id,
        role=new.role,
        speaker=new.speaker,
        confidence=start if new.confidence is None else new.confidence,
        priority=TYPES[kind].priority if new.priority is None else new.priority,
        ttl_ms=new.ttl_ms,
        expires_ms=expiry(kind, text, new.ts_ms, new.ttl_ms, params),
        content_hash=content_hash(text),
        subject=made.subject if made else None,
        slot=made.slot if made else None,
        source_turn=new.turn.id if new.turn else None,
        signals=new.signals,
        priority_manual=new.priority is not None,
        ttl_manual=new.ttl_ms is not None,
    )
    _put(tx, memory, closes, found.closed_by, now_ms, params)
    against = tuple(m.uid for m in found.closes if m.item_id in persons)
    return Told(memory.uid, Outcome.CREATED, tuple(m.uid for m in closes), against)


def _put(
    tx: WriteTx,
    new: NewMemory,
    closes: Sequence[MemoryRow],
    closed_by: MemoryRow | None,
    now_ms: int,
    params: LifecycleParams,
) -> None:
    """Insert a memory at its place in time, and note in the journal what that superseded.

    What it closes may have been told again after it: then that holds again from there on, and what was told before is a
    memory of its own.
    """
    with journal.change(
        tx, "supersede", new.user, [m.item_id for m in closes], now_ms, params.journal
    ) as made:
        item = memories.insert(tx, new, now_ms)
        for old in closes:
            told = search.rows(tx, memories.tellings(tx, old.item_id)).values()
            earlier = [turn for turn in told if turn.ts_ms <= new.ts_ms]
            if earlier and len(earlier) < len(told):
                past = _earlier_period(tx, new.user, old, earlier, now_ms)
                revisions.supersede(tx, past, item, now_ms)
                made.made.append(past)
                made.split.append([old.item_id, past, [turn.id for turn in earlier]])
                closed_by = old
            else:
                revisions.supersede(tx, old.item_id, item, now_ms)
        if closes:
            made.made.append(item)
    if closed_by is not None:
        with journal.change(tx, "supersede", new.user, [item], now_ms, params.journal):
            revisions.supersede(tx, item, closed_by.item_id, now_ms)


def _earlier_period(
    tx: WriteTx, user: str, memory: MemoryRow, told_by: Sequence[ItemRow], now_ms: int
) -> int:
    """Make a memory of what was told of another one in an earlier period; return its item id."""
    first = min(told_by, key=lambda turn: turn.ts_ms)
    past = memories.insert(
        tx,
        NewMemory(
            uid=memories.free_uid(tx, user, memory.content_hash, str(first.id), "earlier"),
            user=user,
            type=MemoryType(memory.type or MemoryType.FACT.value),
            text=memory.text,
            tokens=memory.tokens,
            ts_ms=first.ts_ms,
            content_hash=memory.content_hash,
            project=first.project,
            agent=first.agent,
            session_id=first.session_id,
            role=first.role,
            speaker=first.speaker,
            confidence=memory.confidence,
            priority=memory.priority,
            expires_ms=memory.expires_ms,
            subject=memory.subject,
            slot=memory.slot,
            source_turn=first.id,
            signals=memory.signals,
        ),
        now_ms,
    )
    revisions.hand_over(tx, memory.item_id, past, told_by)
    return past


def expiry(
    kind: MemoryType, text: str, told_ms: int, ttl_ms: int | None, params: LifecycleParams
) -> int | None:
    """Return when a memory goes to the archive: when a person says, else by its type, or sooner if it denies a possibility.

    Args:
        kind: Its type.
        text: Its words: that something is not possible is soon out of date (lessons.md C42).
        told_ms: When it was told, epoch ms.
        ttl_ms: A person's choice; 0 or less is for ever, None leaves it to type and words.
        params: How long.
    """
    by_type = TYPES[kind].expires_ms(told_ms, ttl_ms)
    if ttl_ms is not None or not says_impossible(text):
        return by_type
    short = told_ms + params.impossible_days * DAY_MS
    return short if by_type is None else min(by_type, short)


def of_the_person(s: Reader, found: Sequence[MemoryRow]) -> list[MemoryRow]:
    """Return those memories that hold the person's own words."""
    rows = search.rows(s, [m.item_id for m in found])
    return [m for m in found if rows[m.item_id].role != Role.ASSISTANT.value]


def leave_the_persons(s: Reader, found: Sequence[MemoryRow]) -> None:
    """Raise where an agent would change what the person said.

    Raises:
        Conflict: Some of these memories hold the person's own words.
    """
    if of_the_person(s, found):
        raise Conflict(
            "the person said this; an agent may add to it but not change it",
            reason="persons_word",
            hint="store what is new with memory_store, or ask the person to correct it",
            where="id",
        )


def _event(new: Telling) -> str:
    """Return what tells two tellings of the same words apart: the turn, or the moment."""
    return str(new.turn.id) if new.turn is not None else f"told@{new.ts_ms}"
