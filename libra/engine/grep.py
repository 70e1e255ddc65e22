"""Grep: find the records that hold a text or match an expression, word for word, newest first.

Search ranks by meaning and words; this is for what must be found to the letter. The database sifts by the
longest plain part of the pattern, the rest is done by :mod:`libra.text.pattern`, which looks at each character
once, whatever the expression.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.engine.search import hit
from libra.ground.errors import InvalidParams
from libra.ground.records import Kind, Who
from libra.store import history, search
from libra.store.rows import ItemRow
from libra.store.visibility import Filter
from libra.text.pattern import Pattern, PatternError

_LIMIT_MS = 3_000
"""A grep over very much text ends then and says so."""
_BUDGET_TOKENS = 8_000
_PAGE = 100
_AROUND_CHARS = 80


@dataclass(frozen=True, slots=True)
class GrepRequest:
    """The parameters of ``grep``.

    Attributes:
        pattern: Plain text, or an expression with ``regex``; case does not matter.
        k: Most hits.
        regex: The pattern is an expression.
        kinds: Which kinds of records; None for turns.
        here: Only in the caller's own session.
        budget_tokens: Tokens of all hits' texts together; None for 8,000.
    """

    pattern: str
    k: int = 20
    regex: bool = False
    kinds: frozenset[Kind] | None = None
    here: bool = False
    budget_tokens: int | None = None


def grep(deps: Deps, who: Who | None, asked: GrepRequest) -> dict[str, Any]:
    """Return ``{hits, truncated}``: newest first; ``truncated`` if there is or may be more.

    Raises:
        InvalidParams: The pattern cannot be read, or ``here`` without a session.
    """
    try:
        pattern = Pattern(asked.pattern, regex=asked.regex)
    except PatternError as error:
        raise InvalidParams(f"pattern: {error}", where="pattern") from None
    caller = complete(deps, who)
    sees = visible(deps, caller)
    if asked.here:
        if caller.session is None:
            raise InvalidParams("here: expected who.session beside it", where="who.session")
        sees = replace(sees, session_key=caller.session, every_session=False, scopes=())
    filt = Filter(visible=sees, kinds=asked.kinds or frozenset({Kind.TURN}), with_covered=True)
    room = _BUDGET_TOKENS if asked.budget_tokens is None else asked.budget_tokens
    deadline = Deadline.after(_LIMIT_MS)
    hits: list[dict[str, Any]] = []
    with deps.store.snapshot() as snapshot:
        ids = history.holding(snapshot, pattern.literal, filt)
        for start in range(0, len(ids), _PAGE):
            rows = search.rows(snapshot, ids[start : start + _PAGE], filt)
            for item_id in ids[start : start + _PAGE]:
                row = rows.get(item_id)
                place = pattern.find(row.text) if row is not None else None
                if row is None or place is None:
                    continue
                room -= row.tokens
                if len(hits) == asked.k or room < 0:
                    return {"hits": hits, "truncated": True}
                hits.append(_hit(row, place))
            if deadline.left_s() <= 0:
                return {"hits": hits, "truncated": True}
    return {"hits": hits, "truncated": False}


def _hit(row: ItemRow, place: tuple[int, int]) -> dict[str, Any]:
    """Return a hit with what stands around the place."""
    start, end = place
    a, b = max(start - _AROUND_CHARS, 0), min(max(end, start) + _AROUND_CHARS, len(row.text))
    shown = " ".join(row.text[a:b].split())
    excerpt = f"{'…' if a else ''}{shown}{'…' if b < len(row.text) else ''}"
    return {**hit(row, 1.0, None), "at": start, "excerpt": excerpt}
