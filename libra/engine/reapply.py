"""Take changed settings to what is stored: the gate's threshold, and how long a denial is kept (lessons.md C61).

What the gate had admitted and would not admit now goes to the archive, each with an entry of the journal; a turn that it had
refused goes before it again. A person's own word is not touched: what they asked to be kept, confirmed or changed by hand stays.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from libra.engine.calibrate import threshold_in_force
from libra.engine.deps import Deps
from libra.engine.telling import expiry
from libra.ground.records import MemoryType
from libra.store import journal, memories, revisions, trial
from libra.store.memories import MemoryRow
from libra.store.writer import WriteTx

_SLICE = 200


def some(deps: Deps, state: dict[str, Any]) -> dict[str, Any] | None:
    """Look at the next items; return how far it is, None at the end."""
    with deps.store.snapshot() as snapshot:
        ids, turns = trial.judged_after(snapshot, int(state["at"]), _SLICE)
        threshold = threshold_in_force(deps, snapshot)
        rows = memories.of_items(snapshot, ids)
        owners = memories.owners(snapshot, ids)
    if not ids and not turns:
        return None
    now_ms = deps.clock()
    drop = [row for row in rows.values() if _refused(row, threshold)]
    late = [row for row in rows.values() if _expires(deps, row) != row.expires_ms and row not in drop]
    deps.store.write(partial(_change, deps, turns, drop, late, owners, now_ms)).result()
    deps.wake()
    return {**state, "at": max([*ids, *turns])}


def _refused(row: MemoryRow, threshold: float) -> bool:
    """Say whether the gate alone had admitted a memory, and would not now."""
    signals = row.signals or {}
    alone = signals.get("admitted_by") == "gate" and row.confirmations <= 1
    return bool(alone and row.active and not row.priority_manual and signals.get("g", 1.0) < threshold)


def _expires(deps: Deps, row: MemoryRow) -> int | None:
    if row.ttl_manual or not row.active or row.type is None:
        return row.expires_ms
    return expiry(MemoryType(row.type), row.text, row.ts_ms, None, deps.params.lifecycle)


def _change(
    deps: Deps,
    turns: list[int],
    drop: list[MemoryRow],
    late: list[MemoryRow],
    owners: dict[int, str],
    now_ms: int,
    tx: WriteTx,
) -> None:
    params = deps.params.lifecycle.journal
    for row in (*drop, *late):
        with journal.change(tx, "reapply", owners.get(row.item_id, ""), [row.item_id], now_ms, params):
            if row in drop:
                revisions.archive(tx, [row.item_id], now_ms)
            else:
                revisions.expire(tx, row.item_id, None, _expires(deps, row), manual=False)
    trial.judge_again(tx, turns)
