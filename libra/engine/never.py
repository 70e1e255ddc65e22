"""Never here: what a person keeps out of the prompts of one place, without forgetting it."""

from __future__ import annotations

from typing import Any

from libra.engine.deps import Deps
from libra.engine.ids import whole
from libra.engine.reading import one
from libra.engine.scopes import check_own, complete
from libra.ground.errors import InvalidParams
from libra.ground.records import Kind, Who
from libra.store import forget as removal
from libra.store import never, search
from libra.store.snapshot import Snapshot
from libra.store.writer import WriteTx

_WRITTEN = frozenset({Kind.DIRECTIVE, Kind.LORE})


def places_of(caller: Who) -> list[str]:
    """Return the places that a completed caller's prompts are of."""
    parts = {"project": caller.project, "agent": caller.agent, "host": caller.host, "session": caller.session}
    return [f"{kind}:{name}" for kind, name in parts.items() if name]


def put(deps: Deps, who: Who | None, uid: str, place: str) -> dict[str, Any]:
    """Answer the method ``never``: the record, and what tells the same, stay out of that place's prompts.

    Raises:
        NotFound: There is no such record that the caller may see.
        Forbidden: The caller may only read it.
        InvalidParams: It stands in a file, which decides by itself where it holds.
    """
    with deps.store.snapshot() as snapshot:
        items = _same(deps, snapshot, who, uid)
    now_ms = deps.clock()
    added = deps.store.write(lambda tx: never.put(tx, place, items, now_ms)).result()
    return {"id": uid, "place": place, "records": len(items), "changed": added > 0}


def take_back(deps: Deps, who: Who | None, uid: str, place: str) -> dict[str, Any]:
    """Answer the method ``allow``: the record may stand in that place's prompts again. Errors as :func:`put`."""
    with deps.store.snapshot() as snapshot:
        items = _same(deps, snapshot, who, uid)

    def job(tx: WriteTx) -> int:
        return never.take_back(tx, place, items)

    freed = deps.store.write(job).result()
    return {"id": uid, "place": place, "records": freed, "changed": freed > 0}


def _same(deps: Deps, snapshot: Snapshot, who: Who | None, uid: str) -> list[int]:
    """Return a record with its turns, memories and guidance: kept out alone, its words would come back as those."""
    found = one(deps, snapshot, who, whole(deps, who, uid))
    if found.kind in _WRITTEN:
        raise InvalidParams(
            "this stands in a file: change the file, or the folder that it is in",
            where="id",
            hint=found.source_path,
        )
    rows = search.rows(snapshot, removal.closure(snapshot, [found.id]))
    check_own(deps, complete(deps, who), [found.scope])
    return sorted(row.id for row in rows.values() if row.kind is not Kind.SUMMARY or row.id == found.id)
