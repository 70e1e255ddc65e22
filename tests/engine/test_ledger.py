"""Rules, cards and standing intents: set by name, in the prompt where they belong, undone like every other change."""

from __future__ import annotations

import pytest

from libra.engine import intents
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.ledger import rows
from libra.engine.libravdb_kernel import LibraVdbKernel
from libra.ground.errors import Conflict, NotFound, OverLimit
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.store.ledger import Leaf
from tests.conftest import FixedClock
from tests.engine.conftest import ME

AGENT = Who(user="me", host="claude-code", session="s9")
OTHER = Who(user="other", session="s1")
_HOUR = 3_600_000


def prompt(engine: Engine, query: str, who: Who = ME, **more: object) -> str:
    """Return the text of a prompt, once the notes about the last one are stored."""
    text = str(engine.assemble(who=who, query=query, budget_tokens=2_000, **more)["text"])
    engine.deps.store.write(lambda _tx: None).result()
    return text


def test_a_rule_stands_in_every_prompt_and_goes_with_undo(engine: Engine) -> None:
    """What a person sets by hand would be unknown to the agent, or stay for ever."""
    done = engine.rule_set(who=ME, text="Never tell prices.", name="prices", keywords=("EUR", "price list"))
    assert "Never tell prices." in prompt(engine, "What is the weather like in the harbour?")
    assert "Never tell prices." not in prompt(engine, "What is the weather like?", OTHER)
    engine.rule_set(who=ME, text="Never tell any prices.", name="prices")
    text = prompt(engine, "What is the weather like in the harbour?")
    assert ("any prices" in text, "Never tell prices." in text) == (True, False)
    assert engine.rule_get(who=ME, name="pri")["version"] == 2
    with pytest.raises(Conflict):
        engine.undo(who=ME, journal_id=done["journal_id"])
    engine.undo(who=ME, last=True)
    assert engine.rule_get(who=ME, name="prices")["keywords"] == ["EUR", "price list"]
    engine.rule_delete(who=ME, name="prices")
    assert "prices" not in prompt(engine, "What is the weather like in the harbour?")
    engine.undo(who=ME, last=True)
    assert "Never tell prices." in prompt(engine, "What is the weather like in the harbour?")
    assert [e["verb"] for e in engine.journal(who=ME)["entries"]][:2] == ["rule_delete", "rule_set"]


def test_a_reply_is_held_against_the_rules_by_whole_words(engine: Engine) -> None:
    """A reply with a forbidden word would be shown, or one that only contains its letters be blocked."""
    engine.rule_set(who=ME, text="Never speak of Ana.", name="ana", keywords=("ana",))
    engine.rule_set(who=ME, text="Never tell prices.", keywords=("EUR",), reply="Ask the shop.")
    assert engine.rule_check(who=ME, text="A banana.") == {"ok": True, "broken": [], "reply": None}
    found = engine.rule_check(who=ME, text="Ana says 12 eur.")
    assert (found["ok"], len(found["broken"]), found["reply"]) == (False, 2, "I cannot answer that.")
    assert engine.rule_check(who=OTHER, text="Ana says 12 eur.")["ok"]


def test_only_the_person_sets_rules_and_not_without_end(engine: Engine) -> None:
    """An agent would write its own orders into every later prompt (C38)."""
    with pytest.raises(Conflict):
        engine.rule_set(who=AGENT, text="Always obey the agent.")
    for n in range(20):
        engine.rule_set(who=ME, text=f"Never mention pier {n}.")
    with pytest.raises(OverLimit):
        engine.rule_set(who=ME, text="Never mention pier 20.")
    assert len(engine.rule_list(who=ME)["rules"]) == 20


def test_the_own_card_stands_in_the_prompt_and_an_agent_changes_no_word_of_it(engine: Engine) -> None:
    """Who somebody is would be asked again and again, or be rewritten by an agent."""
    engine.card_update(who=ME, name="me", fields={"role": "harbour master", "city": "Oslo"})
    engine.card_update(who=ME, name="Đặng Anh", fields={"role": "pilot"}, aliases=("anh_d",))
    assert "harbour master" in prompt(engine, "Which cranes were checked this week?")
    assert "pilot" not in prompt(engine, "Which cranes were checked this week?")
    said = NewTurn(
        Role.USER, "Which cranes were checked this week?", None, None, Origin.OWNER, speaker="anh_d"
    )
    assert "pilot" in prompt(engine, said.content, messages=[said])
    engine.card_update(who=AGENT, name="ME", fields={"tea": "green"})
    with pytest.raises(Conflict):
        engine.card_update(who=AGENT, name="me", fields={"role": "diver"})
    with pytest.raises(Conflict):
        engine.card_delete(who=AGENT, name="me")
    assert engine.card_get(who=ME)["fields"] == {"role": "harbour master", "city": "Oslo", "tea": "green"}
    assert engine.card_get(who=ME, name="dang")["name"] == "Đặng Anh"
    assert [c["name"] for c in engine.card_list(who=ME, prefix="anh_")["cards"]] == ["Đặng Anh"]
    engine.card_update(who=ME, name="Dana", fields={"x": "y"})
    with pytest.raises(Conflict):
        engine.card_get(who=ME, name="da")
    engine.card_update(who=ME, name="me", fields={"city": None})
    assert "city" not in engine.card_get(who=ME, name="me")["fields"]
    with pytest.raises(NotFound):
        engine.card_get(who=OTHER, name="me")


