"""What can still be read of a damaged database, into a new one; and exactly what could not (lessons.md C69).

SQLite keeps rows in pages, so that a damaged page costs its own rows only. Every table is walked by row numbers; where a range
cannot be read it is halved until only the rows that are lost are left. What is derived (full-text entries, bits) is built again,
vectors that are gone are queued. The damaged database is kept aside. No Libra may run meanwhile.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from libra.ground.errors import NotFound, StoreDamaged
from libra.ground.records import Clock
from libra.store import backup, connection, migrations, reindex, repair
from libra.store.connection import translate_os
from libra.store.migrations import MIGRATIONS
from libra.store.restore import swap
from libra.store.store import Store, StoreParams
from libra.store.wipe import Table

_BUSY_MS = 5_000
_PART_ROWS = 500
_HIGHEST = 1 << 22
"""Row numbers that are tried where the database does not say how many there were."""
_INDEX_ITEMS = 2_000


@dataclass(slots=True)
class Recovered:
    """What was done.

    Attributes:
        kept: Rows that were read, by table.
        unreadable: Row numbers, or parts of a table, that could not be read, by table.
        loose: Rows that were read and left out, since what they belong to is lost, by table.
        lost: Turns and memories of which something else is left, but not their words.
        aside: The folder that holds the damaged database.
    """

    kept: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    loose: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    aside: Path | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing was lost."""
        return not (self.unreadable or self.loose.total() or self.lost)


def recover(database: Path, clock: Clock, params: StoreParams | None = None) -> Recovered:
    """Put what can be read of a database in its place. The caller holds the lock of the data folder.

    Raises:
        NotFound: There is no database.
        StoreDamaged: Not even its tables can be read; it is as it was.
        StoreError: A file could not be written; it is as it was.
    """
    if not database.exists() or not database.stat().st_size:
        raise NotFound("there is no database to recover", where=str(database))
    room = database.parent / backup.RESTORING
    done = Recovered()
    try:
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(mode=0o700)
        fresh = room / database.name
        _copy(database, fresh, done)
        _made_whole(fresh, clock, params or StoreParams())
        done.aside = swap(database, fresh, database.parent / "backups", clock())
    except OSError as error:
        raise translate_os(error, database) from error
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return done


