"""Take changed settings, and rules that a newer Libra has, to what is stored (lessons.md C61).

What is worked out anew of each memory that Libra made by itself of a turn: the gate's score by today's weights and signals,
whether it would be admitted (threshold, whose words, noise), its type with priority and time to live, how sure it is to
begin with, and how long a denial is kept. A turn that was refused goes before the gate again, and memories are held against each
other again for what says the same. Each change has an entry of the journal; what an earlier run put away comes back if it would
be admitted now.

A person's own word is not touched: what they asked to be kept, confirmed, said again, or changed by hand stays as it is. How near
a turn was to what was known when it was said cannot be worked out again, so that part of the score stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from libra.engine import joining
from libra.engine.audit import is_noise
from libra.engine.calibrate import threshold_in_force
from libra.engine.deps import Deps
from libra.engine.telling import expiry
from libra.gate.admission import Score, admits, combine
from libra.gate.signals import signals
from libra.ground.records import MemoryType, Origin, Role
from libra.lifecycle.standing import standing_rules
from libra.lifecycle.types import TYPES, detect
from libra.store import journal, memories, revisions, search, trial
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.snapshot import Snapshot
from libra.store.writer import WriteTx

_SLICE = 200
_VERB = "reapply"
_BY_ITSELF = frozenset({"gate", "standing"})
"""Why Libra has made a memory by itself of a turn (libra.engine.promote): all else was asked for, or said again."""


@dataclass(frozen=True, slots=True)
class _Change:
    """What becomes of a memory; None leaves a part as it is.

    Attributes:
        keep: Whether it belongs into the active index.
        type: Its type.
        confidence: How sure it is to begin with.
        expires: ``(when,)`` it goes to the archive.
    """

    keep: bool | None = None
    type: MemoryType | None = None
    confidence: float | None = None
    expires: tuple[int | None] | None = None


def some(deps: Deps, state: dict[str, Any]) -> dict[str, Any] | None:
    """Look at the next items; return how far it is, None at the end."""
    with deps.store.snapshot() as snapshot:
        ids, turns = trial.judged_after(snapshot, int(state["at"]), _SLICE)
        threshold = threshold_in_force(deps, snapshot)
        rows = memories.of_items(snapshot, ids)
        owners = memories.owners(snapshot, ids)
        told = search.rows(snapshot, [m.source_turn for m in rows.values() if m.source_turn is not None])
        due = {
            item: change
            for item, row in rows.items()
            if (change := _due(deps, snapshot, row, told, owners.get(item, ""), threshold)) != _Change()
        }
    if not ids and not turns:
        deps.store.write(joining.begin_again).result()
        deps.wake()
        return None
    now_ms = deps.clock()
    deps.store.write(partial(_apply, deps, turns, rows, due, owners, now_ms)).result()
    deps.wake()
    return {**state, "at": max([*ids, *turns])}


def _due(
    deps: Deps,
    snapshot: Snapshot,
    row: MemoryRow,
    told: Mapping[int, ItemRow],
    user: str,
    threshold: float,
) -> _Change:
    """Return what becomes of a memory by the settings of today."""
    turn = told.get(row.source_turn) if row.source_turn is not None else None
    why = (row.signals or {}).get("admitted_by")
    if _by_hand(snapshot, row):
        return _Change()
    if turn is None or why not in _BY_ITSELF or row.confirmations > 1:
        return _Change(expires=_expires(deps, snapshot, row, None))
    if not row.active:
        put_away = row.superseded_by is None and _put_away_here(snapshot, row)
        back = put_away and _admitted(deps, snapshot, row, turn, user, threshold)[0]
        return _Change(keep=True) if back else _Change()
    admitted, kind = _admitted(deps, snapshot, row, turn, user, threshold)
    if not admitted or kind is None:
        return _Change(keep=False)
    fresh = kind if kind.value != row.type else None
    return _Change(
        type=fresh, confidence=_begins(deps, snapshot, row), expires=_expires(deps, snapshot, row, fresh)
    )


def _by_hand(snapshot: Snapshot, row: MemoryRow) -> bool:
    """Say whether a person or an agent has changed a memory."""
    if row.priority_manual or row.ttl_manual or (row.signals or {}).get("typed") == "by hand":
        return True
    return any(e.actor != "libra" and e.undone_ms is None for e in journal.of_item(snapshot, row.item_id, 20))


def _put_away_here(snapshot: Snapshot, row: MemoryRow) -> bool:
    last = journal.of_item(snapshot, row.item_id, 1)
    return bool(last) and last[0].verb == _VERB and last[0].undone_ms is None


def _admitted(
    deps: Deps, snapshot: Snapshot, row: MemoryRow, turn: ItemRow, user: str, threshold: float
) -> tuple[bool, MemoryType | None]:
    """Say whether a turn would become a memory today, and of which type; as :func:`libra.engine.promote.promote` does."""
    role, origin = Role(turn.role or Role.USER.value), Origin(turn.origin or Origin.OWNER.value)
    found = _score(deps, row, turn)
    if found is None:
        return True, MemoryType(row.type) if row.type else None
    owner = role is Role.USER and origin is Origin.OWNER
    if owner and standing_rules(turn.text):
        return True, MemoryType.INSTRUCTION
    kind = detect(turn.text, role, found.a, found.t)
    vector = search.vectors_of(snapshot, deps.store, [turn.id]).get(turn.id)
    if is_noise(deps, user, vector):
        return False, kind
    return admits(found, role, origin, kind, deps.params.gate, threshold), kind


def _score(deps: Deps, row: MemoryRow, turn: ItemRow) -> Score | None:
    """Return the score by today's signals and weights; None where it is not known how new the turn was."""
    kept = row.signals or {}
    h, r = kept.get("h"), kept.get("r")
    if not isinstance(h, int | float) or not isinstance(r, int | float):
        return None
    return combine(signals(turn.text), float(h), float(r), deps.params.gate)


