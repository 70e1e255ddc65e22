"""The engine's methods for the desktop; the work is in one module a verb."""

from __future__ import annotations

from typing import Any

from libra.engine.deps import Deps
from libra.engine.off_record import off_record
from libra.ground.records import Who


class DesktopMethods:
    """The part of :class:`libra.engine.core.Engine` that the desktop adds.

    Args:
        deps: Shared parts.
    """

    def __init__(self, deps: Deps) -> None:
        self.deps = deps

    def off_record(
        self,
        *,
        who: Who | None = None,
        minutes: int | None = None,
        session: str | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Answer the method ``off_record``."""
        return off_record(self.deps, who, minutes, session, dry_run=dry_run)
