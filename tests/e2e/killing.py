"""Kills the real app in the middle of real compactions, and looks at what is left."""

from __future__ import annotations

import random
import shutil
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from libra.app import now_ms
from libra.ground.errors import LibraError
from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint
from libra.store import sessions, summaries, turns
from libra.store.store import Snapshot, Store, StoreParams
from tests.e2e.nursery import ForkedLibra, Nursery
from tests.e2e.running import Json, Running, minute
from tests.inference.tiny import write_model

KILLS = 3
TURNS = 84
TAIL = 4
_RULES_EVERY = 6
_PATIENCE_S = 120.0


@dataclass(frozen=True)
class Left:
    """What a round left: kills that hit a compaction at work, and summaries and guidance at the end."""

    hits: int
    summaries: int
    guidance: int


def small_app(folder: Path, nursery: Nursery) -> Running:
    """Return an app, not started, with a model that takes no time."""
    running = ForkedLibra(folder, nursery)
    running.configure(f"[model]\nfolder = '{write_model(folder / 'tiny')}'\n")
    return running


def said(session: str) -> list[Json]:
    """Return the turns of one round's session."""
    out = []
    for n in range(TURNS):
        text = f"In {session} the start of service {n} takes {n + 90} ms on the oldest machine, see ticket HARB-{n}."
        if n % 2:
            text = f"I moved the second read of config_{n}.toml of {session} out of the loop; the start is faster now."
        elif n % _RULES_EVERY == 0:
            text = f"Never restart service_{n} of {session} without a backup."
        role = "assistant" if n % 2 else "user"
        out.append({"id": f"{session}-{n}", "role": role, "content": text, "ts": minute(n)})
    return out


def one_round(running: Running, number: int, rng: random.Random) -> Left:
    """Store a session, kill the app three times while it compacts, let it finish, check; the app runs before and after."""
    session = f"k{number}"
    new = said(session)
    running.call("ingest", who={"session": session}, turns=new)
    running.drain()
    hits = 0
    for _ in range(KILLS):
        hits += _killed_at_work(running, session, rng.randrange(0, 3))
        running.start()
    while running.call("compact", who={"session": session}, force=True)["did_compact"]:
        pass
    running.kill()
    left = _look(running.data, session, new, hits)
    running.start()
    return left


def _killed_at_work(running: Running, session: str, after: int) -> bool:
    """Kill the app once so many new summaries are there; return True if the compaction had not ended."""
    before = _summaries(running)
    answered = threading.Event()

    def compact() -> None:
        client = Client(UnixEndpoint(running.socket), timeout_s=90.0)
        try:
            client.call("compact", {"who": {"session": session}, "force": True})
            answered.set()
        except LibraError:
            pass
        finally:
            client.close()

    caller = threading.Thread(target=compact)
    caller.start()
    running.until(lambda: answered.is_set() or _summaries(running) - before >= after, _PATIENCE_S)
    running.kill()
    caller.join(30)
    return not answered.is_set()


def _summaries(running: Running) -> int:
    count: int = running.call("status")["counts"]["summary"]
    return count


def _look(data: Path, session: str, new: list[Json], hits: int) -> Left:
    """Check a copy of the files that the killed process left."""
    with tempfile.TemporaryDirectory(prefix="lb-") as folder:
        copy = Path(folder) / "data"
        copy.mkdir()
        for path in data.glob("libra.db*"):
            shutil.copy(path, copy / path.name)
        store = Store.open(copy / "libra.db", StoreParams(), now_ms)
        try:
            with store.snapshot() as snapshot:
                return _checked(snapshot, session, new, hits)
        finally:
            store.close()


def _checked(snapshot: Snapshot, session: str, new: list[Json], hits: int) -> Left:
    """Nothing lost, nothing doubled: turns, coverage, guidance."""
    key = next(row.key for row in sessions.every(snapshot) if row.key.endswith(session))
    every = turns.turns_of(snapshot, key)
    assert [row.text for row in every] == [turn["content"] for turn in new]
    made = summaries.of_session(snapshot, key)
    below = summaries.edges(snapshot, [row.id for row in made])
    covered = Counter(child for children in below.values() for child in children)
    assert max(covered.values()) == 1
    assert sorted(covered) == sorted(row.id for row in every[:-TAIL])
    assert [row.covered for row in every] == [row.id in covered for row in every]
    guidance = [row.text for row in summaries.guidance_of(snapshot, key)]
    rules = [row.text for row in every[:-TAIL] if row.text.startswith("Never")]
    assert guidance == rules
    return Left(hits, len(made), len(guidance))
