"""Remember and update: what a person or an agent asks to be kept, in so many words (memory model §4).

The person's own word is sure. What an agent hands in stays marked as the agent's: it is shown as such, is never a
rule, a preference or a statement about who the person is, and changes nothing that the person said (lessons C38).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps, LifecycleParams
from libra.engine.scopes import check_own, complete, visible
from libra.engine.telling import Near, Outcome, Telling, Told, expiry, leave_the_persons, nearest, tell
from libra.ground.errors import Conflict, InvalidParams, ModelError, NotFound
from libra.ground.records import MemoryType, Origin, Role, Who
from libra.ground.vectors import Vector
from libra.lifecycle.confidence import confirmed
from libra.lifecycle.consolidate import content_hash, particulars_text
from libra.lifecycle.types import TYPES, detect
from libra.store import journal, memories, receipts, revisions, search, sessions, shared, tombstones
from libra.store.memories import MemoryRow, NewMemory
from libra.store.tombstones import Meaning
from libra.store.writer import WriteTx
from libra.text.marks import line_hash, strip
from libra.text.redact import Redaction
from libra.text.tokens import estimate

_NOT_AN_AGENTS = frozenset({MemoryType.INSTRUCTION, MemoryType.PREFERENCE, MemoryType.IDENTITY})
"""Types that only the person's own words make. Source: memory-model.md §1, records.Origin."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The parameters of ``remember`` and ``update`` that say how a memory is kept.

    Attributes:
        type: None to find it from the text.
        priority: 0–100; None for the type's own.
        ttl_ms: Time to live; 0 for ever, None for the type's own.
        origin: Whose words they are; None for the agent's where a host is named, else the person's.
    """

    type: MemoryType | None = None
    priority: int | None = None
    ttl_ms: int | None = None
    origin: Origin | None = None

    def by_person(self, who: Who) -> bool:
        """Return True if these are the person's own words."""
        return self.origin is Origin.OWNER or (self.origin is None and who.host is None)


def remember(deps: Deps, who: Who | None, text: str, wish: Wish) -> dict[str, Any]:
    """Answer the method ``remember``.

    Raises:
        InvalidParams: Nothing is left of the text without our own marks.
        StoreError: Nothing was stored.
    """
    caller = complete(deps, who)
    person = wish.by_person(caller)
    said = _clean(deps, text)
    vector, fingerprint = _meaning(deps, said.text)
    means = _kept_meaning(said.text, vector, fingerprint)
    kind, demoted = _type(said.text, wish.type, person=person)
    with deps.store.snapshot() as snapshot:
        near = nearest(deps, snapshot, caller.user, vector)
        session = sessions.find(snapshot, caller.session, caller.user) if caller.session else None
    now_ms = deps.clock()
    new = Telling(
        text=said.text,
        user=caller.user,
        type=kind,
        ts_ms=now_ms,
        role=(Role.USER if person else Role.ASSISTANT).value,
        project=caller.project,
        agent=caller.agent,
        session_id=session.id if session else None,
        confidence=deps.params.lifecycle.confidence.confirmed if person else None,
        priority=wish.priority,
        ttl_ms=wish.ttl_ms,
        signals=_signals("remember", wish, caller, person=person),
        bound=not person,
    )

    def job(tx: WriteTx) -> Told | None:
        if not person and taken_back(tx, new.user, new.text, means):
            return None
        return tell(tx, new, _still_there(tx, near), now_ms, deps.params.lifecycle)

    told = deps.store.write(job).result()
    deps.wake()
    answer = _told(deps, told, said)
    if demoted is not None and told is not None and told.outcome is Outcome.CREATED:
        answer["instead_of_type"] = demoted.value
    return answer


