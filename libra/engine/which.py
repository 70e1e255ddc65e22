"""Which records a verb about many is about: what a caller says of them, as the filter that finds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from libra.engine.deps import Deps
from libra.engine.scopes import complete, readable, session_key, visible
from libra.ground.records import Kind, MemoryType, Scope, Who
from libra.store import listing, search
from libra.store.store import Snapshot
from libra.store.visibility import Filter
from libra.text import terms
from libra.text.scripts import has_cjk

_ALL = 10**9
"""What holds the words is found to the last one: to say that all of it was forgotten must be true."""


@dataclass(frozen=True, slots=True)
class Which:
    """What is asked for; every part that is given narrows it.

    Attributes:
        kinds, types, scopes: Of these; None for any.
        project: Of this project.
        agent: Said to or by this agent.
        session: Said in this session: its key, or its name within the caller's host.
        since, until: Said in this time, epoch ms; ``until`` exclusive.
        query: Holding all of these words.
    """

    kinds: frozenset[Kind] | None = None
    types: tuple[MemoryType, ...] | None = None
    scopes: tuple[Scope, ...] | None = None
    project: str | None = None
    agent: str | None = None
    session: str | None = None
    since: int | None = None
    until: int | None = None
    query: str | None = None

    @property
    def says_something(self) -> bool:
        """True if any part is given."""
        return any(getattr(self, part.name) is not None for part in fields(self))


def filter_of(
    deps: Deps,
    who: Who | None,
    which: Which,
    kinds: frozenset[Kind],
    *,
    active_only: bool,
    others: bool = False,
) -> Filter:
    """Return the filter of what is asked for, without its words.

    Args:
        deps: Shared parts.
        who: The caller.
        which: What is asked for.
        kinds: Kinds that the verb is about: those asked for are taken from these.
        active_only: Leave the archive out.
        others: With what others have shared with the caller's scopes: to read, never to change.

    Raises:
        Forbidden: A scope was asked for that the caller may not see.
    """
    caller = complete(deps, who)
    return Filter(
        visible=(readable if others else visible)(
            deps, caller, None if which.scopes is None else [s.text for s in which.scopes]
        ),
        kinds=kinds if which.kinds is None else kinds & which.kinds,
        types=tuple(t.value for t in which.types or ()),
        since_ms=which.since,
        until_ms=which.until,
        active_only=active_only,
        project=which.project,
        agent=which.agent,
        sessions=() if which.session is None else session_keys(caller, which.session),
    )


def session_keys(caller: Who, name: str) -> tuple[str, ...]:
    """Return the keys that a session may have that is called by its key or by its name within a host."""
    return tuple(dict.fromkeys((name, session_key(replace(caller, session=name)))))


def chosen(snapshot: Snapshot, filt: Filter, query: str | None) -> Sequence[int]:
    """Return the items of a filter, ascending; with a query those that hold all of its words."""
    return listing.every(snapshot, filt) if query is None else holding(snapshot, query, filt)


def holding(snapshot: Snapshot, query: str, filt: Filter) -> list[int]:
    """Return the items that hold every content word (and every CJK pair of characters) of a query."""
    asked = terms.parse_query(query)
    legs: list[tuple[str, Literal["word", "side"]]] = []
    words = [terms.word_match(terms.Query((word,), (), (), ())) for word in asked.words if not has_cjk(word)]
    pairs = [terms.side_match(terms.Query((), (), (), (term,))) for term in asked.side if has_cjk(term)]
    legs.extend((match, "word") for match in words if match)
    legs.extend((match, "side") for match in pairs if match)
    found: set[int] | None = None
    for match, index in legs:
        hits = {
            item
            for item, _ in search.text_candidates(snapshot, match, filt, _ALL, index, params=search.EVERY_ROW)
        }
        found = hits if found is None else found & hits
    return sorted(found or ())
