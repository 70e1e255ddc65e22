"""Priority, pins, time to live, archive: a person's hand on how much and how long memories count."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.core import Engine
from libra.engine.upkeep import expire
from libra.ground.errors import Conflict, NotFound
from libra.ground.records import Kind, MemoryType, Origin, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

_DAY = 86_400_000
AGENT = Who(user="me", session="s1", host="claude-code")
OTHER = Who(user="other", session="s9")


def _todo(engine: Engine, text: str = "Call the plumber about the sink.") -> str:
    uid = str(engine.remember(who=ME, text=text, type=MemoryType.TODO)["id"])
    settle(engine)
    return uid


def _kept(engine: Engine, uid: str) -> tuple[Any, ...]:
    shown = engine.explain(who=ME, id=uid)
    return tuple(shown[name] for name in ("priority", "priority_by", "expires", "ttl_by", "pinned"))


def _texts(engine: Engine, query: str) -> list[str]:
    hits = engine.search(who=ME, query=query, kinds=frozenset({Kind.MEMORY}))["hits"]
    return [h["text"] for h in hits if "archived" not in h]


def test_a_priority_is_set_taken_back_and_undone(engine: Engine) -> None:
    """The person's number wins until it is the type's again; undoing puts back what was there before."""
    uid = _todo(engine)
    before = _kept(engine, uid)
    engine.set_priority(who=ME, id=uid, priority=7)
    assert _kept(engine, uid)[:2] == (7, "person")
    assert engine.set_priority(who=ME, id=uid)["priority_by"] == "type"
    assert _kept(engine, uid) == before
    assert engine.undo(who=ME, last=True)["verb"] == "set_priority"
    assert _kept(engine, uid)[:2] == (7, "person")


def test_a_pin_is_first_and_for_good(engine: Engine, clock: FixedClock) -> None:
    """Priority 100 by hand, no expiry, and no time archives it; explain says that it is pinned."""
    uid = _todo(engine)
    before = _kept(engine, uid)
    done = engine.pin(who=ME, id=uid)
    assert _kept(engine, uid) == (100, "person", None, "person", True)
    assert engine.pin(who=ME, id=uid)["journal_id"] is None
    clock.advance(400 * _DAY)
    assert expire(engine.deps) == 0
    assert engine.get(who=ME, id=uid)["active"] is True
    clock.advance(-400 * _DAY)
    engine.undo(who=ME, journal_id=done["journal_id"])
    assert _kept(engine, uid) == before


def test_unpinned_it_is_as_before(engine: Engine, clock: FixedClock) -> None:
    """What the person had chosen before the pin is back; what is over meanwhile begins anew, not in the archive."""
    uid = _todo(engine)
    engine.set_priority(who=ME, id=uid, priority=7)
    engine.extend(who=ME, id=uid, days=3)
    before = _kept(engine, uid)
    engine.pin(who=ME, id=uid)
    assert engine.unpin(who=ME, id=uid)["pinned"] is False
    assert _kept(engine, uid) == before
    engine.pin(who=ME, id=uid)
    clock.advance(10 * _DAY)
    engine.unpin(who=ME, id=uid)
    assert _kept(engine, uid) == (7, "person", clock.now_ms + 30 * _DAY, "type", False)
    assert engine.unpin(who=ME, id=uid)["journal_id"] is None


def test_a_confirmed_memory_outlives_its_pin(engine: Engine) -> None:
    """Confirmed, it does not expire; pinned and unpinned, it still does not."""
    uid = _todo(engine)
    engine.confirm(who=ME, id=uid)
    engine.pin(who=ME, id=uid)
    engine.unpin(who=ME, id=uid)
    assert _kept(engine, uid)[2] is None


def test_extended_by_days_or_for_good(engine: Engine, clock: FixedClock) -> None:
    """The time counts from now on, is the person's, and is undone."""
    uid = _todo(engine)
    before = _kept(engine, uid)
    clock.advance(5 * _DAY)
    assert engine.extend(who=ME, id=uid, days=90)["expires"] == clock.now_ms + 90 * _DAY
    assert _kept(engine, uid)[3] == "person"
    assert engine.extend(who=ME, id=uid)["expires"] is None
    for _ in range(2):
        assert engine.undo(who=ME, last=True)["verb"] == "extend"
    assert _kept(engine, uid) == before


