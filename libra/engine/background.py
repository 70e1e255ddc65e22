"""The background worker: embeds what has no vector yet, promotes what the gate admits, compacts what is long.

One thread at its own pace; a request of a person always goes first (the embedder sees to that). The queue
is the database: a crash loses nothing, and a failed step leaves its rows waiting.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from libra.engine import promote
from libra.engine.deps import Deps
from libra.engine.rest import Rest, RestParams, Spare
from libra.ground import machine
from libra.ground.errors import LibraError, ModelError
from libra.inference.protocol import EmbedderLike, Window
from libra.store import stats, vectors
from libra.store.vectors import ChunkVectors
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)
_LOOK_S = 0.25
"""While the model is loaded, an end that is asked for waits no longer."""
_PROBE = "The lamp is on the table."
_YIELDS_S = 0.2
"""While answers are worked on, texts wait at most so long, so that who asks without pause cannot stop learning."""
_SMALL_SLICE = 4
"""Texts a call to the model while somebody asks: an answer that comes in the middle has it beside itself to its end."""
_LATELY_S = 10.0
"""Who has asked so long ago is taken to ask again."""
_SLICE = 64
"""Texts a call to the model: one call holds all of its vectors, and a question waits for at most one batch of it."""


@dataclass(frozen=True, slots=True)
class BackgroundParams:
    """Pace of the worker.

    ``embeds_per_promotion``: while history is back-filled, one batch goes through the gate for this many
    embedded ones, so that what is said now is learnt although the backlog takes hours.
    """

    embed_batch: int = 256
    promote_batch: int = 32
    embeds_per_promotion: int = 3
    retry_s: float = 5.0
    idle_s: float = 30.0
    rest: RestParams = field(default_factory=RestParams)


class Background:
    """Owns the thread ``libra-background``.

    Args:
        deps: Shared parts.
        params: Pace.
        when_idle: Called when nothing waits, with True while a person waits for a compaction; returns True if
            it did something (compaction, expiry).
        load: Returns how the machine is.
        give_back: Gives memory that is not used any more back to the system.
    """

    def __init__(
        self,
        deps: Deps,
        params: BackgroundParams,
        when_idle: Callable[[bool], bool],
        load: Callable[[], machine.Load] = machine.load,
        give_back: Callable[[], None] = machine.give_back,
    ) -> None:
        self._deps = deps
        self._rest = Rest(params.rest, load, give_back)
        self._spare = Spare(params.rest.give_back_s, give_back)
        self._params = params
        self._when_idle = when_idle
        self._stop = threading.Event()
        self._hurry = threading.Event()
        self._wake = threading.Event()
        self._resumed = threading.Event()
        self._resumed.set()
        self._settled = threading.Condition()
        self._generation = 0
        self._settled_generation = -1
        self._rounds = 0
        self._stretch = 0
        self._thread = threading.Thread(target=self._run, name="libra-background", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout_s: float = 10.0) -> None:
        """Finish the current batch and end the thread."""
        self._stop.set()
        self._resumed.set()
        self._wake.set()
        with self._settled:
            self._settled.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def wake(self) -> None:
        """Say that there is something to do."""
        with self._settled:
            self._generation += 1
        self._wake.set()

    def compact_soon(self) -> None:
        """Compact what is long enough in the next idle moment, also what is still in use."""
        self._hurry.set()
        self.wake()

    def pause(self) -> None:
        """Rest after the current batch, until :meth:`resume`."""
        self._resumed.clear()

    def resume(self) -> None:
        """Go on."""
        self._resumed.set()
        self.wake()

    def pending(self) -> int:
        """Return how many chunks and turns wait for a vector or for the gate."""
        with self._deps.store.snapshot() as snapshot:
            return stats.pending(snapshot, with_vectors=self._deps.model.state != "missing")

    def wait_idle(self, timeout_s: float) -> int:
        """Wait until nothing waits, at most ``timeout_s``; return how much still does."""
        with self._settled:
            target = self._generation
            self._settled.wait_for(
                lambda: self._settled_generation >= target or self._stop.is_set(), timeout_s
            )
            if self._settled_generation >= target:
                return 0
        return self.pending()

    def _run(self) -> None:
        machine.lower_priority()
        while not self._stop.is_set():
            self._resumed.wait()
            if not self._may_work():
                continue
            self._wake.clear()
            if self._stop.is_set():  # asked a moment ago: its call to wake up has just been cleared
                break
            with self._settled:
                generation = self._generation
            try:
                worked = self._round()
            except LibraError as error:
                _LOG.warning("background step failed, will be tried again: %s", error.reason)
                self._wake.wait(self._params.retry_s)
                continue
            except Exception:  # noqa: BLE001 - a fault of ours must not end the worker; it is in the log
                _LOG.exception("background step failed")
                self._wake.wait(self._params.retry_s)
                continue
            if worked:
                self._stretch += 1
                self._tidy()
                self._stop.wait(0.0 if self._hurry.is_set() else self._rest.now().rest_s)
                continue
            self._tidy(done=True)
            with self._settled:
                self._settled_generation = max(self._settled_generation, generation)
                self._settled.notify_all()
            self._wake.wait(self._params.idle_s)

    def _tidy(self, *, done: bool = False) -> None:
        """Give memory back if it is worth it; a long stretch that is done is history that was read, as a rule."""
        ended = self._stretch if done else 0
        self._spare.look(ended, self._generation + self._deps.admission.begun)
        self._stretch -= ended

    def _may_work(self) -> bool:
        """Ask the machine, unless a person waits; what rests says why."""
        verdict = self._rest.now()
        work = verdict.work or self._hurry.is_set()
        self._deps.resting = verdict.reason
        if not work:
            self._stop.wait(verdict.rest_s)
        return work

    def _await_model(self) -> None:
        """Wait a while for the model; an end that is asked for comes first."""
        for _ in range(max(round(self._params.retry_s / _LOOK_S), 1)):
            if self._stop.is_set() or self._deps.model.wait(_LOOK_S):
                return

    def _round(self) -> bool:
        if self._stop.is_set():
            return False
        if not self._deps.model.wait(0.0):
            # The gate needs vectors; they come as soon as the model does, or when it is known not to come.
            self._await_model()
            return True
        self._rounds += 1
        embedded = embed_batch(self._deps, self._params.embed_batch)
        if embedded and self._rounds % self._params.embeds_per_promotion:
            return True
        promoted = promote.promote_batch(self._deps, self._params.promote_batch)
        if embedded or promoted:
            return True
        if self._when_idle(self._hurry.is_set()):
            return True
        self._hurry.clear()
        return False


def embed_batch(deps: Deps, limit: int) -> int:
    """Give vectors to the newest texts that wait for one; return how many were handled.

    The model goes on with the next slice while the writer stores the last one.

    Raises:
        ModelError: The model refused; the texts go on waiting and are found by their words.
        StoreError: The vectors could not be kept.
    """
    embedder = deps.model.get()
    if embedder is None:
        return 0
    with deps.store.snapshot() as snapshot:
        waiting = vectors.pending(snapshot, limit)
    stored = []
    start = 0
    while start < len(waiting):
        # A run of the model beside an answer costs that answer half of its speed where two processors share a core.
        deps.admission.quiet(_YIELDS_S)
        part = waiting[start : start + (_SMALL_SLICE if deps.admission.lately(_LATELY_S) else _SLICE)]
        start += len(part)
        found = _vectors(embedder, [text for _, _, text in part])
        rows = [
            ChunkVectors(item_id, [(w.start, w.end, w.vector) for w in windows])
            for (_, item_id, _), windows in zip(part, found, strict=True)
        ]
        stored.append(deps.store.write(partial(_put, rows, embedder.fingerprint)))
    for future in stored:
        future.result()
    return len(waiting)


def _vectors(embedder: EmbedderLike, texts: Sequence[str]) -> list[list[Window]]:
    """Return the windows of each text; none for one that the model fails at although it works.

    Raises:
        ModelError: The model itself fails.
    """
    try:
        return embedder.embed_passages(texts)
    except ModelError:
        # One text of them, or all? A text that nothing can read must not hold up all that was said before it.
        embedder.embed_passages([_PROBE])
    found: list[list[Window]] = []
    for text in texts:
        try:
            found += embedder.embed_passages([text])
        except ModelError as error:
            _LOG.warning("the model fails at a text of %d characters: %s", len(text), error.reason)
            found.append([])
    return found


def _put(rows: list[ChunkVectors], fingerprint: str, tx: WriteTx) -> None:
    vectors.put(tx, rows, fingerprint)
