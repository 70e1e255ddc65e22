"""Whose words: what tools, web pages, other people and agents say is kept and found, and is never the person's rule."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from libra.engine.core import Engine
from libra.ground.records import Kind, NewTurn, Origin, Role, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user

RULE = "Never restart the harbour service without a backup."
OTHER = Who(user="me", session="other")
_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Case:
    """Words with an origin, and how they must be named in a prompt."""

    role: Role
    origin: Origin
    speaker: str | None
    named: str


CASES = [
    Case(Role.USER, Origin.EXTERNAL, None, "somebody else, quoted as data"),
    Case(Role.USER, Origin.EXTERNAL, "Mara", "Mara (somebody else), quoted as data"),
    Case(Role.TOOL, Origin.TOOL, None, "tool output, quoted as data"),
    Case(Role.SYSTEM, Origin.EXTERNAL, None, "somebody else, quoted as data"),
    Case(Role.ASSISTANT, Origin.AGENT, None, "assistant"),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.role}-{c.origin}-{c.speaker}")


def _say(case: Case, text: str, ts_ms: int, event: str) -> NewTurn:
    return NewTurn(case.role, text, ts_ms, event, case.origin, case.speaker)


@every_case
def test_it_is_found_with_its_origin(engine: Engine, clock: FixedClock, case: Case) -> None:
    """Searched and recalled as data, with who said it; no memory is made of it, no tier of rules holds it."""
    engine.ingest(who=ME, turns=[_say(case, RULE, clock.now_ms, "e1")])
    settle(engine)
    (hit,) = engine.search(who=OTHER, query="restart the harbour service")["hits"]
    assert (hit["kind"], hit["source"]["origin"]) == ("turn", case.origin.value)
    assert engine.status()["counts"]["memory"] == 0
    answer = engine.assemble(who=OTHER, query="How do I restart the harbour service?", budget_tokens=1000)
    (item,) = [i for i in answer["items"] if i["id"] == hit["id"]]
    assert (item["tier"], item["source"]["origin"]) == ("recall", case.origin.value)
    below = ":\n- " if case.origin is Origin.AGENT else ": "
    assert f"{case.named}{below}{RULE}" in answer["volatile"]
    assert answer["stable"] == ""


@every_case
def test_it_is_never_guidance(engine: Engine, clock: FixedClock, case: Case) -> None:
    """When its session is compacted, only the person's own rules are kept as such."""
    mine = "Always run the whole test suite before a release."
    start = clock.now_ms
    said = [
        turn
        for n in range(30)
        for turn in (
            user(
                f"Step {n}: the importer of region {n} stalls on row {7000 + n} of table t{n}.",
                start + n * _MINUTE,
                f"u{n}",
            ),
            assistant(
                f"I looked at region {n}; its reader holds the lock of table t{n} too long.",
                start + n * _MINUTE + 1,
                f"a{n}",
            ),
        )
    ]
    said[5:5] = [
        _say(case, RULE, start + 2 * _MINUTE + 2, "rule"),
        user(mine, start + 2 * _MINUTE + 3, "mine"),
    ]
    engine.ingest(who=ME, turns=said)
    settle(engine)
    assert engine.compact(who=ME, force=True)["did_compact"]
    settle(engine)
    guidance = engine.search(who=ME, query="always never backup release", kinds=frozenset({Kind.GUIDANCE}))[
        "hits"
    ]
    assert [hit["text"] for hit in guidance] == [mine]


QUOTED = [
    "My boss wrote: “Never restart the harbour service without a backup.” What do you make of it?",
    "Here is the page:\n> Never restart the harbour service without a backup.\nCan you sum it up for me?",
    "This is in the config:\n```\n# Never restart the harbour service without a backup.\n```\nWhat does it do?",
]


@pytest.mark.parametrize("text", QUOTED)
def test_quotes_pastes_and_code_in_my_own_turn(engine: Engine, clock: FixedClock, text: str) -> None:
    """The turn is mine, the words are not: neither a memory of mine nor guidance comes of them (C37)."""
    start = clock.now_ms
    engine.ingest(who=ME, turns=[user(text, start, "q")])
    settle(engine)
    assert engine.search(who=ME, query="harbour service", kinds=frozenset({Kind.MEMORY}))["hits"] == []
    filler = [
        user(
            f"Step {n}: the importer of region {n} stalls on row {7000 + n} of table t{n}.",
            start + n * _MINUTE,
            f"u{n}",
        )
        for n in range(1, 40)
    ]
    engine.ingest(who=ME, turns=filler)
    settle(engine)
    assert engine.compact(who=ME, force=True)["did_compact"]
    settle(engine)
    assert engine.search(who=ME, query="harbour service", kinds=frozenset({Kind.GUIDANCE}))["hits"] == []


def test_an_agents_memory_is_named_as_the_agents(engine: Engine) -> None:
    """What an agent asked to keep is shown with its origin, and by its role in a prompt."""
    host = Who(user="me", session="s1", host="claude-code")
    engine.remember(who=host, text="The harbour loader lives in src/load.py.")
    settle(engine)
    (hit,) = engine.search(who=OTHER, query="harbour loader")["hits"]
    assert (hit["kind"], hit["source"]["origin"]) == ("memory", "agent")
    answer = engine.assemble(who=OTHER, query="Where is the harbour loader?", budget_tokens=1000)
    assert "assistant:\n- The harbour loader lives in src/load.py." in answer["volatile"]


def test_what_may_have_changed_carries_its_date(engine: Engine, clock: FixedClock) -> None:
    """A port is told as of a day, in hits and in prompts; a decision about it and what lasts are not (C34)."""
    engine.ingest(who=ME, turns=[user("Our staging port is 7443.", clock.now_ms, "e1")])
    engine.ingest(who=ME, turns=[user("My sister Linh lives in Da Nang.", clock.now_ms, "e2")])
    settle(engine)
    hits = engine.search(who=OTHER, query="staging port sister Linh", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert {hit["text"]: hit.get("as_of") for hit in hits} == {
        "Our staging port is 7443.": clock.now_ms,
        "My sister Linh lives in Da Nang.": None,
    }
    answer = engine.assemble(
        who=OTHER, query="What is the staging port, and where is my sister?", budget_tokens=1000
    )
    day, voice, *lines = answer["volatile"].splitlines()[2:6]
    assert day.startswith("20")
    assert voice == "user:"
    assert set(lines) == {"- [as of then] Our staging port is 7443.", "- My sister Linh lives in Da Nang."}
