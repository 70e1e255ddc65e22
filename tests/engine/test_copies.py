"""Copies by themselves: one a day, and none that keeps what was forgotten."""

from __future__ import annotations

from libra.engine import copies
from libra.engine.automatic import Lookout
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.store import backup, packing
from tests.conftest import FixedClock
from tests.engine.conftest import ME

_DAY_MS = 86_400_000


def test_a_day_of_use_is_copied_once(deps: Deps, clock: FixedClock) -> None:
    """A person who never thinks of backups has one of yesterday."""
    engine, lookout = Engine(deps), Lookout()
    engine.remember(who=ME, text="The harbour has a red crane.")
    assert not copies.look_after(deps, lookout)
    clock.advance(_DAY_MS + 1)
    assert copies.look_after(deps, lookout)
    assert not copies.look_after(deps, lookout)
    assert [copy.label for copy in backup.every(deps.store.backups)] == ["daily"]


def test_what_is_forgotten_leaves_the_copies(deps: Deps, clock: FixedClock) -> None:
    """Forgetting ends with the copies: without this the words would lie on the disk for a week."""
    engine, lookout = Engine(deps), Lookout()
    kept = engine.remember(who=ME, text="My locker code word is Tangerine.")
    made = engine.backup()
    assert engine.backups()["backups"][0]["name"] == made["name"]
    clock.advance(1000)
    engine.forget(who=ME, id=kept["id"])
    assert copies.look_after(deps, lookout)
    assert not copies.look_after(deps, lookout)
    (copy,) = backup.every(deps.store.backups)
    assert b"Tangerine" not in b"".join(packing.unpacked(deps.store.backups / copy.name))


def test_a_full_folder_stops_nothing(deps: Deps, clock: FixedClock) -> None:
    """Where no copy can be made the rest goes on, and it is tried again an hour later."""
    engine, lookout = Engine(deps), Lookout()
    engine.remember(who=ME, text="The harbour has a red crane.")
    clock.advance(_DAY_MS + 1)
    deps.store.backups.write_text("in the way", "utf-8")
    assert not copies.look_after(deps, lookout)
    deps.store.backups.unlink()
    assert not copies.look_after(deps, lookout)
    clock.advance(3_600_001)
    assert copies.look_after(deps, lookout)
