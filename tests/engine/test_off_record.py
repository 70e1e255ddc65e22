"""Off the record: the last minutes, or a session, were never said."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.errors import NotFound
from libra.ground.records import Kind, NewTurn, SessionRef, SourceBatch, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

SLIPPED = "My sister Ottoline plans to leave her job at the harbour in May."
_MINUTE_MS = 60_000


def found(engine: Engine, query: str) -> list[str]:
    """Return the texts that a search finds, in the archive too."""
    return [hit["text"] for hit in engine.search(who=ME, query=query, archive=True)["hits"]]


def say(engine: Engine, clock: FixedClock, text: str, minutes_ago: float, who: Who = ME) -> None:
    """Say something at a time before now."""
    said_ms = clock.now_ms - int(minutes_ago * _MINUTE_MS)
    engine.ingest(who=who, turns=[user(text, said_ms, f"e{said_ms}")])


def test_the_last_minutes_go_and_older_talk_stays(engine: Engine, clock: FixedClock) -> None:
    """What slipped out just now is gone from every index; an hour ago is untouched."""
    say(engine, clock, "We deploy on Fridays, never on Mondays.", 60)
    say(engine, clock, SLIPPED, 5)
    settle(engine)
    shown = engine.off_record(who=ME, dry_run=True)
    assert shown["would_forget"] >= 1
    assert "Ottoline" not in str(shown)
    assert found(engine, "Ottoline")
    done = engine.off_record(who=ME)
    assert done["forgotten"] == shown["would_forget"]
    assert not [text for text in found(engine, "Ottoline sister job") if "Ottoline" in text]
    assert [text for text in found(engine, "deploy Fridays") if "Fridays" in text]


def test_what_is_read_later_of_that_time_is_not_learnt(engine: Engine, clock: FixedClock) -> None:
    """A host that writes its transcript late, or a pause, does not bring the forgotten minutes back."""
    said_ms = clock.now_ms - _MINUTE_MS
    engine.off_record(who=ME, minutes=10)
    clock.advance(5 * _MINUTE_MS)
    late = SourceBatch(
        SessionRef("claude-code:x", "me", host="claude-code"),
        (user(SLIPPED, said_ms, "late"), user("What time is the stand-up?", clock.now_ms, "new")),
        None,
    )
    taken = engine.take(late)
    settle(engine)
    assert (taken.accepted, taken.forgotten) == (1, 1)
    assert not [text for text in found(engine, "Ottoline") if "Ottoline" in text]


def test_a_known_fact_that_was_said_again_stays(engine: Engine, clock: FixedClock) -> None:
    """Forgetting ten minutes must not forget a year: what others told before is kept."""
    fact = "My PIN hint is the blue bike."
    say(engine, clock, fact, 600, Who(user="me", session="old"))
    settle(engine)
    before = engine.status()["counts"]["memory"]
    say(engine, clock, fact, 5)
    settle(engine)
    engine.off_record(who=ME)
    assert before
    assert engine.status()["counts"]["memory"] == before
    assert [text for text in found(engine, "PIN hint") if "blue bike" in text]


def test_a_session_goes_whole_and_alone(engine: Engine, clock: FixedClock) -> None:
    """The session in use is forgotten from its first word; what another one says meanwhile stays."""
    other = Who(user="me", session="s2")
    say(engine, clock, "The parser lives in src/parse.py and is tested by hand.", 30, other)
    say(engine, clock, SLIPPED, 40)
    say(engine, clock, "Ottoline will move to Bergen.", 1)
    settle(engine)
    done = engine.off_record(who=ME, session="last")
    assert done["session"] == "me/s1"
    assert not [text for text in found(engine, "Ottoline") if "Ottoline" in text]
    assert [text for text in found(engine, "parser") if "parse.py" in text]
    late = [(ME, 0), (other, 1)]
    for who, accepted in late:
        turn: NewTurn = user("Read again from that time.", clock.now_ms - 20 * _MINUTE_MS, f"l{accepted}")
        assert engine.ingest(who=who, turns=[turn])["accepted"] == accepted


def test_no_such_session_is_an_error(engine: Engine) -> None:
    """Nothing is said to be forgotten that was not there."""
    with pytest.raises(NotFound):
        engine.off_record(who=ME, session="last")
    with pytest.raises(NotFound):
        engine.off_record(who=ME, session="nobody")


@pytest.mark.parametrize("verb", ["off_record", "forget"])
def test_the_memory_of_the_session_goes_with_its_words(engine: Engine, clock: FixedClock, verb: str) -> None:
    """What a session was about names names: what was taken back would stand there still."""
    say(engine, clock, "We deploy on Fridays, never on Mondays.", 60)
    for minutes in (5, 4, 3):
        say(engine, clock, SLIPPED, minutes)
    settle(engine)
    assert "ottoline" in engine.keep_session(who=ME)["text"]
    settle(engine)
    if verb == "off_record":
        engine.off_record(who=ME, session="s1")
    else:
        said = engine.list(who=ME, kinds=frozenset({Kind.TURN}))["items"]
        engine.forget(who=ME, ids=[item["id"] for item in said if "Ottoline" in item["text"]])
    with engine.deps.store.snapshot() as snapshot:
        assert snapshot.rows("SELECT text FROM item WHERE text LIKE '%Ottoline%'") == []
    if verb == "forget":
        assert "ottoline" not in engine.keep_session(who=ME)["text"]


def test_what_the_last_minutes_had_replaced_holds_again(engine: Engine, clock: FixedClock) -> None:
    """A correction that was never said would leave the person with neither the old nor the new truth."""
    say(engine, clock, "Server A runs Postgres 15.", 90)
    settle(engine)
    say(engine, clock, "Server A runs Postgres 17.", 5)
    settle(engine)

    def held() -> list[str]:
        return [m["text"] for m in engine.list(who=ME, kinds=frozenset({Kind.MEMORY}))["items"]]

    assert held() == ["Server A runs Postgres 17."]
    engine.off_record(who=ME)
    assert held() == ["Server A runs Postgres 15."]
