"""What happens to long and old sessions by itself, and what the settings for it change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libra.assembly.packer import PackParams
from libra.compaction.hotspots import HotParams, hot
from libra.compaction.params import CompactionParams
from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.automatic import Lookout, one_automatic, purge_some
from libra.engine.background import embed_batch
from libra.engine.compact import compact
from libra.engine.deps import Deps
from libra.engine.expand import describe, expand
from libra.engine.grep import GrepRequest, grep
from libra.engine.search import SearchRequest, search
from libra.ground.records import NewTurn, Role
from libra.store import receipts, stats, summaries, turns
from libra.store.receipts import Receipt
from tests.conftest import START_MS, FixedClock
from tests.engine.talks import SESSION, made, raw, store, talk, who, with_model

DAY_MS = 86_400_000


def _keep(deps: Deps, name: str, budget: int, shown: list[str]) -> None:
    items = [{"id": uid, "tier": "recall", "tokens": 1} for uid in shown]
    receipt = Receipt(name, deps.clock(), SESSION, "q", 1, budget, items)
    deps.store.write(lambda tx: receipts.keep(tx, receipt)).result()


def test_a_small_budget_of_the_sessions_prompts_counts(deps: Deps, clock: FixedClock) -> None:
    """A host with 1,000 tokens for memory is helped by a shorter session before 2,000 tokens are there."""
    with_model(deps)
    store(deps, talk(30, START_MS))
    clock.advance(CompactionParams().quiet_ms)
    assert not one_automatic(deps, Lookout())
    _keep(deps, "r1", 1_000, [])
    assert one_automatic(deps, Lookout())


def test_what_cannot_be_shortened_is_left_alone(deps: Deps, clock: FixedClock) -> None:
    """The same hopeless session is not tried again every half a minute, only once something new was said."""
    with_model(deps)
    store(deps, [NewTurn(Role.USER, f"ok {i}", START_MS + i, f"e{i}", tokens=0) for i in range(24)])
    store(deps, [NewTurn(Role.USER, "a single long turn " * 800, START_MS + 30, "long")])
    clock.advance(CompactionParams().quiet_ms)
    seen = Lookout()
    assert not one_automatic(deps, seen)
    assert len(seen.left) == 1
    assert seen.nothing_new(seen.next_id, deps.clock())
    store(deps, talk(60, deps.clock()), "s2")
    assert not one_automatic(deps, seen)
    clock.advance(CompactionParams().quiet_ms)
    assert one_automatic(deps, seen)
    assert made(deps, "me/s2")


def test_hot_spots_stay_raw(deps: Deps) -> None:
    """What prompts keep coming back to is compacted last; the rest of its neighbours is."""
    with_model(deps)
    ids = store(deps, talk(40, START_MS))
    for n in range(3):
        _keep(deps, f"r{n}", 8_000, [ids[7]])
    assert compact(deps, who(), force=True)["did_compact"]
    rows = {row.uid: row for row in raw(deps)}
    assert not rows[ids[7]].covered
    assert rows[ids[7]].active
    assert sum(row.covered for row in rows.values()) == 35
    assert not compact(deps, who(), force=True)["did_compact"]


def test_what_is_hot() -> None:
    """Above the 90th percentile and at least twice; nothing is hot where nothing was recalled."""
    params = HotParams()
    assert hot([0] * 19 + [3], params) == [19]
    assert hot([0] * 19 + [1], params) == []
    assert hot([2] * 20, params) == []
    assert hot([], params) == hot([0, 0], params) == []


def _aged(deps: Deps, clock: FixedClock) -> list[str]:
    with_model(deps)
    ids = store(deps, talk(60, START_MS, rules_every=4))
    compact(deps, who(), force=True)
    while embed_batch(deps, 1000):
        pass
    deps.store.write(lambda tx: turns.mark_gated(tx, [row.id for row in raw(deps)])).result()
    clock.advance(90 * DAY_MS)
    return ids


def test_nothing_is_purged_unless_the_person_says_so(deps: Deps, clock: FixedClock) -> None:
    """By default history is for ever."""
    _aged(deps, clock)
    assert not purge_some(deps)
    assert not purge_some(deps, CompactionParams(purge_after_days=91))
    assert all(row.text for row in raw(deps))


def test_purging_leaves_everything_else(deps: Deps, clock: FixedClock) -> None:
    """The words of covered turns go; summary, guidance, ids and the way between them stay, and say what happened."""
    ids = _aged(deps, clock)
    before = raw(deps)
    with deps.store.snapshot() as s:
        kept = [row.text for row in summaries.guidance_of(s, SESSION)]
    assert purge_some(deps, CompactionParams(purge_after_days=30))
    assert not purge_some(deps, CompactionParams(purge_after_days=30))
    after = raw(deps)
    assert [row.uid for row in after] == ids
    assert [bool(row.text) for row in after] == [not row.covered for row in before]
    top = made(deps, uncovered=True)[0]
    shown = expand(deps, who(), top.uid, 9, 10**6)["items"]
    assert {item["purged"] for item in shown} == {deps.clock()}
    assert describe(deps, who(), top.uid)["turns"] == len(shown)
    with deps.store.snapshot() as s:
        assert [row.text for row in summaries.guidance_of(s, SESSION)] == kept
        assert stats.collect(s).tombstones == 0
    assert grep(deps, who(), GrepRequest("config_7.toml"))["hits"] == []
    found = search(deps, who(), SearchRequest("config_7.toml cold start", k=50))["hits"]
    assert found
    assert all(h["text"] for h in found)
    text = assemble(deps, who(), AssembleRequest("what about the start of service_4?", 8_000))
    assert all(item["tokens"] > 0 for item in text["items"])
    assert not compact(deps, who(), force=True)["did_compact"]


def test_a_purged_turn_is_not_learnt_again(deps: Deps, clock: FixedClock) -> None:
    """The host's transcript is read anew: the turn is known by its event, its words stay away."""
    _aged(deps, clock)
    purge_some(deps, CompactionParams(purge_after_days=30))
    gone = sum(not row.text for row in raw(deps))
    store(deps, talk(60, START_MS, rules_every=4))
    assert len(raw(deps)) == 60
    assert sum(not row.text for row in raw(deps)) == gone > 0


def test_the_tail_by_surprise(deps: Deps) -> None:
    """With the policy entropy the one turn that is unlike the others stands in a tail too small for all."""
    with_model(deps)
    same = [
        NewTurn(
            Role.USER,
            f"The harbour pump was checked and it runs well again, entry {n}.",
            START_MS + n,
            f"e{n}",
        )
        for n in range(30)
    ]
    odd = NewTurn(Role.USER, "Grandmother keeps seventeen violet tulips.", START_MS + 2, "odd")
    store(deps, [*same[:2], odd, *same[3:]])
    while embed_batch(deps, 100):
        pass

    def tail(policy: str) -> list[str]:
        pack = replace(PackParams(), tail_policy=policy)
        deps.params = replace(deps.params, pack=pack)
        answer = assemble(deps, who(), AssembleRequest("pump", 500, have=frozenset({"recall"})))
        assert answer["degraded"] == []
        return [item["id"] for item in answer["items"] if item["tier"] == "tail"]

    odd_id = next(row.uid for row in raw(deps) if "tulips" in row.text)
    recent, surprising = tail("recent"), tail("entropy")
    assert odd_id not in recent
    assert odd_id in surprising
    assert recent[-4:] == surprising[-4:]
    with pytest.raises(ValueError, match="tail_policy"):
        PackParams(tail_policy="other")
