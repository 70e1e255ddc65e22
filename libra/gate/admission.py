"""The admission gate: is a turn worth keeping for good? One equation, all of its parts kept (memory model §4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from libra.gate.signals import Signals, signals
from libra.ground.records import MemoryType, Origin, Role


@dataclass(frozen=True, slots=True)
class GateParams:
    """Weights and floors of the gate. Weights are normalised to sum 1 by branch, whatever they are.

    Attributes:
        h, r, d: Conversational branch: novelty, repetition, natural statement.
        p, a, s: Technical branch: artifacts, decisions, structure.
        threshold: Smallest G that is promoted.
        same_turn: Cosine from which an earlier turn says the same; belongs to the model's profile.
        saturation: Cosine from which a memory already says it; belongs to the model's profile.
        nearest_memories, nearest_turns: How many neighbours are looked at.
        repeats, saturated: Counts at which repetition and saturation are complete.
        assistant_min_t: An assistant's turn must be this technical.

    Source: memory-model.md §4.
    """

    h: float = 0.35
    r: float = 0.40
    d: float = 0.25
    p: float = 0.40
    a: float = 0.35
    s: float = 0.25
    threshold: float = 0.35
    same_turn: float = 0.80
    saturation: float = 0.85
    nearest_memories: int = 5
    nearest_turns: int = 10
    repeats: int = 5
    saturated: int = 3
    assistant_min_t: float = 0.5


_DEFAULTS = GateParams()


@dataclass(frozen=True, slots=True)
class GateInput:
    """What the gate looks at.

    Attributes:
        text: The turn, stripped and redacted.
        memory_cosines: Cosines to the nearest memories of the user's scope, in any order.
        turn_cosines: Cosines to the nearest earlier turns of the user, in any order.
        meaning: What its vector says of how technical its talk is (:func:`libra.gate.talk.log_odds`).
    """

    text: str
    memory_cosines: Sequence[float] = ()
    turn_cosines: Sequence[float] = ()
    meaning: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """Every signal of one decision, each in [0, 1]; kept with the memory and shown by ``explain``.

    ``h`` novelty, ``r`` repetition, ``d`` natural statement, ``p`` artifacts, ``a`` decisions, ``dtech``
    structure, ``t`` how technical, ``gconv`` and ``gtech`` the branches, ``g`` the gate.
    """

    h: float
    r: float
    d: float
    p: float
    a: float
    dtech: float
    t: float
    gconv: float
    gtech: float
    g: float

    def as_dict(self) -> dict[str, float]:
        """Return the signals by name, as they are stored."""
        return asdict(self)


def score(inp: GateInput, params: GateParams) -> Score:
    """Return the gate's score of a turn.

    ``G = (1 - T) Gconv + T Gtech`` with ``Gconv = wh H + wr R + wd Dnl`` and ``Gtech = wp P + wa A + ws Dtech``.

    Source: memory-model.md §4.
    """
    parts = signals(inp.text, inp.meaning)
    return combine(parts, novelty(inp, params), repetition(inp, params), params)


def novelty(inp: GateInput, params: GateParams) -> float:
    """Return H: 1 minus the mean of ``max(cos, 0)`` over the nearest memories; 1 if there are none."""
    near = _nearest(inp.memory_cosines, params.nearest_memories)
    return 1.0 - sum(near) / len(near) if near else 1.0


def repetition(inp: GateInput, params: GateParams) -> float:
    """Return R = F (1 - S): said often before, and not remembered yet."""
    said = sum(c >= params.same_turn for c in _nearest(inp.turn_cosines, params.nearest_turns))
    known = sum(c >= params.saturation for c in _nearest(inp.memory_cosines, params.nearest_memories))
    frequency = min(said / max(params.repeats, 1), 1.0)
    saturation = min(known / max(params.saturated, 1), 1.0)
    return frequency * (1.0 - saturation)


def branch_weights(params: GateParams) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the weights of (H, R, Dnl) and of (P, A, Dtech), each branch summing to 1."""
    conversational = _weights((params.h, params.r, params.d), (_DEFAULTS.h, _DEFAULTS.r, _DEFAULTS.d))
    return conversational, _weights((params.p, params.a, params.s), (_DEFAULTS.p, _DEFAULTS.a, _DEFAULTS.s))


def combine(parts: Signals, h: float, r: float, params: GateParams) -> Score:
    """Return the score of signals that are known already.

    Args:
        parts: The text's own signals, each in [0, 1].
        h: Novelty, [0, 1].
        r: Repetition, [0, 1].
        params: Weights.
    """
    (wh, wr, wd), (wp, wa, ws) = branch_weights(params)
    gconv = _unit(wh * h + wr * r + wd * parts.d)
    gtech = _unit(wp * parts.p + wa * parts.a + ws * parts.dtech)
    g = (1.0 - parts.t) * gconv + parts.t * gtech
    # Rounding may carry a convex combination past its ends by one bit.
    g = min(max(g, min(gconv, gtech)), max(gconv, gtech))
    return Score(h, r, parts.d, parts.p, parts.a, parts.dtech, parts.t, gconv, gtech, g)


def stability(role: Role, origin: Origin) -> float:
    """Return how stable a turn's words are: the person's .5, the assistant's .25, all others 0.

    Source: memory-model.md §4.
    """
    if role is Role.USER and origin is Origin.OWNER:
        return 0.5
    return 0.25 if role is Role.ASSISTANT and origin in (Origin.AGENT, Origin.OWNER) else 0.0


def admits(
    found: Score,
    role: Role,
    origin: Origin,
    kind: MemoryType | None,
    params: GateParams,
    threshold: float | None = None,
) -> bool:
    """Return True if a turn is promoted.

    The person's turns from the threshold on; an assistant's only as a decision or as context, where it is
    technical and something was decided; tool output and external text never.

    Args:
        found: The turn's score.
        role: Who spoke.
        origin: Whose words they are.
        kind: The type that was detected; None promotes nothing.
        params: Weights and floors.
        threshold: A calibrated threshold; None for the parameters' own.
    """
    if kind is None or not found.g + _EXACT >= (params.threshold if threshold is None else threshold):
        return False
    if role is Role.USER:
        return origin is Origin.OWNER
    if role is not Role.ASSISTANT or origin not in (Origin.AGENT, Origin.OWNER):
        return False
    modest = kind in (MemoryType.DECISION, MemoryType.CONTEXT)
    return modest and found.t >= params.assistant_min_t and found.a > 0.0


def _nearest(cosines: Sequence[float], count: int) -> list[float]:
    """Return the ``count`` largest cosines, each in [0, 1]; what is no number counts as 0."""
    clean = (min(max(c, 0.0), 1.0) if math.isfinite(c) else 0.0 for c in cosines)
    return sorted(clean, reverse=True)[: max(count, 1)]


def _weights(given: tuple[float, ...], default: tuple[float, ...]) -> tuple[float, ...]:
    """Return weights of sum 1: negative and non-finite ones count as 0; if none is left, the defaults."""
    clean = [min(w, _LARGEST) if math.isfinite(w) and w > 0 else 0.0 for w in given]
    total = math.fsum(clean)
    if total < _SMALLEST:
        clean, total = list(default), math.fsum(default)
    return tuple(w / total for w in clean)


_EXACT = 1e-6
"""To this the threshold is exact: neither a rounding nor the sign of technical talk alone (TALK_WEIGHT) decides."""
_LARGEST = 1e9
_SMALLEST = 1e-9


def _unit(x: float) -> float:
    return min(max(x, 0.0), 1.0)
