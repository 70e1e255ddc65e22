"""What is summarised, and the space in which it is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from libra.ground.records import Role
from libra.ground.vectors import Vector

Embed = Callable[[Sequence[str]], Vector]
"""Texts → unit vectors of the retrieval space, shape ``(n, dims)``; an empty text gives a zero row."""


@dataclass(frozen=True, slots=True, eq=False)
class ClusterTurn:
    """A turn (or a lower summary) that is to be summarised.

    Attributes:
        text: Redacted text.
        role: Who spoke; None where it does not matter.
        ts_ms: When, epoch ms.
        vector: Its vector in the space of ``Embed``, if it is known already.
        speaker: Display name, if any.
        tokens: Its tokens, if they are known already.
    """

    text: str
    role: Role | None = None
    ts_ms: int | None = None
    vector: Vector | None = None
    speaker: str | None = None
    tokens: int | None = None

    @property
    def label(self) -> str:
        """What stands before this turn's words where several people speak."""
        return self.speaker or (self.role.value.capitalize() if self.role else "")
