"""Forget: what a person takes back is removed from every table and index, and is not learnt again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from libra.engine.deps import Deps
from libra.engine.scopes import check_own, complete, visible
from libra.ground.errors import NotFound
from libra.ground.records import Kind, Who
from libra.lifecycle.consolidate import particulars_text
from libra.store import forget as removal
from libra.store import search, use
from libra.store.store import Snapshot
from libra.store.visibility import Filter
from libra.store.writer import WriteTx
from libra.text import terms
from libra.text.scripts import has_cjk

_MOST = 1000
_PREVIEW_CHARS = 120
_KINDS = frozenset({Kind.TURN, Kind.MEMORY, Kind.SUMMARY, Kind.GUIDANCE})


def forget(
    deps: Deps, who: Who | None, uids: Sequence[str], query: str | None, *, dry_run: bool
) -> dict[str, Any]:
    """Answer the method ``forget``: by ids, or everything visible that holds all words of a query.

    The answer counts and names what was (or would be) removed, so that "done" is never said of nothing
    (lessons C95).

    Raises:
        NotFound: An id is not there, or not the caller's to see.
        Forbidden: Something of it is open to the caller for reading only.
    """
    caller = complete(deps, who)
    sees = visible(deps, caller)
    with deps.store.snapshot() as snapshot:
        found = search.by_uid(snapshot, uids, visible=sees)
        missing = [uid for uid in uids if uid not in found]
        if missing:
            raise NotFound(f"{len(missing)} of {len(uids)} records are not there", where="ids")
        chosen = [row.id for row in found.values()]
        if query is not None:
            filt = Filter(visible=sees, kinds=_KINDS, active_only=False)
            chosen += holding(snapshot, query, filt)
        everything = removal.closure(snapshot, chosen)
        rows = search.rows(snapshot, everything)
        check_own(deps, caller, [row.scope for row in rows.values()])
    named = [{"id": row.uid, "kind": row.kind.wire} for row in rows.values()]
    if dry_run:
        named = [
            {**n, "text": row.text[:_PREVIEW_CHARS]} for n, row in zip(named, rows.values(), strict=True)
        ]
    if not dry_run and chosen:
        now_ms = deps.clock()

        def job(tx: WriteTx) -> removal.Forgotten:
            for row in rows.values():
                if row.kind is Kind.MEMORY:
                    use.label(tx, row.id, "forgotten", now_ms, useful=False)
            return removal.forget(tx, chosen, now_ms, particulars_text)

        done = deps.store.write(job, full_sync=True).result()
        return {"forgotten": done.total, "ids": [n["id"] for n in named], "items": named, "dry_run": False}
    return {
        "forgotten": 0,
        "would_forget": len(named),
        "ids": [n["id"] for n in named],
        "items": named,
        "dry_run": dry_run,
    }


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
        hits = {item for item, _ in search.text_candidates(snapshot, match, filt, _MOST, index=index)}
        found = hits if found is None else found & hits
    return sorted(found or ())
