"""Kills the real app under everything at once, and looks at what is left: the workers, and the rounds.

What was acknowledged is kept in a :class:`~tests.e2e.ledger.Ledger`; what the ledger demands of the files that a killed
process left is in :mod:`tests.e2e.ledger` too.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libra.ground.errors import Conflict, LibraError, NotFound, NotRunning
from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint
from libra.store.connection import READ_TOO_LONG
from tests.e2e.ledger import Ledger, Line, look
from tests.e2e.running import Json, Running, cc, minute, write
from tests.inference.tiny import write_model

PATIENCE_S = 120.0
_FORGOTTEN_S = 30.0
"""Within this time of rest no byte of what was forgotten is in the database or beside it (packed copies are cleaned later)."""
_SESSIONS = 3
_EARLY = 0.15
"""So many rounds are killed while the app starts."""
_FULL_START = 0.4
"""So many rounds of a full disk are followed by a start on it."""
_OTHER_MODEL = 0.3
"""So many starts find another model than the last, so that all vectors are made again."""


@dataclass
class Told:
    """How often each thing was done, over all rounds."""

    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


class Mix:
    """Many clients that do everything at once until the app is gone.

    Args:
        running: The app.
        ledger: Told what was acknowledged.
        rng: Decides what is done.
        told: Counts.
        allowed: Reasons of errors that are no fault here (a full disk).
    """

    def __init__(
        self,
        running: Running,
        ledger: Ledger,
        rng: random.Random,
        told: Told,
        allowed: frozenset[str] = frozenset(),
    ) -> None:
        self._running = running
        self._ledger = ledger
        self._rng = rng
        self._told = told
        self._allowed = allowed
        self._enough = threading.Condition()
        self._steps = 0
        self._failure: BaseException | None = None

    def run_and_kill(self, steps: int) -> None:
        """Let all workers loose, kill the app after so many steps of theirs, wait for their end.

        Raises:
            AssertionError: A worker got an answer that it must not get.
        """
        workers = [self._speak, self._speak, self._write, self._ask, self._keep, self._forget, self._compact]
        threads = [
            threading.Thread(target=self._loop, args=(work, random.Random(self._rng.random())))
            for work in [*workers, self._copy]
        ]
        for thread in threads:
            thread.start()
        with self._enough:
            enough = self._enough.wait_for(lambda: self._steps >= steps or self._failure, PATIENCE_S)
        self._running.kill()
        for thread in threads:
            thread.join(PATIENCE_S)
        if self._failure is not None:
            raise AssertionError(f"a worker failed: {self._failure!r}") from self._failure
        assert enough, "the workers stood still"

    def _loop(self, work: Callable[[Client, random.Random], None], rng: random.Random) -> None:
        client = Client(UnixEndpoint(self._running.socket), timeout_s=PATIENCE_S)
        try:
            while True:
                try:
                    work(client, rng)
                except (NotFound, Conflict):
                    pass  # forgotten by another worker meanwhile, or compacted by two at once
                except NotRunning:
                    return
                except LibraError as error:
                    if error.reason not in self._allowed:
                        raise
                    self._told.refused[error.reason] += 1
                with self._enough:
                    self._steps += 1
                    self._enough.notify_all()
        except BaseException as failure:  # noqa: BLE001 - told by the thread that waits
            with self._enough:
                self._failure = failure
                self._enough.notify_all()
        finally:
            client.close()

    # ------------------------------------------------------------------ the workers

    def _speak(self, client: Client, rng: random.Random) -> None:
        turns = [self._ledger.new_turn() for _ in range(rng.randrange(1, 7))]
        params = {"who": {"session": f"r{rng.randrange(_SESSIONS)}"}, "turns": turns}
        call = self._ledger.begin(params)
        self._ledger.answered(call, client.call("ingest", call))
        self._told.done["ingest"] += 1

    def _write(self, client: Client, rng: random.Random) -> None:
        """Write whole lines, and now and then a torn one whose rest comes next time; tell the app, as a hook does."""
        number = rng.randrange(3)
        path = self._running.transcript(f"f{number}")
        text = ""
        for _ in range(rng.randrange(1, 5)):
            uuid, said = self._ledger.new_words("f")
            text += cc(uuid, "user", said, minute(rng.randrange(600)), session=f"f{number}") + "\n"
            self._ledger.lines.append(Line(str(path), uuid, said))
        cut = rng.randrange(len(text)) if rng.random() < 0.3 else len(text)
        write(path, text[:cut], end="")
        client_gone: BaseException | None = None
        try:
            client.call("flush", {"path": str(path)})
        except LibraError as error:
            client_gone = error
        write(path, text[cut:], end="")
        if client_gone is not None:
            raise client_gone
        client.call("flush", {"path": str(path)})
        self._told.done["write"] += 1
        # Writing costs next to nothing: without a question in between the others would hardly get their turn.
        self._ask(client, rng)

    def _ask(self, client: Client, rng: random.Random) -> None:
        query = f"what did we say about berth HARB-{rng.randrange(2000)} and its relay?"
        who = {"session": f"r{rng.randrange(_SESSIONS)}"}
        answer = client.call("assemble", {"who": who, "query": query, "budget_tokens": 1500})
        assert answer["tokens"] <= 1500
        try:
            client.call("search", {"who": who, "query": query})
        except LibraError as error:
            # On a starved machine a search may be ended after 5 s; nothing was acknowledged by it.
            if error.reason != READ_TOO_LONG:
                raise
            self._told.refused[error.reason] += 1
        self._told.done["ask"] += 1

    def _keep(self, client: Client, rng: random.Random) -> None:
        _, said = self._ledger.new_words("m")
        kept = client.call("remember", {"who": {"session": f"r{rng.randrange(_SESSIONS)}"}, "text": said})
        self._ledger.kept(kept["id"], said)
        self._told.done["remember"] += 1

    def _forget(self, client: Client, rng: random.Random) -> None:
        uid = self._ledger.pick_to_forget(rng)
        if uid is None:
            self._ask(client, rng)
            return
        answer = client.call("forget", {"id": uid})
        self._ledger.forgot(uid, answer["ids"])
        self._told.done["forget"] += 1

    def _compact(self, client: Client, rng: random.Random) -> None:
        try:
            done = client.call("compact", {"who": {"session": f"r{rng.randrange(_SESSIONS)}"}, "force": True})
        except LibraError as error:
            # As a search: tried twice by the app, and still ended on a machine where nothing comes through.
            if error.reason != READ_TOO_LONG:
                raise
            self._told.refused[error.reason] += 1
            return
        self._told.done["compact" if done["did_compact"] else "compact (nothing to do)"] += 1

    def _copy(self, client: Client, rng: random.Random) -> None:
        if rng.random() < 0.2:
            client.call("backup", {})
            self._told.done["backup"] += 1
        else:
            client.call("status", {})


@dataclass
class Crash:
    """Rounds of starting, working, being killed and looking.

    Attributes:
        running: The app; not started.
        rng: Decides everything.
        models: Folders of two models with different vectors.
        scarce: Called before the work, to leave hardly any room on the disk.
        roomy: Called after it, to give the room back.
    """

    running: Running
    rng: random.Random
    models: tuple[Path, Path]
    scarce: Callable[[], None] = lambda: None
    roomy: Callable[[], None] = lambda: None
    allowed: frozenset[str] = frozenset()
    ledger: Ledger = field(default_factory=Ledger)
    told: Told = field(default_factory=Told)
    _model: int = 0

    @classmethod
    def of(cls, running: Running, seed: int, **more: Any) -> Crash:
        """Return rounds on an app, with two tiny models beside it."""
        models = (running.folder / "one", running.folder / "two")
        for number, folder in enumerate(models):
            write_model(folder, seed=number)
        return cls(running, random.Random(seed), models, **more)

    def round(self, steps: int) -> None:
        """Start, finish what the last crash left, work, kill, look.

        Raises:
            AssertionError: Something acknowledged is lost, doubled or back, or an index does not fit its rows.
        """
        if self.rng.random() < _OTHER_MODEL:
            self._model = 1 - self._model
        self.running.configure(
            f"[model]\nfolder = '{self.models[self._model]}'\n[sources.agenda]\nretry_max_s = 1.0\n"
            "[store.backup]\nkeep_others = 1\n"
        )
        if self.rng.random() < _EARLY:
            self._killed_at_start()
        self.running.start()
        self._finish()
        self.scarce()
        Mix(self.running, self.ledger, self.rng, self.told, self.allowed).run_and_kill(steps)
        look(self.running.data, self.ledger)
        if self.allowed and self.rng.random() < _FULL_START:
            # There is still no room: it has to start and to answer all the same.
            self._killed_at_start()
        self.roomy()

    def _killed_at_start(self) -> None:
        """Kill it as soon as anybody answers: before the model is loaded, while files are read."""
        self.running.begin()
        self.running.until(lambda: bool(self.running.call("health")))
        self.running.kill()
        look(self.running.data, self.ledger)
        self.told.done["killed at start"] += 1

    def _finish(self) -> None:
        """Say again what had no answer, let it rest, and see that everything is there and the forgotten is not."""
        for call in self.ledger.unanswered():
            self.ledger.answered(call, self.running.call("ingest", **call))
        for call in self.ledger.once_forgotten(self.rng):
            assert self.running.call("ingest", **call)["accepted"] == 0, "something forgotten came back"
        self.running.drain()
        self.ledger.all_read()
        marks = self.ledger.fresh_marks()
        begun = time.monotonic()
        while found := _holding(self.running.data, marks):
            assert time.monotonic() - begun < _FORGOTTEN_S, f"bytes of what was forgotten stay in {found}"
            time.sleep(0.1)


def _holding(data: Path, marks: list[bytes]) -> dict[str, int]:
    """Return how many of the words stand in each file that is no packed copy."""
    found = {}
    for path in data.rglob("*"):
        if path.is_file() and path.suffix not in {".gz", ".db-shm"}:
            with suppress(FileNotFoundError):
                raw = path.read_bytes()
                if count := sum(mark in raw for mark in marks):
                    found[str(path.relative_to(data))] = count
    return found


def ran(rounds: Crash, count: int, steps: tuple[int, int], tell: Callable[[str], None]) -> Json:
    """Run so many rounds and return the counts."""
    for number in range(count):
        begun = time.monotonic()
        rounds.round(rounds.rng.randrange(*steps))
        tell(
            f"round {number + 1} ({time.monotonic() - begun:.1f} s): {dict(rounds.told.done)} refused {dict(rounds.told.refused)}"
        )
    return {"done": dict(rounds.told.done), "refused": dict(rounds.told.refused)}
