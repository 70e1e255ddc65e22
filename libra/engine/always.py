"""What stands in a prompt whatever the question: cards of those concerned, and reminders that the question brings up.

They come first in the tier of what is recalled, and are cut by the budget like it. Who has set nothing of the kind pays a look into
a dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.assembly import render
from libra.assembly.packer import Tier
from libra.engine.cards import line
from libra.engine.deps import Deps
from libra.engine.entries import Entry
from libra.engine.intents import brought_up
from libra.engine.ledger import rows
from libra.engine.never import places_of
from libra.engine.provenance import said_by
from libra.engine.scopes import visible
from libra.engine.search import source
from libra.ground.records import NewTurn, Role, Who
from libra.store import memory_lists, never, search
from libra.store.ledger import Leaf, LedgerRow
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.text.dates import local_day
from libra.text.scripts import fold
from libra.text.tokens import estimate

_DAY_MS = 86_400_000


def always(deps: Deps, caller: Who, query: str, messages: Sequence[NewTurn] | None) -> list[Entry]:
    """Return the entries that stand before what is recalled.

    Args:
        deps: Shared parts.
        caller: Completed.
        query: What the person says.
        messages: The conversation as the host has it: who speaks in it.
    """
    cards = _cards(deps, caller, messages)
    reminders = brought_up(deps, caller, query)
    return [
        *(_entry(row, "card", line(row), "about ", "card") for row in cards),
        *(_reminder(deps, row) for row in reminders),
    ]


def weighty(deps: Deps, snapshot: Snapshot, caller: Who) -> list[Entry]:
    """Return what matters most of the caller's user, if the setting says so; nothing that is not wanted in this place."""
    params = deps.params.always
    if not params.enabled:
        return []
    since_ms = deps.clock() - params.days * _DAY_MS if params.days else 0
    items = memory_lists.weighty(snapshot, caller.user, params.priority, since_ms, params.most)
    unwanted = set(never.here(snapshot, places_of(caller)))
    found = search.rows(snapshot, items, visible(deps, caller))
    return [_kept(deps, found[item]) for item in items if item in found and item not in unwanted]


def _kept(deps: Deps, row: ItemRow) -> Entry:
    day = local_day(row.ts_ms, deps.zone).isoformat()
    printed = render.spoken(row.text, row.tokens, said_by(row), day)
    return Entry(row.uid, Tier.RECALL, row.kind.wire, printed, source(row), {"reason": f"always: {row.type}"})


def put_first(entries: dict[Tier, list[Entry]], first: Sequence[Entry]) -> None:
    """Put entries before what is recalled; what stands in the prompt already, or is recalled too, stands there once."""
    shown = {e.uid for tier, es in entries.items() if tier is not Tier.RECALL for e in es}
    fresh = [e for e in first if e.uid not in shown]
    known = {e.uid for e in fresh}
    if fresh:
        entries[Tier.RECALL][:] = [*fresh, *(e for e in entries[Tier.RECALL] if e.uid not in known)]


def _cards(deps: Deps, caller: Who, messages: Sequence[NewTurn] | None) -> list[LedgerRow]:
    every = rows(deps, Leaf.CARD, caller.user)
    if not every:
        return []
    said = next((m for m in reversed(messages or ()) if m.role is Role.USER), None)
    speaker = fold(said.speaker) if said is not None and said.speaker else None
    concerned = [row for row in every if row.body["main"]]
    concerned += [row for row in every if row not in concerned and speaker in _names(row)]
    return [row for row in concerned if row.body["fields"]][: deps.params.cards.shown]


def _names(row: LedgerRow) -> set[str]:
    return {fold(name) for name in (row.name, *row.body["aliases"])}


def _reminder(deps: Deps, row: LedgerRow) -> Entry:
    day = local_day(row.changed_ms, deps.zone).isoformat()
    return _entry(row, "intent", row.body["remind"], "reminder that was set", "standing intent", day)


def _entry(row: LedgerRow, kind: str, text: str, who: str, reason: str, day: str = "") -> Entry:
    about: dict[str, Any] = {"name": row.name}
    printed = render.spoken(text, estimate(text), who.strip(), day)
    return Entry(f"{kind}:{row.name}", Tier.RECALL, kind, printed, about, {"reason": reason})
