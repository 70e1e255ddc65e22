"""Stats, recap and episodes: how much there is, what a session was about, when there was talk."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.errors import NotFound
from libra.ground.records import MemoryType, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user

_MINUTE = 60_000
OTHER = Who(user="other", session="s1")


def _talk(engine: Engine, start: int, who: Who = ME) -> None:
    engine.ingest(
        who=who,
        turns=[
            user("We decided to deploy on Fridays.", start, f"a{start}"),
            assistant("Noted, src/deploy.py has it.", start + _MINUTE, f"b{start}"),
            user("The build in src/app.py fails again.", start + 40 * _MINUTE, f"c{start}"),
        ],
    )
    settle(engine)


def test_episodes_end_with_a_pause_of_half_an_hour(engine: Engine, clock: FixedClock) -> None:
    """Newest first, each with its ends and what it was about; another person has none of them."""
    start = clock.now_ms
    _talk(engine, start)
    found = engine.episodes(who=ME)
    assert [(e["start"], e["turns"]) for e in found["episodes"]] == [(start + 40 * _MINUTE, 1), (start, 2)]
    late, early = found["episodes"]
    assert late["first"] == late["last"]
    assert ("src/app.py" in late["names"], "src/deploy.py" in early["names"]) == (True, True)
    assert (early["decisions"], found["more"]) == (1, 0)
    assert engine.episodes(who=ME, k=1)["more"] == 1
    nobody = Who(user="other")
    assert engine.episodes(who=nobody)["episodes"] == []
    for who, name in ((OTHER, None), (ME, "s2"), (OTHER, "me/s1")):
        with pytest.raises(NotFound):
            engine.episodes(who=who, session=name)


def test_episodes_since_are_of_all_sessions(engine: Engine, clock: FixedClock) -> None:
    """A week is seen as a whole, whichever sessions it had."""
    start = clock.now_ms
    _talk(engine, start)
    _talk(engine, start + 600 * _MINUTE, Who(user="me", session="s2"))
    found = engine.episodes(who=ME, since=start + 30 * _MINUTE)["episodes"]
    assert [e["session"] for e in found] == ["me/s2", "me/s2", "me/s1"]
    assert len(engine.episodes(who=ME, session="me/s2")["episodes"]) == 2


def test_a_recap_tells_what_matters_within_its_budget(engine: Engine, clock: FixedClock) -> None:
    """Facts, what was learnt, first and last question; a small budget leaves out and says so."""
    _talk(engine, clock.now_ms)
    done = engine.recap(who=ME)
    assert (done["session"], done["turns"], done["episodes"], done["truncated"]) == ("me/s1", 3, 2, False)
    texts = [item["text"] for item in done["items"]]
    assert "We decided to deploy on Fridays." in texts
    assert texts[-1] == "The build in src/app.py fails again."
    assert done["items"][0]["kind"] == "memory"
    assert done["tokens"] <= 1_000
    small = engine.recap(who=Who(user="me"), budget_tokens=1)
    assert (small["session"], small["items"], small["truncated"]) == ("me/s1", [], True)
    with pytest.raises(NotFound):
        engine.recap(who=OTHER)
    with pytest.raises(NotFound):
        engine.recap(who=OTHER, session="me/s1")


def test_a_compacted_session_is_told_by_its_summaries(engine: Engine, clock: FixedClock) -> None:
    """What the summaries cover is not repeated by turns."""
    text = "The crane on quay {} was checked by the harbour team and works as it should, said the report."
    turns = [user(text.format(n), clock.now_ms + n, f"e{n}") for n in range(60)]
    engine.ingest(who=ME, turns=turns)
    settle(engine)
    assert engine.compact(who=ME, force=True)["did_compact"] is True
    kinds = {item["kind"] for item in engine.recap(who=ME, budget_tokens=5_000)["items"]}
    assert "summary" in kinds
    assert "turn" not in kinds


def test_a_long_session_is_told_by_a_part_of_its_turns(engine: Engine, clock: FixedClock) -> None:
    """A recap of thousands of turns would take seconds: a part is read, and the answer says how much of it."""
    turns = [user(f"The crane on quay {n} works.", clock.now_ms + n, f"e{n}") for n in range(500)]
    engine.ingest(who=ME, turns=turns)
    done = engine.recap(who=ME)
    assert (done["turns"], done["read"], done["episodes"]) == (500, 160, 1)
    assert (done["start"], done["end"]) == (clock.now_ms, clock.now_ms + 499)
    assert done["cue"].startswith("500 turns (User 500)")
    texts = [item["text"] for item in done["items"]]
    assert texts[-2:] == ["The crane on quay 0 works.", "The crane on quay 499 works."]
    (one,) = engine.episodes(who=ME)["episodes"]
    assert (one["turns"], one["first"] != one["last"]) == (500, True)


def test_stats_count_what_became_of_memories(engine: Engine, clock: FixedClock) -> None:
    """By type, state, scope and project, with corrections and confirmations; nothing of anybody else's."""
    here = Who(user="me", session="s1", project="harbor")
    port = engine.remember(who=here, text="Our staging port is 7443.", type=MemoryType.FACT)["id"]
    todo = engine.remember(who=ME, text="Call the plumber about the sink.", type=MemoryType.TODO)["id"]
    clock.advance(1000)
    engine.correct(who=ME, id=port, text="Our staging port is 8443.")
    engine.confirm(who=ME, id=todo)
    engine.archive(who=ME, ids=[todo])
    found = engine.stats(who=here)
    assert found["types"] == {"fact": 2, "todo": 1}
    assert (found["kinds"], found["scopes"]) == ({"memory": 3}, {"user:me": 3})
    assert found["projects"] == {"harbor": 2}
    states = found["states"]
    assert (states["active"], states["archived"], states["superseded"]) == (1, 1, 1)
    assert (found["confirmations"], found["corrections"], found["objections"]) == (1, 1, 0)
    assert found["recalls"] == {"used": 0, "unused": 0, "memories": 0}
    assert found["tokens"]["memory"] > 0
    assert found["sizes"]["db_bytes"] > 0
    others = engine.stats(who=OTHER)
    assert (others["kinds"], others["scopes"], others["states"]["active"]) == ({}, {}, 0)
    assert (others["confirmations"], others["corrections"]) == (0, 0)
    engine.undo(who=ME, last=True)
    assert engine.stats(who=ME)["states"]["active"] == 2