def update(
    deps: Deps, who: Who | None, uid: str, text: str | None, wish: Wish, verb: str = "update"
) -> dict[str, Any]:
    """Answer the method ``update``: other words are a successor, so that the earlier ones stay in the history.

    ``verb`` is what the journal calls it.

    Raises:
        NotFound: There is no such memory that the caller may see.
        Forbidden: The caller may only read it.
        Conflict: It was superseded, or it is the person's and an agent asks.
        InvalidParams: Nothing is left of the text.
    """
    caller = complete(deps, who)
    person = wish.by_person(caller)
    said = None if text is None else _clean(deps, text)
    with deps.store.snapshot() as snapshot:
        item = search.by_uid(snapshot, [uid], visible=visible(deps, caller)).get(uid)
        old = memories.get(snapshot, item.id) if item is not None else None
        if item is None or old is None:
            raise NotFound("there is no memory with that id", where="id")
        check_own(deps, caller, [item.scope])
        if not old.active:
            raise Conflict("this memory is in the archive: a newer one may stand in its place", where="id")
        if not person:
            leave_the_persons(snapshot, [old])
    now_ms = deps.clock()
    user = item.scope.partition(":")[2] or caller.user
    wanted = wish.type or (MemoryType(old.type) if old.type else MemoryType.FACT)
    kind = MemoryType.FACT if not person and wanted in _NOT_AN_AGENTS else wanted
    role = (Role.USER if person else Role.ASSISTANT).value
    signals = _signals("update", wish, caller, person=person)

    params = deps.params.lifecycle
    actor = caller.agent or caller.host or "libra"
    successor = None
    if said is not None and content_hash(said.text) != old.content_hash:
        successor = replace(
            _successor(old, said.text, kind, wish, user, now_ms, params),
            project=item.project, agent=item.agent, session_id=item.session_id, role=role, signals=signals,
            confidence=params.confidence.confirmed if person else params.confidence.replacement,
        )  # fmt: skip

    def job(tx: WriteTx) -> tuple[str, int | None]:
        if successor is not None:
            return _put_instead(tx, old, successor, (verb, actor), now_ms, params, person=person)
        with journal.change(tx, verb, user, [old.item_id], now_ms, params.journal, actor) as made:
            _adjust(tx, old, kind, wish, now_ms, params)
        return old.uid, made.id

    holds, number = deps.store.write(job).result()
    deps.wake()
    answer = _shown(deps, holds)
    answer["superseded"] = [] if holds == uid else [uid]
    answer |= {"changed": number is not None, "journal_id": number}
    answer["redacted"] = list(said.kinds) if said is not None else []
    return answer


def _clean(deps: Deps, text: str) -> Redaction:
    """Take off our own marks, then secrets, in this order (lessons C27, C79)."""

    def injected(line: str) -> bool:
        with deps.store.snapshot() as snapshot:
            return receipts.receipt_of_line(snapshot, line_hash(line)) is not None

    said = deps.cleaner.text(strip(text, injected, deps.shown.half).text)
    if not said.text.strip():
        raise InvalidParams("nothing is left to keep of this text", where="text")
    return replace(said, text=said.text.strip())


def _meaning(deps: Deps, text: str) -> tuple[Vector | None, str]:
    """Return the vector of a text and its model's fingerprint; without a model only equal words are recognised."""
    embedder = deps.model.get()
    if embedder is None:
        return None, ""
    try:
        windows = embedder.embed_passages([text])[0]
    except ModelError:
        return None, ""
    return (windows[0].vector if windows else None), embedder.fingerprint


def _kept_meaning(text: str, vector: Vector | None, fingerprint: str) -> Meaning | None:
    return None if vector is None else tombstones.meaning(vector, fingerprint, particulars_text(text))


def meaning(deps: Deps, text: str) -> Meaning | None:
    """Return what of a text's meaning is held against tombstones; None without a model."""
    return _kept_meaning(text, *_meaning(deps, text))


def _type(text: str, asked: MemoryType | None, *, person: bool) -> tuple[MemoryType, MemoryType | None]:
    """Return the type to keep, and the one that it would have had from the person."""
    kind = asked or detect(text, Role.USER, 0.0, 0.0) or MemoryType.FACT
    if person or kind not in _NOT_AN_AGENTS:
        return kind, None
    return MemoryType.FACT, kind


def taken_back(tx: WriteTx, user: str, text: str, means: Meaning | None, said_ms: int | None = None) -> bool:
    """Return True if the person made Libra forget this: an agent or a file does not bring it back (lessons C90)."""
    graves = tombstones.open_graves(tx, user)
    return graves is not None and (
        graves.holds(tx, None, None, text, said_ms)
        or (means is not None and graves.hold_meaning(tx, means, said_ms))
    )


def _still_there(tx: WriteTx, near: Near) -> Near:
    return [(row, cosine) for row, cosine in near if memories.get(tx, row.item_id) is not None]


