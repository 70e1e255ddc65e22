"""Keep turns: strip our own blocks, redact secrets, give each its identity, store it before answering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from libra.engine.cleaning import Cleaner, turn_key
from libra.engine.deps import Deps
from libra.engine.feed import Taken
from libra.engine.scopes import complete, tenant
from libra.ground.records import (
    NewTurn,
    Origin,
    Role,
    SessionRef,
    SourceBatch,
    Who,
    event_key,
)
from libra.store import receipts, requests, turns, undo
from libra.store.turns import NOT_ELIGIBLE, WAITING, Appended, TurnRow
from libra.store.wipe import Said
from libra.store.writer import WriteTx
from libra.text.halves import Half
from libra.text.marks import line_hash, strip
from libra.text.noise import noise, unwrap
from libra.text.tokens import estimate

_YIELDS_S = 0.02
"""While answers are worked on, each turn that is read from a file waits at most so long."""


def ingest(deps: Deps, who: Who | None, new: Sequence[NewTurn], request_id: str | None) -> dict[str, Any]:
    """Store the turns of one session and return ``{accepted, duplicates, ids}`` once they are durable.

    ``ids`` has one entry a turn; None where nothing was left to keep after our own blocks were cut out, or
    where the person had made Libra forget it. A repeated ``request_id`` gives the first answer again.

    Raises:
        StoreError: Nothing of the call was stored.
    """
    caller = complete(deps, who)
    session = SessionRef(
        key=caller.session or f"{caller.user}/default",
        user=caller.user,
        host=caller.host,
        agent=caller.agent,
        project=caller.project,
        cwd=caller.cwd,
    )
    known = _injected(deps, session.key)
    now_ms = deps.clock()
    rows = [prepare(turn, session, known, deps.cleaner, now_ms) for turn in new]

    def job(tx: WriteTx) -> dict[str, Any]:
        if request_id is not None and (earlier := requests.get(tx, request_id)) is not None:
            return earlier
        kept = [row for row in rows if row is not None]
        done = turns.append(tx, session, kept, None, now_ms)
        answer = _answer(rows, done)
        if request_id is not None:
            requests.put(tx, request_id, answer, now_ms)
        return answer

    answer = deps.store.write(job).result()
    deps.wake()
    return answer


def take(deps: Deps, batch: SourceBatch, *, learn: bool = True) -> Taken:
    """Store what a source has read, and its cursor, in one transaction.

    Args:
        deps: Shared parts.
        batch: Turns and cursor.
        learn: False while the project is paused: turns are kept verbatim, no memory is made of them.

    Raises:
        StoreError: Nothing was stored and the cursor did not move.
    """
    if deps.params.tenants:
        mine = tenant(deps, batch.session.user, batch.session.agent)
        batch = replace(batch, session=replace(batch.session, user=mine))
    known = _injected(deps, batch.session.key)
    now_ms = deps.clock()
    path = batch.cursor.path if batch.cursor else None
    rows = []
    for turn in batch.turns:
        deps.admission.quiet(_YIELDS_S)
        rows.append(prepare(turn, batch.session, known, deps.cleaner, now_ms, path))
    kept = [row if learn else replace(row, gated=NOT_ELIGIBLE) for row in rows if row is not None]

    def job(tx: WriteTx) -> Appended:
        done = turns.append(tx, batch.session, kept, batch.cursor, now_ms)
        gone = undo.absent(tx, batch.session, path, batch.present)
        undo.settle(tx, {**done.undone, **gone}, now_ms)
        return done

    done = deps.store.write(job).result()
    if done.accepted or done.undone:
        deps.wake()
    return Taken(done.accepted, done.duplicates, done.forgotten)


def prepare(
    turn: NewTurn,
    session: SessionRef,
    injected: Injected,
    cleaner: Cleaner,
    now_ms: int,
    source_path: str | None = None,
) -> TurnRow | None:
    """Return the row to store for one turn, or None when no words of its speaker are left.

    Order matters: our own blocks go first, then host envelopes, then secrets, so that nothing of ours and
    no secret is ever hashed, indexed or stored (lessons C27, C79).
    """
    text = strip(turn.content, injected.anywhere, injected.half).text
    if turn.role is Role.USER:
        text = unwrap(text)
    text = cleaner.text(text).text.strip()
    if not text:
        return None
    ts_ms = turn.ts_ms if turn.ts_ms is not None else now_ms
    own_id = event_key(session.key, session.host, turn.event_id, turn.ts_ms)
    known = turn.ts_ms is not None
    said = Said(turn.role, ts_ms, known, session.key, session.host, turn.event_id, own_id, text)
    return TurnRow(
        role=turn.role,
        content=text,
        ts_ms=ts_ms,
        ts_known=known,
        event_key=own_id,
        content_key=turn_key(said),
        external_id=turn.event_id,
        origin=turn.origin,
        speaker=None if turn.speaker is None else cleaner.text(turn.speaker).text,
        tokens=turn.tokens if turn.tokens is not None else estimate(text),
        line=turn.line,
        source_path=source_path,
        metadata=cleaner.json(turn.metadata),
        undone=turn.undone,
        gated=WAITING if _eligible(turn, session, text, injected) else NOT_ELIGIBLE,
    )


def _eligible(turn: NewTurn, session: SessionRef, text: str, injected: Injected) -> bool:
    """Whether the gate may look at it: memory model §4, Eligible and Before the gate."""
    if session.kind != "main" or turn.metadata.get("noise"):
        return False
    owner = turn.role is Role.USER and turn.origin is Origin.OWNER
    agent = turn.role is Role.ASSISTANT and turn.origin is Origin.AGENT
    if not (owner or agent) or noise(text, turn.role) is not None:
        return False
    # A sentence that Libra put into this very session is no news, even without its marks (C27).
    return not injected.here(text)


@dataclass(frozen=True, slots=True)
class Injected:
    """Knows the lines that Libra has put into prompts; reads nothing before it is asked.

    Attributes:
        anywhere: Whether a line (in its normal form) went into any session's prompt: asked only where a
            block of ours has lost one of its marks. A fork repeats its parent's prompts.
        here: Whether a whole text went into this session's prompt.
        half: Whether a line is a part of one that went into a prompt lately.
    """

    anywhere: Callable[[str], bool]
    here: Callable[[str], bool]
    half: Callable[[Half], bool]


def _injected(deps: Deps, session_key: str) -> Injected:
    own: frozenset[str] | None = None

    def anywhere(line: str) -> bool:
        with deps.store.snapshot() as snapshot:
            return receipts.receipt_of_line(snapshot, line_hash(line)) is not None

    def here(text: str) -> bool:
        nonlocal own
        if own is None:
            with deps.store.snapshot() as snapshot:
                own = receipts.injected_hashes(snapshot, session_key)
        return bool(own) and line_hash(text) in own

    return Injected(anywhere, here, deps.shown.half)


def _answer(rows: Sequence[TurnRow | None], done: Appended) -> dict[str, Any]:
    uids = iter(done.uids)
    return {
        "accepted": done.accepted,
        "duplicates": done.duplicates,
        "ids": [None if row is None else (next(uids) or None) for row in rows],
    }
