"""What one look of the doctor found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from libra.ground.paths import Places

OK, WARNING, FAILURE = "ok", "warning", "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look found: ``ok``, ``warning`` or ``failure``, and what to do about it."""

    name: str
    state: str
    detail: str
    hint: str | None = None


Look = Callable[[Places], Iterator[Finding]]
