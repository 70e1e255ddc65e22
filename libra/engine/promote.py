"""After the gate: what a person said becomes a durable, typed memory, or why it does not (memory model §4)."""

from __future__ import annotations

import logging
import traceback
from dataclasses import asdict
from functools import partial

from libra.engine import feedback
from libra.engine.audit import is_noise
from libra.engine.calibrate import threshold_in_force
from libra.engine.deps import Deps
from libra.engine.telling import Near, nearest, of_turn, same, standing, tell
from libra.gate.admission import GateInput, admits, score
from libra.gate.talk import log_odds
from libra.ground.errors import ModelError, StoreError
from libra.ground.records import Kind, MemoryType, Origin, Role
from libra.ground.vectors import Vector
from libra.lifecycle.claims import subject_slot
from libra.lifecycle.consolidate import Particulars, particulars, particulars_text
from libra.lifecycle.standing import rules_kept, standing_rules
from libra.lifecycle.statement import asks_to_remember, memorable
from libra.lifecycle.types import detect
from libra.store import forget as removal
from libra.store import refusals, search, tombstones, turns, vectors
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)
_NEAREST = 10
"""U of the gate: the ten nearest (memory model §4)."""
_YIELDS_S = 0.2
"""While answers are worked on, each turn waits at most so long to be judged, so that who asks without pause cannot stop learning."""
_OTHER_PARTICULARS = 0.25


def promote_batch(deps: Deps, limit: int) -> int:
    """Take turns that wait through the gate; return how many were handled.

    Each turn is settled in a transaction of its own. One that brings out a defect of ours stays a turn and becomes no
    memory: tried again and again it would keep all that was said before it from being learnt.

    Raises:
        StoreError, ModelError: The store or the model refuses: the turns go on waiting.
    """
    with deps.store.snapshot() as snapshot:
        waiting = turns.pending_gate(snapshot, limit, with_vectors=deps.model.state == "ready")
        threshold = threshold_in_force(deps, snapshot)
    for row in waiting:
        deps.admission.quiet(_YIELDS_S)
        try:
            if stays_forgotten(deps, row):
                continue
            promote(deps, row, threshold)
            feedback.observe(deps, row)
        except (StoreError, ModelError):
            if _stands(deps, row):
                raise
            # It was forgotten while it was judged.
        except Exception as error:  # noqa: BLE001 - see above; its text might hold what somebody said
            _LOG.error("the turn %s was not judged: %s at %s", row.uid, type(error).__name__, _place(error))
            deps.store.write(partial(turns.mark_gated, ids=[row.id])).result()
    return len(waiting)


def _stands(deps: Deps, row: ItemRow) -> bool:
    with deps.store.snapshot() as snapshot:
        return bool(search.rows(snapshot, [row.id]))


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"


def stays_forgotten(deps: Deps, row: ItemRow) -> bool:
    """Remove a turn that says, in other words, what the person made Libra forget after it was said (lessons.md C90).

    The same words are refused when they come in; other words are known by their meaning, which is there only now. It must
    be near, with the same numbers, names and negations.
    """
    with deps.store.snapshot() as snapshot:
        user = turns.owner_of(snapshot, row.id)
        model = vectors.current_model(snapshot)
        if model is None or not tombstones.any_of(snapshot, user):
            return False
        vector = search.vectors_of(snapshot, deps.store, [row.id]).get(row.id)
        if vector is None:
            return False
        means = tombstones.meaning(vector, model[0], particulars_text(row.text))
        found = tombstones.same_meaning(snapshot, user, means, row.ts_ms)
    if found is None:
        return False
    now_ms = deps.clock()

    def job(tx: WriteTx) -> None:
        tombstones.count_hit(tx, found)
        removal.forget(tx, [row.id], now_ms, particulars_text)

    deps.exact.clear()
    deps.store.write(job, full_sync=True).result()
    return True


