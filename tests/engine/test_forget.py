"""Forget: shown first, gone after, and not learnt again."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.errors import NotFound
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
