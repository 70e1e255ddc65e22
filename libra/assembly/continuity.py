"""The context assembly law, checked on every call (memory model §6)."""

from __future__ import annotations

from collections.abc import Iterable

from libra.assembly.packer import PackParams, Plan, TailPolicy, Tiers, mandatory_tail
from libra.ground.errors import LibraError


class ContinuityBroken(LibraError):
    """A plan broke the law: a fault of ours, answered degraded and never with an overflow."""

    default_reason = "continuity"


def check(tiers: Tiers, plan: Plan, uids: Iterable[str], params: PackParams) -> None:
    """Raise unless the plan keeps every clause.

    Args:
        tiers: What there was to pack.
        plan: What was packed.
        uids: Ids of all packed items over all tiers: tiers must be disjoint.
        params: The packing parameters.

    Raises:
        ContinuityBroken: Names the clause.
    """
    over = any(r.startswith("over_budget") for r in plan.reasons)
    hard = tuple(p.key for p in tiers.hard)
    base = mandatory_tail(tiers.tail, params.min_tail_turns)
    tail = tuple(p.key for p in tiers.tail)
    soft = tuple(p.key for p in tiers.soft)
    seen = list(uids)
    clauses = (
        ("total", plan.tokens <= plan.usable),
        ("hard_complete", over or plan.hard == hard),
        ("hard_prefix", plan.hard == hard[: len(plan.hard)]),
        ("soft_prefix", plan.soft == soft[: len(plan.soft)]),
        ("tail_base", over or plan.tail[len(plan.tail) - base :] == tail[len(tail) - base :]),
        ("tail_suffix", _in_order(plan, tail, params)),
        ("disjoint", len(seen) == len(set(seen))),
    )
    broken = [name for name, holds in clauses if not holds]
    if broken:
        raise ContinuityBroken(f"the assembly law does not hold: {', '.join(broken)}", where=broken[0])


def _in_order(plan: Plan, tail: tuple[int, ...], params: PackParams) -> bool:
    """Return True if the shown turns are the last ones or, by surprise, some of them in their order."""
    if params.tail_policy == TailPolicy.ENTROPY:
        left = iter(tail)
        return all(key in left for key in plan.tail)
    return plan.tail == tail[len(tail) - len(plan.tail) :]
