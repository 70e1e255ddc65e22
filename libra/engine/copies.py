"""Backup: copies of the database while it is in use, one a day by itself, and none that keeps what was forgotten.

Going back to a copy is no verb: it needs that nothing else has the database open (:mod:`libra.store.restore`).
"""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from libra.engine.automatic import Lookout
from libra.engine.cleaning import RULES
from libra.engine.deps import Deps
from libra.ground.errors import LibraError
from libra.store import backup as copying
from libra.store.scrub import clean_one

Json = dict[str, Any]

_LOG = logging.getLogger(__name__)
_AGAIN_MS = 3_600_000
"""After a copy that failed (a full disk) the next one is tried an hour later."""


def backup(deps: Deps, label: str) -> Json:
    """Answer the method ``backup``.

    Raises:
        StoreError: The copy could not be made.
    """
    made = deps.store.back_up(label)
    found = next(copy for copy in copying.every(deps.store.backups) if copy.name == made.name)
    return {**shown(found), "path": str(made)}


def backups(deps: Deps) -> Json:
    """Answer the method ``backups``."""
    found = copying.every(deps.store.backups)
    return {"folder": str(deps.store.backups), "backups": [shown(copy) for copy in found]}


def shown(copy: copying.Copy) -> Json:
    """Return a copy as it goes over the wire."""
    fields = asdict(copy)
    return {
        "name": fields.pop("name"),
        "made": fields.pop("made_ms"),
        "verified": fields.pop("verified_ms"),
        **fields,
    }


def look_after(deps: Deps, lookout: Lookout) -> bool:
    """Pack a copy that was set aside, make the daily one if it is due, or clean one of what was forgotten since; True if any was done."""
    now_ms = deps.clock()
    if deps.store.read_only or now_ms < lookout.copy_after_ms:
        return False
    try:
        if packed := deps.store.pack_copy(lookout.given_up):
            _LOG.info("packed the backup %s", packed.name)
            return True
        if deps.store.daily_is_due():
            made = deps.store.back_up(copying.DAILY)
            _LOG.info("made the daily backup %s", made.name)
            return True
        return clean_one(deps.store, deps.clock, RULES, lookout.given_up)
    except LibraError as error:
        lookout.copy_after_ms = now_ms + _AGAIN_MS
        _LOG.warning("no backup could be made or packed: %s", error.message)
        return False
