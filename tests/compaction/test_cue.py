"""Cues: fixed facts in about sixty tokens."""

from datetime import UTC

from libra.compaction.cue import cue
from libra.compaction.turns import ClusterTurn
from libra.ground.records import Role
from libra.text.tokens import estimate


def test_a_cue_names_what_is_covered() -> None:
    """Counts, times, matter, names, decisions and rules."""
    turns = [
        ClusterTurn("The upload queue fails in src/queue.py with ETIMEDOUT.", Role.USER, 1_775_000_000_000),
        ClusterTurn(
            "The queue waits on src/queue.py; we decided to raise the limit.",
            Role.ASSISTANT,
            1_775_000_060_000,
        ),
        ClusterTurn("Never retry more than twice.", Role.USER, 1_775_000_120_000),
    ]
    found = cue(turns)
    assert found.by_speaker == (("User", 2), ("Assistant", 1))
    assert (found.decisions, found.rules) == (1, 1)
    assert found.anchors[0] == "src/queue.py"
    assert found.about[:2] == ("upload", "fails")
    text = found.text(UTC)
    assert text.startswith(
        "3 turns (User 2, Assistant 1); 2026-03-31 23:33 to 2026-03-31 23:35; about: upload, fails, waits"
    )
    assert estimate(text) <= 66


def test_anchors_give_way() -> None:
    """A flood of names does not make a long cue; no turns make an empty one."""
    turns = [ClusterTurn(" ".join(f"src/very/long/path/number_{i}/file_{i}.py" for i in range(40)))]
    assert estimate(cue(turns).text(UTC)) <= 60
    assert cue([]).text(UTC) == "0 turns"
