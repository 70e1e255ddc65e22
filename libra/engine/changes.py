"""Confirm, correct, undo, journal: what a person does to single memories, and how it is taken back."""

from __future__ import annotations

from typing import Any

from libra.engine import ledger, remember
from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.engine.scopes import check_own, complete, visible
from libra.engine.telling import of_the_person
from libra.ground.errors import Conflict, NotFound
from libra.ground.records import Origin, Who
from libra.lifecycle.confidence import confirmed
from libra.store import journal, memories, revisions, search, undoing, use
from libra.store.journal import DAY_MS, Entry
from libra.store.ledger import Leaf
from libra.store.memories import MemoryRow
from libra.store.store import Snapshot
from libra.store.visibility import Visible
from libra.store.writer import WriteTx

_REPLACES = frozenset({"correct", "update"})
"""Changes whose new memory was nobody's turn: undone, it goes to the archive."""
_ADDS = frozenset({"confirm", "correct"})


def memory_of(deps: Deps, snapshot: Snapshot, who: Who, uid: str, where: str = "id") -> tuple[MemoryRow, str]:
    """Return a memory that the caller may change, and its user; ``where`` is the parameter that named it.

    Raises:
        NotFound: There is none with that id that the caller may see.
        Forbidden: The caller may only read it.
    """
    item = search.by_uid(snapshot, [uid], visible=visible(deps, who)).get(uid)
    found = memories.get(snapshot, item.id) if item is not None else None
    if item is None or found is None:
        raise NotFound("there is no memory with that id", where=where)
    check_own(deps, who, [item.scope])
    return found, item.scope.partition(":")[2] or who.user