def _begins(deps: Deps, snapshot: Snapshot, row: MemoryRow) -> float | None:
    """Return how sure a memory is to begin with, if that is another by now and nothing has happened to it since."""
    params = deps.params.lifecycle.confidence
    replaces = any(kind == "supersedes" for _, _, kind in memories.related(snapshot, [row.item_id]))
    start = params.replacement if replaces else params.start
    untouched = not row.recalls and row.touched_ms <= row.valid_from_ms
    return start if untouched and row.confidence != start else None


def _expires(
    deps: Deps, snapshot: Snapshot, row: MemoryRow, kind: MemoryType | None
) -> tuple[int | None] | None:
    """Return when a memory goes to the archive, counted from its last telling, if that is another time by now."""
    if row.ttl_manual or not row.active or row.type is None:
        return None
    told = search.rows(snapshot, memories.tellings(snapshot, row.item_id)) if row.confirmations > 1 else {}
    last = max((turn.ts_ms for turn in told.values()), default=row.ts_ms)
    until = expiry(kind or MemoryType(row.type), row.text, last, None, deps.params.lifecycle)
    return (until,) if until != row.expires_ms else None


def _apply(
    deps: Deps,
    turns: list[int],
    rows: Mapping[int, MemoryRow],
    due: Mapping[int, _Change],
    owners: Mapping[int, str],
    now_ms: int,
    tx: WriteTx,
) -> None:
    params = deps.params.lifecycle.journal
    for item, change in due.items():
        with journal.change(tx, _VERB, owners.get(item, ""), [item], now_ms, params):
            if change.keep is False:
                revisions.archive(tx, [item], now_ms)
            elif change.keep:
                revisions.revive(tx, item, rows[item].expires_ms)
            if change.type is not None:
                revisions.retype(tx, item, change.type, TYPES[change.type].priority, rows[item].expires_ms)
            if change.confidence is not None:
                revisions.begin_at(tx, item, change.confidence)
            if change.expires is not None:
                revisions.expire(tx, item, None, change.expires[0], manual=False)
    trial.judge_again(tx, turns)