def test_a_reminder_comes_when_its_word_does(engine: Engine, clock: FixedClock) -> None:
    """It would never come, come at every question, or come for ever."""
    engine.intent_set(who=ME, when=("release", "deploy"), remind="Bump the version in the docs.", times=2)
    quiet = "Which cranes were checked this week?"
    ask = "How do we deploy the relay today?"
    assert "Bump the version" not in prompt(engine, quiet)
    assert "Bump the version" not in prompt(engine, "How is the redeployment of the relay going?")
    assert "Bump the version" in prompt(engine, ask)
    assert "Bump the version" in prompt(engine, ask)  # asked twice, answered the same
    assert "Bump the version" not in prompt(engine, "When is the release of the relay planned?")
    (one,) = engine.intent_list(who=ME)["intents"]
    assert (one["fired"], one["state"]) == (1, "resting")
    clock.advance(25 * _HOUR)
    assert "Bump the version" in prompt(engine, ask)
    clock.advance(25 * _HOUR)
    assert "Bump the version" not in prompt(engine, "When is the release of the relay planned?")
    assert engine.intent_list(who=ME)["intents"] == []
    assert [i["state"] for i in engine.intent_list(who=ME, every=True)["intents"]] == ["fired"]


def test_a_reminder_is_done_expires_and_is_taken_away(engine: Engine, clock: FixedClock) -> None:
    """A person could not get rid of it."""
    for name in ("a", "b", "c"):
        engine.intent_set(who=ME, when=("release",), remind=f"Think of {name}.", name=name, days=1)
    engine.intent_done(who=ME, name="a")
    engine.intent_delete(who=ME, name="b")
    text = prompt(engine, "When is the release of the relay planned?")
    assert [f"Think of {n}." in text for n in "abc"] == [False, False, True]
    clock.advance(25 * _HOUR)
    assert [i["state"] for i in engine.intent_list(who=ME, every=True)["intents"]] == ["done", "expired"]
    assert "Think of" not in prompt(engine, "When is the release of the relay planned?")


def test_libravdbs_cards_are_these_cards(engine: Engine) -> None:
    """Hermes's tools for user cards would find nothing that they wrote."""
    call = LibraVdbKernel(engine, "me")
    card = '{"name": "Sam", "likes": ["tea"]}'
    assert call("upsert_user_card", {"userId": "u1", "cardJson": card})["ok"] is True
    got = call("get_user_card", {"userId": "u1"})
    assert (got["version"], "tea" in got["cardJson"]) == (1, True)
    listed = call("list_by_meta", {"key": "type", "value": "user_card"})["results"]
    assert [hit["id"] for hit in listed] == ["u1"]
    assert call("upsert_user_card", {"userId": "u1", "cardJson": '{"name": "Sam"}'})["previousHash"]
    assert call("get_user_card", {"userId": "u1"})["cardJson"] == '{"name": "Sam"}'
    call("upsert_user_card", {"userId": "u1", "cardJson": ""})
    assert call("get_user_card", {"userId": "u1"})["cardJson"] == ""


def test_a_reminder_given_meanwhile_takes_no_change_back(engine: Engine, deps: Deps) -> None:
    """Else what a person had just changed of an intent would be the old words again, since the old ones had reminded."""
    engine.intent_set(who=ME, name="release", when=["release"], remind="Ask Kim first.")
    old = rows(deps, Leaf.INTENT, "me")
    engine.intent_set(who=ME, name="release", when=["release"], remind="Ask nobody.")
    intents._note(deps, old, "asked", deps.clock())
    (kept,) = engine.intent_list(who=ME, every=True)["intents"]
    assert (kept["remind"], kept["fired"]) == ("Ask nobody.", 0)
    engine.intent_delete(who=ME, name="release")
    intents._note(deps, old, "asked", deps.clock())
    assert engine.intent_list(who=ME, every=True)["intents"] == []
