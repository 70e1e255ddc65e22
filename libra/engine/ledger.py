"""What a person sets down by name: kept in memory for every prompt, changed through the journal, so that it can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.ground.errors import Conflict, InvalidParams, NotFound
from libra.ground.records import Origin, Who, digest
from libra.store import byname, journal, ledger
from libra.store.ledger import Leaf, LedgerRow
from libra.store.writer import WriteTx
from libra.text.redact import redact
from libra.text.scripts import fold


def rows(deps: Deps, kind: Leaf, owner: str) -> tuple[LedgerRow, ...]:
    """Return a person's rows of a kind; from memory after the first time, so that a prompt costs no query."""

    def load() -> tuple[LedgerRow, ...]:
        with deps.store.snapshot() as snapshot:
            return ledger.every(snapshot, kind, owner)

    return deps.kept.get((kind.value, owner), load)


def named(deps: Deps, kind: Leaf, owner: str, name: str) -> LedgerRow:
    """Return the row of that name, or the only one whose name begins so, whatever the case and the accents.

    Raises:
        NotFound: There is none.
        Conflict: Several begin so; how many is said.
    """
    every = rows(deps, kind, owner)
    exact = [row for row in every if row.name == name] or [r for r in every if fold(r.name) == fold(name)]
    found = exact or [row for row in every if fold(row.name).startswith(fold(name))]
    if not found:
        raise NotFound(f"there is no {kind.value} of that name", where="name")
    if len(found) > 1:
        raise Conflict(
            f"{len(found)} of them begin so: say more of the name", reason="ambiguous", where="name"
        )
    return found[0]


def set_down(
    deps: Deps, caller: Who, verb: str, row: tuple[Leaf, str], body: Mapping[str, Any] | None
) -> int | None:
    """Set a row down, change it, or take it away (None); return the number of the change in the journal.

    Args:
        deps: Shared parts.
        caller: Completed; the rows are its user's.
        verb: What the journal calls it.
        row: Kind and name.
        body: What it says.
    """
    now_ms, params = deps.clock(), deps.params.lifecycle.journal
    actor = caller.agent or caller.host or "libra"
    body = None if body is None else deps.cleaner.without_scrubbed(body)

    def job(tx: WriteTx) -> int | None:
        done = journal.Change(verb, caller.user, actor)
        journal.change_leaf(tx, done, row, body, now_ms, params)
        settle(tx, row[0], caller.user, now_ms)
        return done.id

    number = deps.store.write(job).result()
    deps.kept.forget()
    deps.wake()
    return number


def settle(tx: WriteTx, kind: Leaf, owner: str, now_ms: int) -> None:
    """Let what follows from a person's rows follow: rules stand in every prompt, as those of a file do."""
    if kind is Leaf.RULE:
        byname.settle_rules(tx, owner, now_ms)


def person_only(caller: Who, origin: Origin | None, what: str) -> None:
    """Raise where an agent would set down what only the person may.

    Raises:
        Conflict: These are not the person's own words.
    """
    if not Wish(origin=origin).by_person(caller):
        raise Conflict(f"only the person sets {what}", reason="persons_word", where="origin")


def clean(text: str, where: str) -> str:
    """Return a text without secrets and outer white space.

    Raises:
        InvalidParams: Nothing is left of it.
    """
    said = redact(text).text.strip()
    if not said:
        raise InvalidParams(f"{where}: nothing is left to keep of this text", where=where)
    return said


def name_for(name: str | None, *about: str) -> str:
    """Return the name that was given, or a short one that follows from what is said."""
    return name.strip() if name is not None and name.strip() else digest(*about)[:8]


def shown(row: LedgerRow) -> dict[str, Any]:
    """Return the wire form of a row."""
    return {
        "name": row.name,
        **row.body,
        "version": row.version,
        "created": row.created_ms,
        "changed": row.changed_ms,
    }
