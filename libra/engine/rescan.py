"""New rules for secrets reach what is stored: everything is gone over again when Libra rests (lessons.md C80, C61).

A slice of rows at a time, the place kept in the database, so that a stop costs nothing; copies follow by themselves, since
each says by which rules it was cleaned (:mod:`libra.store.scrub`).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

import orjson

from libra.engine.cleaning import REDACTED_TABLES, RULES
from libra.engine.deps import Deps
from libra.store import meta, wipe
from libra.store.backup import REDACTION_KEY
from libra.store.snapshot import Snapshot
from libra.store.wipe import Place
from libra.store.writer import WriteTx
from libra.text.redact import REDACTION

_LOG = logging.getLogger(__name__)
_AT = "redaction.at"
_CHANGED = "redaction.changed"
_SLICE_ROWS = 200


def rescan_some(deps: Deps) -> bool:
    """Go over the next rows with the rules of today; return False when all have been."""
    if deps.store.read_only or RULES.redaction is None or RULES.identity is None:
        return False
    sweep = RULES.redaction.sweep
    with deps.store.snapshot() as snapshot:
        if (meta.get(snapshot, REDACTION_KEY) or 0) >= REDACTION:
            return False
        number, after, changed = _state(snapshot)
        tables = [table for table in wipe.tables(snapshot) if table.name in REDACTED_TABLES]
        table = tables[number]
        places, following = wipe.look(snapshot, table, after, sweep, _SLICE_ROWS)
    if following is None:
        number += 1
    done = number >= len(tables)
    changed += len(places)
    state = [number, following, changed]
    deps.store.write(partial(_step, places, state, done=done), full_sync=bool(places)).result()
    if done:
        _LOG.info(
            "went over everything with version %d of the rules for secrets: %d values changed",
            REDACTION,
            changed,
        )
        if changed:
            deps.store.vacuum().result()
            deps.wake()
    return True


def _state(snapshot: Snapshot) -> tuple[int, tuple[Any, ...] | None, int]:
    kept = meta.get(snapshot, _AT)
    if kept is None:
        return 0, None, 0
    version, number, after, changed = orjson.loads(kept)
    if version != REDACTION:
        return 0, None, 0
    return number, None if after is None else tuple(after), changed


def _step(places: list[Place], state: list[Any], tx: WriteTx, *, done: bool) -> None:
    if RULES.redaction is not None and RULES.identity is not None:
        wipe.apply(places, RULES.redaction.sweep.change, RULES.identity, tx)
    if done:
        meta.put(tx, REDACTION_KEY, REDACTION)
        meta.put(tx, _CHANGED, state[2])
    meta.put(tx, _AT, None if done else orjson.dumps([REDACTION, *state]).decode())


def progress(snapshot: Snapshot) -> dict[str, Any]:
    """Return how far it is: the version of the rules, whether all is done, what was changed, and the share of rows."""
    version = int(meta.get(snapshot, REDACTION_KEY) or 0)
    out: dict[str, Any] = {"version": REDACTION, "done": version >= REDACTION}
    if out["done"]:
        return {**out, "changed": int(meta.get(snapshot, _CHANGED) or 0)}
    number, after, changed = _state(snapshot)
    whole = int(snapshot.value("SELECT coalesce(max(id), 0) FROM item"))
    share = 1.0 if number else (int(after[0]) / whole if after and whole else 0.0)
    return {**out, "changed": changed, "share": round(min(share, 0.99), 3)}
