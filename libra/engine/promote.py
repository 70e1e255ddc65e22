"""After the gate: what a person said becomes a durable, typed memory, or why it does not (memory model §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from libra.engine.deps import Deps
from libra.gate.admission import GateInput, admits, score
from libra.ground.records import Kind, MemoryType, Origin, Role, digest
from libra.ground.vectors import Vector
from libra.lifecycle.confidence import ConfidenceParams
from libra.lifecycle.consolidate import (
    ConsolidateParams,
    Particulars,
    content_hash,
    near_duplicate,
    particulars,
)
from libra.lifecycle.statement import asks_to_remember, memorable
from libra.lifecycle.supersede import settle
from libra.lifecycle.types import TYPES, detect
from libra.store import memories, search, turns
from libra.store.memories import MemoryRow, NewMemory
from libra.store.rows import ItemRow
from libra.store.sql import Reader
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

_NEAREST = 10
"""K and U of the gate: the ten nearest (memory model §4)."""
_RECENT_CLAIMS = 8
"""Latest memories of the conversation that a bare correction may be about."""
_OTHER_PARTICULARS = 0.25
_CONFIDENCE = ConfidenceParams()
_CONSOLIDATE = ConsolidateParams()


def promote_batch(deps: Deps, limit: int) -> int:
    """Take turns that wait through the gate; return how many were handled.

    Each turn is settled in a transaction of its own: a turn that fails stays waiting for the next round, and
    the others do not wait for it.
    """
    with deps.store.snapshot() as snapshot:
        waiting = turns.pending_gate(snapshot, limit, with_vectors=deps.model.state == "ready")
    done = 0
    for row in waiting:
        promote(deps, row)
        done += 1
    return done


def promote(deps: Deps, row: ItemRow) -> str | None:
    """Decide about one turn and store what becomes of it; return the memory's uid, None if it is none.

    What the person says again is a confirmation, what contradicts a memory is an update, and what they ask to
    be remembered is remembered, whatever the gate's score: novelty would veto all three, since each is near
    to what is known (field cases B22 and B24).
    """
    role, origin = Role(row.role or Role.USER.value), Origin(row.origin or Origin.OWNER.value)
    with deps.store.snapshot() as snapshot:
        user = turns.owner_of(snapshot, row.id)
        sees = Visible(user=user, scopes=(f"user:{user}",))
        vector = search.vectors_of(snapshot, deps.store, [row.id]).get(row.id)
        near = _nearest_memories(deps, snapshot, sees, vector)
        found = score(_gate_input(deps, snapshot, sees, row, vector, near), deps.params.gate)
        kind = detect(row.text, role, found.a, found.t)
        told = role is Role.USER and origin is Origin.OWNER and kind is not None
        reason = _why_known(snapshot, user, row, near) if told else None
        if reason is None and admits(found, role, origin, kind, deps.params.gate):
            reason = "gate"
    if reason is None or kind is None:
        deps.store.write(lambda tx: turns.mark_gated(tx, [row.id])).result()
        return None
    signals = {**asdict(found), "vectors": vector is not None, "admitted_by": reason}
    return deps.store.write(lambda tx: _settle(deps, tx, user, row, kind, near, signals)).result()


def _why_known(
    snapshot: Snapshot, user: str, row: ItemRow, near: Sequence[tuple[MemoryRow, float]]
) -> str | None:
    """Return why a turn of the person needs no gate: said again, an update, or a request to remember."""
    text = memorable(row.text)
    if memories.find_hash(snapshot, user, content_hash(text)) is not None:
        return "repetition"
    if any(near_duplicate(text, old.text, cosine, _CONSOLIDATE) for old, cosine in near):
        return "repetition"
    if settle(text, [m.text for m in _known(snapshot, user, row, text)]).closes:
        return "update"
    return "request" if asks_to_remember(row.text) else None


def _known(s: Reader, user: str, row: ItemRow, text: str) -> list[MemoryRow]:
    """Return the memories that a statement may be about: the conversation's latest, and those of its slot."""
    known = memories.claims_known(s, user, row.session_id, _RECENT_CLAIMS)
    about = settle(text, [m.text for m in known]).claim
    if about is not None:
        seen = {m.item_id for m in known}
        known += [m for m in memories.by_slot(s, user, about.subject, about.slot) if m.item_id not in seen]
    return known