def test_an_agent_leaves_the_persons_memories(engine: Engine) -> None:
    """It weighs and puts away what it stored itself; with the person's word it may more. Others' are not there."""
    uid = _todo(engine)
    own = str(engine.remember(who=AGENT, text="The loader lives in src/load.py.")["id"])
    assert engine.set_priority(who=AGENT, id=own, priority=50)["priority"] == 50
    assert engine.archive(who=AGENT, ids=[own])["archived"] == 1
    for change in (engine.pin, engine.unpin, engine.set_priority, engine.extend):
        with pytest.raises(Conflict, match="the person said this"):
            change(who=AGENT, id=uid)
        with pytest.raises(NotFound):
            change(who=OTHER, id=uid)
    with pytest.raises(Conflict):
        engine.archive(who=AGENT, types=(MemoryType.TODO,))
    with pytest.raises(NotFound):
        engine.archive(who=OTHER, ids=[uid])
    assert engine.archive(who=OTHER, types=(MemoryType.TODO,))["archived"] == 0
    assert engine.pin(who=AGENT, id=uid, origin=Origin.OWNER)["pinned"] is True


def test_put_away_and_brought_back(engine: Engine) -> None:
    """Shown first and nothing done; then away at one go, undone at one go, or brought back by id."""
    one, two = _todo(engine), _todo(engine, "Order new crane cables in May.")
    fact = str(engine.remember(who=ME, text="The harbour was built in 1901.", type=MemoryType.FACT)["id"])
    shown = engine.archive(who=ME, types=(MemoryType.TODO,), dry_run=True)
    assert (shown["archived"], shown["would_archive"], set(shown["ids"])) == (0, 2, {one, two})
    assert all(item["text"] for item in shown["items"])
    assert _texts(engine, "plumber sink")[:1] == ["Call the plumber about the sink."]
    done = engine.archive(who=ME, types=(MemoryType.TODO,))
    assert done["archived"] == 2
    assert _texts(engine, "plumber sink crane cables") == ["The harbour was built in 1901."]
    with pytest.raises(Conflict, match="archive"):
        engine.pin(who=ME, id=one)
    assert engine.undo(who=ME, last=True) == {
        "undone": done["journal_id"],
        "verb": "archive",
        "ids": [one, two],
    }
    assert engine.get(who=ME, id=one)["expires"] is not None
    engine.archive(who=ME, ids=[one, fact], query="crane cables")
    assert engine.unarchive(who=ME, ids=[one, two])["unarchived"] == 2
    assert engine.unarchive(who=ME, ids=[one])["journal_id"] is None
    assert len(_texts(engine, "plumber sink crane cables")) == 2
    engine.undo(who=ME, last=True)
    assert engine.get(who=ME, id=one)["active"] is False
    with pytest.raises(NotFound):
        engine.archive(who=ME, ids=[one, "m0000000000"])


def test_what_has_expired_comes_back_with_time(engine: Engine, clock: FixedClock) -> None:
    """Brought back, it is not archived again at once."""
    uid = _todo(engine)
    clock.advance(31 * _DAY)
    assert expire(engine.deps) == 1
    assert engine.get(who=ME, id=uid)["active"] is False
    engine.unarchive(who=ME, ids=[uid])
    assert expire(engine.deps) == 0
    assert engine.get(who=ME, id=uid)["active"] is True
    assert _kept(engine, uid)[2] == clock.now_ms + 30 * _DAY


def test_what_has_a_successor_or_a_twin_stays_away(engine: Engine, clock: FixedClock) -> None:
    """Two that contradict each other, or say the same, would stand side by side."""
    uid = str(engine.remember(who=ME, text="Our staging port is 7443.")["id"])
    engine.correct(who=ME, id=uid, text="Our staging port is 8443.")
    with pytest.raises(Conflict) as refused:
        engine.unarchive(who=ME, ids=[uid])
    assert refused.value.reason == "superseded"
    away = _todo(engine)
    clock.advance(1)
    engine.archive(who=ME, ids=[away])
    again = _todo(engine)
    assert again != away
    with pytest.raises(Conflict) as twin:
        engine.unarchive(who=ME, ids=[away])
    assert twin.value.reason == "known"


def test_by_project_session_and_time(engine: Engine, clock: FixedClock) -> None:
    """Every part of the choice narrows it."""
    clock.now_ms = 1_000_000
    there = Who(user="me", session="s7", project="harbor")
    engine.ingest(who=there, turns=[user("We decided to deploy on Fridays.", 1_000_000, "e1")])
    settle(engine)
    clock.advance(1000)
    _todo(engine)

    def number(**which: Any) -> int:
        return int(engine.archive(who=ME, dry_run=True, **which)["would_archive"])

    assert number(query="deploy plumber") == 0
    assert number(project="harbor") == number(session="s7") == number(until=1_000_500) == 1
    assert number(session="me/s7", since=1_000_500) == 0
    assert number(since=1_000_500) == 1
