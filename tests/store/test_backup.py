"""Copies of the database: sound, few, and no way back for what was forgotten."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from libra.ground.errors import NotFound, StoreDamaged, StoreError
from libra.store import backup, packing
from libra.store.backup import BackupParams
from libra.store.forget import forget
from libra.store.migrations import SCHEMA
from libra.store.restore import Rules, restore
from libra.store.scrub import clean_one
from libra.store.store import Store, StoreParams
from tests.store.support import Handle

NOW = 1_775_001_600_000


RULES = Rules(particulars=lambda _text: "")
"""Meanings and secrets are no matter here."""


def clock() -> int:
    """Return a fixed time."""
    return NOW


def texts(db: Path) -> list[str]:
    """Return what a database says."""
    store = Store.open(db, StoreParams(), clock)
    try:
        with store.snapshot() as s:
            return [row[0] for row in s.rows("SELECT text FROM item WHERE kind = 1 ORDER BY id")]
    finally:
        store.close()


def filled(db: Path, *said: str) -> Store:
    """Return an open store in which somebody has spoken."""
    store = Store.open(db, StoreParams(), clock)
    Handle(store).say(*said)
    return store


def test_a_copy_says_what_is_in_it(db: Path) -> None:
    """A person sees date, schema, counts and size of each copy, and that it was checked."""
    store = filled(db, "one", "two")
    made = store.back_up("manual")
    (copy,) = backup.every(store.backups)
    assert (copy.name, copy.label, copy.made_ms) == (made.name, "manual", NOW)
    assert copy.counts == {"turns": 2, "summaries": 0, "memories": 0, "guidance": 0}
    assert copy.verified_ms == NOW
    assert copy.bytes < (copy.db_bytes or 0)
    assert made.stat().st_mode & 0o077 == 0
    store.close()


def test_going_back_keeps_the_present_aside(db: Path) -> None:
    """After a restore the database is as it was, and what was there before is not lost."""
    store = filled(db, "one")
    name = store.back_up().name
    Handle(store).say("two", first=50)
    store.close()
    done = restore(db, name, clock, RULES)
    assert texts(db) == ["one"]
    assert done.aside is not None
    assert texts(done.aside / db.name) == ["one", "two"]
    assert not (db.parent / "restoring").exists()


def test_what_was_forgotten_since_stays_forgotten(db: Path) -> None:
    """A backup is no way back for what the person made Libra forget; what it knew besides comes back."""
    store = filled(db, "the locker code word is Tangerine", "the crane is red")
    name = store.back_up().name
    store.write(lambda tx: forget(tx, [1], NOW + 5), full_sync=True).result()
    store.close()
    done = restore(db, name, clock, RULES)
    assert done.forgotten == 1
    assert texts(db) == ["the crane is red"]
    assert b"Tangerine" not in db.read_bytes()
    store = Store.open(db, StoreParams(), clock)
    with store.snapshot() as s:
        assert s.rows("SELECT created_ms FROM tombstone") == [(NOW + 5,)]
    store.close()


def test_a_damaged_database_is_replaced_and_the_loss_is_told(db: Path) -> None:
    """With a database that cannot be read nobody knows what was forgotten: that is said, not hidden."""
    store = filled(db, "one")
    name = store.back_up().name
    store.close()
    db.write_bytes(b"rubbish" * 1000)
    done = restore(db, name.removesuffix(".db.gz"), clock, RULES)
    assert done.graves_lost
    assert texts(db) == ["one"]


@pytest.mark.parametrize("harm", ["cut", "flipped"])
def test_a_damaged_copy_changes_nothing(db: Path, harm: str) -> None:
    """A bad copy is refused before the present database is touched."""
    store = filled(db, "one")
    made = store.back_up()
    store.close()
    raw = bytearray(made.read_bytes())
    made.write_bytes(raw[: len(raw) // 2] if harm == "cut" else bytes(raw[:-8]) + b"\xff" * 8)
    with pytest.raises(StoreDamaged):
        restore(db, "latest", clock, RULES)
    assert texts(db) == ["one"]


def test_a_copy_of_a_newer_libra_is_refused(db: Path) -> None:
    """An old program must not open what it does not know."""
    store = filled(db, "one")
    store.write(lambda tx: tx.run("PRAGMA user_version = 999")).result()
    name = store.back_up().name
    store.write(lambda tx: tx.run("PRAGMA user_version = 2")).result()
    store.close()
    with pytest.raises(StoreError) as caught:
        restore(db, name, clock, RULES)
    assert caught.value.reason == "newer_schema"


def test_a_name_that_is_no_copy_is_refused(db: Path) -> None:
    """Only what is in the folder of backups can be restored."""
    filled(db, "one").close()
    for name in ("latest", "../libra.db", "nothing"):
        with pytest.raises(NotFound):
            restore(db, name, clock, RULES)


def test_each_label_has_its_own_number_of_copies(db: Path) -> None:
    """Daily copies do not push out the one that a person made, nor the one before a change of schema."""
    now = NOW
    store = Store.open(db, StoreParams(backup=BackupParams(keep_daily=2, keep_others=1)), lambda: now)
    Handle(store).say("one")
    for label in ("manual", "schema1", "daily", "schema2", "daily", "daily"):
        store.back_up(label)
        now += 1000
    assert [copy.label for copy in backup.every(store.backups)] == ["daily", "daily", "schema2", "manual"]
    assert len(list(store.backups.iterdir())) == 8
    store.close()


def test_the_daily_copy_is_due_once_a_day_and_after_a_change(db: Path) -> None:
    """A copy a day while something is learnt; a machine that rests fills no disk."""
    now = NOW
    store = Store.open(db, StoreParams(), lambda: now)
    assert not store.daily_is_due()
    Handle(store).say("one")
    store.write(lambda tx: tx.run("UPDATE item SET created_ms = ?", (NOW,))).result()
    assert not store.daily_is_due()
    now = max(NOW, db.stat().st_mtime_ns // 1_000_000) + 90_000_000
    assert store.daily_is_due()
    store.back_up(backup.DAILY)
    assert not store.daily_is_due()
    now += 90_000_000
    assert not store.daily_is_due()
    store.close()


def test_older_copies_are_cleaned_of_what_was_forgotten(db: Path) -> None:
    """What a person has forgotten is in no copy either once Libra has rested; a copy that cannot be cleaned is left and named."""
    now = NOW
    store = Store.open(db, StoreParams(), lambda: now)
    Handle(store).say("the locker code word is Tangerine", "the crane is red")
    first = store.back_up()
    now += 1000
    broken = store.back_up()
    broken.write_bytes(broken.read_bytes()[:100])
    store.write(lambda tx: forget(tx, [1], now + 5), full_sync=True).result()
    given_up: set[str] = set()
    assert b"Tangerine" in b"".join(packing.unpacked(first))
    while clean_one(store, lambda: now, RULES, given_up):
        pass
    held = b"".join(packing.unpacked(first))
    assert b"Tangerine" not in held
    assert b"the crane is red" in held
    assert given_up == {broken.name}
    assert not (store.backups / "cleaning").exists()
    store.close()


def test_words_that_stand_are_not_taken_out(db: Path) -> None:
    """Of two equal sayings the one that was not forgotten comes back with the backup."""
    store = filled(db, "we meet at noon on Friday", "we meet at noon on Friday")
    name = store.back_up().name
    store.write(lambda tx: forget(tx, [1], NOW + 5), full_sync=True).result()
    store.close()
    assert restore(db, name, clock, RULES).forgotten == 1
    assert texts(db) == ["we meet at noon on Friday"]


def test_what_a_killed_copy_left_goes_at_the_next_start(db: Path) -> None:
    """A crash while a copy is made leaves no second database behind that nobody cleans: it would keep what is forgotten later."""
    store = filled(db, "the locker code word is Tangerine")
    whole = store.back_up()
    store.close()
    folder = whole.parent
    half = "libra-20260401T000001000-manual.db"
    left = [folder / f"{half}.partial", folder / f"{half}.partial-journal", folder / f"{half}.packed"]
    left += [folder / "libra-20260401T000001000-manual.json"]
    for room in (folder / "cleaning", db.parent / "restoring"):
        room.mkdir()
        left += [room / "libra.db", room]
    for path in left:
        if path.suffix:
            path.write_bytes(b"Tangerine")
    store = Store.open(db, StoreParams(), clock)
    assert [path for path in left if path.exists()] == []
    assert [copy.name for copy in backup.every(store.backups)] == [whole.name]
    assert backup.every(store.backups)[0].schema is not None
    store.close()


def test_what_a_restore_kept_aside_is_cleaned_too(db: Path) -> None:
    """Who goes back to a copy and then forgets something does not leave it in the database that was put aside."""
    now = NOW
    store = Store.open(db, StoreParams(), lambda: now)
    Handle(store).say("the locker code word is Tangerine", "the crane is red")
    store.back_up()
    Handle(store).say("one more thing", first=9)
    store.close()
    aside = restore(db, "latest", clock, RULES).aside
    assert aside is not None
    store = Store.open(db, StoreParams(), lambda: now)
    now += 1000
    store.write(lambda tx: forget(tx, [1], now), full_sync=True).result()
    while clean_one(store, lambda: now, RULES, set()):
        pass
    held = b"".join(p.read_bytes() for p in aside.rglob("*") if p.is_file())
    assert b"Tangerine" not in held
    assert b"one more thing" in held
    store.close()


def upgraded(db: Path) -> Store:
    """Return a store whose database was of the schema before."""
    store = filled(db, "one", "two")
    store.close()
    con = apsw.Connection(str(db))
    con.execute(_BACK)
    con.pragma("user_version", SCHEMA - 1)
    con.close()
    return Store.open(db, StoreParams(), clock)


_BACK = "DROP TABLE rule_change; DROP TABLE shared; DROP INDEX speaker_name"
"""Takes the last schema's changes back, as far as they would stand in its way."""


