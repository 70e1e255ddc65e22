"""Cues: fixed facts in about sixty tokens."""

from datetime import UTC
from itertools import pairwise

from libra.compaction.cue import CueParams, cue, spread
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


def test_a_cue_fits_any_budget() -> None:
    """An agent that gives a summary ten tokens gets ten: names go first, then words, then the last facts; a number stays."""
    turns = [
        ClusterTurn(
            f"The crane {n} fails in src/crane_{n}.py; we decided to stop. Never start it.", Role.USER, n
        )
        for n in range(30)
    ]
    found = cue(turns)
    lines = [found.text(UTC, CueParams(tokens=n)) for n in (0, 3, 12, 50, 1_000)]
    assert [estimate(line) <= n for line, n in zip(lines, (0, 3, 12, 50, 1_000), strict=True)] == [True] * 5
    assert lines[0] == ""
    assert lines[2].startswith("30 turns")
    assert "about:" in lines[3]
    assert "names:" not in lines[3]
    assert "names: src/crane_0.py" in lines[4]


def test_of_very_many_turns_an_even_choice_is_read() -> None:
    """A session of thousands would keep the person waiting for seconds; how many, whose and when stays exact."""
    turns = [ClusterTurn(f"We decided to look at crane {n}.", Role.USER, n) for n in range(5_000)]
    found = cue(turns)
    assert (found.turns, found.by_speaker, found.first_ms, found.last_ms) == (
        5_000,
        (("User", 5_000),),
        0,
        4_999,
    )
    assert found.decisions == 0  # not counted rather than counted wrong
    chosen = spread(range(5_000), 160)
    assert (len(chosen), chosen[:9], chosen[-8:]) == (160, list(range(9)), list(range(4_992, 5_000)))
    assert chosen == sorted(set(chosen))
    assert max(b - a for a, b in pairwise(chosen)) < 40
    assert [spread(range(9), most) for most in (1, 9)] == [[0], list(range(9))]
