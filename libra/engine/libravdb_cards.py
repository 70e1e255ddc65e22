"""LibraVDB's user cards: one JSON text a person, kept as the fields of a card under the client's own id (hosts.md §4.5).

What a client writes is an agent's word about somebody: it changes nothing on a card that the person has written down, and stands in
no prompt of ours by itself, since these clients put it there themselves.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from libra.engine.ledger import rows
from libra.engine.libravdb_wire import Json, Verbs, record, text_of
from libra.ground.errors import InvalidParams
from libra.ground.records import Origin, Who, digest
from libra.store.ledger import Leaf, LedgerRow

if TYPE_CHECKING:
    from collections.abc import Mapping

_CARD_ID = "__user_card__"
_PLAIN = "text"
"""Field of a card that is no JSON object."""


class CardMethods:
    """The methods about user cards; see :class:`libra.engine.libravdb.LibraVdb`."""

    _verbs: Verbs
    _user: str

    _host: str

    def upsert_user_card(self, params: Json) -> Json:
        """Put a card in the place of a person's former one; an empty one deletes it."""
        name, text = text_of(params, "userId"), str(params.get("cardJson") or "")
        old = self._card(name)
        before = digest(_text(old)) if old is not None else ""
        wanted = _fields(text)
        if wanted:
            gone = dict.fromkeys(old.body["fields"]) if old is not None else {}
            self._verbs.card_update(
                who=Who(user=self._user, host=self._host),
                name=name,
                fields={**gone, **wanted},
                main=False,
                origin=Origin.AGENT,
            )
        elif old is not None:
            self._verbs.card_delete(who=Who(user=self._user, host=self._host), name=name, origin=Origin.AGENT)
        return {"ok": True, "cardId": _CARD_ID, "previousHash": before}

    def get_user_card(self, params: Json) -> Json:
        """Return a person's card; an empty one where there is none."""
        card = self._card(text_of(params, "userId"))
        if card is None:
            return {"cardJson": "", "updatedAt": 0, "version": 0}
        return {"cardJson": _text(card), "updatedAt": card.changed_ms, "version": card.version}

    def cards(self) -> list[Json]:
        """Return all cards as records."""
        return [
            record(card.name, 1.0, _text(card), "user_card", {"type": "user_card", "userId": card.name})
            for card in rows(self._verbs.deps, Leaf.CARD, self._user)
        ]

    def _card(self, name: str) -> LedgerRow | None:
        every = rows(self._verbs.deps, Leaf.CARD, self._user)
        return next((row for row in every if row.name == " ".join(name.split())), None)


def _fields(text: str) -> Mapping[str, Any]:
    """Return the fields of a card's text; none of an empty one.

    Raises:
        InvalidParams: It names a field that is not text, number, list or object.
    """
    try:
        found = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError:
        found = {_PLAIN: text}
    if not isinstance(found, dict):
        raise InvalidParams("cardJson: expected an object", where="cardJson")
    return {str(key): value for key, value in found.items() if value is not None}


def _text(card: LedgerRow) -> str:
    fields = card.body["fields"]
    if set(fields) == {_PLAIN}:
        return str(fields[_PLAIN])
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)
