"""Audit: what the gate refused and why, what hosts said of their sessions, and what a person has called noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from libra.engine.archiving import PREVIEW_CHARS
from libra.engine.changes import actor_of, memory_of
from libra.engine.deps import Deps
from libra.engine.ledger import rows as leaves
from libra.engine.ledger import set_down
from libra.engine.remember import Wish
from libra.engine.scopes import complete, session_key, visible
from libra.engine.telling import leave_the_persons
from libra.ground.records import Origin, Who
from libra.ground.vectors import Vector
from libra.store import hints, journal, memory_lists, refusals, revisions, search, use
from libra.store.ledger import Leaf
from libra.store.writer import WriteTx


def audit(deps: Deps, who: Who | None, why: str | None, k: int) -> dict[str, Any]:
    """Answer the method ``audit``: turns that became no memory, newest first, with the gate's signals."""
    sees = visible(deps, complete(deps, who))
    with deps.store.snapshot() as snapshot:
        found = refusals.newest(snapshot, sees, why, k)
        rows = search.rows(snapshot, [one.item_id for one in found], sees)
    shown = [
        {"turn": rows[one.item_id].uid, "why": one.why, "at": one.at_ms, **one.signals, "text": rows[one.item_id].text[:PREVIEW_CHARS]}
        for one in found
        if one.item_id in rows
    ]  # fmt: skip
    return {"refused": shown, "kept": deps.params.audit.kept}


def lifecycle(deps: Deps, who: Who | None, session: str | None, k: int) -> dict[str, Any]:
    """Answer the method ``lifecycle``: what hosts said of the person's sessions, newest first."""
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found = hints.newest(snapshot, caller.user, session, k)
    return {"entries": [{"at": h.at_ms, "session": h.session, "hook": h.hook} for h in found]}


def note_hint(deps: Deps, who: Who, hook: str, body: dict[str, Any]) -> None:
    """Keep what a host said of a session's life, without secrets; the newest as many as the setting says."""
    key = session_key(who) if who.session else ""
    now_ms, kept = deps.clock(), deps.params.audit.hints
    if kept and not deps.store.read_only:
        clean = deps.cleaner.json(body)
        deps.store.write(lambda tx: hints.put(tx, who.user, key, hook, clean, now_ms, kept)).result()


def noise(deps: Deps, who: Who | None, uid: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``noise``: the memory goes to the archive, and what is near it is not learnt any more.

    Raises:
        NotFound: There is no such memory that the caller may see.
        Forbidden: The caller may only read it.
        Conflict: It is the person's and an agent asks.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        found, user = memory_of(deps, snapshot, caller, uid)
        if not Wish(origin=origin).by_person(caller):
            leave_the_persons(snapshot, [found])
    now_ms, params = deps.clock(), deps.params.lifecycle.journal

    def job(tx: WriteTx) -> int | None:
        with journal.change(tx, "archive", user, [found.item_id], now_ms, params, actor_of(caller)) as made:
            revisions.archive(tx, [found.item_id], now_ms)
            use.label(tx, found.item_id, "noise", now_ms, useful=False)
        return made.id

    archived = deps.store.write(job).result()
    number = set_down(deps, caller, "noise", (Leaf.NOISE, uid), {"item": uid})
    return {"id": uid, "archived": archived, "journal_id": number}


def is_noise(deps: Deps, user: str, vector: Vector | None) -> bool:
    """Return True if a text is near what the person has called noise; costs a dictionary's look where there is none."""
    if vector is None:
        return False
    known = leaves(deps, Leaf.NOISE, user)
    if not known and not deps.params.noise.learn:
        return False
    matrix = deps.kept.get(("noise vectors", user), lambda: _prototypes(deps, user))
    if matrix is None or matrix.shape[1] != len(vector):
        return False
    return float((matrix @ vector).max()) >= deps.params.noise.cosine


def _prototypes(deps: Deps, user: str) -> Vector | None:
    """Return the vectors of what is noise, shape ``(n, dims)``; None if there is none."""
    uids = [str(row.body["item"]) for row in leaves(deps, Leaf.NOISE, user)]
    most = deps.params.noise.most
    with deps.store.snapshot() as snapshot:
        items = [row.id for row in search.by_uid(snapshot, uids, visible=None).values()]
        if deps.params.noise.learn:
            items += memory_lists.unused(snapshot, user, most)
        found = search.vectors_of(snapshot, deps.store, items[:most])
    return np.stack(list(found.values())) if found else None
