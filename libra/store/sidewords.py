"""The side index after something was removed for good: a deleted row is only marked there until its segment is merged.

Merging all of it takes the terms out, at a cost that grows with the index. A small one is merged at once, in the transaction that
forgets; a large one by the background worker, some pages at a time, within moments of it.
"""

from __future__ import annotations

from libra.store import meta
from libra.store.sql import Reader
from libra.store.writer import WriteTx

_WAITING = "side.unmerged"
_BEGUN, _GOING_ON = 1, 2
_FEW_PAGES = 1_000
"""An index of at most so many pages (some 4 MB) is merged at once: a tenth of a second."""
_STEP_PAGES = 400
_LEAST_CHANGES = 2
"""A merge that found nothing to do changes fewer rows than this. Source: SQLite's documentation of FTS5, 'merge'."""


def take_out(tx: WriteTx, few_pages: int = _FEW_PAGES) -> None:
    """Take the terms of deleted rows out of the index: now, or as soon as :func:`step` has been called often enough."""
    pages = int(tx.value("SELECT count(*) FROM (SELECT 1 FROM fts_side_data LIMIT ?)", (few_pages + 1,)))
    if pages <= few_pages:
        tx.run("INSERT INTO fts_side(fts_side) VALUES('optimize')")
        meta.put(tx, _WAITING, None)
    else:
        meta.put(tx, _WAITING, _BEGUN)


def waits(s: Reader) -> bool:
    """Say whether terms of deleted rows may still stand in the index."""
    return meta.get(s, _WAITING) is not None


def step(tx: WriteTx) -> bool:
    """Merge some pages; return False once nothing is left to do. The last step empties the WAL."""
    begun = meta.get(tx, _WAITING)
    if begun is None:
        return False
    before = int(tx.value("SELECT total_changes()"))
    # A negative number makes all segments candidates; the calls after it go on with these.
    pages = -_STEP_PAGES if begun == _BEGUN else _STEP_PAGES
    tx.run("INSERT INTO fts_side(fts_side, rank) VALUES('merge', ?)", (pages,))
    if int(tx.value("SELECT total_changes()")) - before >= _LEAST_CHANGES:
        meta.put(tx, _WAITING, _GOING_ON)
        return True
    meta.put(tx, _WAITING, None)
    tx.empty_wal = True
    return False
