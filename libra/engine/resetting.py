"""Reset: everything of one scope is forgotten, after the caller has said how much that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libra.engine.deps import Deps
from libra.engine.forget import forget
from libra.engine.ledger import person_only
from libra.engine.memory_verbs import FORGETTABLE
from libra.engine.scopes import complete
from libra.engine.which import Which
from libra.ground.errors import Conflict, Forbidden
from libra.ground.records import Origin, Scope, ScopeKind, Who
from libra.store import byname, rule_history, tombstones
from libra.store.writer import WriteTx


def reset(
    deps: Deps, who: Who | None, scope: Scope, confirm: int | None, origin: Origin | None, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``reset``: what was said in a session or a project, or all that is the user's.

    Resetting a user takes rules, cards and reminders along, what hosts said of its sessions' lives, and what became of the lines
    of instruction files; resetting a project the latter of its files. Nothing of it can be undone, and nothing is learnt again.

    Raises:
        Conflict: ``confirm`` is not the number of records that would go; or an agent asks.
        Forbidden: The scope is another user's, or one that cannot be reset.
    """
    caller = complete(deps, who)
    which = _which(scope, caller)
    planned = forget(deps, who, (), which, None, dry_run=True)
    number = planned["would_forget"]
    if dry_run:
        return {"scope": scope.text, **planned}
    person_only(caller, origin, "a scope back")
    if confirm != number:
        raise Conflict(
            f"{number:,} records would be deleted for good",
            reason="confirm",
            hint=f"look at them with dry_run, then say confirm: {number}",
            where="confirm",
        )
    done = forget(deps, who, (), which, number, dry_run=False)
    if scope.kind is ScopeKind.PROJECT:
        deps.store.write(
            lambda tx: _clear_history(tx, lambda name: name == scope.text), full_sync=True
        ).result()
    if scope.kind is ScopeKind.USER:
        now_ms = deps.clock()

        def clear(tx: WriteTx) -> int:
            tombstones.add_reset(tx, caller.user, now_ms)
            return byname.clear(tx, caller.user, now_ms, now_ms)

        done["by_name"] = deps.store.write(clear, full_sync=True).result()
        deps.kept.forget()
        deps.exact.clear()
    return {"scope": scope.text, **done}


def _clear_history(tx: WriteTx, wanted: Callable[[str], bool]) -> None:
    """Take away what became of the rules of these scopes; those of today stand in their files."""
    rule_history.clear(tx, wanted)
    tx.empty_wal = True


def _which(scope: Scope, caller: Who) -> Which:
    if scope.kind is ScopeKind.SESSION:
        return Which(session=scope.name)
    if scope.kind is ScopeKind.PROJECT:
        return Which(project=scope.name)
    if scope.kind is ScopeKind.USER and scope.name == caller.user:
        return Which(kinds=frozenset(FORGETTABLE))
    raise Forbidden(
        f"{scope.text} cannot be reset: a session, a project, or the caller's own user can", where="scope"
    )
