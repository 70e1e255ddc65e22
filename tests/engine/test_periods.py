"""Memories in time: what held when, in whatever order it is read, and what was known then."""

from __future__ import annotations

import itertools

import pytest

from libra.engine.core import Engine
from libra.ground.errors import Conflict
from libra.ground.records import Kind, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

_DAY = 86_400_000
_SAID = ((10, "I live in Hanoi."), (20, "I live in Da Nang."), (30, "I live in Hanoi."))


def _as_of(engine: Engine, day: float, query: str = "Where do I live?") -> list[str]:
    found = engine.search(who=ME, query=query, kinds=frozenset({Kind.MEMORY}), as_of=int(day * _DAY))
    return [hit["text"] for hit in found["hits"]]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_a_fact_of_two_periods(engine: Engine, clock: FixedClock, order: tuple[int, ...]) -> None:
    """Hanoi, Da Nang, Hanoi again: three memories, two intervals for Hanoi, whatever is read first."""
    clock.now_ms = 100 * _DAY
    for place in order:
        day, text = _SAID[place]
        engine.ingest(who=ME, turns=[user(text, day * _DAY, f"e{place}")])
        settle(engine)
    assert _as_of(engine, 5) == []
    assert _as_of(engine, 12) == ["I live in Hanoi."]
    assert _as_of(engine, 25) == ["I live in Da Nang."]
    assert _as_of(engine, 35) == ["I live in Hanoi."]
    now = engine.search(who=ME, query="Where do I live?", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert [hit["text"] for hit in now] == ["I live in Hanoi."]
    line = engine.get(id=now[0]["id"], who=ME)["history"]
    assert [(h["valid_from"] // _DAY, h["valid_to"] and h["valid_to"] // _DAY) for h in line] == [
        (10, 20),
        (20, 30),
        (30, None),
    ]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
@pytest.mark.parametrize(
    "said",
    [
        ("We use Jenkins for builds.", "We switched from Jenkins to Buildkite."),
        ("I'm allergic to peanuts.", "I'm no longer allergic to peanuts."),
        ("The budget is 500 euros.", "The budget has been raised to 700 euros."),
        ("We use Notion for notes.", "We dropped Notion."),
    ],
)
def test_what_ends_or_moves_is_closed_in_any_order(
    engine: Engine, clock: FixedClock, said: tuple[str, str], order: tuple[int, int]
) -> None:
    """Told in other words than it began with, or read newest first, the old fact would stay in every prompt."""
    clock.now_ms = 100 * _DAY
    for n in order:
        engine.ingest(who=ME, turns=[user(said[n], (n + 1) * 10 * _DAY, f"e{n}")])
        settle(engine)
    assert _as_of(engine, 15, said[0]) == [said[0]]
    assert _as_of(engine, 25, said[0]) == [said[1]]


def test_telling_it_again_belongs_to_its_period(engine: Engine, clock: FixedClock) -> None:
    """A second telling from the first period confirms the first Hanoi, not the present one."""
    clock.now_ms = 100 * _DAY
    for place, (day, text) in enumerate(
        (*_SAID, (15, "I live in Hanoi."), (33, "I live in Hanoi."), (28, "I live in Hanoi."))
    ):
        engine.ingest(who=ME, turns=[user(text, day * _DAY, f"e{place}")])
        settle(engine)
    now = engine.search(who=ME, query="Where do I live?", kinds=frozenset({Kind.MEMORY}))["hits"]
    record = engine.get(id=now[0]["id"], who=ME)
    line = record["history"]
    assert [engine.get(id=h["id"], who=ME)["confirmations"] for h in line] == [2, 1, 3]
    assert [(h["valid_from"] // _DAY, h["valid_to"] and h["valid_to"] // _DAY) for h in line] == [
        (10, 20),
        (20, 28),
        (28, None),
    ]


def test_assemble_shows_what_held_then(engine: Engine, clock: FixedClock) -> None:
    """A prompt for an earlier time holds what was known and true then, with the confidence of then."""
    clock.now_ms = 100 * _DAY
    for place, (day, text) in enumerate(_SAID[:2]):
        engine.ingest(who=ME, turns=[user(text, day * _DAY, f"e{place}")])
    settle(engine)
    elsewhere = Who(user="me", session="other")
    then = engine.assemble(who=elsewhere, query="Where do I live?", budget_tokens=1000, as_of=12 * _DAY)
    now = engine.assemble(who=elsewhere, query="Where do I live?", budget_tokens=1000)
    assert "Hanoi" in then["text"]
    assert "Da Nang" not in then["text"]
    assert "Da Nang" in now["text"]
    (item,) = [i for i in then["items"] if i["kind"] == "memory"]
    strength = engine.deps.params.rank.confidence_strength
    assert item["why"]["confidence"] == pytest.approx(1 - strength + strength * 0.6, abs=1e-4)


def test_the_tail_of_then_ends_then(engine: Engine, clock: FixedClock) -> None:
    """In the same session, too: what was said later is in no part of a prompt for an earlier time."""
    clock.now_ms = 100 * _DAY
    for place, (day, text) in enumerate(_SAID[:2]):
        engine.ingest(who=ME, turns=[user(text, day * _DAY, f"e{place}")])
    settle(engine)
    then = engine.assemble(who=ME, query="Where do I live?", budget_tokens=1000, as_of=12 * _DAY)
    assert "Hanoi" in then["text"]
    assert "Da Nang" not in then["text"]


def test_a_supersession_that_split_a_memory_can_be_undone(engine: Engine, clock: FixedClock) -> None:
    """What cut one memory into two periods was wrong: undone, it is one memory again with all of its tellings."""
    clock.now_ms = 100 * _DAY
    for place, (day, text) in enumerate((_SAID[0], _SAID[2])):
        engine.ingest(who=ME, turns=[user(text, day * _DAY, f"e{place}")])
        settle(engine)
    (whole,) = engine.list(who=ME)["items"]
    before = engine.get(id=whole["id"], who=ME)
    assert before["confirmations"] == 2
    engine.ingest(who=ME, turns=[user(_SAID[1][1], _SAID[1][0] * _DAY, "e9")])
    settle(engine)
    assert _as_of(engine, 25) == ["I live in Da Nang."]
    entries = [e for e in engine.journal(who=ME)["entries"] if e["verb"] == "supersede"]
    assert len(entries) == 2
    with pytest.raises(Conflict):
        engine.undo(who=ME, journal_id=entries[1]["id"])
    for entry in entries:
        engine.undo(who=ME, journal_id=entry["id"])
    after = engine.get(id=whole["id"], who=ME)
    for name in ("text", "confirmations", "told_by", "confidence", "expires"):
        assert after[name] == before[name], name
    assert [(h["valid_from"], h["valid_to"]) for h in after["history"] if h["id"] == whole["id"]] == [
        (10 * _DAY, None)
    ]
    assert sorted(item["text"] for item in engine.list(who=ME)["items"]) == [
        "I live in Da Nang.",
        "I live in Hanoi.",
    ]
    assert set(_as_of(engine, 15)) == {"I live in Hanoi."}
    engine.forget(who=ME, id=whole["id"])
    assert [item["text"] for item in engine.list(who=ME, archive=True)["items"]] == ["I live in Da Nang."]
