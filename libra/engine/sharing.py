"""Share: memories that others may read, and memories told on to another user; both can be taken back.

With a project, an agent or everybody a memory itself is shared: who sees that scope reads it there as another's words, as
long as it holds; it stays its owner's, and what its owner puts in its place is shared as it was. Another user is told: a copy
that is that user's from then on and changes nothing that they have said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine import remember
from libra.engine.archiving import PREVIEW_CHARS
from libra.engine.changes import actor_of, memory_of
from libra.engine.deps import Deps
from libra.engine.ledger import person_only
from libra.engine.scopes import complete, readable
from libra.engine.telling import Near, Outcome, Telling, nearest, tell
from libra.ground.errors import Conflict, InvalidParams
from libra.ground.records import MemoryType, Origin, Role, Scope, ScopeKind, Who
from libra.store import journal, search, shared
from libra.store.memories import MemoryRow
from libra.store.tombstones import Meaning
from libra.store.writer import WriteTx

Json = dict[str, Any]

_NOT_ANOTHERS = frozenset({MemoryType.INSTRUCTION, MemoryType.PREFERENCE, MemoryType.IDENTITY})
"""What only a person's own words make: told on, it is a fact about somebody."""
_SHARED, _KNOWN = "shared", "known"


def share(deps: Deps, who: Who | None, uids: Sequence[str], to: Scope, origin: Origin | None) -> Json:
    """Answer the method ``share``: each memory with what became of it there, for another user with its copy.

    The copy is marked as another's words: it is shown as such, is no rule, and confirms or changes nothing that the other user
    has said. What the other user has forgotten does not come back.

    Raises:
        NotFound: An id is none of a memory of the caller's user.
        Forbidden: One may only be read by the caller.
        Conflict: One is in the archive; or an agent asks.
        InvalidParams: The scope is a session, or the caller's own user.
    """
    caller = complete(deps, who)
    person_only(caller, origin, "what others may know")
    found = _own(deps, caller, uids)
    if to.kind is ScopeKind.USER:
        return _told_on(deps, caller, found, to)
    _check_place(to, "to")
    now_ms, done = deps.clock(), journal.Change("share", caller.user, actor_of(caller))

    def job(tx: WriteTx) -> list[int]:
        fresh = shared.put(tx, to.text, [m.item_id for m in found], now_ms)
        journal.change_shares(tx, done, to.text, now_ms, deps.params.lifecycle.journal, put=fresh)
        return fresh

    fresh = deps.store.write(job).result()
    told = [{"id": m.uid, "copy": None, "outcome": _SHARED if m.item_id in fresh else _KNOWN} for m in found]
    return {"to": to.text, "shared": told, "changed": done.id is not None, "journal_id": done.id}


def unshare(deps: Deps, who: Who | None, uids: Sequence[str], of: Scope, origin: Origin | None) -> Json:
    """Answer the method ``unshare``: the scope sees these memories, and what took their places, no longer.

    Raises:
        NotFound: An id is none of a memory of the caller's user.
        Conflict: An agent asks.
        InvalidParams: The scope is a user, who was told, or a session.
    """
    caller = complete(deps, who)
    person_only(caller, origin, "what others may know")
    _check_place(of, "from")
    found = _own(deps, caller, uids, active=False)
    now_ms, done = deps.clock(), journal.Change("unshare", caller.user, actor_of(caller))

    def job(tx: WriteTx) -> list[int]:
        gone = shared.take_back(tx, of.text, [m.item_id for m in found])
        journal.change_shares(tx, done, of.text, now_ms, deps.params.lifecycle.journal, taken=gone)
        return gone

    gone = deps.store.write(job).result()
    # Afterwards: a prompt that was made meanwhile may hold it.
    deps.exact.clear()
    return {"from": of.text, "unshared": len(gone), "changed": done.id is not None, "journal_id": done.id}


def shares(deps: Deps, who: Who | None) -> Json:
    """Answer the method ``shares``: what the caller's user shares with which scope, and what others share with the caller."""
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        mine = shared.of_owner(snapshot, caller.user)
        others = shared.with_reader(snapshot, readable(deps, caller))
    return {"mine": _listed(mine), "others": _listed(others)}


def _listed(found: Sequence[tuple[str, str, str]]) -> list[Json]:
    return [{"id": uid, "scope": place, "text": text[:PREVIEW_CHARS]} for uid, place, text in found]


def _check_place(scope: Scope, field: str) -> None:
    if scope.kind in (ScopeKind.USER, ScopeKind.SESSION):
        raise InvalidParams(
            f"{field}: expected project:<key>, agent:<name> or global",
            where=field,
            hint="what was told to another user is theirs; undo takes it back",
        )


def _own(deps: Deps, caller: Who, uids: Sequence[str], *, active: bool = True) -> list[MemoryRow]:
    with deps.store.snapshot() as snapshot:
        found = [memory_of(deps, snapshot, caller, uid)[0] for uid in dict.fromkeys(uids)]
    if active and any(not m.active for m in found):
        raise Conflict("one of them is in the archive", reason="archived", where="ids")
    return found


# ------------------------------------------------------------------ another user


def _told_on(deps: Deps, caller: Who, found: Sequence[MemoryRow], to: Scope) -> Json:
    if to.name == caller.user:
        raise InvalidParams(
            "to: expected another user, as user:<id>; all agents of one user see its memory", where="to"
        )
    with deps.store.snapshot() as snapshot:
        vectors = search.vectors_of(snapshot, deps.store, [m.item_id for m in found])
        near = {m.item_id: nearest(deps, snapshot, to.name, vectors.get(m.item_id)) for m in found}
    means = {m.item_id: remember.meaning(deps, m.text) for m in found}
    now_ms, done = deps.clock(), journal.Change("share", caller.user, actor_of(caller))

    def job(tx: WriteTx) -> list[Json]:
        told = [_tell(deps, tx, m, to.name, near[m.item_id], means[m.item_id], now_ms) for m in found]
        created = {t["copy"] for t in told if t["outcome"] == Outcome.CREATED.value}
        made = search.by_uid(tx, sorted(created), visible=None)
        copies = [
            (m.item_id, made[t["copy"]].id) for m, t in zip(found, told, strict=True) if t["copy"] in made
        ]
        journal.change_shares(tx, done, to.text, now_ms, deps.params.lifecycle.journal, told=copies)
        return told

    told = deps.store.write(job).result()
    deps.wake()
    return {"to": to.text, "shared": told, "changed": done.id is not None, "journal_id": done.id}


def _tell(
    deps: Deps,
    tx: WriteTx,
    memory: MemoryRow,
    user: str,
    near: Near,
    means: Meaning | None,
    now_ms: int,
) -> Json:
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
