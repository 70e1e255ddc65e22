"""Standing intents: set, listed, done, deleted; and those that a question brings up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libra.engine.deps import Deps
from libra.engine.ledger import clean, name_for, named, rows, set_down, shown
from libra.engine.scopes import complete
from libra.ground.errors import InvalidParams, OverLimit
from libra.ground.records import Who, digest
from libra.lifecycle.intents import State, armed, due, state
from libra.store import ledger
from libra.store.ledger import Leaf, LedgerRow
from libra.store.writer import WriteTx


@dataclass(frozen=True, slots=True)
class NewIntent:
    """The parameters of ``intent_set``."""

    when: Sequence[str]
    remind: str
    name: str | None = None
    times: int | None = None
    cooldown_hours: int | None = None
    days: int | None = None


def intent_set(deps: Deps, who: Who | None, new: NewIntent) -> dict[str, Any]:
    """Answer the method ``intent_set``; the intent of that name is replaced and counts anew.

    Raises:
        InvalidParams: There is no word that could come up, or nothing to be reminded of.
        OverLimit: There are as many as the setting ``intents.kept`` allows.
    """
    caller, params = complete(deps, who), deps.params.intents
    words = [" ".join(phrase.split()) for phrase in new.when if phrase.strip()]
    if not words:
        raise InvalidParams("when: expected words that may come up", where="when")
    remind = clean(new.remind, "remind")
    name = name_for(new.name, *words, remind)
    known = rows(deps, Leaf.INTENT, caller.user)
    if len(known) >= params.kept and all(row.name != name for row in known):
        raise OverLimit(
            f"there are {len(known)} intents, the setting intents.kept allows no more", where="name"
        )
    wish = {"times": new.times, "cooldown_hours": new.cooldown_hours, "days": new.days}
    body = armed(words, remind, deps.clock(), params, **wish)
    number = set_down(deps, caller, "intent_set", (Leaf.INTENT, name), body)
    return {**_shown(deps, named(deps, Leaf.INTENT, caller.user, name)), "journal_id": number}


def intent_list(deps: Deps, who: Who | None, *, every: bool) -> dict[str, Any]:
    """Answer the method ``intent_list``: those that may still remind, or all."""
    deps.store.settle()
    found = [_shown(deps, row) for row in rows(deps, Leaf.INTENT, complete(deps, who).user)]
    waiting = {State.ARMED.value, State.RESTING.value}
    return {"intents": [one for one in found if every or one["state"] in waiting]}


def intent_done(deps: Deps, who: Who | None, name: str) -> dict[str, Any]:
    """Answer the method ``intent_done``: it reminds no more, and stays to be looked at.

    Raises:
        NotFound: There is none.
        Conflict: Several names begin so.
    """
    caller = complete(deps, who)
    row = named(deps, Leaf.INTENT, caller.user, name)
    number = set_down(deps, caller, "intent_done", (Leaf.INTENT, row.name), {**row.body, "done": True})
    return {**_shown(deps, named(deps, Leaf.INTENT, caller.user, row.name)), "journal_id": number}


def intent_delete(deps: Deps, who: Who | None, name: str) -> dict[str, Any]:
    """Answer the method ``intent_delete``; ``undo`` brings it back. See :func:`intent_done`."""
    caller = complete(deps, who)
    row = named(deps, Leaf.INTENT, caller.user, name)
    number = set_down(deps, caller, "intent_delete", (Leaf.INTENT, row.name), None)
    return {"name": row.name, "journal_id": number}


def brought_up(deps: Deps, caller: Who, text: str) -> list[LedgerRow]:
    """Return the intents that a question brings up, and note in the background that they have reminded."""
    every = rows(deps, Leaf.INTENT, caller.user)
    if not every:
        return []
    now_ms, asked = deps.clock(), digest(caller.session or "", text)
    places = due([row.body for row in every], text, asked, now_ms, deps.params.intents.most)
    chosen = [every[place] for place in places]
    fresh = [row for row in chosen if row.body["asked"] != asked or state(row.body, now_ms) is State.ARMED]
    if fresh and not deps.store.read_only:
        _note(deps, fresh, asked, now_ms)
    return chosen


def _note(deps: Deps, fresh: Sequence[LedgerRow], asked: str, now_ms: int) -> None:
    def job(tx: WriteTx) -> None:
        for row in fresh:
            now = ledger.get(tx, row.kind, row.owner, row.name)
            if now is None or now.version != row.version:
                # The person has changed it since the prompt was assembled: it counts anew.
                continue
            body = {**now.body, "fired": now.body["fired"] + 1, "last": now_ms, "asked": asked}
            ledger.note(tx, row.kind, row.owner, row.name, body)

    deps.store.write(job, patient=True).add_done_callback(lambda _done: deps.kept.forget())


def _shown(deps: Deps, row: LedgerRow) -> dict[str, Any]:
    told = {name: value for name, value in shown(row).items() if name != "asked"}
    return {**told, "state": state(row.body, deps.clock()).value}
