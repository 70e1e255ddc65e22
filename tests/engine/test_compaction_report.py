"""The report: each level costs fewer tokens and lies further away; nothing of others shows."""

from __future__ import annotations

from libra.compaction.report import Node, rates
from libra.engine.background import embed_batch
from libra.engine.compact import compact
from libra.engine.compaction_report import compaction_report
from libra.engine.deps import Deps
from libra.ground.records import Who
from libra.inference.fake import FakeEmbedder
from tests.conftest import START_MS
from tests.engine.talks import store, talk, who, with_model

FAKE = FakeEmbedder(dims=32)


def test_levels_of_a_session(deps: Deps) -> None:
    """Raw costs everything and loses nothing; a person can see what the levels above gain and lose."""
    with_model(deps)
    store(deps, talk(464, START_MS))
    compact(deps, who(), force=True)
    while embed_batch(deps, 1000):
        pass
    (session,) = compaction_report(deps, who(), 5)["sessions"]
    raw, first, second = session["levels"]
    assert (raw["distortion"], raw["identifier_loss"], raw["share"]) == (0.0, 0.0, 1.0)
    assert raw["tokens"] == session["tokens"] > first["tokens"] > second["tokens"]
    assert 0.0 < first["distortion"] <= second["distortion"] < 2.0
    assert first["nodes"] == 23 + 4
    assert second["nodes"] == 2 + 4
    assert session["covered"] == 460
    assert 0.0 <= first["identifier_loss"] <= second["identifier_loss"] <= 1.0


def test_whose_sessions(deps: Deps) -> None:
    """Without a session all of the person's compacted ones, the largest first; never another person's."""
    with_model(deps)
    store(deps, talk(30, START_MS))
    store(deps, talk(60, START_MS + 1), "s2")
    store(deps, talk(3, START_MS + 2), "s3")
    for name in ("s1", "s2"):
        compact(deps, who(name), force=True)
    found = compaction_report(deps, Who(user="me"), 1)
    assert [s["session"] for s in found["sessions"]] == ["me/s2"]
    assert found["more"] == 1
    assert compaction_report(deps, Who(user="other"), 5) == {"sessions": [], "more": 0}


def test_what_cannot_be_measured_is_left_out() -> None:
    """Without vectors there is no distance, and a purged turn is not counted as lost."""
    nodes = [
        Node(1, 0, "see src/a.py", 4),
        Node(2, 0, "", 4),
        Node(3, 1, "a summary", 2, (1, 2)),
    ]
    raw, first = rates(nodes)
    assert raw.distortion == 0.0
    assert first.distortion is None
    assert first.identifier_loss == 1.0
    assert rates([]) == []
