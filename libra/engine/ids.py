"""Ids as people give them: whole, or the first eight characters and more, where only one record begins like that."""

from __future__ import annotations

from collections.abc import Sequence

from libra.engine.deps import Deps
from libra.engine.scopes import complete, readable
from libra.ground.errors import Conflict
from libra.ground.records import Who
from libra.store import listing, search
from libra.store.store import Snapshot
from libra.store.visibility import Visible

_LEAST_CHARS = 8
"""A shorter beginning is no id. Source: reference-systems.md LP-12."""


def whole(deps: Deps, who: Who | None, uid: str) -> str:
    """Return the id that this is or begins; as it is where nothing visible begins like that.

    Raises:
        Conflict: Several records begin like that.
    """
    return wholes(deps, who, [uid])[0]


def wholes(deps: Deps, who: Who | None, uids: Sequence[str]) -> list[str]:
    """Return the ids that these are or begin, in their order.

    Raises:
        Conflict: Several records begin like one of them.
    """
    sees = readable(deps, complete(deps, who))
    with deps.store.snapshot() as snapshot:
        known = search.by_uid(snapshot, uids, visible=sees)
        out = []
        for uid in uids:
            found = [] if uid in known or len(uid) < _LEAST_CHARS else _beginning(snapshot, uid, sees)
            out.append(found[0] if found else uid)
    return out


def _beginning(snapshot: Snapshot, prefix: str, sees: Visible) -> list[str]:
    found = listing.by_prefix(snapshot, prefix, visible=sees)
    if len(found) > 1:
        raise Conflict(
            f"{len(found):,} records have an id that begins like this",
            reason="ambiguous",
            hint="give more characters of it",
            where="id",
        )
    return found
