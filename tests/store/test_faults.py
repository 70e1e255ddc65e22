"""The disk fails under the database: what is refused, what is said, and that it goes on afterwards."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from libra.ground.errors import StoreError, StoreFailing, StoreFull, StoreReadOnly
from libra.store import backup
from libra.store.store import Store
from tests.store.faults import failing
from tests.store.support import QUICK, Handle

_FAULTS = [
    ("xWrite", "-wal", apsw.IOError, StoreFailing, "disk_error"),
    # The disk has room, so that "full" means the limit of the settings; tests/store/test_store.py fills a real one.
    ("xWrite", "-wal", apsw.FullError, StoreFull, "limit"),
    ("xRead", "libra.db", apsw.IOError, StoreFailing, "disk_error"),
    ("xSync", "-wal", apsw.IOError, StoreFailing, "disk_error"),
]


@pytest.mark.parametrize(
    ("call", "end", "injected", "means", "reason", "after"),
    # A transaction writes and reads many times, and is made durable once.
    [(*fault, after) for fault in _FAULTS for after in (0, 1, 3) if not after or fault[0] != "xSync"],
)
def test_a_failing_disk(
    db: Path,
    call: str,
    end: str,
    injected: type[apsw.Error],
    means: type[StoreError],
    reason: str,
    after: int,
) -> None:
    """At the first or a later call of a transaction: the call fails and says why, nothing half is stored, and it goes on."""
    with failing() as fault:
        store = Store.open(db, QUICK)
        h = Handle(store)
        h.say(*(f"kept from before {n} " * 40 for n in range(200)))
        # Another session begins with pages that are not in memory.
        store.close()
        store = Store.open(db, QUICK)
        h = Handle(store)
        fault.call, fault.end, fault.error, fault.after = call, end, injected, after
        asked = store.write(
            lambda tx: (
                tx.rows("SELECT sum(length(text)) FROM item") and tx.run("UPDATE item SET agent = 'x'")
            ),
            full_sync=True,
        )
        with pytest.raises(means) as caught:
            asked.result(20)
        assert caught.value.reason == reason
        assert fault.hits
        assert (store.full, store.failing) == (means is StoreFull, means is StoreFailing)
        fault.clear()
        assert h.value("SELECT count(*) FROM item WHERE agent = 'x'") == 0
        assert h.say("and now the disk is well again", first=900)
        assert (store.full, store.failing) == (False, False)
        assert h.value("SELECT count(*) FROM item") == 201
        assert h.value("PRAGMA integrity_check") == "ok"
        store.close()


def test_a_disk_that_fails_while_a_question_is_read(db: Path) -> None:
    """A page that cannot be read fails that question only, with the same reason."""
    with failing() as fault:
        store = Store.open(db, QUICK)
        Handle(store).say(*(f"kept from before {n} " * 40 for n in range(200)))
        store.close()
        store = Store.open(db, QUICK)
        fault.call, fault.end = "xRead", "libra.db"
        with pytest.raises(StoreFailing), store.snapshot() as s:
            s.rows("SELECT text FROM item")
        fault.clear()
        with store.snapshot() as s:
            assert len(s.rows("SELECT text FROM item")) == 200
        store.close()


@pytest.mark.parametrize("injected", [apsw.CantOpenError, apsw.IOError])
def test_a_database_that_cannot_be_opened(db: Path, injected: type[apsw.Error]) -> None:
    """No right to open it, or no answer of the disk: the error says so, and the file is as it was."""
    Store.open(db, QUICK).close()
    before = db.read_bytes()
    with failing() as fault:
        fault.call, fault.error = "xOpen", injected
        with pytest.raises((StoreReadOnly, StoreFailing)):
            Store.open(db, QUICK)
    assert db.read_bytes() == before
    Store.open(db, QUICK).close()


@pytest.mark.parametrize(("injected", "means"), [(apsw.IOError, StoreFailing), (apsw.FullError, StoreFull)])
def test_a_copy_that_cannot_be_written(db: Path, injected: type[apsw.Error], means: type[StoreError]) -> None:
    """A copy that fails leaves nothing behind, neither a file that looks like a copy nor a part of one."""
    with failing() as fault:
        store = Store.open(db, QUICK)
        Handle(store).say("kept")
        whole = store.back_up()
        fault.call, fault.end, fault.error = "xWrite", ".partial", injected
        with pytest.raises(means):
            store.back_up("other")
        fault.clear()
        assert [copy.name for copy in backup.every(store.backups)] == [whole.name]
        assert {p.name for p in store.backups.iterdir()} == {
            whole.name,
            whole.name.replace(".db.gz", ".json"),
        }
        store.close()


def test_a_folder_of_copies_that_cannot_be_used(db: Path) -> None:
    """Something else has its name, or nobody may write there: the copy fails and says where, everything else goes on."""
    store = Store.open(db, QUICK)
    h = Handle(store)
    store.backups.write_text("no folder")
    with pytest.raises(StoreReadOnly) as caught:
        store.back_up()
    assert caught.value.hint == "check its rights"
    assert h.say("goes on")
    store.close()
