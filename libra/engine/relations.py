"""Relations: what hangs together with a record, one hop; and those that a person or an agent adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine.archiving import PREVIEW_CHARS
from libra.engine.changes import actor_of, memory_of
from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.ground.errors import InvalidParams, NotFound
from libra.ground.records import Who
from libra.store import journal, memories, revisions, search
from libra.store.writer import WriteTx

_MUTUAL = "related_to"
"""The kind of relation that is the same from both sides."""


def relations(deps: Deps, who: Who | None, uid: str, kinds: Sequence[str] | None, k: int) -> dict[str, Any]:
    """Answer the method ``relations``: each by its name from this record's side.

    Raises:
        NotFound: There is no such record that the caller may see.
    """
    sees = visible(deps, complete(deps, who))
    with deps.store.snapshot() as snapshot:
        one = search.by_uid(snapshot, [uid], visible=sees).get(uid)
        if one is None:
            raise NotFound("there is no record with that id", where="id")
        links = [
            (other, kind) for _, other, kind in memories.related(snapshot, [one.id], sees) if not kinds or kind in kinds
        ]  # fmt: skip
        rows = search.rows(snapshot, [other for other, _ in links[:k]], sees)
    shown = [
        {
            "kind": kind,
            "id": row.uid,
            "of": row.kind.wire,
            **({"type": row.type} if row.type else {}),
            "active": row.active,
            "text": row.text[:PREVIEW_CHARS],
        }
        for other, kind in links[:k]
        if (row := rows.get(other)) is not None
    ]
    return {"id": uid, "relations": shown, "more": max(len(links) - k, 0)}


def relate(deps: Deps, who: Who | None, ends: tuple[str, str], kind: str, *, remove: bool) -> dict[str, Any]:
    """Answer the methods ``relate`` and ``unrelate``: from the first memory to the second.

    What hangs together is seen from both sides, so that it is taken back from either, and being about the same matter is said once.

    Raises:
        NotFound: One of them is no memory that the caller may see; ``where`` names which.
        Forbidden: One of them is open to the caller for reading only.
        InvalidParams: Both are the same.
    """
    caller = complete(deps, who)
    if ends[0] == ends[1]:
        raise InvalidParams("to: expected another memory", where="to")
    with deps.store.snapshot() as snapshot:
        (one, user), (other, _) = (
            memory_of(deps, snapshot, caller, uid, where)
            for uid, where in zip(ends, ("id", "to"), strict=True)
        )
    if one.item_id == other.item_id:
        raise InvalidParams("to: expected another memory", where="to")
    now_ms, params = deps.clock(), deps.params.lifecycle.journal
    verb = "unrelate" if remove else "relate"

    def job(tx: WriteTx) -> int | None:
        this, that = one.item_id, other.item_id
        with journal.change(tx, verb, user, [this, that], now_ms, params, actor_of(caller)) as made:
            if remove:
                revisions.unrelate(tx, this, that, kind)
                revisions.unrelate(tx, that, this, kind)
            elif kind != _MUTUAL or not revisions.related(tx, that, this, kind):
                revisions.relate(tx, this, that, kind, now_ms)
        return made.id

    number = deps.store.write(job).result()
    told = {"id": ends[0], "to": ends[1], "kind": kind}
    return {**told, "changed": number is not None, "journal_id": number}
