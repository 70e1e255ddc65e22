"""After the gate: what a person said becomes a durable, typed memory, or why it does not (memory model §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from libra.engine.deps import Deps
from libra.gate.admission import GateInput, admits, score
from libra.ground.records import Kind, MemoryType, Origin, Role, digest
from libra.ground.vectors import Vector
from libra.lifecycle.confidence import ConfidenceParams
from libra.lifecycle.consolidate import ConsolidateParams, content_hash, near_duplicate
from libra.lifecycle.statement import memorable
from libra.lifecycle.supersede import settle
from libra.lifecycle.types import TYPES, detect
from libra.store import memories, search, turns
from libra.store.memories import NewMemory
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

_NEAREST = 10
"""K and U of the gate: the ten nearest (memory model §4)."""
_RECENT_CLAIMS = 8
"""Latest memories of the conversation that a bare correction may be about."""
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
    """Decide about one turn and store what becomes of it; return the memory's uid, None if it is none."""
    role, origin = Role(row.role or Role.USER.value), Origin(row.origin or Origin.OWNER.value)
    with deps.store.snapshot() as snapshot:
        user = turns.owner_of(snapshot, row.id)
        sees = Visible(user=user, scopes=(f"user:{user}",))
        vector = search.vectors_of(snapshot, deps.store, [row.id]).get(row.id)
        gate_score = score(_gate_input(deps, snapshot, sees, row, vector), deps.params.gate)
        kind = detect(row.text, role, gate_score.a, gate_score.t)
        if kind is None or not admits(gate_score, role, origin, kind, deps.params.gate):
            deps.store.write(lambda tx: turns.mark_gated(tx, [row.id])).result()
            return None
        near = _nearest_memories(deps, snapshot, sees, vector)
    signals = {**asdict(gate_score), "vectors": vector is not None}
    return deps.store.write(lambda tx: _settle(deps, tx, user, row, kind, near, signals)).result()


def _gate_input(
    deps: Deps, snapshot: Snapshot, sees: Visible, row: ItemRow, vector: Vector | None
) -> GateInput:
    """Return the turn with its cosines to the nearest memories and to the nearest earlier turns of the user."""
    if vector is None:
        return GateInput(row.text, (), ())
    known = Filter(visible=sees, kinds=frozenset({Kind.MEMORY}))
    earlier = Filter(visible=sees, kinds=frozenset({Kind.TURN}), until_ms=row.ts_ms, exclude_ids=(row.id,))
    memory = search.vector_candidates(snapshot, deps.store, vector, known, _NEAREST)
    turn = search.vector_candidates(snapshot, deps.store, vector, earlier, _NEAREST)
    return GateInput(row.text, tuple(c for _, c in memory), tuple(c for _, c in turn))


def _nearest_memories(
    deps: Deps, snapshot: Snapshot, sees: Visible, vector: Vector | None
) -> list[tuple[int, float]]:
    embedder = deps.model.get()
    if vector is None or embedder is None:
        return []
    floor = embedder.manifest.floors.near_duplicate
    filt = Filter(visible=sees, kinds=frozenset({Kind.MEMORY}))
    return [
        (i, c)
        for i, c in search.vector_candidates(snapshot, deps.store, vector, filt, _NEAREST)
        if c >= floor
    ]


def _settle(
    deps: Deps,
    tx: WriteTx,
    user: str,
    row: ItemRow,
    kind: MemoryType,
    near: Sequence[tuple[int, float]],
    signals: dict[str, float | bool],
) -> str:
    """Confirm, merge, supersede or insert, in one transaction with the mark on the turn."""
    now_ms = deps.clock()
    text = memorable(row.text)
    turns.mark_gated(tx, [row.id])
    same = memories.find_hash(tx, user, content_hash(text))
    if same is not None:
        memories.confirm(tx, same.item_id, row.id, now_ms)
        return same.uid
    for item_id, cosine in near:
        old = memories.get(tx, item_id)
        if (
            old is not None
            and old.type == kind.value
            and near_duplicate(text, old.text, cosine, _CONSOLIDATE)
        ):
            memories.merge(tx, old.item_id, text, content_hash(text), row, now_ms)
            return old.uid
    known = memories.claims_known(tx, user, row.session_id, _RECENT_CLAIMS)
    settled = settle(text, [m.text for m in known])
    if settled.claim is not None:
        slot = memories.by_slot(tx, user, settled.claim.subject, settled.claim.slot)
        seen = {m.item_id for m in known}
        known = [*known, *(m for m in slot if m.item_id not in seen)]
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
