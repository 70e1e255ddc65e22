"""Cards of people: a few facts under a name, whole in the prompt where the person is concerned.

The main card says who the user is and stands in every prompt that recalls; another's where its name, or one of its aliases, speaks.
A card is history, not instruction: an agent may add to what the person has written down, but not change it (lessons C38).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from libra.engine.deps import Deps
from libra.engine.ledger import named, rows, set_down, shown
from libra.engine.remember import Wish
from libra.engine.scopes import complete
from libra.ground.errors import Conflict, InvalidParams, NotFound, OverLimit
from libra.ground.records import Origin, Who
from libra.store.ledger import Leaf, LedgerRow
from libra.text.redact import redact
from libra.text.scripts import fold

_MOST_FIELDS = 64
_MOST_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to stand on a card: fields (None takes one away), aliases and whether it is the main card (None leaves them)."""

    fields: Mapping[str, Any]
    aliases: Sequence[str] | None = None
    main: bool | None = None


def card_update(
    deps: Deps, who: Who | None, name: str, wanted: Wanted, origin: Origin | None
) -> dict[str, Any]:
    """Answer the method ``card_update``: fields are put beside or in place of those there are; null takes one away.

    Raises:
        Conflict: An agent would change what the person has written down.
        InvalidParams: The card would be too large.
        OverLimit: There are as many cards as the setting ``cards.most`` allows.
    """
    caller = complete(deps, who)
    person = Wish(origin=origin).by_person(caller)
    known = {row.name: row for row in rows(deps, Leaf.CARD, caller.user)}
    name = _name(known, name)
    old = known.get(name)
    if old is None and len(known) >= deps.params.cards.most:
        raise OverLimit(f"there are {len(known)} cards, the setting cards.most allows no more", where="name")
    before: dict[str, Any] = dict(old.body) if old is not None else {"fields": {}, "by": {}}
    held, by = dict(before["fields"]), dict(before["by"])
    for key, value in wanted.fields.items():
        if not person and key in held and by.get(key) == Origin.OWNER.value and held[key] != value:
            raise Conflict(
                "the person wrote this down; an agent may add to it but not change it", reason="persons_word", where="fields"
            )  # fmt: skip
        _put(held, by, key, value, Origin.OWNER if person else (origin or Origin.AGENT))
    if len(held) > _MOST_FIELDS or sum(len(str(v)) for v in held.values()) > _MOST_CHARS:
        raise InvalidParams(
            f"fields: a card has at most {_MOST_FIELDS} fields and {_MOST_CHARS:,} characters", where="fields"
        )
    body = {
        "fields": held,
        "by": by,
        "aliases": list(before.get("aliases", ()) if wanted.aliases is None else wanted.aliases),
        "main": before.get("main", fold(name) == fold(caller.user)) if wanted.main is None else wanted.main,
    }
    number = set_down(deps, caller, "card_update", (Leaf.CARD, name), body)
    return {**card_shown(named(deps, Leaf.CARD, caller.user, name)), "journal_id": number}


def _name(known: Mapping[str, LedgerRow], name: str) -> str:
    """Return the name of the card that is meant: a known one whatever its case, or a new one."""
    wanted = " ".join(name.split())
    if not wanted:
        raise InvalidParams("name: expected a name", where="name")
    return next((row for row in known if fold(row) == fold(wanted)), wanted)


def _put(held: dict[str, Any], by: dict[str, str], key: str, value: Any, origin: Origin) -> None:
    if value is None:
        held.pop(key, None)
        by.pop(key, None)
    else:
        held[key] = redact(value).text if isinstance(value, str) else value
        by[key] = origin.value


def card_get(deps: Deps, who: Who | None, name: str | None) -> dict[str, Any]:
    """Answer the method ``card_get``: by the name or its beginning, or by an alias; without a name the main card.

    Raises:
        NotFound: There is none.
        Conflict: Several names begin so.
    """
    caller = complete(deps, who)
    every = rows(deps, Leaf.CARD, caller.user)
    if name is None:
        main = next((row for row in every if row.body["main"]), None)
        if main is None:
            raise NotFound("there is no main card", where="name")
        return card_shown(main)
    called = next((row for row in every if fold(name) in {fold(a) for a in row.body["aliases"]}), None)
    return card_shown(called or named(deps, Leaf.CARD, caller.user, name))


def card_list(deps: Deps, who: Who | None, prefix: str | None) -> dict[str, Any]:
    """Answer the method ``card_list``: all, or those whose name or alias begins so."""
    found = rows(deps, Leaf.CARD, complete(deps, who).user)
    if prefix:
        found = tuple(
            row for row in found if any(fold(n).startswith(fold(prefix)) for n in (row.name, *row.body["aliases"]))
        )  # fmt: skip
    return {"cards": [card_shown(row) for row in found]}


def card_delete(deps: Deps, who: Who | None, name: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``card_delete``; ``undo`` brings it back.

    Raises:
        NotFound: There is none.
        Conflict: Several names begin so; or an agent would delete what the person has written down.
    """
    caller = complete(deps, who)
    row = named(deps, Leaf.CARD, caller.user, name)
    if not Wish(origin=origin).by_person(caller) and Origin.OWNER.value in row.body["by"].values():
        raise Conflict(
            "the person wrote this down; an agent may not delete it", reason="persons_word", where="name"
        )
    return {
        "name": row.name,
        "journal_id": set_down(deps, caller, "card_delete", (Leaf.CARD, row.name), None),
    }


def card_shown(row: LedgerRow) -> dict[str, Any]:
    """Return the wire form of a card."""
    return shown(row)


def line(row: LedgerRow) -> str:
    """Return a card as a line for a prompt."""
    facts = "; ".join(f"{key}: {value}" for key, value in row.body["fields"].items())
    return f"{row.name}: {facts}" if facts else ""
