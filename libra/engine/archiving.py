"""Archive and unarchive by hand: out of what is recalled and back, many at a time, and to be undone at one go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine.changes import actor_of
from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.engine.scopes import check_own, complete, visible
from libra.engine.telling import expiry, leave_the_persons
from libra.engine.which import Which, chosen, filter_of
from libra.ground.errors import Conflict, NotFound
from libra.ground.records import Kind, MemoryType, Origin, Who
from libra.store import journal, memories, revisions, search
from libra.store.memories import MemoryRow
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter
from libra.store.writer import WriteTx

SHOWN = 100
"""Of so many records the ids are told; of the others the number."""
PREVIEW_CHARS = 120
_MEMORIES = frozenset({Kind.MEMORY})


def archive(
    deps: Deps, who: Who | None, uids: Sequence[str], which: Which, origin: Origin | None, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``archive``: memories by their ids, and all active ones that fit what is said of them.

    Raises:
        NotFound: An id is none of a memory that the caller may see.
        Forbidden: Some of them are open to the caller for reading only.
        Conflict: Some of them are the person's and an agent asks.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        ids = {row.id for row in _named(deps, snapshot, caller, uids)}
        if which.says_something:
            filt = filter_of(deps, who, which, _MEMORIES, active_only=True)
            ids |= set(chosen(snapshot, filt, which.query))
        rows = _changeable(deps, snapshot, caller, sorted(ids), origin)
    active = {item: row for item, row in rows.items() if row.active}
    number = None
    if active and not dry_run:
        now_ms = deps.clock()

        def job(tx: WriteTx) -> int | None:
            params = deps.params.lifecycle.journal
            with journal.change(
                tx, "archive", caller.user, list(active), now_ms, params, actor_of(caller)
            ) as made:
                revisions.archive(tx, list(active), now_ms)
            return made.id

        number = deps.store.write(job).result()
    return {
        "archived": 0 if dry_run else len(active),
        **({"would_archive": len(active)} if dry_run else {}),
        **preview(list(active.values()), words=dry_run),
        "dry_run": dry_run,
        "journal_id": number,
    }


def unarchive(deps: Deps, who: Who | None, uids: Sequence[str], origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``unarchive``: what has expired gets its type's time anew.

    Raises:
        NotFound: An id is none of a memory that the caller may see.
        Forbidden: Some of them are open to the caller for reading only.
        Conflict: One of them has a successor, says what an active one says, or was taken back in the host; or
            some are the person's and an agent asks.
    """
    caller = complete(deps, who)
    now_ms, params = deps.clock(), deps.params.lifecycle
    with deps.store.snapshot() as snapshot:
        named = [row.id for row in _named(deps, snapshot, caller, uids)]
        rows = _changeable(deps, snapshot, caller, named, origin)
        known = search.rows(snapshot, named, Filter(visible(deps, caller), _MEMORIES, active_only=False))
        if len(known) < len(rows):
            raise Conflict(
                "what told this was taken back in the host: redo it there", reason="taken_back", where="ids"
            )
        away = [item for item, row in rows.items() if not row.active]

    def job(tx: WriteTx) -> int | None:
        found = memories.of_items(tx, away)
        with journal.change(
            tx, "unarchive", caller.user, away, now_ms, params.journal, actor_of(caller)
        ) as made:
            for old in found.values():
                _check_free(tx, caller.user, old)
                kept = old.expires_ms is None or old.expires_ms > now_ms
                kind = MemoryType(old.type or MemoryType.FACT.value)
                until = old.expires_ms if kept else expiry(kind, old.text, now_ms, None, params)
                revisions.revive(tx, old.item_id, until)
        return made.id

    number = deps.store.write(job).result() if away else None
    deps.wake()
    return {
        "unarchived": len(away),
        **preview([rows[item] for item in away], words=False),
        "journal_id": number,
    }


def preview(rows: Sequence[ItemRow], *, words: bool) -> dict[str, Any]:
    """Return the first ids of records that are or would be changed, with the beginning of their words if asked."""
    shown = [
        {
            "id": row.uid,
            "kind": row.kind.wire,
            **({"type": row.type} if row.type else {}),
            **({"text": row.text[:PREVIEW_CHARS]} if words else {}),
        }
        for row in rows[:SHOWN]
    ]
    more = max(len(rows) - SHOWN, 0)
    return {"ids": [row["id"] for row in shown], "items": shown, **({"more": more} if more else {})}


def _named(deps: Deps, snapshot: Snapshot, caller: Who, uids: Sequence[str]) -> list[ItemRow]:
    found = search.by_uid(snapshot, uids, visible=visible(deps, caller))
    missing = {uid for uid in uids if uid not in found or found[uid].kind is not Kind.MEMORY}
    if missing:
        raise NotFound(f"{len(missing)} of {len(uids)} are no memories", where="ids")
    return list(found.values())


def _changeable(
    deps: Deps, snapshot: Snapshot, caller: Who, ids: Sequence[int], origin: Origin | None
) -> dict[int, ItemRow]:
    """Return these memories if the caller may change all of them."""
    rows = search.rows(snapshot, ids)
    check_own(deps, caller, [row.scope for row in rows.values()])
    if not Wish(origin=origin).by_person(caller):
        leave_the_persons(snapshot, list(memories.of_items(snapshot, ids).values()))
    return rows


def _check_free(tx: WriteTx, user: str, old: MemoryRow) -> None:
    if old.superseded_by is not None:
        raise Conflict(
            f"{old.uid} has a successor: undo what put that in its place, or correct that", reason="superseded", where="ids"
        )  # fmt: skip
    if any(twin.active for twin in memories.of_hash(tx, user, old.content_hash)):
        raise Conflict(f"another memory says what {old.uid} says", reason="known", where="ids")
