"""The engine: one object with a method for every verb; the work is in one module a verb."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from libra.engine import assemble as assembling
from libra.engine import compact as compacting
from libra.engine import copies, ids, instructions, reading, summarize, upkeep
from libra.engine import expand as expanding
from libra.engine import grep as grepping
from libra.engine import incoming as coming
from libra.engine import ingest as ingesting
from libra.engine import outgoing as going
from libra.engine import search as searching
from libra.engine import status as reporting
from libra.engine.audit_methods import AuditMethods
from libra.engine.automatic import Lookout
from libra.engine.background import Background, BackgroundParams
from libra.engine.canary import Canary
from libra.engine.canary_methods import CanaryMethods
from libra.engine.compaction_report import compaction_report
from libra.engine.curate_methods import CurateMethods
from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.desktop_methods import DesktopMethods
from libra.engine.feed import DocumentState, Taken
from libra.engine.feedback import look_for_vain
from libra.engine.lately import Lately
from libra.engine.ledger_methods import LedgerMethods
from libra.engine.memory_methods import MemoryMethods
from libra.engine.page_methods import PageMethods
from libra.engine.pause import Pause, PauseMemory
from libra.engine.scrub_methods import ScrubMethods
from libra.ground import machine
from libra.ground.errors import LibraError, NotFound
from libra.ground.records import Cursor, DocumentText, NewTurn, SourceBatch, Who

Json = dict[str, Any]


class Engine(
    MemoryMethods,
    CurateMethods,
    AuditMethods,
    LedgerMethods,
    DesktopMethods,
    PageMethods,
    ScrubMethods,
    CanaryMethods,
):
    """All verbs over one set of parts; every method may be called from any thread.

    Args:
        deps: Shared parts.
        background: Pace of the background worker.
        on_shutdown: Called by the verb ``shutdown``.
        load: Returns how the machine is.
    """

    def __init__(
        self,
        deps: Deps,
        background: BackgroundParams | None = None,
        on_shutdown: Callable[[], None] = lambda: None,
        load: Callable[[], machine.Load] = machine.load,
    ) -> None:
        super().__init__(deps)
        lookout = Lookout()
        self.canary = Canary(deps)
        self.background = Background(
            deps,
            background or BackgroundParams(),
            lambda hurry: (
                self.canary.land() or upkeep.when_idle(deps, lookout, at_once=hurry) or self.canary.work()
            ),
            load,
        )
        deps.wake = self.background.wake
        self.paused = Pause(
            deps.clock, self.background.pause, self.background.resume, PauseMemory(deps.store)
        )
        self._lately = Lately(deps)
        self._sources_status: Callable[[], Mapping[str, Any]] = dict
        self._sources_idle: Callable[[float], bool] = lambda _timeout_s: True
        self._follow: Callable[[str], bool] = lambda _path: False
        self._on_shutdown = on_shutdown

    def read_with(
        self,
        status: Callable[[], Mapping[str, Any]],
        idle: Callable[[float], bool],
        follow: Callable[[str], bool] | None = None,
    ) -> None:
        """Know the readers of files.

        Args:
            status: Asked for their state, for ``status``.
            idle: Waits until they have nothing to read, at most so many seconds; False if they still have.
            follow: Reads a transcript that a host names; False if it is none.
        """
        self._sources_status = status
        self._sources_idle = idle
        self._follow = follow or self._follow

    def start(self) -> None:
        """Start the background worker; a pause of before goes on."""
        self.paused.again()
        self.background.start()
        self.background.wake()
        # The first search would otherwise pay for reading the vectors.
        threading.Thread(target=self._warm, name="libra-warm", daemon=True).start()

    def _warm(self) -> None:
        with contextlib.suppress(LibraError):
            self.deps.store.vectors.view()
            look_for_vain(self.deps)

    def stop(self) -> None:
        """Stop the background worker; what waits is in the database."""
        self.paused.close()
        self.deps.summariser.close()
        self.deps.reranker.close()
        self.background.stop()

    # ------------------------------------------------------------------ what the readers hand in

    def cursor(self, path: str) -> Cursor | None:
        """See :class:`libra.engine.feed.Sink`."""
        return reading.cursor(self.deps, path)

    def take(self, batch: SourceBatch) -> Taken:
        """See :class:`libra.engine.feed.Sink`."""
        return ingesting.take(self.deps, batch, learn=not self.paused.covers(batch.session.project))

    def documents(self) -> dict[str, DocumentState]:
        """See :class:`libra.engine.feed.Sink`."""
        return instructions.states(self.deps)

    def document(self, doc: DocumentText) -> bool:
        """See :class:`libra.engine.feed.Sink`."""
        return instructions.document(self.deps, doc)

    def document_state(self, path: str, state: str) -> None:
        """See :class:`libra.engine.feed.Sink`."""
        instructions.mark_state(self.deps, path, state)

    def source_state(self, path: str, state: str) -> None:
        """See :class:`libra.engine.feed.Sink`."""
        reading.source_state(self.deps, path, state)

    def transcripts(self) -> frozenset[str]:
        """See :class:`libra.engine.feed.Sink`."""
        return reading.transcripts(self.deps)

    def session_gone(self, key: str) -> None:
        """See :class:`libra.engine.feed.Sink`."""
        reading.session_gone(self.deps, key)

    # ------------------------------------------------------------------ verbs

    def health(self) -> Json:
        """Answer the method ``health``."""
        return reporting.health(self.deps)

    def status(self, who: Who | None = None) -> Json:
        """Answer the method ``status``."""
        self.canary.clear()
        found = reporting.status(self.deps, who, self.paused, self._sources_status(), self._lately)
        found["degraded"] += self.canary.trouble()
        return {**found, "canary": self.canary.state()}

    def ingest(
        self, *, turns: Sequence[NewTurn], who: Who | None = None, request_id: str | None = None
    ) -> Json:
        """Answer the method ``ingest``."""
        return ingesting.ingest(self.deps, who, turns, request_id)

    def drain(self, timeout_ms: int = 30_000) -> Json:
        """Answer the method ``drain``."""
        deadline = Deadline.after(timeout_ms)
        unread = 0 if self._sources_idle(deadline.left_s()) else 1
        return {"pending": unread + self.background.wait_idle(deadline.left_s())}

    def flush(self, path: str | None = None) -> Json:
        """Answer the method ``flush``."""
        return {"ok": True, "following": path is not None and self._follow(path)}

    def assemble(self, *, who: Who | None = None, **asked: Any) -> Json:
        """Answer the method ``assemble``; ``asked`` are the fields of :class:`AssembleRequest`."""
        return assembling.assemble(self.deps, who, assembling.AssembleRequest(**asked))

    def search(self, *, who: Who | None = None, **asked: Any) -> Json:
        """Answer the method ``search``; ``asked`` are the fields of :class:`SearchRequest`."""
        answer = searching.search(self.deps, who, searching.SearchRequest(**asked))
        unread = len(self._sources_status().get("unreadable", ()))
        if unread:
            # Nothing found must not look like nothing there (lessons C17).
            answer["degraded"].append(
                f"sources: {unread} source{'s' if unread != 1 else ''} could not be read"
            )
        return answer

    def get(self, *, id: str, who: Who | None = None) -> Json:
        """Answer the method ``get``."""
        return reading.get(self.deps, who, ids.whole(self.deps, who, id))

    def expand(
        self, id: str, who: Who | None = None, depth: int = 3, budget_tokens: int | None = None
    ) -> Json:
        """Answer the method ``expand``."""
        return expanding.expand(self.deps, who, ids.whole(self.deps, who, id), depth, budget_tokens)

    def describe(self, *, id: str, who: Who | None = None, budget_tokens: int | None = None) -> Json:
        """Answer the method ``describe``."""
        return expanding.describe(self.deps, who, ids.whole(self.deps, who, id), budget_tokens)

    def grep(self, *, who: Who | None = None, **asked: Any) -> Json:
        """Answer the method ``grep``; ``asked`` are the fields of :class:`GrepRequest`."""
        return grepping.grep(self.deps, who, grepping.GrepRequest(**asked))

    def compaction_report(self, *, who: Who | None = None, k: int = 20) -> Json:
        """Answer the method ``compaction_report``."""
        return compaction_report(self.deps, who, k)

    def compact(
        self, *, who: Who | None = None, force: bool = False, budget_tokens: int | None = None
    ) -> Json:
        """Answer the method ``compact``."""
        return compacting.compact(self.deps, who, force=force, budget_tokens=budget_tokens)

    def compact_all(self) -> None:
        """Compact every session that is long enough, in the background (the tray's "Compact now")."""
        self.background.compact_soon()

    def export(
        self,
        *,
        who: Who | None = None,
        after: str | None = None,
        limit: int = 500,
        everybody: bool = False,
        to: str | None = None,
        vectors: bool = False,
    ) -> Json:
        """Answer the method ``export``."""
        self.canary.clear()
        return going.export(self.deps, who, after, limit, everybody=everybody, to=to, vectors=vectors)

    def import_records(
        self,
        *,
        records: Sequence[Any],
        who: Who | None = None,
        step: coming.Step = coming.Step.RUN,
        everybody: bool = False,
    ) -> Json:
        """Answer the method ``import_records``."""
        return coming.import_records(self.deps, who, records, step, everybody=everybody)

    def backup(self, *, label: str = "manual") -> Json:
        """Answer the method ``backup``."""
        self.canary.clear()
        return copies.backup(self.deps, label)

    def backups(self) -> Json:
        """Answer the method ``backups``."""
        return copies.backups(self.deps)

    def classify(self, texts: Sequence[str]) -> Sequence[Json]:
        """Answer the method ``classify``."""
        return instructions.classify_verb(texts)

    def partition(self, path: str | None = None, name: str | None = None, text: str | None = None) -> Json:
        """Answer the method ``partition``."""
        return instructions.partition_verb(self.deps, path, name, text)

    def summarize(self, turns: Sequence[NewTurn], budget_tokens: int | None = None) -> Json:
        """Answer the method ``summarize``."""
        return summarize.summarize(self.deps, turns, budget_tokens)

    def pause(self, seconds: int | None = None, project: str | None = None, cwd: str | None = None) -> Json:
        """Answer the method ``pause``."""
        return {"paused_until": self.paused.pause(seconds, self._project(project, cwd))}

    def resume(self, project: str | None = None, cwd: str | None = None) -> Json:
        """Answer the method ``resume``."""
        return {"ok": True, "was_paused": self.paused.resume(self._project(project, cwd))}

    def _project(self, key: str | None, cwd: str | None) -> str | None:
        """Return the key of the project that is meant, None for everything.

        Raises:
            NotFound: The folder belongs to no project: everything must not be paused instead.
        """
        found = self.deps.project_of(cwd) if key is None and cwd is not None else key
        if found is None and cwd is not None:
            raise NotFound("this folder belongs to no project", where="cwd")
        return found

    def shutdown(self) -> Json:
        """Answer the method ``shutdown``; the app stops once this answer is sent."""
        threading.Timer(0.05, self._on_shutdown).start()
        return {"ok": True}