def test_a_new_schema_waits_for_the_copy_only(db: Path) -> None:
    """The first start of a new version waited a minute a gigabyte for checking and packing: now for the copy's bytes alone."""
    store = upgraded(db)
    (copy,) = backup.every(store.backups)
    assert copy.name.endswith(f"-schema{SCHEMA - 1}.db")
    assert (copy.schema, copy.verified_ms, copy.bytes) == (SCHEMA - 1, None, copy.db_bytes)
    assert (store.backups / copy.name).stat().st_mode & 0o077 == 0
    assert {p.name for p in store.backups.iterdir()} == {copy.name, copy.name.replace(".db", ".json")}
    store.close()


def test_it_is_packed_when_nobody_waits(db: Path) -> None:
    """An unpacked copy takes the room of the whole database: later it is checked and packed, and is the same copy."""
    store = upgraded(db)
    (before,) = backup.every(store.backups)
    packed = store.pack_copy(set())
    assert packed is not None
    (after,) = backup.every(store.backups)
    assert after.name == packed.name == f"{before.name}.gz"
    assert (after.counts, after.schema, after.db_bytes, after.verified_ms) == (
        before.counts,
        before.schema,
        before.db_bytes,
        NOW,
    )
    assert after.bytes < before.bytes
    assert packed.stat().st_mode & 0o077 == 0
    assert store.pack_copy(set()) is None
    store.close()
    assert restore(db, packed.name, clock, RULES).schema == SCHEMA - 1
    assert texts(db) == ["one", "two"]