def _signals(verb: str, wish: Wish, who: Who, *, person: bool) -> dict[str, Any]:
    """Return what ``explain`` shows of where a memory came from."""
    origin = Origin.OWNER if person else (wish.origin or Origin.AGENT)
    return {"admitted_by": verb, "origin": origin.value, **({"host": who.host} if who.host else {})}


def _put_instead(
    tx: WriteTx,
    old: MemoryRow,
    new: NewMemory,
    done_by: tuple[str, str],
    now_ms: int,
    params: LifecycleParams,
    *,
    person: bool,
) -> tuple[str, int | None]:
    """Supersede a memory by another, or by the one that says so already; return the uid of what holds now, and the change.

    ``done_by`` are verb and actor for the journal.
    """
    twin = next((m for m in memories.of_hash(tx, new.user, new.content_hash) if m.active), None)
    touched = [old.item_id] if twin is None else [old.item_id, twin.item_id]
    verb, actor = done_by
    with journal.change(tx, verb, new.user, touched, now_ms, params.journal, actor) as made:
        if twin is None:
            uid = memories.free_uid(tx, new.user, new.content_hash, f"{old.uid}@{now_ms}")
            new_id = memories.insert(tx, replace(new, uid=uid), now_ms)
            made.made.append(new_id)
        else:
            new_id, uid = twin.item_id, twin.uid
            if person:
                sure = confirmed(confidence_now(twin, now_ms, params), params.confidence)
                revisions.confirm(tx, new_id, None, now_ms, sure)
        revisions.supersede(tx, old.item_id, new_id, now_ms)
        if person:
            shared.follow(tx, old.item_id, new_id)
    return uid, made.id


def _adjust(
    tx: WriteTx, old: MemoryRow, kind: MemoryType, wish: Wish, now_ms: int, params: LifecycleParams
) -> None:
    """Change type, priority and time to live; what a person has chosen before stays through a change of type."""
    if old.type != kind.value:
        until = expiry(kind, old.text, now_ms, None, params)
        revisions.retype(tx, old.item_id, kind, TYPES[kind].priority, until)
        revisions.typed_by_hand(tx, old.item_id)
    if wish.priority is not None:
        revisions.weigh(tx, old.item_id, wish.priority)
    if wish.ttl_ms is not None:
        revisions.expire(tx, old.item_id, wish.ttl_ms, expiry(kind, old.text, now_ms, wish.ttl_ms, params))


def _successor(
    old: MemoryRow, text: str, kind: MemoryType, wish: Wish, user: str, now_ms: int, params: LifecycleParams
) -> NewMemory:
    """Return the memory that takes another's place: its subject and slot, and what a person chose, stay what they were.

    Its name is given when it is stored.
    """
    ttl_ms = old.ttl_ms if wish.ttl_ms is None else wish.ttl_ms
    by_type = old.priority if old.type == kind.value else TYPES[kind].priority
    priority = old.priority if old.priority_manual else by_type
    return NewMemory(
        uid="",
        user=user,
        type=kind,
        text=text,
        tokens=estimate(text),
        ts_ms=now_ms,
        content_hash=content_hash(text),
        priority=priority if wish.priority is None else wish.priority,
        ttl_ms=ttl_ms,
        expires_ms=expiry(kind, text, now_ms, ttl_ms, params),
        subject=old.subject,
        slot=old.slot,
        priority_manual=old.priority_manual or wish.priority is not None,
        ttl_manual=old.ttl_manual or wish.ttl_ms is not None,
    )


def _told(deps: Deps, told: Told | None, said: Redaction) -> dict[str, Any]:
    if told is None:
        return {"id": None, "outcome": "forgotten", "redacted": list(said.kinds)}
    answer = _shown(deps, told.uid)
    answer["outcome"] = told.outcome.value
    answer["superseded"] = list(told.superseded)
    answer["against"] = list(told.against)
    answer["redacted"] = list(said.kinds)
    return answer


def _shown(deps: Deps, uid: str) -> dict[str, Any]:
    with deps.store.snapshot() as snapshot:
        item = search.by_uid(snapshot, [uid], visible=None)[uid]
    return {
        "id": uid,
        "type": item.type,
        "text": item.text,
        "confidence": item.confidence,
        "priority": item.priority,
    }
