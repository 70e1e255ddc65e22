"""Off the record: what was said lately is forgotten, and stays so when its transcript is read later."""

from __future__ import annotations

from collections import Counter
from typing import Any

from libra.engine.archiving import preview
from libra.engine.deps import Deps
from libra.engine.desktop_verbs import DEFAULT_MINUTES, LAST
from libra.engine.scopes import check_own, complete
from libra.engine.which import Which, filter_of, session_keys
from libra.ground.errors import NotFound
from libra.ground.records import Kind, Who
from libra.lifecycle.consolidate import particulars_text
from libra.store import forget as removal
from libra.store import listing, search, sessions
from libra.store.snapshot import Snapshot
from libra.store.tombstones import Period, add_period
from libra.store.writer import WriteTx

_MINUTE_MS = 60_000


def off_record(
    deps: Deps, who: Who | None, minutes: int | None, session: str | None, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``off_record``: of a session all of it, else what was said in the last minutes.

    A host may write what was said only later, and a paused Libra reads it only later: so the time itself is kept
    as a tombstone, too. What was known before and was only said again stays.

    Raises:
        NotFound: There is no such session.
        Forbidden: Something of it is open to the caller for reading only.
    """
    caller = complete(deps, who)
    until_ms = deps.clock()
    since_ms = until_ms - (minutes or DEFAULT_MINUTES) * _MINUTE_MS
    with deps.store.snapshot() as snapshot:
        key = None
        if session is not None:
            row = _session(snapshot, caller, session)
            key = row.key
            # A session that goes over a night is meant whole, unless the minutes are named, too.
            since_ms = since_ms if minutes is not None else min(row.first_ms or until_ms, until_ms)
        kinds = frozenset({Kind.TURN} if key is not None else {Kind.TURN, Kind.MEMORY})
        filt = filter_of(deps, who, Which(since=since_ms, session=key), kinds, active_only=False)
        picked = listing.every(snapshot, filt)
        rows = list(search.rows(snapshot, removal.alone(snapshot, picked)).values())
        check_own(deps, caller, [row.scope for row in rows])
    told: dict[str, Any] = {
        "counts": dict(sorted(Counter(row.kind.wire for row in rows).items())),
        **preview(rows, words=False),
        "dry_run": dry_run,
        "since": since_ms,
        "until": until_ms,
        **({} if key is None else {"session": key}),
    }
    if dry_run:
        return {"forgotten": 0, "would_forget": len(rows), **told}

    def job(tx: WriteTx) -> int:
        add_period(tx, caller.user, Period(since_ms, until_ms, key))
        return removal.forget(tx, picked, until_ms, particulars_text, removal.alone).total

    forgotten = deps.store.write(job, full_sync=True).result()
    # Afterwards: a prompt that was made meanwhile may hold it.
    deps.exact.clear()
    return {"forgotten": forgotten, **told}


def _session(snapshot: Snapshot, caller: Who, name: str) -> sessions.SessionRow:
    """Return the session of a name, or the one in which something was said last.

    Raises:
        NotFound: There is none.
    """
    if name == LAST:
        found = next((row for row in sessions.every(snapshot, caller.user) if row.last_ms), None)
    else:
        keys = (sessions.find(snapshot, key, caller.user) for key in session_keys(caller, name))
        found = next((row for row in keys if row is not None), None)
    if found is None:
        raise NotFound("there is no such session", where="session")
    return found
