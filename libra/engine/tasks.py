"""Work on the whole database that a person asks for, done by the background worker a slice at a time.

What is to be done and how far it is stands in the database, so that a stop or a crash costs at most a slice (lessons C60,
C108). While a task runs everything else goes on: people's requests first, what was just said next.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any

import orjson

from libra.engine import reapply
from libra.engine.deps import Deps
from libra.ground.errors import Conflict
from libra.store import meta, reindex, repair, spare, vectors
from libra.store.snapshot import Snapshot
from libra.store.sql import Reader
from libra.store.vectors import ChunkVectors
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)
_KEY = "task."
_INDEX_ITEMS = 500
_EMBED_ITEMS = 64
Json = dict[str, Any]


class _Later(Exception):
    """What the task needs is not there yet."""


class Task(StrEnum):
    """What there is to do."""

    VACUUM = "vacuum"
    REINDEX = "reindex"
    REEMBED = "reembed"
    REAPPLY = "reapply"


def queue(deps: Deps, task: Task, state: Json | None = None) -> Json:
    """Queue a task unless it is queued already; return how far it is.

    What is returned is read where it is queued: the worker may have done a small task before another look at it.

    Raises:
        StoreError: The database cannot be written.
    """
    now_ms = deps.clock()

    def job(tx: WriteTx) -> Json:
        found = _state(tx, task)
        if found is None:
            found = {"at": 0, "started_ms": now_ms, **(state or {})}
            meta.put(tx, _KEY + task, _packed(found))
        return _shown(tx, task, found)

    shown = deps.store.write(job).result()
    deps.wake()
    return shown


def progress(snapshot: Snapshot) -> list[Json]:
    """Return the tasks that are not done yet: ``{name, started, done, of}``."""
    states = ((task, _state(snapshot, task)) for task in Task)
    return [_shown(snapshot, task, state) for task, state in states if state is not None]


def _state(s: Reader, task: Task) -> Json | None:
    kept = meta.get(s, _KEY + task)
    return None if kept is None else orjson.loads(kept)


def _shown(s: Reader, task: Task, state: Json) -> Json:
    of = int(state["of"] if "of" in state else s.value("SELECT coalesce(max(id), 0) FROM item"))
    return {"name": task.value, "started": state["started_ms"], "done": min(int(state["at"]), of), "of": of}


def work_on_some(deps: Deps) -> bool:
    """Do the next slice of the first task; return False if there is none."""
    if deps.store.read_only:
        return False
    for task in Task:
        with deps.store.snapshot() as snapshot:
            state = _state(snapshot, task)
        if state is None:
            continue
        try:
            following = _WORK[task](deps, state)
        except _Later:
            continue
        packed = None if following is None else _packed(following)
        deps.store.write(partial(_keep, _KEY + task, packed)).result()
        if following is None:
            _LOG.info("%s is done", task.value)
        return True
    return False


def _keep(key: str, packed: str | None, tx: WriteTx) -> None:
    meta.put(tx, key, packed)


def _packed(state: Json) -> str:
    return orjson.dumps(state).decode()


# ------------------------------------------------------------------ one slice of each


def _vacuum(deps: Deps, state: Json) -> Json | None:
    """Merge, then cut; ``at`` counts the pages that were given back."""
    if not state.get("merged"):
        more = deps.store.write(spare.merge).result()
        with deps.store.snapshot() as snapshot:
            return {**state, "merged": not more, "of": spare.free_pages(snapshot)}
    with deps.store.snapshot() as snapshot:
        if spare.free_pages(snapshot) and not spare.can_cut(snapshot):
            deps.store.vacuum().result()
            return None
    more = deps.store.write(spare.cut).result()
    with deps.store.snapshot() as snapshot:
        free = spare.free_pages(snapshot)
    return {**state, "at": max(int(state["of"]) - free, 0)} if more else None


def _reindex(deps: Deps, state: Json) -> Json | None:
    if not state.get("begun"):
        deps.store.write(reindex.begin).result()
        deps.store.write(repair.mend).result()
        return {**state, "begun": True}
    more = deps.store.write(lambda tx: reindex.step(tx, _INDEX_ITEMS)).result()
    with deps.store.snapshot() as snapshot:
        where = reindex.running(snapshot)
    return {**state, "at": where[0]} if more and where is not None else None


def _reembed(deps: Deps, state: Json) -> Json | None:
    """Make the vectors of the next items anew; the old ones are searched until then."""
    embedder = deps.model.get()
    if embedder is None:
        raise _Later
    with deps.store.snapshot() as snapshot:
        rows = vectors.ready_after(snapshot, int(state["at"]), _EMBED_ITEMS)
    if not rows:
        return None
    windows = embedder.embed_passages([text for _, text in rows])
    made = [
        ChunkVectors(item, [(w.start, w.end, w.vector) for w in found])
        for (item, _), found in zip(rows, windows, strict=True)
    ]
    try:
        deps.store.write(lambda tx: vectors.put(tx, made, embedder.fingerprint)).result()
    except Conflict:
        # Another model began meanwhile: everything is made anew for that one anyway.
        return None
    return {**state, "at": rows[-1][0]}


_WORK: Mapping[Task, Callable[[Deps, Json], Json | None]] = {
    Task.VACUUM: _vacuum,
    Task.REINDEX: _reindex,
    Task.REEMBED: _reembed,
    Task.REAPPLY: reapply.some,
}
