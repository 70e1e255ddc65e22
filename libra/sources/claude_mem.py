"""The database of claude-mem, read once for an import: read-only, its two tables of results and no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from libra.sources.host_sqlite import DatabaseParams, reading

_TABLES: Final = {
    "observations": "SELECT * FROM observations ORDER BY id",
    "session_summaries": "SELECT * FROM session_summaries ORDER BY id",
}


def is_database(head: bytes) -> bool:
    """Say whether a file begins as a SQLite database does."""
    return head.startswith(b"SQLite format 3\x00")


def rows(path: str, params: DatabaseParams | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of both tables, each with its ``table``, oldest first; a table that is not there has none.

    Raises:
        SourceError: The database cannot be read.
    """
    with reading(path, params or DatabaseParams(), frozenset(_TABLES)) as db:
        for table, query in _TABLES.items():
            if db.has(table, "id"):
                for row in db.named(query):
                    yield {"table": table, **row}
