"""Session memory: one short memory of what a session was about, on request or when it has rested."""

from __future__ import annotations

import logging
from typing import Any

from libra.engine.deps import Deps
from libra.engine.recap import line_of, session_of
from libra.engine.scopes import complete
from libra.engine.telling import Telling, tell
from libra.ground.errors import NotFound
from libra.ground.records import MemoryType, Role, Who
from libra.store import memories, revisions, search, sessions
from libra.store.sessions import SessionRow
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)


def keep_session(deps: Deps, who: Who | None, session: str | None) -> dict[str, Any]:
    """Answer the method ``keep_session``: when, how long, about what, with which names; the same session is kept once.

    Raises:
        NotFound: The person has no such session, or none at all, or nothing was said in it.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        row = session_of(snapshot, caller, session)
    kept = _keep(deps, row)
    if kept is None:
        raise NotFound("nothing was said in that session", where="session")
    return {"session": row.key, **kept}


def keep_rested(deps: Deps) -> bool:
    """Keep one session that has rested and has no memory yet, if the setting says so; return True if there was one."""
    params = deps.params.session_memory
    if not params.automatic:
        return False
    before_ms = deps.clock() - params.quiet_ms
    with deps.store.snapshot() as snapshot:
        row = sessions.rested(snapshot, before_ms, params.least_turns)
    if row is None or _keep(deps, row) is None:
        return False
    _LOG.info("kept a session that has rested")
    return True


def _keep(deps: Deps, row: SessionRow) -> dict[str, Any] | None:
    with deps.store.snapshot() as snapshot:
        line, turns, last_ms = line_of(deps, snapshot, row)
    if not turns or last_ms is None:
        return None
    new = Telling(
        text=f"Session {row.key}: {line}",
        user=row.user,
        type=MemoryType.SESSION,
        ts_ms=last_ms,
        role=Role.ASSISTANT.value,
        project=row.project,
        agent=row.agent,
        session_id=row.id,
        signals={"admitted_by": "session", "origin": "agent"},
        bound=True,
    )
    now_ms = deps.clock()

    def job(tx: WriteTx) -> tuple[str, str]:
        earlier = memories.of_session(tx, row.id, MemoryType.SESSION)
        told = tell(tx, new, [], now_ms, deps.params.lifecycle)
        made = search.by_uid(tx, [told.uid], visible=None)[told.uid]
        for old in earlier:
            if old.item_id != made.id:
                revisions.supersede(tx, old.item_id, made.id, now_ms)
        return told.uid, told.outcome.value

    uid, outcome = deps.store.write(job).result()
    deps.wake()
    return {"id": uid, "outcome": outcome, "text": new.text}