def promote(deps: Deps, row: ItemRow, threshold: float) -> str | None:
    """Decide about one turn and store what becomes of it; return the memory's uid, None if it is none.

    What the person says again is a confirmation, what contradicts a memory is an update, and what they ask to
    be remembered is remembered, whatever the gate's score: novelty would veto all three, since each is near
    to what is known (field cases B22 and B24). What they tell an agent to do from now on is kept as an instruction.
    """
    role, origin = Role(row.role or Role.USER.value), Origin(row.origin or Origin.OWNER.value)
    with deps.store.snapshot() as snapshot:
        user = turns.owner_of(snapshot, row.id)
        sees = Visible(user=user, scopes=(f"user:{user}",))
        vector = search.vectors_of(snapshot, deps.store, [row.id]).get(row.id)
        near = nearest(deps, snapshot, user, vector)
        found = score(_gate_input(deps, snapshot, sees, row, vector, near), deps.params.gate)
        owner = role is Role.USER and origin is Origin.OWNER
        rules = standing_rules(row.text) if owner else ()
        kind = MemoryType.INSTRUCTION if rules else detect(row.text, role, found.a, found.t)
        reason = _why_known(deps, snapshot, user, row, near) if owner and kind is not None else None
        if reason is None and rules:
            reason = "standing"
        noisy = reason is None and kind is not None and is_noise(deps, user, vector)
        if reason is None and not noisy and admits(found, role, origin, kind, deps.params.gate, threshold):
            reason = "gate"
    if reason is None or kind is None:
        why = _why_not(kind, noisy=noisy) if owner else None
        _refuse(deps, row, why, {**asdict(found), "threshold": threshold})
        return None
    signals = {**asdict(found), "vectors": vector is not None, "admitted_by": reason}
    text = rules_kept(row.text, rules) if rules else memorable(row.text)
    new = of_turn(row, text, user, kind, signals)

    def job(tx: WriteTx) -> str:
        turns.mark_gated(tx, [row.id])
        return tell(tx, new, near, deps.clock(), deps.params.lifecycle).uid

    return deps.store.write(job).result()


def _why_not(kind: MemoryType | None, *, noisy: bool) -> str:
    """Return why a turn of the person becomes no memory; one of :data:`libra.engine.audit_verbs.REASONS`."""
    if kind is None:
        return "no statement"
    return "noise" if noisy else "below the threshold"


def _refuse(deps: Deps, row: ItemRow, why: str | None, signals: dict[str, object]) -> None:
    now_ms, kept = deps.clock(), deps.params.audit.kept

    def job(tx: WriteTx) -> None:
        turns.mark_gated(tx, [row.id])
        if kept and why is not None:
            refusals.put(tx, row.id, why, signals, now_ms, kept)

    deps.store.write(job).result()


def _why_known(deps: Deps, snapshot: Snapshot, user: str, row: ItemRow, near: Near) -> str | None:
    """Return why a turn of the person needs no gate: said again, an update, or a request to remember."""
    text = memorable(row.text)
    if same(snapshot, user, text, row.ts_ms, near, deps.params.lifecycle) is not None:
        return "repetition"
    found = standing(snapshot, user, row.session_id, text, row.ts_ms)
    if found.closes or found.closed_by is not None:
        return "update"
    return "request" if asks_to_remember(row.text) else None


def _gate_input(
    deps: Deps,
    snapshot: Snapshot,
    sees: Visible,
    row: ItemRow,
    vector: Vector | None,
    near: Near,
) -> GateInput:
    """Return the turn with its cosines to the nearest memories and to the nearest earlier turns of the user.

    A memory about another subject or slot is not near at all, one of other numbers, names or identifiers only a quarter: "Server B runs 16" is news
    although "Server A runs 15" is known.
    """
    if vector is None:
        return GateInput(row.text, (), ())
    own, about = particulars(row.text), subject_slot(row.text)
    memory = tuple(c * _told_by(own, about, m.text) for m, c in near)
    earlier = Filter(visible=sees, kinds=frozenset({Kind.TURN}), until_ms=row.ts_ms, exclude_ids=(row.id,))
    turn = search.vector_candidates(snapshot, deps.store, vector, earlier, _NEAREST)
    meaning = log_odds(row.text, vector, search.model_of(snapshot, deps.store)[0])
    return GateInput(row.text, memory, tuple(c for _, c in turn), meaning)


def _told_by(own: Particulars, about: tuple[str, str, str] | None, known: str) -> float:
    """Return how much of a statement a memory that is near may have told, in [0, 1].

    Nothing if both are claims about other things, however alike they sound; little if they differ in particulars.
    """
    told = subject_slot(known)
    if about is not None and told is not None and about[:2] != told[:2]:
        return 0.0
    other = particulars(known)
    equal = (own.numbers, own.names, own.identifiers) == (other.numbers, other.names, other.identifiers)
    return 1.0 if equal else _OTHER_PARTICULARS
