"""Migrations: append-only, one transaction each, a backup before the first."""

from __future__ import annotations

import gzip
from pathlib import Path

import apsw
import pytest

from libra.ground.errors import StoreError
from libra.ground.records import Kind
from libra.store import documents, migrations, search
from libra.store.connection import open_writer
from libra.store.migrations import MIGRATIONS, Migration, migrate
from libra.store.store import Store
from libra.store.visibility import Filter, Visible
from tests.store.make_schema_sample import fill
from tests.store.support import QUICK, Handle, turn, unit

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


def test_memories_of_the_first_schema_get_their_intervals(db: Path) -> None:
    """A superseded memory held until its successor was told, and has a confidence for that time again."""
    db.parent.mkdir(parents=True, exist_ok=True)
    con = open_writer(db, busy_ms=1000, cache_kib=1024, wal=True)
    migrate(con, db, lambda _label: None, MIGRATIONS[:1])
    con.execute("INSERT INTO scope(name, kind) VALUES('user:u', 2)")
    for n in (1, 2):
        con.execute(
            "INSERT INTO item(id, uid, kind, scope_id, tokens, ts_ms, created_ms, text) VALUES(?1, 'm' || ?1, 3, 1, 1, ?1 * 100, 9, 'x')",
            (n,),
        )
        con.execute(
            "INSERT INTO memory(item_id, confidence, priority, content_hash, superseded_by) VALUES(?, ?, 30, 'h', NULL)",
            (n, (n - 1) * 0.7),
        )
    con.execute("UPDATE memory SET superseded_by = 2, archived_ms = 9 WHERE item_id = 1")
    migrate(con, db, lambda _label: None)
    found = con.execute("SELECT valid_from_ms, valid_to_ms, touched_ms, confidence FROM memory").fetchall()
    assert found == [(100, 200, 100, 0.6), (200, None, 200, 0.7)]
    con.close()


def test_every_released_schema_upgrades(root: Path, tmp_path: Path) -> None:
    """A database of every released schema opens with its rows, and goes on working."""
    samples = sorted((root / "tests" / "data").glob("schema*.db.gz"))
    assert {f"schema{m.number}.db.gz" for m in MIGRATIONS} <= {p.name for p in samples}
    for sample in samples:
        db = tmp_path / sample.stem / "libra.db"
        db.parent.mkdir()
        db.write_bytes(gzip.decompress(sample.read_bytes()))
        store = Store.open(db, QUICK)
        _works(Handle(store))
        store.close()


def _works(h: Handle) -> None:
    assert h.value("PRAGMA user_version") == migrations.SCHEMA
    assert h.value("SELECT count(*) FROM fts_word WHERE fts_word MATCH 'heron'") == 2
    assert h.value("SELECT text FROM item WHERE kind = 3") == "The heron is blue."
    filt = Filter(Visible("u", scopes=("user:u", "global")), frozenset(Kind), active_only=False)
    assert len(h.read(lambda s: search.vector_candidates(s, h.store, unit(2), filt, 9))) == 2
    assert [r.text for r in h.read(lambda s: documents.directives(s, ("global",)))] == ["Never shout."]
    assert h.append([turn("I saw a heron.", 1), turn("Another one.", 9)]).accepted == 1
    assert h.read(lambda s: s.rows("PRAGMA foreign_key_check")) == []


def test_sample_is_of_this_schema(root: Path, tmp_path: Path) -> None:
    """The newest sample has the very tables and indexes that a new database gets: a released step is never edited."""
    store = Store.open(tmp_path / "libra.db", QUICK)
    fill(Handle(store))
    want = Handle(store).read(lambda s: s.rows("SELECT name, sql FROM sqlite_schema ORDER BY name"))
    store.close()
    sample = tmp_path / "sample.db"
    sample.write_bytes(
        gzip.decompress((root / "tests" / "data" / f"schema{migrations.SCHEMA}.db.gz").read_bytes())
    )
    con = apsw.Connection(str(sample))
    assert con.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall() == want
    con.close()
