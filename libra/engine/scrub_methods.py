"""The engine's methods about taking words out of everything; the work is in one module a verb."""

from __future__ import annotations

from typing import Any

from libra.engine import scrub as scrubbing
from libra.engine.deps import Deps
from libra.ground.records import Who


class ScrubMethods:
    """The part of :class:`libra.engine.core.Engine` that keeps house by a person's hand."""

    deps: Deps

    def scrub(
        self,
        *,
        who: Who | None = None,
        text: str | None = None,
        pattern: str | None = None,
        dry_run: bool = True,
        confirm: int | None = None,
    ) -> dict[str, Any]:
        """Answer the method ``scrub``."""
        return scrubbing.scrub(self.deps, who, text, pattern, confirm, dry_run=dry_run)
