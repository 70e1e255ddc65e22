"""Export: everything that a caller may see, a page of records at a time; the caller writes the file."""

from __future__ import annotations

from typing import Any

import orjson

from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.exchange.shapes import FORMAT, HEADER
from libra.ground.errors import Forbidden, InvalidParams
from libra.ground.records import Who
from libra.store import keptout, outgoing
from libra.store.migrations import SCHEMA
from libra.store.outgoing import Place
from libra.store.visibility import Visible

Json = dict[str, Any]

_PAGE_CHARS = 500_000
"""Of text in one answer: even in three bytes a character and with its fields far below what a line may hold."""
_CURSOR = "expected the next of an earlier answer"


def export(
    deps: Deps,
    who: Who | None,
    after: str | None,
    limit: int,
    *,
    everybody: bool,
    to: str | None = None,
    vectors: bool = False,
) -> Json:
    """Answer the method ``export``; the file ``to`` is remembered, so that scrub looks there.

    Raises:
        Forbidden: An agent asks for everybody's records.
        InvalidParams: ``after`` is no place that an answer has named.
    """
    sees = _view(deps, who, everybody=everybody)
    place = _place(after)
    if to is not None and after is None:
        only_the_person(complete(deps, who))
        now_ms = deps.clock()
        deps.store.write(lambda tx: keptout.note_export(tx, to, now_ms)).result()
    with deps.store.snapshot() as snapshot:
        records, following = outgoing.page(snapshot, sees, place, limit, _PAGE_CHARS, vectors=vectors)
        answer: Json = {"records": records, "next": _cursor(following)}
        if after is None:
            records.insert(0, {"kind": HEADER, "format": FORMAT, "schema": SCHEMA})
            answer["counts"] = outgoing.counts(snapshot, sees, vectors=vectors)
    return answer


def _view(deps: Deps, who: Who | None, *, everybody: bool) -> Visible | None:
    caller = complete(deps, who)
    if not everybody:
        return visible(deps, caller)
    only_the_person(caller)
    return None


def only_the_person(caller: Who) -> None:
    """Raise where an agent asks for what is everybody's.

    Raises:
        Forbidden: The caller runs in a host.
    """
    if caller.host is not None:
        raise Forbidden("only the person may move everybody's records, not an agent", where="everybody")


def _cursor(place: Place | None) -> str | None:
    return None if place is None else orjson.dumps([place.section, *place.key]).decode()


def _place(after: str | None) -> Place:
    if after is None:
        return Place()
    try:
        section, *key = orjson.loads(after)
    except (ValueError, TypeError):
        raise InvalidParams(f"after: {_CURSOR}", where="after") from None
    known = isinstance(section, int) and 0 <= section < len(outgoing.SECTIONS)
    if not known or (key and len(key) != len(outgoing.SECTIONS[section].key)):
        raise InvalidParams(f"after: {_CURSOR}", where="after")
    if not all(isinstance(part, str | int) for part in key):
        raise InvalidParams(f"after: {_CURSOR}", where="after")
    return Place(section, tuple(key))
