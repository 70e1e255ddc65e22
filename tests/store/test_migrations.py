"""Migrations: append-only, one transaction each, a backup before the first."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from libra.ground.errors import StoreError
from libra.store import migrations
from libra.store.connection import open_writer
from libra.store.migrations import MIGRATIONS, Migration, migrate
from libra.store.store import Store
from tests.store.support import QUICK, Handle

_NEXT = Migration(MIGRATIONS[-1].number + 1, "CREATE TABLE extra(x); INSERT INTO extra VALUES(7);")
_BROKEN = Migration(MIGRATIONS[-1].number + 2, "CREATE TABLE more(x); INSERT INTO nowhere VALUES(1);")


def _old(db: Path) -> apsw.Connection:
    store = Store.open(db, QUICK)
    Handle(store).say("from before")
    store.close()
    return open_writer(db, busy_ms=1000, cache_kib=1024, wal=True)


def test_numbers_run_from_one() -> None:
    """Steps are numbered without gaps, in order."""
    assert [m.number for m in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_missing_steps_are_done_after_a_backup(db: Path) -> None:
    """A database of an earlier schema is copied, then changed; its rows stay."""
    con = _old(db)
    labels: list[str] = []
    assert migrate(con, db, labels.append, (*MIGRATIONS, _NEXT)) == 1
    assert labels == [f"schema{MIGRATIONS[-1].number}"]
    assert con.execute("SELECT x FROM extra").get == 7
    assert con.execute("SELECT text FROM item").get == "from before"
    assert migrate(con, db, labels.append, (*MIGRATIONS, _NEXT)) == 0
    assert len(labels) == 1
    con.close()


def test_failed_step_is_rolled_back_whole(db: Path) -> None:
    """The steps before a broken one stay; the broken one leaves nothing."""
    con = _old(db)
    with pytest.raises(StoreError):
        migrate(con, db, lambda _label: None, (*MIGRATIONS, _NEXT, _BROKEN))
    assert migrations.version(con) == _NEXT.number
    assert con.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").get == 0
    con.close()


def test_newer_database_is_refused(db: Path) -> None:
    """A database of a later Libra is not touched; the error says what to do."""
    con = _old(db)
    con.pragma("user_version", 999)
    con.close()
    before = db.read_bytes()
    with pytest.raises(StoreError) as caught:
        Store.open(db, QUICK)
    assert caught.value.reason == "newer_schema"
    assert db.read_bytes() == before


def test_failing_backup_stops_the_migration(db: Path) -> None:
    """Without the copy nothing is changed."""
    con = _old(db)

    def cannot(_label: str) -> None:
        raise StoreError("no room for a copy")

    with pytest.raises(StoreError, match="no room"):
        migrate(con, db, cannot, (*MIGRATIONS, _NEXT))
    assert migrations.version(con) == MIGRATIONS[-1].number
    con.close()


def test_first_schema_upgrades(root: Path, tmp_path: Path) -> None:
    """A database of every released schema opens with its rows (tests/data/schema<N>.sql)."""
    dumps = sorted((root / "tests" / "data").glob("schema*.sql"))
    assert dumps
    for dump in dumps:
        db = tmp_path / dump.stem / "libra.db"
        db.parent.mkdir()
        con = apsw.Connection(str(db))
        con.execute(dump.read_text("utf-8"))
        con.close()
        store = Store.open(db, QUICK)
        with store.snapshot() as s:
            assert s.value("PRAGMA user_version") == migrations.SCHEMA
            assert s.value("SELECT count(*) FROM fts_word WHERE fts_word MATCH 'heron'") == 1
            assert s.value("SELECT text FROM item WHERE kind = 3") == "The heron is blue."
        store.close()
