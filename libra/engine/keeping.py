"""How much a memory matters and how long it is kept, by a person's hand: priority, pins, time to live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libra.engine.changes import actor_of, memory_of
from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.engine.scopes import complete
from libra.engine.telling import expiry, leave_the_persons
from libra.ground.errors import Conflict
from libra.ground.records import MemoryType, Origin, Who
from libra.lifecycle.types import DAY_MS, TYPES
from libra.store import journal, memories, revisions
from libra.store.memories import MemoryRow
from libra.store.writer import WriteTx

PINNED = 100
"""The priority of a pinned memory, which is the highest. It does not expire either."""
FOR_GOOD = 0
"""A time to live that never ends."""
_LOOKED_BACK = 50
"""Changes of a memory among which its pin is looked for."""


def is_pinned(found: MemoryRow) -> bool:
    """Return True if a person has given it the highest priority and all the time."""
    by_hand = found.priority_manual and found.ttl_manual
    return by_hand and found.priority == PINNED and found.expires_ms is None


def set_priority(
    deps: Deps, who: Who | None, uid: str, priority: int | None, origin: Origin | None
) -> dict[str, Any]:
    """Answer the method ``set_priority``; None for what its type has.

    Raises:
        NotFound: There is no such memory that the caller may see.
        Forbidden: The caller may only read it.
        Conflict: It is in the archive, or it is the person's and an agent asks.
    """

    def do(tx: WriteTx, old: MemoryRow, _now_ms: int) -> None:
        if priority is None:
            revisions.weigh(tx, old.item_id, TYPES[_type(old)].priority, manual=False)
        else:
            revisions.weigh(tx, old.item_id, priority)

    return _changed(deps, who, uid, origin, "set_priority", do)


def extend(deps: Deps, who: Who | None, uid: str, days: int | None, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``extend``: so many days from now on; None for good. See :func:`set_priority`."""

    def do(tx: WriteTx, old: MemoryRow, now_ms: int) -> None:
        if days is None:
            revisions.expire(tx, old.item_id, FOR_GOOD, None)
        else:
            revisions.expire(tx, old.item_id, days * DAY_MS, now_ms + days * DAY_MS)

    return _changed(deps, who, uid, origin, "extend", do)


def pin(deps: Deps, who: Who | None, uid: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``pin``. See :func:`set_priority`."""

    def do(tx: WriteTx, old: MemoryRow, _now_ms: int) -> None:
        if not is_pinned(old):
            revisions.weigh(tx, old.item_id, PINNED)
            revisions.expire(tx, old.item_id, FOR_GOOD, None)

    return _changed(deps, who, uid, origin, "pin", do)


def unpin(deps: Deps, who: Who | None, uid: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``unpin``: what it had before it was pinned; one that is not pinned stays as it is.

    Where the journal does not hold the pin any more, priority and time are its type's. What would have expired
    meanwhile gets its type's time from now on. See :func:`set_priority`.
    """

    def do(tx: WriteTx, old: MemoryRow, now_ms: int) -> None:
        if not is_pinned(old):
            return
        kind = _type(old)
        anew = expiry(kind, old.text, now_ms, None, deps.params.lifecycle)
        before = _before_pin(tx, old.item_id)
        if before is None:
            revisions.weigh(tx, old.item_id, TYPES[kind].priority, manual=False)
            revisions.expire(tx, old.item_id, None, anew, manual=False)
            return
        priority, by_hand, ttl_ms, expires_ms, time_by_hand = (
            before[column][0] if column in before else getattr(old, column)
            for column in ("priority", "priority_manual", "ttl_ms", "expires_ms", "ttl_manual")
        )
        if expires_ms is not None and expires_ms <= now_ms:
            ttl_ms, expires_ms, time_by_hand = None, anew, False
        revisions.weigh(tx, old.item_id, priority, manual=bool(by_hand))
        revisions.expire(tx, old.item_id, ttl_ms, expires_ms, manual=bool(time_by_hand))

    return _changed(deps, who, uid, origin, "unpin", do)


def _before_pin(tx: WriteTx, item_id: int) -> dict[str, list[Any]] | None:
    """Return what the last pin has changed of a memory, by column; None if the journal has none."""
    pins = (e for e in journal.of_item(tx, item_id, _LOOKED_BACK) if e.verb == "pin" and e.undone_ms is None)
    found = next(pins, None)
    return None if found is None else found.changed.get(item_id, {})


def _changed(
    deps: Deps,
    who: Who | None,
    uid: str,
    origin: Origin | None,
    verb: str,
    do: Callable[[WriteTx, MemoryRow, int], None],
) -> dict[str, Any]:
    """Change an active memory under the caller's name, and return what it is kept by now."""
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found, user = memory_of(deps, snapshot, caller, uid)
        if not found.active:
            raise Conflict(
                "this memory is in the archive: bring it back first", reason="archived", where="id"
            )
        if not Wish(origin=origin).by_person(caller):
            leave_the_persons(snapshot, [found])
    now_ms = deps.clock()

    def job(tx: WriteTx) -> int | None:
        old = memories.get(tx, found.item_id)
        if old is None or not old.active:
            raise Conflict("this memory has changed meanwhile", where="id")
        params = deps.params.lifecycle.journal
        with journal.change(tx, verb, user, [old.item_id], now_ms, params, actor_of(caller)) as made:
            do(tx, old, now_ms)
        return made.id

    number = deps.store.write(job).result()
    with deps.store.snapshot() as snapshot:
        after, _ = memory_of(deps, snapshot, caller, uid)
    return {"id": uid, **kept_by(after), "changed": number is not None, "journal_id": number}


def kept_by(found: MemoryRow) -> dict[str, Any]:
    """Return how much a memory matters and how long it stays, and who says so."""
    return {
        "priority": found.priority,
        "priority_by": "person" if found.priority_manual else "type",
        "expires": found.expires_ms,
        "ttl_by": "person" if found.ttl_manual else "type",
        "pinned": is_pinned(found),
    }


def _type(found: MemoryRow) -> MemoryType:
    return MemoryType(found.type or MemoryType.FACT.value)
