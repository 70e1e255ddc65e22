"""Which turns are protected."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.compaction.shards import ShardParams, ShardTurn, is_borderline, is_directive, protected

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
P = ShardParams()
RULE = ShardTurn("Never use mutexes in the hot path.", 0.5)
TALK = ShardTurn("I had noodles for lunch.", 0.5)
NEAR = ShardTurn("Speed is the priority in here.", 0.5)


def test_directives_are_protected_whatever_a_model_says() -> None:
    """Nearness cannot take a rule away."""
    assert is_directive(RULE, P)
    assert protected([RULE, TALK], [-1.0, 0.99], P) == [0]


def test_stability_comes_first() -> None:
    """An assistant's rule (.25) is not protected."""
    assert protected([ShardTurn(RULE.text, 0.25), ShardTurn(NEAR.text, 0.25)], [1.0, 1.0], P) == []


def test_borderline_words_need_a_prototype() -> None:
    """A guidance word alone is not enough, nearness alone neither."""
    assert is_borderline(NEAR, P)
    assert not is_borderline(TALK, P)
    assert protected([NEAR, NEAR, TALK], [0.77, 0.78, 1.0], P) == [1]
    assert protected([NEAR], [float("nan")], P) == []


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_the_model_can_only_add(cosines: list[float], more: list[float]) -> None:
    """Higher cosines never protect less."""
    turns = [RULE, TALK, NEAR]
    higher = [min(c + m, 1.0) for c, m in zip(cosines, more, strict=True)]
    assert set(protected(turns, cosines, P)) <= set(protected(turns, higher, P))


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")
def test_the_reference_corpus() -> None:
    """Without a model, each row of the tier 1.5 corpus ends in the tier that it names."""
    rows = json.loads((DATA / "libravdb" / "tier15_seeded.json").read_text(encoding="utf-8"))
    for row in rows:
        kept = is_directive(ShardTurn(row["Text"], row["StabilityWeight"]), P)
        assert kept == row["ShouldSurviveCompaction"], row["Name"]
