"""Missed recalls: the person says that something known should have come up; why it did not, and what follows from it."""

from __future__ import annotations

from typing import Any

from libra.engine import remember
from libra.engine.ageing import confidence_now
from libra.engine.changes import actor_of
from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.engine.scopes import complete, visible
from libra.engine.search import DEFAULT_KINDS, SearchRequest, search
from libra.ground.errors import NotFound
from libra.ground.records import Kind, MemoryType, Origin, Role, Who
from libra.lifecycle.confidence import recalled
from libra.lifecycle.statement import memorable
from libra.store import journal, memories, revisions, use
from libra.store import search as reading
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.writer import WriteTx

_FAR = 1_000


def missed(deps: Deps, who: Who | None, uid: str, query: str) -> dict[str, Any]:
    """Answer the method ``missed``: where the record stands for this question, why it did not come up, what was done.

    A memory counts as used once more; one that had expired comes back; a turn of the person's becomes a memory.

    Raises:
        NotFound: There is no such record that the caller may see.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        row = reading.by_uid(snapshot, [uid], visible=visible(deps, caller)).get(uid)
        if row is None:
            raise NotFound("there is no record with that id", where="id")
        memory = memories.get(snapshot, row.id)
    hits = search(deps, who, SearchRequest(query, _FAR, DEFAULT_KINDS | {row.kind}, archive=True))["hits"]
    place = next((n for n, hit in enumerate(hits, 1) if hit["id"] == uid), None)
    score = hits[place - 1]["score"] if place is not None else None
    return {
        "id": uid,
        "place": place,
        "score": score,
        "why": _why(deps, row, memory, place, score),
        **_follow(deps, who, caller, row, memory),
    }


def _why(deps: Deps, row: ItemRow, memory: MemoryRow | None, place: int | None, score: float | None) -> str:
    if memory is not None and memory.superseded_by is not None:
        return "superseded"
    if not row.active:
        return "archived"
    if place is None:
        return "not found by this question"
    floor = deps.params.rank.floor
    return "under the floor" if score is not None and score < floor else "others came first"


def _follow(
    deps: Deps, who: Who | None, caller: Who, row: ItemRow, memory: MemoryRow | None
) -> dict[str, Any]:
    """Let what was missed be found more easily from now on; say what was done."""
    if memory is not None:
        if memory.superseded_by is not None:
            return {"done": "nothing"}
        number = _count(deps, caller, memory)
        return {"done": "counted" if memory.active else "brought back", "journal_id": number}
    owner = row.role == Role.USER.value and row.origin == Origin.OWNER.value
    if row.kind is not Kind.TURN or not owner:
        return {"done": "nothing"}
    told = remember.remember(
        deps, who, memorable(row.text), Wish(type=MemoryType.CONTEXT, origin=Origin.OWNER)
    )
    return {"done": "kept", "memory": told["id"]}


def _count(deps: Deps, caller: Who, memory: MemoryRow) -> int | None:
    now_ms, params = deps.clock(), deps.params.lifecycle

    def job(tx: WriteTx) -> int | None:
        item = memory.item_id
        with journal.change(
            tx, "missed", caller.user, [item], now_ms, params.journal, actor_of(caller)
        ) as made:
            if not memory.active:
                revisions.revive(tx, item, None)
            sure = recalled(confidence_now(memory, now_ms, params), params.confidence)
            revisions.recalled(tx, {item: sure}, now_ms)
            use.label(tx, item, "missed", now_ms, useful=True)
        return made.id

    return deps.store.write(job).result()