def test_going_back_to_one_that_is_not_packed(db: Path) -> None:
    """Who wants to go back right after the upgrade need not wait until the copy is packed."""
    upgraded(db).close()
    assert restore(db, "latest", clock, RULES).schema == SCHEMA - 1
    assert texts(db) == ["one", "two"]


def test_a_crash_between_packing_and_tidying(db: Path) -> None:
    """Killed when both stand there: the next start keeps the packed one, and never neither."""
    store = upgraded(db)
    (plain,) = backup.unpacked_copies(store.backups)
    kept = plain.read_bytes()
    packed = store.pack_copy(set())
    assert packed is not None
    plain.write_bytes(kept)
    (store.backups / f"{plain.name}.packed").write_bytes(b"half")
    store.close()
    Store.open(db, StoreParams(), clock).close()
    assert [copy.name for copy in backup.every(db.parent / "backups")] == [packed.name]
    assert not list((db.parent / "backups").glob("*.packed"))


def test_a_damaged_copy_is_not_packed_and_not_lost(db: Path) -> None:
    """What cannot be read any more is left for somebody who can mend it, and holds up no other copy."""
    store = upgraded(db)
    (plain,) = backup.unpacked_copies(store.backups)
    raw = bytearray(plain.read_bytes())
    raw[8192:] = b"\x07" * (len(raw) - 8192)
    plain.write_bytes(raw)
    given_up: set[str] = set()
    with pytest.raises(StoreDamaged):
        store.pack_copy(given_up)
    assert plain.read_bytes() == bytes(raw)
    assert store.pack_copy(given_up) is None
    store.close()


def test_without_room_for_the_copy_nothing_is_changed(db: Path) -> None:
    """A migration without its copy would be a step that nobody can take back: the database is opened read-only instead."""
    store = filled(db, "one")
    store.close()
    con = apsw.Connection(str(db))
    con.execute(_BACK)
    con.pragma("user_version", SCHEMA - 1)
    con.close()
    (db.parent / "backups").write_bytes(b"not a folder")
    store = Store.open(db, StoreParams(), clock)
    assert store.read_only
    store.close()
    con = apsw.Connection(str(db))
    assert con.pragma("user_version") == SCHEMA - 1
    con.close()


def test_what_is_forgotten_leaves_an_unpacked_copy_too(db: Path) -> None:
    """A copy that waits to be packed is no hiding place."""
    store = upgraded(db)
    store.write(lambda tx: forget(tx, [1], NOW + 5), full_sync=True).result()
    while clean_one(store, lambda: NOW + 9, RULES, set()):
        pass
    (copy,) = backup.every(store.backups)
    assert copy.name.endswith(".db.gz")
    assert (copy.counts or {})["turns"] == 1
    assert not backup.unpacked_copies(store.backups)
    store.close()
