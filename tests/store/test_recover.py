"""A damaged database: what can be read is saved, what cannot is told exactly, and the damaged file stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from libra.ground.errors import NotFound, StoreDamaged
from libra.ground.records import Kind
from libra.store import repair, search
from libra.store.recover import recover
from libra.store.store import Store, StoreParams
from libra.store.visibility import Filter, Visible
from tests.store.make_schema_sample import fill
from tests.store.support import Handle, session

NOW = 1_775_001_600_000


def clock() -> int:
    """Return a fixed time."""
    return NOW


@pytest.fixture
def filled(db: Path) -> Path:
    """Return a closed database of some hundred turns and one of each kind."""
    store = Store.open(db, StoreParams(), clock)
    h = Handle(store)
    fill(h)
    h.say(
        *(f"turn number {n} about the crane {'x' * 300}" for n in range(600)), ref=session("long"), first=1000
    )
    for n in range(40):
        h.remember(f"The crane number {n} is red.", n=n + 10)
    store.close()
    return db


def _texts(db: Path) -> set[str]:
    store = Store.open(db, StoreParams(), clock)
    try:
        with store.snapshot() as s:
            assert not store.read_only
            assert s.rows("PRAGMA integrity_check") == [("ok",)]
            assert s.rows("PRAGMA foreign_key_check") == []
            assert not repair.look(s).any
            return {row[0] for row in s.rows("SELECT text FROM item")}
    finally:
        store.close()


def test_a_sound_database_loses_nothing(filled: Path) -> None:
    """Who recovers without need has the same database afterwards, and the old one beside it."""
    before = _texts(filled)
    done = recover(filled, clock)
    assert done.whole
    assert _texts(filled) == before
    assert done.aside is not None
    assert (done.aside / "libra.db").exists()


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_damaged_pages_cost_their_own_rows_only(filled: Path, share: float) -> None:
    """Some pages in the middle are noise: nearly all is saved, searchable, and the number of lost turns is right."""
    before = _texts(filled)
    raw = bytearray(filled.read_bytes())
    at = int(len(raw) * share) // 4096 * 4096
    raw[at : at + 3 * 4096] = b"\xa5" * (3 * 4096)
    filled.write_bytes(raw)
    done = recover(filled, clock)
    after = _texts(filled)
    assert after <= before
    assert len(after) > len(before) * 0.8
    store = Store.open(filled, StoreParams(), clock)
    h = Handle(store)
    with store.snapshot() as s:
        missing = sum(
            text.startswith("turn number") or text in ("I saw a heron.", "Always feed it.", "Done.")
            for text in before - after
        )
        assert done.lost["turns"] + done.unreadable["item"] >= missing
        assert done.whole == (not missing and not done.unreadable and not done.lost)
        sees = Visible("u", None, ("user:u", "global"))
        filt = Filter(sees, kinds=frozenset({Kind.TURN, Kind.MEMORY}), with_covered=True)
        found = search.text_candidates(s, '"crane"', filt, 2_000)
        assert len(found) > 400
    h.say("life goes on", ref=session("after"), first=9_000)
    store.close()


def test_what_cannot_be_read_at_all_is_left(filled: Path) -> None:
    """Where not even the tables can be read nothing is changed, and the person is sent to the copies."""
    raw = bytearray(filled.read_bytes())
    raw[:4096] = b"\x00" * 4096
    filled.write_bytes(raw)
    with pytest.raises(StoreDamaged):
        recover(filled, clock)
    assert filled.read_bytes() == bytes(raw)
    with pytest.raises(NotFound):
        recover(filled.with_name("nowhere.db"), clock)
