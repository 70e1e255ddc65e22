"""Walking from summaries back to turns, and cues."""

from __future__ import annotations

import pytest

from libra.engine.compact import compact
from libra.engine.deps import Deps
from libra.engine.expand import describe, expand
from libra.ground.errors import NotFound
from libra.ground.records import Who
from libra.store import summaries
from libra.text.tokens import estimate
from tests.conftest import START_MS
from tests.engine.talks import SESSION, made, raw, store, talk, who, with_model


def _compacted(deps: Deps, count: int, *, rules_every: int = 0) -> list[str]:
    with_model(deps)
    ids = store(deps, talk(count, START_MS, rules_every=rules_every))
    compact(deps, who(), force=True)
    return ids


def test_a_summary_leads_to_its_turns(deps: Deps) -> None:
    """In time order, with everything that a hit has, and where it hangs."""
    ids = _compacted(deps, 24)
    top = made(deps)[0]
    found = expand(deps, who(), top.uid)
    assert [item["id"] for item in found["items"]] == ids[:20]
    assert not found["truncated"]
    first = found["items"][0]
    assert (first["kind"], first["depth"], first["parent"]) == ("turn", 1, top.uid)
    assert first["text"] == raw(deps)[0].text


def test_levels_and_depth(deps: Deps) -> None:
    """Depth 1 shows the summaries below, depth 2 the turns as well, each after its summary."""
    ids = _compacted(deps, 464)
    tops = made(deps, uncovered=True)
    shallow = expand(deps, who(), tops[0].uid, depth=1)
    assert {item["kind"] for item in shallow["items"]} == {"summary"}
    assert shallow["truncated"]
    deep = [item for top in tops for item in expand(deps, who(), top.uid, 2, 10**6)["items"]]
    assert [item["id"] for item in deep if item["kind"] == "turn"] == ids[:460]
    place = {item["id"]: k for k, item in enumerate(deep)}
    assert all(place[item["parent"]] < place[item["id"]] for item in deep if item["kind"] == "turn")


def test_the_budget_cuts_in_order(deps: Deps) -> None:
    """What does not fit ends the walk, and the answer says so."""
    ids = _compacted(deps, 24)
    rows = raw(deps)
    room = sum(row.tokens for row in rows[:5]) + 1
    found = expand(deps, who(), made(deps)[0].uid, 3, room)
    assert [item["id"] for item in found["items"]] == ids[:5]
    assert found["truncated"]
    nothing = expand(deps, who(), made(deps)[0].uid, 3, 0)
    assert (nothing["items"], nothing["truncated"]) == ([], True)


def test_turns_and_guidance(deps: Deps) -> None:
    """A turn has nothing below it, guidance has its turn."""
    ids = _compacted(deps, 24, rules_every=3)
    assert expand(deps, who(), ids[1]) == {"id": ids[1], "items": [], "truncated": False}
    with deps.store.snapshot() as s:
        kept = summaries.guidance_of(s, SESSION)[0]
    found = expand(deps, who(), kept.uid)
    assert [item["text"] for item in found["items"]] == [kept.text]


def test_what_the_caller_may_not_see_is_not_there(deps: Deps) -> None:
    """Neither unknown ids nor another person's."""
    _compacted(deps, 24)
    uid = made(deps)[0].uid
    for caller, wanted in ((Who(user="other"), uid), (who(), "nothing")):
        with pytest.raises(NotFound):
            expand(deps, caller, wanted)
        with pytest.raises(NotFound):
            describe(deps, caller, wanted)


def test_cues(deps: Deps) -> None:
    """A cue counts the turns at the bottom and names what covers the summary."""
    _compacted(deps, 464)
    top = made(deps, uncovered=True)[0]
    found = describe(deps, who(), top.uid)
    assert found["turns"] == 240
    assert found["level"] == 2
    assert found["cue"].startswith("240 turns (")
    assert estimate(describe(deps, who(), top.uid, 12)["cue"]) <= 12
    below = next(row for row in made(deps) if row.level == 1)
    assert describe(deps, who(), below.uid)["covered_by"] == [top.uid]
    assert describe(deps, who(), raw(deps)[0].uid)["kind"] == "turn"
