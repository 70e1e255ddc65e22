"""The engine's method that looks over everything: see :mod:`libra.engine.canary` and :mod:`libra.store.repair`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from libra.engine import tasks
from libra.engine.background import Background
from libra.engine.canary import Canary
from libra.engine.deps import Deps
from libra.engine.tasks import Task
from libra.store import repair

_PATIENCE_S = 60.0


class CanaryMethods:
    """The part of :class:`libra.engine.core.Engine` that checks itself."""

    deps: Deps
    canary: Canary
    background: Background

    def self_check(self) -> dict[str, Any]:
        """Answer the method ``self_check``."""
        if self.deps.store.read_only:
            with self.deps.store.snapshot() as snapshot:
                return {
                    "faults": asdict(repair.look(snapshot)),
                    "mended": False,
                    "canary": self.canary.state(),
                }
        self.canary.clear()
        found = self.deps.store.write(repair.mend).result()
        if found.stray_words:
            tasks.queue(self.deps, Task.REINDEX)
        if found.any:
            self.deps.wake()
        flown = self.canary.fly(self._settle)
        return {"faults": asdict(found), "mended": found.any, "canary": flown}

    def _settle(self) -> None:
        self.background.wait_idle(_PATIENCE_S)
