"""Confirm, correct, undo, journal: a person's hand on single memories, and taking it back."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.errors import Conflict, InvalidParams, NotFound
from libra.ground.records import Kind, MemoryType, Origin, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

_DAY = 86_400_000
AGENT = Who(user="me", session="s1", host="claude-code")
OTHER = Who(user="other", session="s9")


def _memory(engine: Engine, query: str, **more: object) -> str:
    hits = engine.search(who=ME, query=query, kinds=frozenset({Kind.MEMORY}), **more)["hits"]
    return str(next(h["id"] for h in hits if "archived" not in h))


def _texts(engine: Engine, query: str) -> list[str]:
    hits = engine.search(who=ME, query=query, kinds=frozenset({Kind.MEMORY}))["hits"]
    return [h["text"] for h in hits if "archived" not in h]


def _tell(engine: Engine, text: str, ts_ms: int, event: str) -> None:
    engine.ingest(who=ME, turns=[user(text, ts_ms, event)])
    settle(engine)


def test_confirm_makes_sure_and_keeps(engine: Engine, clock: FixedClock) -> None:
    """A confirmed memory is sure and no longer expires; undone, it is as before."""
    _tell(engine, "I need to call the plumber tomorrow.", clock.now_ms, "e1")
    uid = _memory(engine, "plumber")
    before = engine.get(id=uid, who=ME)
    assert before["expires"] is not None
    done = engine.confirm(id=uid, who=ME)
    assert (done["confidence"], done["confirmations"], done["expires"]) == (0.95, 2, None)
    undone = engine.undo(who=ME, journal_id=done["journal_id"])
    assert (undone["verb"], undone["ids"]) == ("confirm", [uid])
    assert engine.get(id=uid, who=ME) == before


def test_an_agent_does_not_confirm_an_agents_word(engine: Engine) -> None:
    """What an agent handed in becomes sure by the person's yes only (C38)."""
    uid = engine.remember(who=AGENT, text="The loader lives in src/load.py.")["id"]
    with pytest.raises(Conflict):
        engine.confirm(id=uid, who=AGENT)
    assert engine.confirm(id=uid, who=AGENT, origin=Origin.OWNER)["confidence"] == 0.95


def test_correct_puts_the_persons_words_in_its_place(engine: Engine, clock: FixedClock) -> None:
    """The correction is sure, the earlier words stay in the history, and undoing puts them back."""
    _tell(engine, "Our staging port is 7443.", clock.now_ms, "e1")
    uid = _memory(engine, "staging port")
    clock.advance(_DAY)
    done = engine.correct(id=uid, text="Our staging port is 8443.", who=ME)
    settle(engine)
    assert (done["confidence"], done["superseded"]) == (0.95, [uid])
    assert _texts(engine, "staging port") == ["Our staging port is 8443."]
    line = engine.get(id=done["id"], who=ME)["history"]
    assert [h["text"] for h in line] == ["Our staging port is 7443.", "Our staging port is 8443."]
    assert line[0]["valid_to"] == clock.now_ms
    assert engine.undo(who=ME, last=True)["verb"] == "correct"
    settle(engine)
    assert _texts(engine, "staging port") == ["Our staging port is 7443."]
    assert engine.get(id=done["id"], who=ME)["active"] is False


def test_an_agent_does_not_correct_the_person(engine: Engine, clock: FixedClock) -> None:
    """Only the person's own word changes what the person said."""
    _tell(engine, "Our staging port is 7443.", clock.now_ms, "e1")
    with pytest.raises(Conflict):
        engine.correct(id=_memory(engine, "staging port"), text="Our staging port is 1.", who=AGENT)


def test_a_supersession_can_be_undone(engine: Engine, clock: FixedClock) -> None:
    """Both stand then: the person has said that they do not contradict each other (C92)."""
    _tell(engine, "Our staging host is zeta-9.", clock.now_ms, "e1")
    old = _memory(engine, "staging host")
    _tell(engine, "Our staging host is zeta-10.", clock.now_ms + 1000, "e2")
    assert _texts(engine, "staging host") == ["Our staging host is zeta-10."]
    (entry,) = engine.journal(who=ME)["entries"]
    assert (entry["verb"], entry["actor"], entry["undone"]) == ("supersede", "libra", None)
    assert entry["items"][0]["id"] == old
    engine.undo(who=ME, journal_id=entry["id"])
    assert set(_texts(engine, "staging host")) == {
        "Our staging host is zeta-9.",
        "Our staging host is zeta-10.",
    }
    assert engine.journal(who=ME)["entries"][0]["undone"] == clock.now_ms


def test_undo_says_why_it_refuses(engine: Engine, clock: FixedClock) -> None:
    """Twice, too late, after later changes, somebody else's, or nothing at all: each has its reason."""
    with pytest.raises(NotFound):
        engine.undo(who=ME, last=True)
    with pytest.raises(InvalidParams):
        engine.undo(who=ME, last=False)
    _tell(engine, "Our staging port is 7443.", clock.now_ms, "e1")
    first = engine.correct(id=_memory(engine, "staging port"), text="Our staging port is 8443.", who=ME)
    one = engine.journal(who=ME)["entries"][0]["id"]
    engine.correct(id=first["id"], text="Our staging port is 9443.", who=ME)
    with pytest.raises(Conflict) as moved:
        engine.undo(who=ME, journal_id=one)
    assert (moved.value.reason, first["id"] in moved.value.message) == ("moved_on", True)
    with pytest.raises(NotFound):
        engine.undo(who=OTHER, journal_id=one)
    engine.undo(who=ME, last=True)
    engine.undo(who=ME, last=True)
    with pytest.raises(Conflict) as twice:
        engine.undo(who=ME, journal_id=one)
    assert twice.value.reason == "undone"
    two = engine.confirm(id=_memory(engine, "staging port"), who=ME)["journal_id"]
    clock.advance(31 * _DAY)
    with pytest.raises(Conflict) as late:
        engine.undo(who=ME, journal_id=two)
    assert late.value.reason == "too_old"


def test_the_journal_is_the_users_own(engine: Engine, clock: FixedClock) -> None:
    """Nobody reads another one's changes; no words stand in it."""
    _tell(engine, "Our staging port is 7443.", clock.now_ms, "e1")
    engine.correct(id=_memory(engine, "staging port"), text="Our staging port is 8443.", who=ME)
    assert engine.journal(who=OTHER)["entries"] == []
    assert engine.journal(who=ME, since=clock.now_ms + 1)["entries"] == []
    assert "7443" not in str(engine.journal(who=ME))


def test_a_change_of_type_and_of_weight_is_undone(engine: Engine, clock: FixedClock) -> None:
    """What a person sets wins over the type, and goes back as it was."""
    _tell(engine, "Our staging port is 7443.", clock.now_ms, "e1")
    uid = _memory(engine, "staging port")
    before = engine.explain(id=uid, who=ME)
    engine.update(who=ME, id=uid, priority=99)
    engine.update(who=ME, id=uid, type=MemoryType.DECISION)
    shown = engine.explain(id=uid, who=ME)
    assert (shown["type"], shown["priority"], shown["priority_by"]) == ("decision", 99, "person")
    engine.undo(who=ME, last=True)
    engine.undo(who=ME, last=True)
    after = engine.explain(id=uid, who=ME)
    assert (after["type"], after["priority"], after["priority_by"]) == (
        before["type"],
        before["priority"],
        "type",
    )
