"""The types of memory, and which one a statement is: one table, one function."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from libra.ground.records import MemoryType, Role
from libra.lifecycle import forms
from libra.lifecycle.statement import stated
from libra.lifecycle.volatile import says_impossible

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class TypeRow:
    """What a type of memory starts with.

    Attributes:
        type: The type.
        priority: 0–100.
        ttl_days: Days until it moves to the archive; None for never.
        half_life_days: Days after which its rank has halved; None for never.
    """

    type: MemoryType
    priority: int
    ttl_days: int | None = None
    half_life_days: int | None = None

    @property
    def ephemeral(self) -> bool:
        """True for types that expire: only these lose confidence by age."""
        return self.ttl_days is not None

    def expires_ms(self, created_ms: int, ttl_ms: int | None = None) -> int | None:
        """Return when a memory made at ``created_ms`` expires; a manual ``ttl_ms`` wins, None is never.

        A ``ttl_ms`` of zero or less means that it never expires.
        """
        if ttl_ms is not None:
            return created_ms + ttl_ms if ttl_ms > 0 else None
        return created_ms + self.ttl_days * DAY_MS if self.ttl_days is not None else None


_ROWS = (
    TypeRow(MemoryType.DECISION, 85),
    TypeRow(MemoryType.INSTRUCTION, 85),
    TypeRow(MemoryType.PREFERENCE, 80, half_life_days=365),
    TypeRow(MemoryType.IDENTITY, 80),
    TypeRow(MemoryType.CONTEXT, 60, ttl_days=7, half_life_days=7),
    TypeRow(MemoryType.TODO, 55, ttl_days=30, half_life_days=30),
    TypeRow(MemoryType.FACT, 30, half_life_days=180),
    TypeRow(MemoryType.ENTITY, 30, half_life_days=180),
    TypeRow(MemoryType.SESSION, 20, ttl_days=90, half_life_days=30),
    TypeRow(MemoryType.LESSON, 70),
)
TYPES: MappingProxyType[MemoryType, TypeRow] = MappingProxyType({row.type: row for row in _ROWS})
"""Source: memory-model.md §1."""

ASSISTANT_MIN_T = 0.5
"""An assistant's turn is only learnt from when it is this technical. Source: memory-model.md §4."""


def detect(text: str, role: Role, score_a: float, score_t: float) -> MemoryType | None:
    """Return what kind of durable statement a turn makes, or None if it makes none.

    Questions, hypotheticals, requests for this moment, feelings about the task at hand, and what is
    quoted, reported, pasted or code are no statements. Of several sentences the one whose form comes first in ``forms.FORMS`` decides.

    Args:
        text: The turn, stripped and redacted.
        role: Who said it; tools and systems are never learnt from.
        score_a: The gate's signal A (a decision was taken), [0, 1].
        score_t: The gate's signal T (how technical), [0, 1].

    Source: memory-model.md §4.
    """
    if role not in (Role.USER, Role.ASSISTANT):
        return None
    said = stated(text)
    if role is Role.ASSISTANT:
        if score_t < ASSISTANT_MIN_T or score_a <= 0 or not said:
            return None
        decided = any(_type_of(s) is MemoryType.DECISION for s in said)
        return MemoryType.DECISION if decided else MemoryType.CONTEXT
    found = {_type_of(s) for s in said}
    for kind in forms.PRECEDENCE:
        if kind in found:
            return kind
    if said and score_a > 0:
        return MemoryType.CONTEXT
    return None


_SHORT_LIVED = (None, MemoryType.FACT, MemoryType.ENTITY)


def _type_of(sentence: str) -> MemoryType | None:
    """Return a sentence's type; what is said to be impossible has the short life of context (lessons.md C42)."""
    kind = forms.sentence_type(sentence)
    return MemoryType.CONTEXT if kind in _SHORT_LIVED and says_impossible(sentence) else kind
