"""The engine's methods about taking words out of everything; the work is in one module a verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from libra.engine import mirror as mirroring
from libra.engine import rehearse as rehearsing
from libra.engine import scrub as scrubbing
from libra.engine import tasks
from libra.engine.canary import Canary
from libra.engine.deps import CHOSEN_MODEL, Deps
from libra.engine.tasks import Task
from libra.ground.records import Who
from libra.inference.protocol import EmbedderLike
from libra.store import meta, repair, vectors


class ScrubMethods:
    """The part of :class:`libra.engine.core.Engine` that keeps house by a person's hand."""

    deps: Deps
    canary: Canary

    def use_model(self, embedder: EmbedderLike) -> None:
        """Search and embed with this model from now on; vectors of another one are made anew in the background."""
        fingerprint, dims = embedder.fingerprint, embedder.dims
        if not self.deps.store.read_only:
            self.deps.store.write(lambda tx: vectors.begin_model(tx, fingerprint, dims)).result()
            # What failed the last time may have failed for want of memory.
            self.deps.store.write(vectors.retry_failed).result()
        self.deps.model.ready(embedder)
        self.deps.kept.forget()
        self.deps.wake()

    def rehearse(
        self, *, changes: Mapping[str, Any], who: Who | None = None, sessions: int = 5, prompts: int = 50
    ) -> dict[str, Any]:
        """Answer the method ``rehearse``."""
        return rehearsing.rehearse(self.deps, who, changes, sessions, prompts)

    def mirror(self) -> dict[str, Any]:
        """Answer the method ``mirror``."""
        return mirroring.sync(self.deps)

    def reapply(self) -> dict[str, Any]:
        """Answer the method ``reapply``."""
        return tasks.queue(self.deps, Task.REAPPLY)

    def vacuum(self, *, whole: bool = False) -> dict[str, Any]:
        """Answer the method ``vacuum``."""
        if whole:
            self.deps.store.vacuum().result()
            return {"name": "vacuum", "started": self.deps.clock(), "done": 1, "of": 1}
        return tasks.queue(self.deps, Task.VACUUM)

    def reindex(self, *, dry_run: bool = False) -> dict[str, Any]:
        """Answer the method ``reindex``."""
        self.canary.clear()
        with self.deps.store.snapshot() as snapshot:
            faults = asdict(repair.look(snapshot))
        return {"faults": faults, **({} if dry_run else tasks.queue(self.deps, Task.REINDEX))}

    def reembed(self, *, model: str | None = None) -> dict[str, Any]:
        """Answer the method ``reembed``; another model makes all vectors wait for it, the same one makes each anew."""
        if model is not None:
            embedder = self.deps.open_model(model)
            with self.deps.store.snapshot() as snapshot:
                before = vectors.current_model(snapshot)
            self.deps.store.write(lambda tx: meta.put(tx, CHOSEN_MODEL, model)).result()
            if before != (embedder.fingerprint, embedder.dims):
                self.use_model(embedder)
                with self.deps.store.snapshot() as snapshot:
                    found = vectors.counts(snapshot)
                return {"name": "reembed", "started": self.deps.clock(), "done": 0, "of": found.pending}
            embedder.close()
        return tasks.queue(self.deps, Task.REEMBED)

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
        self.canary.clear()
        return scrubbing.scrub(self.deps, who, text, pattern, confirm, dry_run=dry_run)
