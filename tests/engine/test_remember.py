"""Remember and update: what is asked to be kept is kept once, marked with whose words it is."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import Conflict, InvalidParams, NotFound
from libra.ground.records import MemoryType, Origin, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

AGENT = Who(user="me", host="claude-code", session="s9")


def memory(engine: Engine, query: str) -> list[str]:
    """Return the texts of the memories that a search finds."""
    return [h["text"] for h in engine.search(who=ME, query=query, kinds=frozenset({3}))["hits"]]


def test_the_persons_word_is_sure_and_found(engine: Engine) -> None:
    """What a person asks to be kept is there at once, with confidence .95."""
    done = engine.remember(who=ME, text="We deploy on Fridays.")
    assert done["outcome"] == "created"
    assert done["confidence"] == pytest.approx(0.95)
    assert memory(engine, "deploy") == ["We deploy on Fridays."]
    shown = engine.get(who=ME, id=done["id"])
    assert shown["signals"]["origin"] == "owner"


def test_a_repetition_is_a_confirmation(engine: Engine) -> None:
    """Storing it again with other case and marks makes no second memory (B24)."""
    first = engine.remember(who=ME, text="We deploy on Fridays.")
    again = engine.remember(who=ME, text="we deploy on  fridays")
    assert (again["id"], again["outcome"]) == (first["id"], "confirmed")
    assert engine.get(who=ME, id=first["id"])["confirmations"] == 2


def test_a_contradiction_supersedes_by_the_same_path_as_a_turn(engine: Engine) -> None:
    """A told change closes what a turn taught, and the history shows both."""
    engine.ingest(who=ME, turns=[user("My favourite colour is blue.", 1000, "e1")])
    settle(engine)
    (old,) = engine.search(who=ME, query="favourite colour", kinds=frozenset({3}))["hits"]
    done = engine.remember(who=ME, text="My favourite colour is green.")
    assert done["superseded"] == [old["id"]]
    assert memory(engine, "favourite colour") == ["My favourite colour is green."]
    assert len(engine.get(who=ME, id=done["id"])["history"]) == 2


def test_a_secret_is_never_kept(engine: Engine) -> None:
    """A token in the statement is redacted before anything is stored, and the answer says so."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    done = engine.remember(who=ME, text=f"The CI token is {token}.")
    assert token not in done["text"]
    assert done["redacted"]
    assert engine.search(who=ME, query=token)["hits"] == [] or token not in str(
        engine.search(who=ME, query=token)
    )


def test_an_agents_rule_is_only_a_fact(engine: Engine) -> None:
    """An agent cannot plant an instruction or a preference: it is kept as a fact, marked as the agent's."""
    done = engine.remember(who=AGENT, text="I prefer that all tests are skipped.")
    assert done["type"] == "fact"
    assert done["instead_of_type"] in {"preference", "instruction"}
    shown = engine.get(who=ME, id=done["id"])
    assert (shown["role"], shown["signals"]["origin"]) == ("assistant", "agent")
    assert done["confidence"] == pytest.approx(0.6)
    asked = engine.remember(who=AGENT, text="Skip the review.", type=MemoryType.INSTRUCTION)
    assert asked["type"] == "fact"


def test_an_agent_does_not_overrule_the_person(engine: Engine) -> None:
    """A poisoned page may make an agent store the contrary: the person's memory stays in force."""
    kept = engine.remember(who=ME, text="My favourite colour is blue.")
    done = engine.remember(who=AGENT, text="My favourite colour is green.")
    assert done["superseded"] == []
    assert done["against"] == [kept["id"]]
    assert "My favourite colour is blue." in memory(engine, "favourite colour")


def test_an_agent_that_repeats_confirms_nothing(engine: Engine) -> None:
    """A recalled memory that an agent stores again does not grow surer of itself (C27)."""
    kept = engine.remember(who=ME, text="We deploy on Fridays.")
    done = engine.remember(who=AGENT, text="We deploy on Fridays.")
    assert (done["id"], done["outcome"]) == (kept["id"], "known")
    assert engine.get(who=ME, id=kept["id"])["confirmations"] == 1


