"""Which turns are kept verbatim as guidance when their neighbours are summarised (tier 1.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from libra.text.deontic import modalities


@dataclass(frozen=True, slots=True)
class ShardParams:
    """When a turn is protected.

    Attributes:
        min_stability: Turns whose words are less stable are never protected.
        prototype_cosine: Nearness to a prototype from which a turn with a guidance word is protected too.

    Source: memory-model.md §8 (1).
    """

    min_stability: float = 0.35
    prototype_cosine: float = 0.78


PROTOTYPES: tuple[str, ...] = (
    "Prefer the simple solution over the clever one in this project.",
    "Never change the public interface without asking first.",
    "Always keep the tests green before you commit.",
    "The most important thing here is that the service stays fast and safe.",
)
"""Sentences that are guidance, for texts that no deontic form names; judged in the retrieval space."""

_GUIDANCE_WORD = re.compile(
    r"\b(?:prefer\w*|avoid\w*|must|never|always|should|use|keep|ensure|require[ds]?|priority|important|policy|rule|convention"
    r"|guideline|forbidden|allowed|instead|only)\b"
    r"|优先|避免|必须|不要|应该|务必|禁止|规则|规范|\b(?:ưu tiên|tránh|phải|luôn|đừng|nên|cấm|quy tắc|quan trọng)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ShardTurn:
    """A turn as the protector sees it: its text, and how stable its speaker's words are in [0, 1]."""

    text: str
    stability: float


def is_directive(turn: ShardTurn, params: ShardParams) -> bool:
    """Return True for stable words with a deontic form: these are protected whatever a model says."""
    return turn.stability >= params.min_stability and bool(modalities(turn.text))


def is_borderline(turn: ShardTurn, params: ShardParams) -> bool:
    """Return True for stable words without a deontic form, but with a guidance word: prototypes decide."""
    stable = turn.stability >= params.min_stability
    return stable and not modalities(turn.text) and _GUIDANCE_WORD.search(turn.text) is not None


def protected(
    turns: Sequence[ShardTurn], prototype_cosines: Sequence[float], params: ShardParams
) -> list[int]:
    """Return the indexes of the turns that are kept verbatim, in order.

    Nearness to the prototypes can only add turns, never remove one; what is no number counts as 0.

    Args:
        turns: A cluster's turns.
        prototype_cosines: For each turn its largest cosine to a prototype; all 0 without a model.
        params: Limits.
    """
    return [
        i
        for i, (turn, cosine) in enumerate(zip(turns, prototype_cosines, strict=True))
        if is_directive(turn, params) or (cosine >= params.prototype_cosine and is_borderline(turn, params))
    ]
