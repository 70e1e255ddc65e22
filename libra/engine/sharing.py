"""Share: a memory told on to another user, whose own words it never changes; agents of one user see its memory anyway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine import remember
from libra.engine.changes import memory_of
from libra.engine.deps import Deps
from libra.engine.ledger import person_only
from libra.engine.scopes import complete
from libra.engine.telling import Near, Telling, nearest, tell
from libra.ground.errors import Conflict, InvalidParams
from libra.ground.records import MemoryType, Origin, Role, Scope, ScopeKind, Who
from libra.store import search
from libra.store.memories import MemoryRow
from libra.store.tombstones import Meaning
from libra.store.writer import WriteTx

_NOT_ANOTHERS = frozenset({MemoryType.INSTRUCTION, MemoryType.PREFERENCE, MemoryType.IDENTITY})
"""What only a person's own words make: told on, it is a fact about somebody."""


def share(
    deps: Deps, who: Who | None, uids: Sequence[str], to: Scope, origin: Origin | None
) -> dict[str, Any]:
    """Answer the method ``share``: each memory with its copy and what became of it there.

    The copy is marked as another's words: it is shown as such, is no rule, and confirms or changes nothing that the other user
    has said. What the other user has forgotten does not come back.

    Raises:
        NotFound: An id is none of a memory that the caller may see.
        Conflict: One is in the archive; or an agent asks.
        InvalidParams: The scope is no user, or the caller's own.
    """
    caller = complete(deps, who)
    person_only(caller, origin, "what others may know")
    if to.kind is not ScopeKind.USER or to.name == caller.user:
        raise InvalidParams(
            "to: expected another user, as user:<id>; all agents of one user see its memory", where="to"
        )
    with deps.store.snapshot() as snapshot:
        found = [memory_of(deps, snapshot, caller, uid)[0] for uid in uids]
        if any(not m.active for m in found):
            raise Conflict("one of them is in the archive", reason="archived", where="ids")
        vectors = search.vectors_of(snapshot, deps.store, [m.item_id for m in found])
        near = {m.item_id: nearest(deps, snapshot, to.name, vectors.get(m.item_id)) for m in found}
    means = {m.item_id: remember.meaning(deps, m.text) for m in found}
    now_ms = deps.clock()

    def job(tx: WriteTx) -> list[dict[str, Any]]:
        return [_tell(deps, tx, m, to.name, near[m.item_id], means[m.item_id], now_ms) for m in found]

    told = deps.store.write(job).result()
    deps.wake()
    return {"to": to.text, "shared": told}


def _tell(
    deps: Deps,
    tx: WriteTx,
    memory: MemoryRow,
    user: str,
    near: Near,
    means: Meaning | None,
    now_ms: int,
) -> dict[str, Any]:
    if remember.taken_back(tx, user, memory.text, means):
        return {"id": memory.uid, "copy": None, "outcome": "forgotten"}
    kind = MemoryType(memory.type or MemoryType.FACT.value)
    told = tell(
        tx,
        Telling(
            text=memory.text,
            user=user,
            type=MemoryType.FACT if kind in _NOT_ANOTHERS else kind,
            ts_ms=now_ms,
            role=Role.ASSISTANT.value,
            signals={"admitted_by": "share", "origin": Origin.EXTERNAL.value, "shared": memory.uid},
            bound=True,
        ),
        near,
        now_ms,
        deps.params.lifecycle,
    )
    return {"id": memory.uid, "copy": told.uid, "outcome": told.outcome.value}
