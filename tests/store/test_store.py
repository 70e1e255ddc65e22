"""Opening, closing and the states in which a database may be found."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from libra.ground.errors import StoreDamaged, StoreError, StoreFull, StoreReadOnly
from libra.ground.records import Kind
from libra.store import migrations, search, stats, turns
from libra.store.backup import newest_backup
from libra.store.packing import unpacked
from libra.store.store import Store, StoreParams
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx
from tests.store.support import QUICK, Handle, session, turn


def test_new_database_has_the_present_schema(h: Handle, db: Path) -> None:
    """A first start makes the file, private to its owner, in WAL mode, with everything loaded."""
    assert h.value("PRAGMA user_version") == migrations.SCHEMA
    assert h.value("PRAGMA journal_mode") == "wal"
    assert h.store.vec_available
    assert h.store.vec_reason is None
    assert not h.store.read_only
    if sys.platform != "win32":
        assert stat.S_IMODE(db.stat().st_mode) == 0o600
        assert stat.S_IMODE(db.parent.stat().st_mode) == 0o700
        h.say("a")
        assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in db.parent.iterdir())


def test_what_was_written_is_there_after_closing(db: Path) -> None:
    """Closing finishes the queue and leaves no WAL behind."""
    store = Store.open(db, QUICK)
    futures = [
        store.write(lambda tx, n=n: turns.append(tx, session(), [turn(f"text {n}", n)], None, 1))
        for n in range(50)
    ]
    store.close()
    store.close()
    assert sum(f.result(0).accepted for f in futures) == 50
    assert not db.with_name("libra.db-wal").exists()
    again = Store.open(db, QUICK)
    with again.snapshot() as s:
        assert stats.collect(s).kinds["turn"] == 50
    again.close()


def test_closed_store_refuses(db: Path) -> None:
    """Reading and writing after closing is an error, not a hang."""
    store = Store.open(db, QUICK)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.write(_nothing)
    with pytest.raises(StoreError, match="closed"), store.snapshot():
        pass


def _nothing(_tx: WriteTx) -> None:
    pass


# ------------------------------------------------------------------ damage


def _filled(db: Path, *, backup: bool = False) -> Path | None:
    store = Store.open(db, QUICK)
    h = Handle(store)
    for n in range(40):
        h.say(*(f"the quick brown fox number {n} {i} " * 8 for i in range(10)), first=n * 10 + 1)
    copy = store.back_up() if backup else None
    store.close()
    return copy


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_flipped_bytes_open_read_only(db: Path) -> None:
    """A page of rubbish among the texts: reads work, writes are refused, the backup is named, the file is untouched."""
    copy = _filled(db, backup=True)
    raw = bytearray(db.read_bytes())
    page = raw.index(b"quick brown fox number 2 5") // 4096 * 4096  # of the items, not of the schema
    raw[page : page + 4096] = b"\xa5" * 4096
    db.write_bytes(raw)
    before = _hash(db)
    store = Store.open(db, QUICK)
    try:
        assert store.read_only
        assert store.damaged is not None
        assert str(copy) in str(store.damaged)
        with pytest.raises(StoreDamaged):
            store.write(lambda tx: tx.run("DELETE FROM item")).result(5)
        with store.snapshot() as s:
            assert s.value("SELECT count(*) FROM session") == 1
    finally:
        store.close()
    assert _hash(db) == before


@pytest.mark.parametrize("left", [1, 60, 99])
def test_truncated_header_is_not_opened(db: Path, left: int) -> None:
    """A file that is cut within its header is no database: an error names the backup, the file stays as it is."""
    copy = _filled(db, backup=True)
    db.write_bytes(db.read_bytes()[:left])
    with pytest.raises(StoreDamaged, match="newest backup") as caught:
        Store.open(db, QUICK)
    assert str(copy) in caught.value.message
    assert db.stat().st_size == left


def test_overwritten_header_is_not_opened(db: Path) -> None:
    """Another program's file at our place is never overwritten; without a backup the message says so."""
    _filled(db)
    db.write_bytes(b"not a database at all, but long enough to be one. " * 100)
    before = _hash(db)
    with pytest.raises(StoreDamaged, match="no backup"):
        Store.open(db, QUICK)
    assert _hash(db) == before


