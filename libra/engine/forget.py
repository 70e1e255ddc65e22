"""Forget: what a person takes back is removed from every table and index, and is not learnt again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from libra.engine import former_rules
from libra.engine.archiving import preview
from libra.engine.deps import Deps
from libra.engine.former_rules import Former
from libra.engine.memory_verbs import FORGETTABLE
from libra.engine.scopes import check_own, complete, visible
from libra.engine.which import Which, chosen, filter_of
from libra.ground.errors import Conflict, NotFound
from libra.ground.records import Kind, Who
from libra.lifecycle.consolidate import particulars_text
from libra.store import forget as removal
from libra.store import rule_history, search, use
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.writer import WriteTx

UNASKED = 100
"""More than so many are deleted only by a caller that says how many: it has seen the preview."""


def forget(
    deps: Deps, who: Who | None, uids: Sequence[str], which: Which, confirm: int | None, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``forget``: by ids, and everything visible that fits what is said of it.

    The answer counts and names what was (or would be) removed, so that "done" is never said of nothing
    (lessons C95).

    Raises:
        NotFound: An id is not there, or not the caller's to see.
        Forbidden: Something of it is open to the caller for reading only.
        Conflict: More than :data:`UNASKED` would go that were not named one by one, and ``confirm`` is not their number.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        former = former_rules.of(deps, snapshot, caller, uids, which)
        picked = _chosen(deps, snapshot, who, [uid for uid in uids if uid not in former.uids], which)
        rows = list(search.rows(snapshot, removal.closure(snapshot, picked)).values())
        check_own(deps, caller, [*(row.scope for row in rows), *former.scopes])
    counts = dict(sorted(Counter(row.kind.wire for row in rows).items()))
    told = {
        "counts": counts,
        **preview(rows, words=dry_run),
        **former.told(words=dry_run),
        "dry_run": dry_run,
    }
    if dry_run or not (picked or former.changes):
        return {"forgotten": 0, "would_forget": len(rows) + len(former.changes), **told}
    if which.says_something or len(uids) > UNASKED:
        _check_confirmed(len(rows) + len(former.changes), confirm)
    return {"forgotten": _removed(deps, caller, picked, rows, former), **told}


def _chosen(deps: Deps, snapshot: Snapshot, who: Who | None, uids: Sequence[str], which: Which) -> list[int]:
    found = search.by_uid(snapshot, uids, visible=visible(deps, complete(deps, who)))
    missing = [uid for uid in uids if uid not in found]
    if missing:
        raise NotFound(f"{len(missing)} of {len(uids)} records are not there", where="ids")
    ids = [row.id for row in found.values()]
    if which.says_something:
        filt = filter_of(deps, who, which, frozenset(FORGETTABLE), active_only=False)
        ids += chosen(snapshot, filt, which.query)
    return ids


def _check_confirmed(number: int, confirm: int | None) -> None:
    if number > UNASKED and confirm != number:
        raise Conflict(
            f"{number:,} records would be deleted for good",
            reason="confirm",
            hint=f"look at them with dry_run, then say confirm: {number}",
            where="confirm",
        )


def _removed(deps: Deps, caller: Who, picked: Sequence[int], rows: Sequence[ItemRow], former: Former) -> int:
    now_ms = deps.clock()

    def job(tx: WriteTx) -> removal.Forgotten:
        for row in rows:
            if row.kind is Kind.MEMORY:
                use.label(tx, row.id, "forgotten", now_ms, useful=False)
        rule_history.keep_out(tx, caller.user, former.lines, now_ms)
        return removal.forget(tx, picked, now_ms, particulars_text)

    done = deps.store.write(job, full_sync=True).result()
    # Afterwards: a prompt that was made meanwhile may hold it.
    deps.exact.clear()
    deps.wake()
    return done.total + len(former.changes)
