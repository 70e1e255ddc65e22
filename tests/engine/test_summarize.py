"""The verb summarize: nothing is stored."""

from __future__ import annotations

import pytest

from libra.engine.deps import Deps
from libra.engine.summarize import summarize
from libra.ground.errors import InvalidParams
from libra.ground.records import NewTurn, Role
from tests.conftest import START_MS
from tests.engine.talks import made, raw, talk, with_model

KEYS = {
    "text",
    "method",
    "align",
    "cover",
    "confidence",
    "identifiers_kept",
    "tokens_in",
    "tokens_out",
    "worst",
    "degraded",
}


def test_the_answers_shape(deps: Deps) -> None:
    """All fields of protocol.md, and nothing in the store."""
    with_model(deps)
    found = summarize(deps, talk(10, START_MS), None)
    assert set(found) == KEYS
    assert found["method"] == "extractive"
    assert found["tokens_out"] < found["tokens_in"]
    assert found["degraded"] == []
    assert raw(deps) == []
    assert made(deps) == []


def test_without_a_model(deps: Deps) -> None:
    """Words are counted, and a model that fails is replaced by them."""
    found = summarize(deps, talk(10, START_MS), 40)
    assert found["degraded"] == ["embedding"]
    assert found["tokens_out"] <= 40
    with_model(deps).broken = True
    assert summarize(deps, talk(10, START_MS), 40) == found


def test_what_cannot_be_shorter_comes_back(deps: Deps) -> None:
    """With a method that says so, and all fields."""
    with_model(deps)
    found = summarize(deps, [NewTurn(Role.USER, "ok", tokens=1)], None)
    assert set(found) == KEYS
    assert (found["text"], found["method"], found["identifiers_kept"]) == ("ok", "verbatim", 1.0)


def test_secrets_are_redacted(deps: Deps) -> None:
    """What is handed in is shown again, so it goes through the same filter."""
    with_model(deps)
    new = [
        NewTurn(Role.USER, "The token is ghp_" + "a1B2" * 9 + " and the build server is harbour nine."),
        *talk(4, START_MS),
    ]
    assert "ghp_" not in summarize(deps, new, None)["text"]


def test_a_budget_of_nothing_is_refused(deps: Deps) -> None:
    """Zero tokens hold no summary."""
    with pytest.raises(InvalidParams, match="budget_tokens"):
        summarize(deps, talk(2, START_MS), 0)
