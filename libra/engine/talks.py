"""Sessions: which there are, what was said in one, and the graph of summaries over it."""

from __future__ import annotations

from typing import Any

from libra.engine.deps import Deps
from libra.engine.page_places import TalkPlace
from libra.engine.scopes import complete, visible
from libra.engine.which import session_keys
from libra.ground.errors import NotFound
from libra.ground.records import Who
from libra.store import search, summaries, talks, turns
from libra.store.rows import ItemRow
from libra.store.snapshot import Snapshot
from libra.store.talks import Talk
from libra.store.visibility import Visible

_SHOWN_CHARS = 4_000
"""Of a longer turn the beginning is shown; ``get`` shows it whole."""


def listed(deps: Deps, who: Who | None, k: int, after: TalkPlace | None) -> dict[str, Any]:
    """Answer the method ``sessions``: the caller's user's, the last one first; ``next`` is there while more follow."""
    caller = complete(deps, who)
    before = None if after is None else (after.last_ms, after.session_id)
    with deps.store.snapshot() as snapshot:
        found = talks.page(snapshot, caller.user, k + 1, before=before)
    last = found[k - 1] if len(found) > k else None
    return {
        "items": [_line(talk) for talk in found[:k]],
        **({} if last is None else {"next": TalkPlace(last.last_ms, last.id).text}),
    }


def _line(talk: Talk) -> dict[str, Any]:
    out = talk._asdict()
    for old, new in (("first_ms", "first"), ("last_ms", "last"), ("gone_ms", "gone")):
        out[new] = out.pop(old)
    del out["id"]
    return out


def one(
    deps: Deps, who: Who | None, session: str, first: int, k: int, turn: str | None = None
) -> dict[str, Any]:
    """Answer the method ``session``: ``k`` of its turns from the ``first`` on, and all of its summaries as a graph.

    A turn that is named chooses the page: the one, counted in pages of ``k``, that it stands on.

    Raises:
        NotFound: The caller's user has no such session, or the session no such turn.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        pages = (talks.page(snapshot, caller.user, 1, key=key) for key in session_keys(caller, session))
        found = next((page[0] for page in pages if page), None)
        if found is None:
            raise NotFound("there is no such session", where="session")
        sees = Visible(user=caller.user, session_key=found.key, every_session=False)
        if turn is not None:
            place = turns.place_of(snapshot, found.id, turn, sees)
            if place is None:
                raise NotFound("there is no such turn in this session", where="turn")
            first = place - place % k
        rows, of = turns.turns_from(snapshot, found.id, first, k, sees)
        learnt = talks.memories_told(snapshot, found.id, visible(deps, caller))
        made = summaries.of_session(snapshot, found.key, visible=sees)
        return {
            "session": _line(found),
            "turns": [_turn(row, learnt.get(row.id, [])) for row in rows],
            "first": first,
            "of": of,
            "nodes": _nodes(snapshot, made, sees),
        }


def _turn(row: ItemRow, learnt: list[str]) -> dict[str, Any]:
    out = {
        "id": row.uid,
        "role": row.role,
        "speaker": row.speaker,
        "ts": row.ts_ms,
        "tokens": row.tokens,
        "text": row.text[:_SHOWN_CHARS],
        "covered": row.covered,
        "memories": learnt,
        "line": row.line,
        "path": row.source_path,
    }
    return {**out, **({"cut": True} if len(row.text) > _SHOWN_CHARS else {})}


def _nodes(snapshot: Snapshot, made: list[ItemRow], sees: Visible) -> list[dict[str, Any]]:
    """Return the summaries with the ids of what each covers, in order."""
    figures = summaries.details(snapshot, [row.id for row in made])
    below = summaries.edges(snapshot, [row.id for row in made])
    uids = {
        item: row.uid
        for item, row in search.rows(
            snapshot, [c for children in below.values() for c in children], sees
        ).items()
    }
    return [
        {
            "id": row.uid,
            "level": row.level,
            "text": row.text,
            "tokens": row.tokens,
            "ts": row.ts_ms,
            "covered": row.covered,
            "children": [uids[child] for child in below.get(row.id, ()) if child in uids],
            **(
                {}
                if row.id not in figures
                else {
                    "tokens_in": figures[row.id].tokens_in,
                    "method": figures[row.id].method,
                    "confidence": figures[row.id].confidence,
                    "align": figures[row.id].align,
                    "cover": figures[row.id].cover,
                    "identifiers_kept": figures[row.id].ident,
                }
            ),
        }
        for row in made
    ]
