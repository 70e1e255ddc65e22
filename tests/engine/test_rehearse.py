"""Rehearse and reapply: a person sees what a setting would change before it does, and can take it to what is stored."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import pytest

from libra.config.settings import Settings
from libra.config.tree import SECTIONS, defaults, section_keys
from libra.engine import rehearse, tasks
from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.reach import _OF_KEY, _OF_SECTION, Reach, reach
from libra.ground.errors import Forbidden, InvalidParams
from libra.ground.records import Clock, MemoryType, Who
from libra.ground.zones import SystemZone
from libra.store import revisions
from libra.store.store import Store, StoreParams
from libra.store.trial import trial
from libra.store.writer import WriterParams, WriteTx
from tests.conftest import START_MS, FixedClock
from tests.engine.conftest import ME, assistant, settle, user

SAID = (
    "We decided to deploy the harbour service on Fridays.",
    "I live in Porto and work from the third floor.",
    "The crane at src/yard/crane.py:12 fails with E_TIMEOUT since yesterday.",
    "When do we deploy the harbour service?",
    "Where do I live, and on which floor do I work?",
)


@pytest.fixture
def told(engine: Engine, deps: Deps, clock: FixedClock) -> Engine:
    """Return an engine that has two sessions behind it and rests."""
    for n, text in enumerate(SAID):
        who = Who(user="me", session=f"s{n // 3}")
        at = START_MS - 1_000_000 + n * 60_000
        engine.ingest(who=who, turns=[user(text, at, f"e{n}"), assistant("Noted.", at + 1000, f"a{n}")])
    settle(engine)
    engine.stop()
    running = defaults("me", SystemZone())
    engine.deps.params_with = Settings(deps.store.path.with_name("config.toml"), running).with_changes
    return engine


def _everything(engine: Engine) -> list[dict[str, Any]]:
    return list(engine.export(everybody=True, limit=1000)["records"])


def test_it_shows_what_would_vanish_and_changes_nothing(told: Engine, deps: Deps) -> None:
    """With a floor that nothing passes, all that was recalled vanishes; the real memory is as it was, and no copy is left."""
    before = _everything(told)
    shown = told.rehearse(who=ME, changes={"rank.floor": 1})
    assert shown["prompts"] == 5
    assert shown["sessions"] == 2
    assert shown["vanish"]
    assert shown["appear"] == []
    assert shown["changed_prompts"] > 0
    assert all(item["text"] for item in shown["vanish"])
    assert shown["tokens"]["after"] < shown["tokens"]["before"]
    assert shown["reach"] == {"rank.floor": Reach.AT_ONCE.value}
    assert _everything(told) == before
    assert {p.name for p in deps.store.path.parent.iterdir()} <= {"libra.db", "libra.db-wal", "libra.db-shm"}


def test_a_setting_that_changes_nothing_changes_nothing(told: Engine) -> None:
    """Both runs are the same but for the setting: no difference is invented."""
    shown = told.rehearse(who=ME, changes={"server.max_connections": 9, "rank.floor": 0.3})
    assert (shown["changed_prompts"], shown["appear"], shown["vanish"]) == (0, [], [])
    assert shown["nothing_to_see"] == ["server.max_connections"]
    shown = told.rehearse(who=ME, changes={"gate.threshold": 0.35})
    assert (shown["changed_prompts"], shown["learnt"], shown["not_learnt"]) == (0, [], [])


def test_a_slow_writer_invents_no_difference(told: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a prompt was told counts for the next in both runs, even where its receipt waits for company a second long."""
    runs: list[str] = []

    def patient(store: Store, clock: Clock) -> AbstractContextManager[Store]:
        runs.append("waits" if runs else "does not wait")
        return trial(store, clock, StoreParams(writer=WriterParams(patience_ms=1000)))

    def uneven(deps: Deps, who: Who | None, asked: AssembleRequest) -> dict[str, Any]:
        if runs[-1] == "waits":
            deps.store.settle(60)
        return assemble(deps, who, asked)

    monkeypatch.setattr(rehearse, "trial", patient)
    monkeypatch.setattr(rehearse, "assemble", uneven)
    shown = told.rehearse(who=ME, changes={"rank.floor": 0.3})
    assert (shown["changed_prompts"], shown["appear"], shown["vanish"]) == (0, [], [])
    assert len(runs) == 2


