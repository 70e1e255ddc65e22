"""Give unused room back to the disk, a bit at a time: full-text segments are merged, free pages cut off."""

from __future__ import annotations

from libra.store.sql import Reader
from libra.store.writer import WriteTx

_MERGE_PAGES = 500
_CUT_PAGES = 2_000
_LEAST_CHANGES = 2
"""A merge that found nothing to do changes fewer rows than this. Source: SQLite's documentation of FTS5, 'merge'."""


def free_pages(s: Reader) -> int:
    """Return how many pages hold nothing."""
    return int(s.value("PRAGMA freelist_count"))


def can_cut(s: Reader) -> bool:
    """Say whether free pages can be cut off without writing the whole file anew."""
    return int(s.value("PRAGMA auto_vacuum")) != 0


def merge(tx: WriteTx) -> bool:
    """Merge some segments of the full-text indexes; return False when there is nothing left to merge."""
    worked = False
    for name in ("fts_word", "fts_side"):
        before = int(tx.value("SELECT total_changes()"))
        tx.run(f"INSERT INTO {name}({name}, rank) VALUES('merge', {_MERGE_PAGES})")
        worked |= int(tx.value("SELECT total_changes()")) - before >= _LEAST_CHANGES
    return worked


def cut(tx: WriteTx) -> bool:
    """Cut some free pages off the file; return False when there are none or they cannot be cut off."""
    before = free_pages(tx)
    if not before or not can_cut(tx):
        return False
    tx.rows(f"PRAGMA incremental_vacuum({_CUT_PAGES})")
    return 0 < free_pages(tx) < before
