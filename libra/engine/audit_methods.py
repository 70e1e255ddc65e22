"""The engine's methods that look into what was not kept; the work is in one module."""

from __future__ import annotations

from typing import Any

from libra.engine import audit as auditing
from libra.engine.deps import Deps
from libra.engine.ids import whole
from libra.ground.records import Origin, Who

Json = dict[str, Any]


class AuditMethods:
    """The part of :class:`libra.engine.core.Engine` about what was refused, called noise, or said by hosts.

    Args:
        deps: Shared parts.
    """

    def __init__(self, deps: Deps) -> None:
        self.deps = deps

    def audit(self, *, who: Who | None = None, why: str | None = None, k: int = 20) -> Json:
        """Answer the method ``audit``."""
        return auditing.audit(self.deps, who, why, k)

    def noise(self, *, id: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``noise``."""
        return auditing.noise(self.deps, who, whole(self.deps, who, id), origin)

    def lifecycle(self, *, who: Who | None = None, session: str | None = None, k: int = 50) -> Json:
        """Answer the method ``lifecycle``."""
        return auditing.lifecycle(self.deps, who, session, k)