def _copy(database: Path, fresh: Path, done: Recovered) -> None:
    """Make a database of the same schema and put every row into it that can be read."""
    old = connection.open_reader(database, busy_ms=_BUSY_MS, cache_kib=4096)
    try:
        try:
            old.pragma("cell_size_check", value=True)
            version = migrations.version(old)
            high = _highest(old)
            known = {row[0] for row in old.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        except apsw.Error as error:
            raise _nothing(database) from error
        if version not in range(1, MIGRATIONS[-1].number + 1):
            raise _nothing(database)
        fresh.touch(mode=0o600)
        new = connection.open_writer(fresh, busy_ms=_BUSY_MS, cache_kib=16_384, wal=False)
        try:
            with connection.translated(fresh):
                migrations.migrate(new, fresh, lambda _label: None, MIGRATIONS[:version])
                new.pragma("foreign_keys", value=False)
                for table in _tables(new):
                    if table.name in known:
                        _move(old, new, table, high, done)
                _hang_together(new, done)
        finally:
            new.close()
    finally:
        old.close()


def _nothing(database: Path) -> StoreDamaged:
    return StoreDamaged(
        "nothing can be read of the database",
        hint="libra restore latest goes back to a copy",
        where=str(database),
    )


def _highest(old: apsw.Connection) -> int:
    """Return a row number that none is above."""
    try:
        return max(
            (int(str(row[0])) for row in old.execute("SELECT seq FROM sqlite_sequence")), default=_HIGHEST
        )
    except apsw.Error:
        return _HIGHEST


def _tables(con: apsw.Connection) -> list[Table]:
    found = []
    for row in con.execute("PRAGMA table_list").fetchall():
        schema, name, kind, without_rowid = row[0], str(row[1]), row[2], row[4]
        if schema == "main" and kind == "table" and not name.startswith("sqlite_"):
            columns = con.execute(f'PRAGMA table_info("{name}")').fetchall()
            key = tuple(str(c[1]) for c in sorted(columns, key=lambda c: int(str(c[5]))) if c[5])
            found.append(Table(name, key if without_rowid else ("rowid",), tuple(str(c[1]) for c in columns)))
    return found


def _move(old: apsw.Connection, new: apsw.Connection, table: Table, high: int, done: Recovered) -> None:
    names = ", ".join(f'"{column}"' for column in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    insert = f'INSERT OR IGNORE INTO "{table.name}"({names}) VALUES({marks})'
    rows = (
        _by_number(old, table.name, names, high, done)
        if table.key == ("rowid",)
        else _from_both_ends(old, table, names, done)
    )
    new.execute("BEGIN")
    for row in rows:
        new.execute(insert, row)
        done.kept[table.name] += new.changes()
    new.execute("COMMIT")


def _by_number(
    old: apsw.Connection, table: str, names: str, high: int, done: Recovered
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table by their numbers; a range that cannot be read is halved."""
    sql = (
        f'SELECT rowid, {names} FROM "{table}" WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT {_PART_ROWS}'
    )
    todo = [(0, max(high, 1))]
    while todo:
        first, last = todo.pop()
        try:
            found = old.execute(sql, (first, last)).fetchall()
        except apsw.Error:
            if first == last:
                done.unreadable[table] += 1
            else:
                middle = (first + last) // 2
                todo += [(middle + 1, last), (first, middle)]
            continue
        yield from (row[1:] for row in found)
        if len(found) == _PART_ROWS:
            todo.append((int(str(found[-1][0])) + 1, last))


def _from_both_ends(
    old: apsw.Connection, table: Table, names: str, done: Recovered
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table without row numbers from its beginning and, if that breaks off, from its end."""
    for way in ("ASC", "DESC"):
        order = ", ".join(f'"{column}" {way}' for column in table.key)
        try:
            yield from old.execute(f'SELECT {names} FROM "{table.name}" ORDER BY {order}')
        except apsw.Error:
            continue
        return
    done.unreadable[table.name] += 1


def _hang_together(new: apsw.Connection, done: Recovered) -> None:
    """Give words that lost their session or their place a new one; leave out what refers to nothing."""
    done.lost["turns"] = _count(new, "SELECT count(*) FROM turn WHERE item_id NOT IN (SELECT id FROM item)")
    done.lost["memories"] = _count(
        new,
        "SELECT count(*) FROM memory WHERE item_id NOT IN (SELECT id FROM item)",
    ) + _count(new, "SELECT count(*) FROM item WHERE kind = 3 AND id NOT IN (SELECT item_id FROM memory)")
    for statement in _MENDING:
        new.execute(statement)
    while tables := {str(row[0]) for row in new.execute("PRAGMA foreign_key_check").fetchall()}:
        for table in sorted(tables):
            _drop_loose(new, table, done)
    done.lost = Counter({kind: n for kind, n in done.lost.items() if n})


_LOST_SESSIONS = (
    "INSERT INTO session(id, key, user, scope_id, next_seq) SELECT item.session_id, 'recovered:' || item.session_id,"
    " substr(owner.name, 6), min(item.scope_id), max(item.seq) + 1 FROM item JOIN turn ON turn.item_id = item.id"
    " JOIN scope owner ON owner.id = turn.owner WHERE item.session_id IS NOT NULL"
    " AND item.session_id NOT IN (SELECT id FROM session) GROUP BY item.session_id"
)
"""Turns whose session is gone get one of the name ``recovered:…``."""
_LOST_PLACES = (
    "INSERT INTO turn(item_id, owner, content_key, origin, gated) SELECT item.id, owner.id, 'recovered:' || item.uid,"
    " CASE item.role WHEN 'user' THEN 'owner' WHEN 'assistant' THEN 'agent' ELSE 'tool' END, 2 FROM item"
    " JOIN session ON session.id = item.session_id JOIN scope owner ON owner.name = 'user:' || session.user"
    " WHERE item.kind = 1 AND item.id NOT IN (SELECT item_id FROM turn)"
)
"""Turns whose place in their source is gone are kept, and no longer judged."""
_LOST_STATES = "DELETE FROM item WHERE kind = 3 AND id NOT IN (SELECT item_id FROM memory)"
_MENDING = (_LOST_SESSIONS, _LOST_PLACES, _LOST_STATES)


def _count(con: apsw.Connection, sql: str) -> int:
    return int(str(con.execute(sql).get or 0))


def _drop_loose(new: apsw.Connection, table: str, done: Recovered) -> None:
    """Empty the references of a table that lead nowhere, where its declaration says so; else delete their rows."""
    for row in new.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
        parent, column, target, action = str(row[2]), str(row[3]), str(row[4] or "id"), str(row[6])
        where = f'"{column}" IS NOT NULL AND "{column}" NOT IN (SELECT "{target}" FROM "{parent}")'
        if action == "SET NULL":
            new.execute(f'UPDATE "{table}" SET "{column}" = NULL WHERE {where}')
        else:
            new.execute(f'DELETE FROM "{table}" WHERE {where}')
            done.loose[table] += new.changes()


def _made_whole(fresh: Path, clock: Clock, params: StoreParams) -> None:
    """Bring the new database to the present schema and make what is derived again."""
    store = Store.open(fresh, params, clock)
    try:
        if store.read_only:
            raise store.damaged or StoreDamaged("the recovered database cannot be written")
        store.write(reindex.begin).result()
        while store.write(lambda tx: reindex.step(tx, _INDEX_ITEMS)).result():
            pass
        store.write(repair.mend, full_sync=True).result()
    finally:
        store.close()