def confirm(deps: Deps, who: Who | None, uid: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``confirm``: sure from now on, and no longer bound to expire.

    Raises:
        NotFound: There is no such memory that the caller may see.
        Conflict: It is in the archive, or an agent confirms what an agent has said.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found, user = memory_of(deps, snapshot, caller, uid)
        if not found.active:
            raise Conflict(
                "this memory is in the archive: undo what put it there, or tell it again", where="id"
            )
        if not Wish(origin=origin).by_person(caller) and not of_the_person(snapshot, [found]):
            raise Conflict(
                "an agent said this, and only the person can confirm it", reason="agents_word", where="id"
            )
    params, now_ms = deps.params.lifecycle, deps.clock()

    def job(tx: WriteTx) -> int | None:
        old = memories.get(tx, found.item_id)
        if old is None or not old.active:
            raise Conflict("this memory has changed meanwhile", where="id")
        with journal.change(
            tx, "confirm", user, [old.item_id], now_ms, params.journal, actor_of(caller)
        ) as made:
            sure = confirmed(confidence_now(old, now_ms, params), params.confidence)
            revisions.confirm(tx, old.item_id, None, now_ms, sure)
            revisions.keep(tx, old.item_id)
            use.label(tx, old.item_id, "confirmed", now_ms, useful=True)
        return made.id

    number = deps.store.write(job).result()
    with deps.store.snapshot() as snapshot:
        after, _ = memory_of(deps, snapshot, caller, uid)
    return {
        "id": uid,
        "confidence": after.confidence,
        "confirmations": after.confirmations,
        "expires": after.expires_ms,
        "journal_id": number,
    }


def correct(deps: Deps, who: Who | None, uid: str, text: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``correct``: what the person says instead takes the memory's place.

    Raises:
        NotFound: There is no such memory that the caller may see.
        Conflict: It is in the archive, or it is the person's and an agent asks.
        InvalidParams: Nothing is left of the text.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found, _ = memory_of(deps, snapshot, caller, uid)
    answer = remember.update(deps, who, uid, text, Wish(origin=origin), verb="correct")
    if answer["superseded"]:
        now_ms = deps.clock()
        deps.store.write(lambda tx: use.label(tx, found.item_id, "corrected", now_ms, useful=False)).result()
    return answer


def undo(deps: Deps, who: Who | None, journal_id: int | None) -> dict[str, Any]:
    """Answer the method ``undo``; without a number the newest change that still stands.

    Raises:
        NotFound: The caller's journal has no such entry.
        Conflict: It was undone already, is too old, or the memories have changed since.
    """
    caller = complete(deps, who)
    params, now_ms = deps.params.lifecycle.journal, deps.clock()

    def job(tx: WriteTx) -> Entry:
        entry = journal.last(tx, caller.user) if journal_id is None else journal.get(tx, journal_id)
        if entry is None or entry.owner != caller.user:
            raise NotFound("the journal has no such entry", where="journal_id")
        _refuse(tx, entry, now_ms, params.undo_days)
        undoing.undo(tx, entry, now_ms)
        if entry.leaf is not None:
            ledger.settle(tx, Leaf(entry.leaf["kind"]), entry.owner, now_ms)
        if entry.verb in _REPLACES:
            revisions.archive(tx, entry.made, now_ms)
        if entry.verb in _ADDS:
            use.unlabel(tx, list(entry.changed))
        if entry.verb == "archive":
            for item in memories.expired(tx, now_ms, among=list(entry.changed)):
                revisions.keep(tx, item)  # or it would expire again at once
        if entry.verb == "join":
            one, *others = entry.changed
            for other in others:
                revisions.relate(tx, one, other, revisions.APART, now_ms)
        return entry

    entry = deps.store.write(job).result()
    deps.kept.forget()
    deps.wake()
    about = list(entry.changed)
    if entry.shared is not None:
        # A prompt that is kept word for word may hold it.
        deps.exact.clear()
        about = [*entry.shared["put"], *entry.shared["taken"]]
    with deps.store.snapshot() as snapshot:
        rows = search.rows(snapshot, about)
    return {"undone": entry.id, "verb": entry.verb, "ids": [row.uid for row in rows.values()]}


def _refuse(tx: WriteTx, entry: Entry, now_ms: int, undo_days: int) -> None:
    """Raise Conflict where a change cannot be undone, and say why."""
    if entry.undone_ms is not None:
        raise Conflict("this change was undone already", reason="undone", where="journal_id")
    if now_ms - entry.at_ms > undo_days * DAY_MS:
        raise Conflict(f"this change is older than {undo_days} days", reason="too_old", where="journal_id")
    if not (in_the_way := undoing.moved_on(tx, entry)):
        return
    item, column = in_the_way[0]
    row = search.rows(tx, [item]).get(item)
    if entry.leaf is not None:
        raise Conflict(
            f"this {entry.leaf['kind']} has been changed since",
            reason="moved_on",
            hint="undo the later changes first",
            where="journal_id",
        )
    name = row.uid if row is not None else "a memory of this change"
    what = {"id": "is gone", "active": "has been superseded or archived"}.get(
        column, f"has another {column} by now"
    )
    raise Conflict(
        f"{name} {what}", reason="moved_on", hint="undo the later changes first", where="journal_id"
    )


def entries(deps: Deps, who: Who | None, limit: int, since_ms: int | None) -> dict[str, Any]:
    """Answer the method ``journal``: the caller's own user's changes."""
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found = journal.newest(snapshot, caller.user, limit, since_ms)
        return {"entries": [shown(snapshot, entry, visible(deps, caller)) for entry in found]}


def shown(snapshot: Snapshot, entry: Entry, sees: Visible) -> dict[str, Any]:
    """Return the wire form of a journal entry: ids and columns, no words."""
    rows = search.rows(snapshot, entry.item_ids, sees)
    return {
        "id": entry.id,
        "at": entry.at_ms,
        "verb": entry.verb,
        "actor": entry.actor,
        "items": [
            {"id": rows[item].uid, "changed": {c: pair for c, pair in differs.items() if c != "text"}}
            for item, differs in entry.changed.items()
            if item in rows
        ],
        "made": [rows[item].uid for item in entry.made if item in rows],
        **({"leaf": {n: entry.leaf[n] for n in ("kind", "name")}} if entry.leaf is not None else {}),
        **({"shared": _shares(snapshot, entry.shared, sees)} if entry.shared is not None else {}),
        "undone": entry.undone_ms,
    }


def _shares(snapshot: Snapshot, entry: dict[str, Any], sees: Visible) -> dict[str, Any]:
    ids = {name: search.rows(snapshot, entry[name], sees) for name in ("put", "taken")}
    return {
        "place": entry["place"],
        **{name: [row.uid for row in rows.values()] for name, rows in ids.items() if rows},
        **({"told": len(entry["told"])} if entry["told"] else {}),
    }


def actor_of(who: Who) -> str:
    """Return the name under which a completed caller's changes stand in the journal."""
    return who.agent or who.host or "libra"
