"""Suggest capture: what was said and is not kept, though it may be worth it; nothing is stored until somebody asks."""

from __future__ import annotations

from typing import Any

from libra.engine.deps import Deps
from libra.engine.recap import session_of
from libra.engine.scopes import complete
from libra.gate.admission import GateInput, score
from libra.ground.records import Origin, Role, Who
from libra.lifecycle.statement import memorable
from libra.lifecycle.types import detect
from libra.store import history, memories, search
from libra.store.rows import ItemRow
from libra.store.visibility import Visible

_LOOKED_AT = 100
"""Latest turns of a session that are looked at."""
_TOLD = frozenset({"tells", "merged_into"})


def suggest_capture(deps: Deps, who: Who | None, session: str | None, k: int) -> dict[str, Any]:
    """Answer the method ``suggest_capture``: statements of the session that are no memories, by the gate's score.

    Raises:
        NotFound: The person has no such session, or none at all.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        row = session_of(snapshot, caller, session)
        sees = Visible(user=row.user, session_key=row.key, every_session=False)
        ids, _ = history.times_of(snapshot, row.key, sees)
        said = search.rows(snapshot, ids[-_LOOKED_AT:], sees)
        told = {one for one, _, kind in memories.related(snapshot, list(said)) if kind in _TOLD}
    found = [
        judged
        for item, turn in said.items()
        if item not in told and (judged := _judged(deps, turn)) is not None
    ]
    found.sort(key=lambda one: (-one["g"], -one["ts"]))
    return {"session": row.key, "suggestions": found[:k], "more": max(len(found) - k, 0)}


def _judged(deps: Deps, turn: ItemRow) -> dict[str, Any] | None:
    """Return what could be kept of a turn, None if it makes no statement."""
    if turn.role != Role.USER.value or turn.origin != Origin.OWNER.value:
        return None
    found = score(GateInput(turn.text, (), ()), deps.params.gate)
    kind = detect(turn.text, Role.USER, found.a, found.t)
    if kind is None:
        return None
    return {
        "turn": turn.uid,
        "type": kind.value,
        "g": round(found.g, 4),
        "ts": turn.ts_ms,
        "text": memorable(turn.text),
    }