def test_truncated_database_is_never_written(db: Path) -> None:
    """Half a database: read-only or an error, and not one byte changes."""
    _filled(db)
    raw = db.read_bytes()
    db.write_bytes(raw[: len(raw) // 2])
    before = _hash(db)
    try:
        store = Store.open(db, QUICK)
    except StoreDamaged:
        pass
    else:
        assert store.read_only
        assert store.damaged is not None
        store.close()
    assert _hash(db) == before


def test_emptied_database_with_a_backup_is_damage(db: Path) -> None:
    """A file of no bytes is a new database only if there never was another."""
    _filled(db, backup=True)
    db.write_bytes(b"")
    with pytest.raises(StoreDamaged, match="empty"):
        Store.open(db, QUICK)
    assert db.stat().st_size == 0


def test_empty_file_is_a_first_start(db: Path) -> None:
    """A first start that was killed at once is simply repeated."""
    db.parent.mkdir()
    db.touch()
    store = Store.open(db, QUICK)
    assert not store.read_only
    store.close()


def test_damage_found_later_ends_writing(db: Path) -> None:
    """A large database is not checked whole at start; when the writer meets the damage, writing ends."""
    _filled(db)
    raw = bytearray(db.read_bytes())
    page = 4096
    con = apsw.Connection(str(db), flags=apsw.SQLITE_OPEN_READONLY)
    root = con.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'receipt'").get
    con.close()
    raw[(root - 1) * page : root * page] = b"\xa5" * page
    db.write_bytes(raw)
    store = Store.open(db, StoreParams(writer=QUICK.writer, check_bytes=0))
    try:
        assert not store.read_only
        with pytest.raises(StoreDamaged):
            store.write(
                lambda tx: tx.run(
                    "INSERT INTO receipt(id, created_ms, session_key, query_hash, tokens, budget, items, degraded) VALUES('r', 1, '', '', 0, 0, '[]', '[]')"
                )
            ).result(5)
        assert store.read_only
        assert store.damaged is not None
        with pytest.raises(StoreDamaged):
            store.write(lambda tx: tx.run("DELETE FROM meta")).result(5)
    finally:
        store.close()


# ------------------------------------------------------------------ no room, no rights


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mount a small memory file system, or skip."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux to mount a small tmpfs")
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("this machine does not let us mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def _remount(folder: Path, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)


def _fill(h: Handle) -> None:
    for n in range(100):
        h.say(*(f"filler {n} {i} " * 400 for i in range(10)), first=100 + n * 10)


def test_full_disk(tmp_path: Path) -> None:
    """On a full disk a write fails clearly, nothing of it stays, reads go on, and writing goes on when there is room."""
    with mounted(tmp_path / "small", "size=3m") as folder:
        store = Store.open(folder / "libra.db", QUICK)
        h = Handle(store)
        h.say("kept from before")
        with pytest.raises(StoreFull) as caught:
            _fill(h)
        assert caught.value.reason == "disk_full"
        held = h.value("SELECT count(*) FROM turn")
        assert isinstance(held, int)
        assert held % 10 == 1
        assert [r.text for r in h.read(lambda s: turns.tail(s, "claude-code:s1", 10**9))][
            -1
        ] == "kept from before"
        _remount(folder, "size=32m")
        assert h.say("and now there is room", first=5000)
        assert h.value("SELECT count(*) FROM turn") == held + 1
        store.close()


def test_full_database_by_page_limit(h: Handle) -> None:
    """The same without mounting: a batch that does not fit leaves nothing, and the next that fits is stored."""
    h.say("kept from before")

    h.do(lambda tx: tx.value(f"PRAGMA max_page_count = {tx.value('PRAGMA page_count') + 4}"))
    with pytest.raises(StoreFull):
        h.say(*(f"filler {i} " * 400 for i in range(30)), first=100)
    assert h.value("SELECT count(*) FROM item") == 1
    assert h.value("SELECT count(*) FROM fts_word WHERE fts_word MATCH 'filler'") == 0
    assert h.store.full
    h.do(lambda tx: tx.value("PRAGMA max_page_count = 1000000"))
    assert not h.store.full
    assert len(h.say(*(f"filler {i} " * 400 for i in range(30)), first=100)) == 30


def test_full_disk_spares_the_other_jobs_of_a_batch(h: Handle) -> None:
    """Jobs that wait together are retried one by one: only the one that does not fit fails."""
    h.do(lambda tx: tx.value(f"PRAGMA max_page_count = {tx.value('PRAGMA page_count') + 30}"))
    gate = threading.Event()
    first = h.store.write(lambda _tx: gate.wait(5))
    small = [
        h.store.write(lambda tx, n=n: turns.append(tx, session(), [turn(f"small {n}", n)], None, 1))
        for n in range(3)
    ]
    large = h.store.write(
        lambda tx: turns.append(
            tx, session(), [turn(f"big {n} " * 2000, 100 + n) for n in range(40)], None, 1
        )
    )
    last = h.store.write(lambda tx: turns.append(tx, session(), [turn("last", 90)], None, 1))
    gate.set()
    assert first.result(5)
    assert [f.result(5).accepted for f in small] == [1, 1, 1]
    with pytest.raises(StoreFull):
        large.result(5)
    assert last.result(5).accepted == 1


def test_read_only_file_system(tmp_path: Path) -> None:
    """A read-only data folder: what is there can be read and searched, writing says why it cannot."""
    with mounted(tmp_path / "ro", "size=16m") as folder:
        db = folder / "libra.db"
        _filled(db)
        _remount(folder, "ro")
        store = Store.open(db, QUICK)
        try:
            assert store.read_only
            assert store.damaged is None
            with store.snapshot() as s:
                filt = Filter(Visible("u"), frozenset(Kind))
                assert len(search.text_candidates(s, '"fox"', filt, 5)) == 5
            with pytest.raises(StoreReadOnly):
                store.write(lambda tx: tx.run("DELETE FROM item")).result(5)
            assert store.sizes()["db_bytes"] > 0
        finally:
            store.close()


def test_read_only_folder_without_a_database(tmp_path: Path) -> None:
    """There is nothing to read and nothing can be made: an error that names the place."""
    with mounted(tmp_path / "ro", "size=1m") as folder:
        _remount(folder, "ro")
        with pytest.raises(StoreReadOnly) as caught:
            Store.open(folder / "data" / "libra.db", QUICK)
        assert str(folder) in (caught.value.where or "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_rights(db: Path) -> None:
    """A folder whose rights forbid writing opens read-only."""
    _filled(db)
    db.parent.chmod(0o500)
    try:
        store = Store.open(db, QUICK)
        assert store.read_only
        store.close()
    finally:
        db.parent.chmod(0o700)


# ------------------------------------------------------------------ sizes, backups


def test_sizes_and_backup(h: Handle, db: Path) -> None:
    """Sizes are in bytes; a backup stands alone and holds everything."""
    h.say("worth keeping")
    copy = h.store.back_up("before")
    assert newest_backup(db.parent / "backups") == copy
    assert sorted(p.name for p in copy.parent.iterdir()) == [copy.name, copy.name.replace(".db.gz", ".json")]
    plain = copy.parent / "unpacked.db"
    plain.write_bytes(b"".join(unpacked(copy)))
    con = apsw.Connection(str(plain), flags=apsw.SQLITE_OPEN_READONLY)
    assert con.execute("SELECT text FROM item").get == "worth keeping"
    con.close()
    sizes = h.store.sizes()
    assert sizes["wal_bytes"] > 0
    assert sizes["backups_bytes"] == copy.stat().st_size
    assert set(sizes) == {"db_bytes", "wal_bytes", "free_bytes", "mirror_bytes", "backups_bytes"}


def test_old_backups_go(h: Handle) -> None:
    """The newest three copies stay."""
    made = []
    for n in range(5):
        h.store._clock = lambda n=n: 1_000_000 + n  # type: ignore[misc]
        made.append(h.store.back_up())
    assert sorted(made[0].parent.glob("*.db.gz")) == made[2:]
