"""Grep: to the letter, newest first, within bounds, and nothing that the caller may not see."""

from __future__ import annotations

import pytest

from libra.engine.compact import compact
from libra.engine.deps import Deps
from libra.engine.grep import GrepRequest, grep
from libra.ground.errors import InvalidParams
from libra.ground.records import Kind, NewTurn, Role, Who
from tests.conftest import START_MS
from tests.engine.talks import store, talk, who, with_model


def _found(deps: Deps, pattern: str, **more: object) -> list[str]:
    caller = more.pop("caller", who())
    asked = GrepRequest(pattern, **more)  # type: ignore[arg-type]
    return [h["text"] for h in grep(deps, caller, asked)["hits"]]  # type: ignore[arg-type]


def test_a_covered_turn_is_found_word_for_word(deps: Deps) -> None:
    """Compaction hides nothing from grep: the raw turn is what comes back, with its place."""
    with_model(deps)
    store(deps, talk(60, START_MS))
    compact(deps, who(), force=True)
    hit = grep(deps, who(), GrepRequest("CONFIG_7.toml"))["hits"][0]
    assert hit["kind"] == "turn"
    assert hit["text"][hit["at"] :].startswith("config_7.toml")
    assert "config_7.toml" in hit["excerpt"]
    assert len(hit["excerpt"]) < len(hit["text"])


def test_expressions_order_and_bounds(deps: Deps) -> None:
    """Newest first; k and the budget cut, and the answer says so."""
    with_model(deps)
    store(deps, talk(20, START_MS))
    found = _found(deps, r"HARB-1\d+", regex=True)
    assert len(found) == 10
    assert "HARB-118" in found[0]
    cut = grep(deps, who(), GrepRequest("HARB", k=3))
    assert (len(cut["hits"]), cut["truncated"]) == (3, True)
    small = grep(deps, who(), GrepRequest("HARB", budget_tokens=1))
    assert (small["hits"], small["truncated"]) == ([], True)
    whole = grep(deps, who(), GrepRequest("HARB", k=10))
    assert (len(whole["hits"]), whole["truncated"]) == (10, False)


def test_signs_of_the_database_mean_themselves(deps: Deps) -> None:
    """A percent sign is no wildcard, and letters beyond ASCII are found in either case."""
    store(
        deps,
        [
            NewTurn(Role.USER, text, START_MS + n)
            for n, text in enumerate(("100% sure", "100 sure", "ÖL und öl"))
        ],
    )
    assert _found(deps, "100%") == ["100% sure"]
    assert _found(deps, "a_b") == []
    assert _found(deps, "öl") == ["ÖL und öl"]


def test_whose_words(deps: Deps) -> None:
    """Another person's turns are never found; ``here`` leaves other sessions out; kinds are obeyed."""
    store(deps, [NewTurn(Role.USER, "the relay is red", START_MS)])
    store(deps, [NewTurn(Role.USER, "the relay is blue", START_MS + 1)], "s2")
    assert len(_found(deps, "relay")) == 2
    assert _found(deps, "relay", here=True) == ["the relay is red"]
    assert _found(deps, "relay", caller=Who(user="other")) == []
    assert _found(deps, "relay", kinds=frozenset({Kind.MEMORY})) == []


@pytest.mark.parametrize("pattern", ["(", "a*"])
def test_a_bad_expression_is_named(deps: Deps, pattern: str) -> None:
    """The caller learns which field it was."""
    with pytest.raises(InvalidParams) as error:
        grep(deps, who(), GrepRequest(pattern, regex=True))
    assert error.value.where == "pattern"


def test_here_needs_a_session(deps: Deps) -> None:
    """Without one there is no here."""
    with pytest.raises(InvalidParams):
        grep(deps, Who(user="me"), GrepRequest("x", here=True))