def _gate_input(
    deps: Deps,
    snapshot: Snapshot,
    sees: Visible,
    row: ItemRow,
    vector: Vector | None,
    near: Sequence[tuple[MemoryRow, float]],
) -> GateInput:
    """Return the turn with its cosines to the nearest memories and to the nearest earlier turns of the user.

    A memory that tells of other numbers, names or identifiers is only a quarter as near: "Server B runs 16" is news
    although "Server A runs 15" is known.
    """
    if vector is None:
        return GateInput(row.text, (), ())
    own = particulars(row.text)
    memory = tuple(c * _OTHER_PARTICULARS if _differs(own, particulars(m.text)) else c for m, c in near)
    earlier = Filter(visible=sees, kinds=frozenset({Kind.TURN}), until_ms=row.ts_ms, exclude_ids=(row.id,))
    turn = search.vector_candidates(snapshot, deps.store, vector, earlier, _NEAREST)
    return GateInput(row.text, memory, tuple(c for _, c in turn))


def _differs(a: Particulars, b: Particulars) -> bool:
    return (a.numbers, a.names, a.identifiers) != (b.numbers, b.names, b.identifiers)


def _nearest_memories(
    deps: Deps, snapshot: Snapshot, sees: Visible, vector: Vector | None
) -> list[tuple[MemoryRow, float]]:
    if vector is None:
        return []
    filt = Filter(visible=sees, kinds=frozenset({Kind.MEMORY}))
    found = search.vector_candidates(snapshot, deps.store, vector, filt, _NEAREST)
    rows = ((memories.get(snapshot, item), cosine) for item, cosine in found)
    return [(row, cosine) for row, cosine in rows if row is not None]


def _settle(
    deps: Deps,
    tx: WriteTx,
    user: str,
    row: ItemRow,
    kind: MemoryType,
    near: Sequence[tuple[MemoryRow, float]],
    signals: dict[str, float | bool | str],
) -> str:
    """Confirm, merge, supersede or insert, in one transaction with the mark on the turn."""
    now_ms = deps.clock()
    text = memorable(row.text)
    turns.mark_gated(tx, [row.id])
    same = memories.find_hash(tx, user, content_hash(text))
    if same is not None:
        memories.confirm(tx, same.item_id, row.id, now_ms)
        return same.uid
    for candidate, cosine in near:
        old = memories.get(tx, candidate.item_id)
        if old is None or not old.active or old.type != kind.value:
            continue
        if near_duplicate(text, old.text, cosine, _CONSOLIDATE):
            memories.merge(tx, old.item_id, text, content_hash(text), row, now_ms)
            return old.uid
    known = _known(tx, user, row, text)
    settled = settle(text, [m.text for m in known])
    about = known[settled.about] if settled.about is not None else None
    final = MemoryType(about.type) if about is not None and about.type else kind
    closed = [known[i] for i in settled.closes]
    older = [m for m in closed if m.ts_ms <= row.ts_ms]
    newer = [m for m in closed if m.ts_ms > row.ts_ms]
    uid = "m" + digest(user, content_hash(settled.text), str(row.id))[:23]
    new_id = memories.insert(
        tx,
        NewMemory(
            uid=uid,
            user=user,
            type=final,
            text=settled.text,
            tokens=estimate(settled.text),
            ts_ms=row.ts_ms,
            project=row.project,
            agent=row.agent,
            session_id=row.session_id,
            role=row.role,
            speaker=row.speaker,
            confidence=_CONFIDENCE.replacement if older else _CONFIDENCE.start,
            priority=TYPES[final].priority,
            expires_ms=TYPES[final].expires_ms(row.ts_ms),
            content_hash=content_hash(settled.text),
            subject=settled.claim.subject if settled.claim else None,
            slot=settled.claim.slot if settled.claim else None,
            source_turn=row.id,
            signals=signals,
        ),
        now_ms,
    )
    for old in older:
        memories.supersede(tx, old.item_id, new_id, now_ms)
    if newer:
        # History is back-filled newest first: what is older than its own successor arrives superseded.
        memories.supersede(tx, new_id, min(newer, key=lambda m: m.ts_ms).item_id, now_ms)
    return uid
