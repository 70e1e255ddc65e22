"""Admission: who may be learnt from, from which score on."""

import math

import pytest

from libra.gate.admission import (
    GateInput,
    GateParams,
    Score,
    admits,
    combine,
    novelty,
    repetition,
    score,
    stability,
)
from libra.gate.signals import Signals
from libra.ground.records import MemoryType, Origin, Role

P = GateParams()
GOOD = combine(Signals(0.6, 0.6, 0.6, 0.5, 0.4), 1.0, 0.0, P)


def test_the_equation_by_hand() -> None:
    """One score worked out on paper."""
    found = combine(Signals(t=0.5, d=0.4, p=0.9, a=0.5, dtech=0.2), 0.8, 0.5, P)
    assert found.gconv == pytest.approx(0.35 * 0.8 + 0.40 * 0.5 + 0.25 * 0.4)
    assert found.gtech == pytest.approx(0.40 * 0.9 + 0.35 * 0.5 + 0.25 * 0.2)
    assert found.g == pytest.approx((found.gconv + found.gtech) / 2)
    assert set(found.as_dict()) == {"h", "r", "d", "p", "a", "dtech", "t", "gconv", "gtech", "g"}


def test_novelty_is_over_the_nearest_only() -> None:
    """The mean of the five nearest; negative cosines count as none."""
    assert novelty(GateInput("", [0.5, -1.0]), P) == pytest.approx(0.75)
    assert novelty(GateInput("", [0.9] * 5 + [0.0] * 20), P) == pytest.approx(0.1)
    assert novelty(GateInput("", [math.nan]), P) == 1.0


def test_repetition_needs_five_turns_and_no_memory() -> None:
    """F grows with what was said, S takes it away."""
    assert repetition(GateInput("", (), [0.8] * 5), P) == 1.0
    assert repetition(GateInput("", (), [0.8, 0.79]), P) == pytest.approx(0.2)
    assert repetition(GateInput("", [0.9], [0.8] * 5), P) == pytest.approx(2 / 3)


@pytest.mark.parametrize("bad", [-1.0, 0.0, math.nan, math.inf])
def test_weights_are_normalised_whatever_they_are(bad: float) -> None:
    """Without any usable weight the defaults hold; scaled weights change nothing."""
    parts = Signals(0.3, 0.4, 0.5, 0.6, 0.7)
    none_left = GateParams(h=bad, r=bad, d=bad, p=bad, a=bad, s=bad)
    assert combine(parts, 0.2, 0.1, none_left) == combine(parts, 0.2, 0.1, P)
    scaled = combine(parts, 0.2, 0.1, GateParams(h=3.5, r=4.0, d=2.5, p=8.0, a=7.0, s=5.0))
    assert scaled.g == pytest.approx(combine(parts, 0.2, 0.1, P).g)


def test_a_first_plain_statement_passes_exactly_at_the_threshold() -> None:
    """Novelty alone is 0.35, which is the threshold; anything more is above."""
    assert score(GateInput("hm"), P).g == 0.35
    assert admits(
        score(GateInput("My sister Linh lives in Da Nang."), P), Role.USER, Origin.OWNER, MemoryType.FACT, P
    )


@pytest.mark.parametrize(
    ("role", "origin", "kind", "admitted"),
    [
        (Role.USER, Origin.OWNER, MemoryType.PREFERENCE, True),
        (Role.USER, Origin.OWNER, None, False),
        (Role.USER, Origin.EXTERNAL, MemoryType.FACT, False),
        (Role.USER, Origin.TOOL, MemoryType.FACT, False),
        (Role.ASSISTANT, Origin.AGENT, MemoryType.DECISION, True),
        (Role.ASSISTANT, Origin.AGENT, MemoryType.CONTEXT, True),
        (Role.ASSISTANT, Origin.AGENT, MemoryType.PREFERENCE, False),
        (Role.ASSISTANT, Origin.AGENT, MemoryType.INSTRUCTION, False),
        (Role.ASSISTANT, Origin.EXTERNAL, MemoryType.DECISION, False),
        (Role.TOOL, Origin.TOOL, MemoryType.DECISION, False),
        (Role.SYSTEM, Origin.OWNER, MemoryType.DECISION, False),
    ],
)
def test_who_is_learnt_from(role: Role, origin: Origin, kind: MemoryType | None, admitted: bool) -> None:  # noqa: FBT001 - table
    """The person; an assistant only for technical decisions and context; nobody else."""
    assert admits(GOOD, role, origin, kind, P) is admitted


def _changed(t: float, a: float) -> Score:
    return combine(Signals(t, 1.0, 1.0, a, 1.0), 1.0, 1.0, P)


def test_an_assistant_needs_something_technical_decided() -> None:
    """T below .5 or A of 0 is not enough, whatever G is."""
    assert admits(_changed(0.5, 0.3), Role.ASSISTANT, Origin.AGENT, MemoryType.CONTEXT, P)
    assert not admits(_changed(0.4, 0.3), Role.ASSISTANT, Origin.AGENT, MemoryType.CONTEXT, P)
    assert not admits(_changed(0.6, 0.0), Role.ASSISTANT, Origin.AGENT, MemoryType.CONTEXT, P)


def test_a_calibrated_threshold_wins() -> None:
    """The threshold from labels replaces the default."""
    assert not admits(GOOD, Role.USER, Origin.OWNER, MemoryType.FACT, P, threshold=0.99)
    assert admits(_changed(0.0, 0.0), Role.USER, Origin.OWNER, MemoryType.FACT, P, threshold=0.99)


def test_stability() -> None:
    """The person's words .5, the assistant's .25, all others 0."""
    assert stability(Role.USER, Origin.OWNER) == 0.5
    assert stability(Role.ASSISTANT, Origin.AGENT) == 0.25
    assert stability(Role.TOOL, Origin.TOOL) == 0.0
    assert stability(Role.USER, Origin.EXTERNAL) == 0.0
