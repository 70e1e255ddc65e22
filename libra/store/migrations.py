"""Bring a database to the present schema: an append-only list, each step one transaction, a backup before the first.

Never edit a step that was released; add one. ``PRAGMA user_version`` holds the number of the last step done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from libra.ground.errors import StoreError
from libra.store.connection import translated
from libra.store.schema import SCHEMA_1, SCHEMA_2
from libra.store.schema_later import SCHEMA_3, SCHEMA_4


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: SQL that is run in its own transaction."""

    number: int
    sql: str


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, SCHEMA_1),
    Migration(2, SCHEMA_2),
    Migration(3, SCHEMA_3),
    Migration(4, SCHEMA_4),
)
SCHEMA = MIGRATIONS[-1].number
"""The schema that this Libra reads and writes."""


def version(con: apsw.Connection) -> int:
    """Return the number of the last step that was done; 0 for a new database."""
    return int(con.pragma("user_version"))


def migrate(
    con: apsw.Connection,
    path: Path,
    back_up: Callable[[str], object],
    steps: Sequence[Migration] = MIGRATIONS,
) -> int:
    """Do the steps that are missing; return how many were done.

    Two programs may start at once: each step looks at the version again under its own lock (lessons.md C72).

    Args:
        con: The write connection.
        path: Its database, for messages.
        back_up: Makes a copy with the given label; called before the first step on a database with content.
        steps: The list; tests hand in longer ones.

    Raises:
        StoreError: The database was written by a newer Libra (``newer_schema``), or a step failed and
            was rolled back.
    """
    newest = steps[-1].number
    with translated(path):
        found = version(con)
        if found > newest:
            raise StoreError(
                f"the database has schema {found}; this Libra knows {newest}",
                reason="newer_schema",
                hint="update Libra",
                where=str(path),
            )
        if 0 < found < newest:
            back_up(f"schema{found}")
        return sum(_step(con, step) for step in steps if step.number > found)


def _step(con: apsw.Connection, step: Migration) -> bool:
    con.execute("BEGIN IMMEDIATE")
    try:
        if version(con) >= step.number:
            con.execute("ROLLBACK")
            return False
        con.execute(step.sql)
        con.pragma("user_version", step.number)
        con.execute("COMMIT")
    except BaseException:
        if con.in_transaction:
            con.execute("ROLLBACK")
        raise
    return True