def test_it_shows_what_would_be_learnt(told: Engine) -> None:
    """A gate that admits nothing would have learnt less from these very sessions, and the other way round."""
    less = told.rehearse(who=ME, changes={"gate.threshold": 1})
    assert less["not_learnt"]
    assert less["learnt"] == []
    more = told.rehearse(who=ME, changes={"gate.threshold": 0})
    assert more["not_learnt"] == []


def test_what_is_refused(told: Engine) -> None:
    """An unknown key, a value out of range, nothing at all, an agent: told, and no copy is made."""
    for bad in ({"rank.flor": 1}, {"rank.floor": 7}, {"rank.floor": "x"}, {}):
        with pytest.raises(InvalidParams):
            told.rehearse(who=ME, changes=bad)
    with pytest.raises(Forbidden):
        told.rehearse(who=Who(user="me", host="claude-code"), changes={"rank.floor": 1})


def test_only_the_last_sessions_are_replayed(told: Engine) -> None:
    """A person with years of talk waits for the last of it only."""
    assert told.rehearse(who=ME, changes={"rank.floor": 1}, sessions=1)["sessions"] == 1
    assert told.rehearse(who=ME, changes={"rank.floor": 1}, prompts=2)["prompts"] == 2


def _do(deps: Deps) -> None:
    while tasks.work_on_some(deps):
        pass


def test_a_changed_gate_reaches_what_is_stored(told: Engine, deps: Deps) -> None:
    """C61: a stricter gate archives what it would refuse, by entries that can be undone; a looser one judges again."""
    sure = told.remember(who=ME, text="My dog is called Rex.")["id"]
    kept = {item["id"] for item in told.list(who=ME, k=100)["items"]}
    deps.params = replace(deps.params, gate=replace(deps.params.gate, threshold=1.0))
    assert told.reapply()["name"] == "reapply"
    _do(deps)
    left = {item["id"] for item in told.list(who=ME, k=100)["items"]}
    assert sure in left
    assert left < kept
    entry = next(e for e in told.journal(who=ME)["entries"] if e["verb"] == "reapply")
    told.undo(who=ME, journal_id=entry["id"])
    assert len({item["id"] for item in told.list(who=ME, k=100)["items"]}) == len(left) + 1


def test_a_looser_gate_judges_again(told: Engine, deps: Deps) -> None:
    """What was refused before the change is learnt after it, once."""
    strict = replace(deps.params, gate=replace(deps.params.gate, threshold=1.0))
    loose, deps.params = deps.params, strict
    told.reapply()
    _do(deps)
    again = Engine(deps)
    again.start()
    text = "We decided to paint the harbour gate green in May."
    again.ingest(who=ME, turns=[user(text, START_MS, "late")])
    settle(again)
    assert text not in [item["text"] for item in again.list(who=ME, k=100)["items"]]
    deps.params = loose
    again.reapply()
    settle(again)
    assert sum(item["text"] == text for item in again.list(who=ME, k=100)["items"]) == 1
    again.stop()


def _run(engine: Engine, deps: Deps) -> list[str]:
    """Take the settings to what is stored; return what was changed of which memory's words."""
    before = len(engine.journal(who=ME, limit=1000)["entries"])
    engine.reapply()
    _do(deps)
    fresh = engine.journal(who=ME, limit=1000)["entries"]
    changed = fresh[: len(fresh) - before]
    return sorted(column for e in changed for item in e["items"] for column in item["changed"])


@pytest.fixture
def learnt(engine: Engine, deps: Deps) -> Engine:
    """Return an engine that has learnt some things by itself and some by hand."""
    engine.ingest(
        who=ME,
        turns=[
            user("We decided to paint the harbour gate green in May.", START_MS, "one"),
            user("I prefer tea to coffee in the morning.", START_MS + 1_000, "two"),
            user("We decided to close the depot on Mondays.", START_MS + 2_000, "three"),
        ],
    )
    settle(engine)
    assert len(engine.list(who=ME, k=100)["items"]) == 3
    return engine


