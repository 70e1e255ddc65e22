"""Pack five tiers into one budget, most binding first (memory model §6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

_ROUNDING = 1e-6
"""What adding up fractions may be off."""


class Tier(StrEnum):
    """The five tiers, most binding first."""

    HARD = "hard"
    GUIDANCE = "guidance"
    SOFT = "soft"
    TAIL = "tail"
    RECALL = "recall"


class TailPolicy(StrEnum):
    """Which turns before the mandatory tail are shown."""

    RECENT = "recent"
    """Those right before it."""
    ENTROPY = "entropy"
    """Those that say what the others do not (memory model §8, Entropy-driven tail)."""


@dataclass(frozen=True, slots=True)
class PackParams:
    """Reserve fractions of the usable budget.

    Source: memory model §6; 5 % are kept back for estimate error (lessons C97).
    """

    hard: float = 0.25
    soft: float = 0.15
    guidance: float = 0.10
    tail: float = 0.35
    keep_back: float = 0.05
    min_tail_turns: int = 4
    tail_policy: str = TailPolicy.RECENT.value
    """``recent`` shows the last turns, ``entropy`` fills the tail's share with the most surprising ones."""
    passed_over: int = 24
    """How many recalled items that do not fit are passed over before recall ends."""
    default_budget_tokens: int = 8000
    """Used when the caller names no budget (lessons C98)."""

    def __post_init__(self) -> None:
        """Refuse a policy that is none."""
        if self.tail_policy not in set(TailPolicy):
            raise ValueError(f"tail_policy is one of {', '.join(TailPolicy)}")

    def usable(self, budget_tokens: int) -> int:
        """Return tau: what may be filled of ``budget_tokens``."""
        return max(math.floor(budget_tokens * (1.0 - self.keep_back)), 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """One rendered item that may be packed.

    Attributes:
        key: Its place in the caller's list for that tier.
        tokens: Cost as rendered, separator included.
        begins: For the tail: a bundle may be cut before this turn (a request, or a free answer).
        short_tokens: Cost of a shorter form, if it has one.
        surprise: For the tail: 1 − the largest cosine to another turn of it; 0 if that is not known.
        above: Of recall: what stands once above all pieces with the same (a day and who spoke, a note's name), outermost
            first: a name of each, and what it costs the first of them that is taken.
    """

    key: int
    tokens: float
    begins: bool = True
    short_tokens: float | None = None
    surprise: float = 0.0
    above: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Tiers:
    """What there is to pack. ``tail`` is oldest first; ``guidance`` and ``recall`` best first."""

    hard: Sequence[Piece] = ()
    soft: Sequence[Piece] = ()
    guidance: Sequence[Piece] = ()
    tail: Sequence[Piece] = ()
    recall: Sequence[Piece] = ()
    overhead: Mapping[Tier, int] = field(default_factory=dict)
    """Tokens of a tier's wrapper, paid once if the tier holds anything."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What goes in: keys a tier, in the order in which they are shown.

    Attributes:
        base: How many of the last tail turns are the mandatory part.
        shortened: Tier and key of what is shown in its shorter form.
        tokens: Sum of the costs, wrappers included; at most ``usable``.
        usable: tau.
        reasons: Why the answer is degraded, empty if it is not.
    """

    hard: tuple[int, ...]
    soft: tuple[int, ...]
    guidance: tuple[int, ...]
    tail: tuple[int, ...]
    recall: tuple[int, ...]
    base: int
    shortened: frozenset[tuple[Tier, int]]
    tokens: int
    usable: int
    reasons: tuple[str, ...]


def pack(tiers: Tiers, budget_tokens: int, params: PackParams) -> Plan:
    """Return the plan for one budget; never more than ``params.usable(budget_tokens)`` tokens.

    Hard directives come whole; only when they alone exceed the budget is the longest prefix taken, and
    the plan says so. The mandatory tail is cut at a bundle boundary, newest kept, when both do not fit.
    """
    tau = params.usable(budget_tokens)
    reasons: list[str] = []
    overhead = tiers.overhead

    hard, hard_cost = _prefix(tiers.hard, tau, overhead.get(Tier.HARD, 0))
    if len(hard) < len(tiers.hard):
        reasons.append(
            f"over_budget: {len(tiers.hard) - len(hard)} of {len(tiers.hard)} hard rules do not fit"
        )
    base_size = mandatory_tail(tiers.tail, params.min_tail_turns)
    base, base_cost, short_tail = _suffix(tiers.tail, base_size, tau - hard_cost, overhead.get(Tier.TAIL, 0))
    if len(base) < base_size or short_tail:
        whole = len(base) - len(short_tail)
        reasons.append(f"over_budget: {base_size - whole} of the last {base_size} turns do not fit whole")
    left = tau - hard_cost - base_cost

    soft, soft_cost = _prefix(
        tiers.soft, max(0, min(int(params.soft * tau), left)), overhead.get(Tier.SOFT, 0)
    )
    if len(soft) < len(tiers.soft):
        reasons.append(f"soft_prefix: {len(soft)} of {len(tiers.soft)} soft rules fit")
    left -= soft_cost

    tail, tail_cost = base, base_cost
    if len(base) >= base_size and not short_tail:
        room = min(max(int(params.tail * tau), base_cost), base_cost + left)
        extend = _extend_surprising if params.tail_policy == TailPolicy.ENTROPY else _extend
        tail, tail_cost = extend(tiers.tail, base, base_cost, room)
    left -= tail_cost - base_cost

    guidance, guidance_cost = _best(
        tiers.guidance,
        min(int(params.guidance * tau), left),
        overhead.get(Tier.GUIDANCE, 0),
        params.passed_over,
    )[:2]
    left -= guidance_cost
    recall, recall_cost, shortened = _best(
        tiers.recall, left, overhead.get(Tier.RECALL, 0), params.passed_over
    )
    left -= recall_cost
    return Plan(
        hard=hard,
        soft=soft,
        guidance=guidance,
        tail=tail,
        recall=recall,
        base=len(base),
        shortened=short_tail | {(Tier.RECALL, key) for key in shortened},
        tokens=math.ceil(tau - left - _ROUNDING),
        usable=tau,
        reasons=tuple(reasons),
    )


def mandatory_tail(tail: Sequence[Piece], turns: int) -> int:
    """Return the size of the shortest suffix with at least ``turns`` turns that splits no bundle."""
    size = min(turns, len(tail))
    while 0 < size < len(tail) and not tail[len(tail) - size].begins:
        size += 1
    return size


def _prefix(pieces: Sequence[Piece], room: float, overhead: int) -> tuple[tuple[int, ...], float]:
    keys: list[int] = []
    cost: float = overhead
    for piece in pieces:
        if cost + piece.tokens > room:
            break
        cost += piece.tokens
        keys.append(piece.key)
    return tuple(keys), cost if keys else 0


def _suffix(
    tail: Sequence[Piece], size: int, room: float, overhead: int
) -> tuple[tuple[int, ...], float, frozenset[tuple[Tier, int]]]:
    """Return the longest suffix of at most ``size`` turns that fits and begins a bundle, and its cost.

    If not even the newest bundle fits, its newest turns are kept as far as they fit, the last of them in
    their shorter form (lessons C10: shortened when shown, never when stored).
    """
    start = len(tail) - size
    cost = overhead + sum(p.tokens for p in tail[start:])
    whole = start
    while whole < len(tail) and (cost > room or not tail[whole].begins):
        cost -= tail[whole].tokens
        whole += 1
    if whole < len(tail):
        return tuple(p.key for p in tail[whole:]), cost, frozenset()
    cost, first = overhead, len(tail)
    short: set[tuple[Tier, int]] = set()
    while first > start:
        piece = tail[first - 1]
        if cost + piece.tokens <= room:
            cost += piece.tokens
        elif piece.short_tokens is not None and cost + piece.short_tokens <= room:
            cost += piece.short_tokens
            short.add((Tier.TAIL, piece.key))
        else:
            break
        first -= 1
    return tuple(p.key for p in tail[first:]), cost if first < len(tail) else 0, frozenset(short)


def _extend(
    tail: Sequence[Piece], base: tuple[int, ...], base_cost: float, room: float
) -> tuple[tuple[int, ...], float]:
    """Extend the base backwards by whole bundles while it fits ``room``."""
    start = len(tail) - len(base)
    cost = base_cost
    best_start, best_cost = start, base_cost
    while start > 0 and cost + tail[start - 1].tokens <= room:
        start -= 1
        cost += tail[start].tokens
        if tail[start].begins:
            best_start, best_cost = start, cost
    return tuple(p.key for p in tail[best_start:]), best_cost


def _extend_surprising(
    tail: Sequence[Piece], base: tuple[int, ...], base_cost: float, room: float
) -> tuple[tuple[int, ...], float]:
    """Extend the base by the whole bundles of most surprise that fit ``room``; the later of equals first."""
    bundles: list[list[Piece]] = []
    for piece in tail[: len(tail) - len(base)]:
        if piece.begins:
            bundles.append([])
        if bundles:  # what stands before the first request has lost its beginning
            bundles[-1].append(piece)
    order = sorted(range(len(bundles)), key=lambda b: (-max(piece.surprise for piece in bundles[b]), -b))
    taken: set[int] = set()
    cost = base_cost
    for place in order:
        tokens = sum(piece.tokens for piece in bundles[place])
        if cost + tokens <= room:
            cost += tokens
            taken.add(place)
    keys = [piece.key for place in sorted(taken) for piece in bundles[place]]
    return (*keys, *base), cost


def _best(
    pieces: Sequence[Piece], room: float, overhead: int, passed_over: int
) -> tuple[tuple[int, ...], float, frozenset[int]]:
    """Take pieces in order while they fit.

    A few that do not are passed over, so that one long turn does not end the recall (BEAM's assistant
    turns are long: docs/benchmarks.md has the difference).
    """
    keys: list[int] = []
    short: set[int] = set()
    printed: set[str] = set()
    cost: float = overhead
    missed = 0
    for piece in pieces:
        above = 0.0
        for name, tokens in piece.above:
            if name not in printed:
                above += tokens
        if cost + above + piece.tokens <= room:
            cost += above + piece.tokens
        elif piece.short_tokens is not None and cost + above + piece.short_tokens <= room:
            cost += above + piece.short_tokens
            short.add(piece.key)
        else:
            missed += 1
            if missed > passed_over:
                break
            continue
        for name, _ in piece.above:
            printed.add(name)
        keys.append(piece.key)
    return tuple(keys), cost if keys else 0, frozenset(short)
