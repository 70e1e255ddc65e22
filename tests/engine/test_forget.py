"""Forget: shown first, gone after, and not learnt again."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.errors import NotFound
from libra.ground.records import Kind
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

HINT = "My PIN hint is the blue bike."


def test_a_dry_run_shows_and_keeps(engine: Engine) -> None:
    """The preview names what would go, with its words; nothing goes."""
    engine.ingest(who=ME, turns=[user(HINT, 1000, "e1")])
    settle(engine)
    shown = engine.forget(who=ME, query="PIN hint", dry_run=True)
    assert shown["forgotten"] == 0
    assert {i["kind"] for i in shown["items"]} == {"turn", "memory"}
    assert all(i["text"].startswith("My PIN hint") for i in shown["items"])
    assert engine.search(who=ME, query="PIN hint")["hits"]


def test_b25_what_was_forgotten_is_not_learnt_again(engine: Engine) -> None:
    """Turn and memory go; the same event read again stays forgotten and is counted (field case B25)."""
    engine.ingest(who=ME, turns=[user(HINT, 1000, "e1")])
    settle(engine)
    done = engine.forget(who=ME, query="PIN hint")
    assert done["forgotten"] == 2
    again = engine.ingest(who=ME, turns=[user(HINT, 1000, "e1")])
    settle(engine)
    assert again["accepted"] == 0
    assert engine.search(who=ME, query="PIN hint", archive=True)["hits"] == []
    assert (
        "blue bike" not in engine.assemble(who=ME, query="what is the PIN hint?", budget_tokens=1000)["text"]
    )
    counts = engine.status()["counts"]
    assert counts["tombstone"] == 2
    assert counts["tombstone_hits"] >= 1


def test_an_unknown_id_is_an_error(engine: Engine) -> None:
    """Nothing is said to be done that was not (lessons C95)."""
    with pytest.raises(NotFound):
        engine.forget(who=ME, id="m0000000000")


def test_c90_other_words_of_a_forgotten_thing_stay_forgotten(engine: Engine, clock: FixedClock) -> None:
    """An old transcript tells it in other words: the meaning is known again, the attempt counted, nothing kept."""
    clock.now_ms = 10_000_000
    engine.ingest(
        who=ME, turns=[user("The hint for my vault is the rusty blue bicycle outside", 1_000_000, "e1")]
    )
    settle(engine)
    assert engine.forget(who=ME, query="vault hint")["forgotten"] >= 1
    before = engine.status()["counts"]["tombstone_hits"]
    engine.ingest(
        who=ME,
        turns=[
            user("The hint for my vault is the rusty blue bicycle outside!", 1_100_000, "e2"),
            user("the hint for my vault is: the rusty blue bicycle outside", 1_200_000, "e3"),
            user("The hint for my vault 7 is the rusty blue bicycle outside", 1_300_000, "e4"),
            user("The hint for my vault is the rusty blue bicycle outside.", 11_000_000, "e5"),
        ],
    )
    settle(engine)
    assert engine.status()["counts"]["tombstone_hits"] == before + 2
    kept = {
        hit["text"]
        for hit in engine.search(who=ME, query="vault hint bicycle", kinds=frozenset({Kind.TURN}))["hits"]
    }
    # Another number is another thing, and what is said after the forgetting is new.
    assert kept == {
        "The hint for my vault 7 is the rusty blue bicycle outside",
        "The hint for my vault is the rusty blue bicycle outside.",
    }