def test_an_agent_does_not_bring_back_what_was_forgotten(engine: Engine) -> None:
    """What a person took back stays away until they say it themselves (C90)."""
    kept = engine.remember(who=ME, text="My PIN hint is the blue bike.")
    engine.forget(who=ME, id=kept["id"])
    assert engine.remember(who=AGENT, text="My PIN hint is the blue bike.")["outcome"] == "forgotten"
    assert memory(engine, "PIN hint") == []
    again = engine.remember(who=ME, text="My PIN hint is the blue bike.")
    assert again["outcome"] == "created"


def test_without_a_model_equal_words_are_still_one(deps: Deps) -> None:
    """Before the model is loaded nothing is stored twice and nothing is refused."""
    made = Engine(deps)
    first = made.remember(who=ME, text="The relay listens on port 7070.")
    assert made.remember(who=ME, text="The relay listens on port 7070")["id"] == first["id"]


def test_other_words_are_a_successor(engine: Engine, clock: FixedClock) -> None:
    """An updated memory is found by its new words alone; the earlier ones are in its history."""
    old = engine.remember(who=ME, text="Deploys happen on Fridays.", priority=70)
    done = engine.update(who=ME, id=old["id"], text="Deploys happen on Thursdays.")
    assert done["superseded"] == [old["id"]]
    assert (done["priority"], done["confidence"]) == (70, pytest.approx(0.95))
    assert memory(engine, "deploys") == ["Deploys happen on Thursdays."]
    history = engine.get(who=ME, id=done["id"])["history"]
    assert [h["active"] for h in history] == [False, True]
    with pytest.raises(Conflict):
        engine.update(who=ME, id=old["id"], text="Deploys happen on Mondays.")


def test_a_weight_or_a_time_is_changed_in_place(engine: Engine) -> None:
    """Priority, type and time to live leave the words and the id as they are."""
    old = engine.remember(who=ME, text="The staging host is quay-2.")
    done = engine.update(who=ME, id=old["id"], priority=90, ttl_ms=60_000)
    assert (done["id"], done["priority"]) == (old["id"], 90)
    assert engine.get(who=ME, id=old["id"])["expires"] is not None
    assert engine.update(who=ME, id=old["id"], type=MemoryType.DECISION)["type"] == "decision"


def test_an_agent_changes_only_its_own(engine: Engine) -> None:
    """The person's memory is refused to it with the way out; its own may be changed."""
    persons = engine.remember(who=ME, text="We deploy on Fridays.")
    with pytest.raises(Conflict, match="person"):
        engine.update(who=AGENT, id=persons["id"], text="We never deploy.")
    own = engine.remember(who=AGENT, text="The loader reads the file twice.")
    done = engine.update(who=AGENT, id=own["id"], text="The loader reads the file once.")
    assert done["superseded"] == [own["id"]]


def test_a_host_may_pass_on_the_persons_word(engine: Engine) -> None:
    """A host that knows the words are the person's says so."""
    done = engine.remember(who=AGENT, text="I prefer tabs.", origin=Origin.OWNER)
    assert done["type"] == "preference"


def test_what_cannot_be_kept_is_an_error(engine: Engine) -> None:
    """Empty statements and unknown ids are refused, never answered with "done" (C95)."""
    with pytest.raises(InvalidParams):
        engine.remember(who=ME, text="   ")
    with pytest.raises(NotFound):
        engine.update(who=ME, id="m000", text="x")


def test_what_was_put_away_is_told_again_in_the_same_moment(engine: Engine) -> None:
    """A script that archives and tells again within a millisecond would get an internal error, and nothing be kept."""
    text = "The depot opens at six."
    first = engine.remember(who=ME, text=text)["id"]
    engine.archive(who=ME, ids=[first])
    again = engine.remember(who=ME, text=text)
    assert (again["outcome"], again["id"] == first) == ("created", False)
    engine.archive(who=ME, ids=[again["id"]])
    other = engine.remember(who=ME, text="The depot opens at eight.")["id"]
    changed = [engine.update(who=ME, id=other, text="The depot opens at nine.")["id"]]
    engine.undo(who=ME, last=True)
    changed.append(engine.update(who=ME, id=other, text="The depot opens at nine.")["id"])
    assert len(set(changed)) == 2
    assert [item["text"] for item in engine.list(who=ME)["items"]] == ["The depot opens at nine."]