def _of(engine: Engine, words: str) -> dict[str, Any]:
    found = engine.list(who=ME, k=100, archive=True)["items"]
    return engine.get(who=ME, id=next(item["id"] for item in found if words in item["text"]))


def test_nothing_changes_where_no_setting_has(learnt: Engine, deps: Deps) -> None:
    """Who asks for it without need would find memories put away or another type on them."""
    assert _run(learnt, deps) == []


def test_how_sure_a_memory_begins_reaches_the_past(learnt: Engine, deps: Deps) -> None:
    """Old memories would be surer than new ones of the same kind for good; what a person has confirmed stays sure."""
    mine = _of(learnt, "tea")["id"]
    learnt.confirm(who=ME, id=mine)
    lifecycle = deps.params.lifecycle
    sure = replace(lifecycle.confidence, start=0.4)
    deps.params = replace(deps.params, lifecycle=replace(lifecycle, confidence=sure))
    assert _run(learnt, deps) == ["confidence", "confidence"]
    assert _of(learnt, "gate")["confidence"] == pytest.approx(0.4)
    assert _of(learnt, "tea")["confidence"] >= 0.95


def test_a_confirmed_memory_does_not_begin_to_expire(learnt: Engine, deps: Deps) -> None:
    """Confirmed, it stays for good: a later run would have given it its type's time again."""
    uid = learnt.remember(who=ME, text="Call the depot about the crane.", type=MemoryType.TODO)["id"]
    assert learnt.confirm(who=ME, id=uid)["expires"] is None
    assert _run(learnt, deps) == []
    assert _of(learnt, "about the crane")["expires"] is None


def test_other_weights_and_back_again(learnt: Engine, deps: Deps) -> None:
    """A changed weight would be compared with scores of the old ones; and what a run put away would be lost by the way back."""
    before = deps.params
    mine = _of(learnt, "tea")["id"]
    learnt.set_priority(who=ME, id=mine, priority=60)
    deps.params = replace(before, gate=replace(before.gate, h=0.0, r=1.0, d=0.0, p=1.0, a=0.0, s=0.0))
    assert _run(learnt, deps) == ["active", "active", "archived_ms", "archived_ms"]
    assert [item["id"] for item in learnt.list(who=ME, k=100)["items"]] == [mine]
    deps.params = before
    assert _run(learnt, deps) == ["active", "active", "archived_ms", "archived_ms"]
    assert len(learnt.list(who=ME, k=100)["items"]) == 3


def test_types_are_found_anew_but_for_those_of_a_person(learnt: Engine, deps: Deps) -> None:
    """A newer Libra that knows a type would leave the old ones on what is stored; a person's own choice is kept."""
    gate, depot = _of(learnt, "gate")["id"], _of(learnt, "depot")["id"]

    def mistyped(tx: WriteTx) -> None:
        for uid in (gate, depot):
            item = tx.value("SELECT id FROM item WHERE uid = ?", (uid,))
            revisions.retype(tx, item, MemoryType.FACT, 30, None)

    deps.store.write(mistyped).result()
    learnt.update(who=ME, id=depot, type=MemoryType.CONTEXT)
    assert "type" in _run(learnt, deps)
    assert (_of(learnt, "gate")["type"], _of(learnt, "depot")["type"]) == ("decision", "context")


def test_what_is_called_noise_leaves(learnt: Engine, deps: Deps) -> None:
    """What is kept out from now on would stay where it is already."""
    learnt.noise(who=ME, id=_of(learnt, "gate")["id"])
    deps.params = replace(deps.params, noise=replace(deps.params.noise, cosine=-1.0))
    assert "archived_ms" in _run(learnt, deps)
    assert all("depot" not in item["text"] for item in learnt.list(who=ME, k=100)["items"])


def test_every_setting_says_how_far_it_reaches() -> None:
    """Each section of the file has an answer, and no answer is about a key that is gone."""
    running = defaults("me", SystemZone())
    known = {key.path for section in SECTIONS for _, key in section_keys(running, section)}
    assert set(_OF_KEY) <= known
    assert set(_OF_SECTION) <= {section.name for section in SECTIONS}
    assert reach("rank.alpha") is Reach.AT_ONCE
    assert reach("gate.threshold") is Reach.ON_ASKING
    assert reach("server.max_connections") is Reach.PROGRAM
