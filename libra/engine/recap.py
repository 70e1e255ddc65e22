"""Recap and episodes: what a session was about, and its stretches of talk, without a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from libra.compaction.cue import Cue, cue, spread
from libra.compaction.turns import ClusterTurn
from libra.engine.deps import Deps
from libra.engine.scopes import complete
from libra.engine.search import hit
from libra.engine.which import session_keys
from libra.ground.errors import NotFound
from libra.ground.records import Kind, Role, Who
from libra.lifecycle import episodes as cutting
from libra.store import history, listing, search, sessions, summaries
from libra.store.listing import Order
from libra.store.rows import ItemRow
from libra.store.sessions import SessionRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.text.tokens import estimate

_MOST_MEMORIES = 100
"""Memories of a session that are looked at, the most important first: a budget holds fewer."""
_READ_TURNS = 160
"""Turns that are read to say what they were about, of all that is shown: about a millisecond each."""
_LEAST_READ = 12
"""Of one episode among many at least so many are read."""


def recap(deps: Deps, who: Who | None, session: str | None, budget_tokens: int) -> dict[str, Any]:
    """Answer the method ``recap``: the cue, then rules, memories and summaries as far as the budget goes.

    A session without summaries is told by its first and its last question as well. Of a long one an even choice of
    turns is read, which ``read`` then counts; how many turns there are, whose and when, is exact in any case.

    Raises:
        NotFound: The person has no such session, or none at all.
    """
    caller = complete(deps, who)
    with deps.store.snapshot() as snapshot:
        row = session_of(snapshot, caller, session)
        found, ids, times, read = _read_over(snapshot, row)
        parts = list(_parts(snapshot, caller, row, read))
    line = found.text(deps.zone)
    left = budget_tokens - estimate(line)
    shown = []
    for item in parts:
        if item.tokens <= left:
            left -= item.tokens
            shown.append(_shown(item))
    cut = cutting.episodes(times, deps.params.lifecycle.episodes)
    return {
        "session": row.key,
        **{name: value for name in ("host", "agent", "project") if (value := getattr(row, name))},
        "turns": len(ids),
        **({"read": len(read)} if len(read) < len(ids) else {}),
        "start": found.first_ms,
        "end": found.last_ms,
        "episodes": len(cut),
        "cue": line,
        "items": shown,
        "tokens": budget_tokens - left,
        "truncated": len(shown) < len(parts),
    }


def episodes(
    deps: Deps, who: Who | None, session: str | None, since_ms: int | None, k: int
) -> dict[str, Any]:
    """Answer the method ``episodes``: of one session, or of all of the person's that were in use since then.

    Newest first; ``more`` is how many there are besides.

    Raises:
        NotFound: The person has no such session.
    """
    caller = complete(deps, who)
    found = []
    with deps.store.snapshot() as snapshot:
        if session is not None or (since_ms is None and caller.session is not None):
            rows = [session_of(snapshot, caller, session)]
        else:
            rows = sessions.every(snapshot, caller.user)
        for row in rows:
            ids, times = history.times_of(snapshot, row.key, _only(row))
            cut = cutting.episodes(times, deps.params.lifecycle.episodes)
            found += [(e, row, ids[e.first : e.end]) for e in cut if since_ms is None or e.end_ms >= since_ms]
        found.sort(key=lambda part: (part[0].start_ms, part[2][0]), reverse=True)
        each = max(_READ_TURNS // max(len(found[:k]), 1), _LEAST_READ)
        shown = [_episode(snapshot, e, row, ids, each) for e, row, ids in found[:k]]
    return {"episodes": shown, "more": max(len(found) - k, 0)}


def line_of(deps: Deps, snapshot: Snapshot, row: SessionRow) -> tuple[str, int, int | None]:
    """Return a session's line of facts, how many turns it has, and when the last one was said."""
    found, ids, _, _ = _read_over(snapshot, row)
    return found.text(deps.zone), len(ids), found.last_ms


def _read_over(snapshot: Snapshot, row: SessionRow) -> tuple[Cue, list[int], list[int], list[ItemRow]]:
    """Return what a session was about, its turns' ids and times, and those of them that were read for it."""
    sees = _only(row)
    ids, times = history.times_of(snapshot, row.key, sees)
    read = _read(snapshot, row, ids, _READ_TURNS)
    some = len(read) < len(ids)
    found = cue([_turn(item) for item in read], part=some)
    if some:
        found = replace(
            found, turns=len(ids), by_speaker=history.speakers(snapshot, row.key, sees), first_ms=min(times),
            last_ms=max(times),
        )  # fmt: skip
    return found, ids, times, read


def session_of(snapshot: Snapshot, caller: Who, name: str | None) -> SessionRow:
    """Return the person's session of that name; without one the caller's own, else the one in use last."""
    asked = name or caller.session
    if asked is None:
        known = iter(sessions.every(snapshot, caller.user))
    else:
        rows = (sessions.find(snapshot, key, caller.user) for key in session_keys(caller, asked))
        known = (row for row in rows if row is not None)
    row = next(known, None)
    if row is None:
        raise NotFound("there is no session of that name", where="session")
    return row


def _only(row: SessionRow) -> Visible:
    return Visible(user=row.user, session_key=row.key, every_session=False)


def _parts(snapshot: Snapshot, caller: Who, row: SessionRow, said: list[ItemRow]) -> Iterator[ItemRow]:
    """Yield what tells of a session, what matters most first."""
    sees = _only(row)
    yield from summaries.guidance_of(snapshot, row.key, visible=sees)
    mine = Filter(Visible("", scopes=(f"user:{caller.user}",)), frozenset({Kind.MEMORY}), sessions=(row.key,))
    places = listing.page(snapshot, mine, Order.PRIORITY, _MOST_MEMORIES, None)
    yield from search.rows(snapshot, [place.item_id for place in places], mine).values()
    told = summaries.of_session(snapshot, row.key, uncovered=True, visible=sees)
    yield from told
    asked = [item for item in said if item.role == Role.USER.value]
    if asked and not told:
        yield asked[0]
        if len(asked) > 1:
            yield asked[-1]


def _episode(
    snapshot: Snapshot, found: cutting.Episode, row: SessionRow, ids: list[int], most: int
) -> dict[str, Any]:
    read = _read(snapshot, row, ids, most)
    about: Cue = cue([_turn(item) for item in read])
    return {
        "session": row.key,
        "start": found.start_ms,
        "end": found.end_ms,
        "turns": found.end - found.first,
        "first": read[0].uid,
        "last": read[-1].uid,
        "about": list(about.about),
        "names": list(about.anchors),
        "decisions": about.decisions,
    }


def _read(snapshot: Snapshot, row: SessionRow, ids: list[int], most: int) -> list[ItemRow]:
    """Return these turns in their order, of too many the first, the last, and an even choice between them."""
    some = spread(ids, most)
    found = search.rows(snapshot, some, _only(row))
    return [found[item] for item in some if item in found]


def _shown(item: ItemRow) -> dict[str, Any]:
    out = hit(item, 1.0, None)
    del out["score"]
    return out


def _turn(item: ItemRow) -> ClusterTurn:
    return ClusterTurn(item.text, Role(item.role) if item.role else None, item.ts_ms, speaker=item.speaker)
