"""What ``bench/scale.py measure`` does to a store of one size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import psutil
from decade import PER_SESSION, TURNS, Decade, Floats, questions
from running import libra, percentile
from scale import database, note, said_ms

from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.compact import compact
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.scopes import complete, visible
from libra.engine.search import DEFAULT_KINDS, SearchRequest, search
from libra.ground.collector import settle
from libra.ground.paths import shipped
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.embedder import Embedder
from libra.store import search as look
from libra.store import vectors
from libra.store.store import Store, StoreParams
from libra.store.vectors import ChunkVectors
from libra.store.visibility import Filter

ME = Who(user="me", agent="main")
_WARM = 6
_TOP = 10
_COMPACTED, _LONG_TURNS = 4, 200
_LONG_MS = 60_000
"""A busy machine must not turn slow answers into short ones."""


class Asked:
    """The model's place: gives each question the vector that belongs to it, after the real model has run if asked to."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.known: dict[str, Floats] = {}
        self.runs = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def embed_query(self, text: str) -> Floats:
        """Return the vector of a question."""
        own = self._real.embed_query(text) if self.runs or text not in self.known else None
        return self.known.get(text, own)  # type: ignore[return-value]


@contextmanager
def opened(folder: Path, size: int, embedder: Asked) -> Iterator[Deps]:
    """Yield the engine's parts over the store of that size."""
    store = Store.open(database(folder, size), StoreParams(), lambda: said_ms(size))
    deps = Deps(store, ModelSlot(), EngineParams(default_user="me"), lambda: said_ms(size), UTC)
    deps.model.ready(embedder)  # type: ignore[arg-type]
    try:
        yield deps
    finally:
        store.close()


def timed(step: Callable[[], object]) -> tuple[float, float]:
    """Return wall and processor time of a step in ms; the processor time is that of all threads."""
    wall, processor = time.perf_counter(), time.process_time()
    step()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3


def figures(times: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Return p50 and p95 of wall times and the median of processor times, ms."""
    walls = [wall for wall, _ in times]
    return {
        "p50": percentile(walls, 0.5),
        "p95": percentile(walls, 0.95),
        "cpu": median(processor for _, processor in times),
    }


def ask(deps: Deps, embedder: Asked, asked: Sequence[tuple[str, Floats]], *, runs: bool) -> dict[str, Any]:
    """Return the times of ``assemble`` and ``search``, with the model's own time if it ``runs``."""
    embedder.known.update(dict(asked))
    out: dict[str, Any] = {}
    # The first question finds a large store's vectors still being read.
    first = timed(lambda: assemble(deps, ME, AssembleRequest(asked[0][0], 4000, deadline_ms=_LONG_MS)))
    out["first_ms"] = first[0]
    steps: dict[str, Callable[[str], dict[str, Any]]] = {
        "assemble": lambda query: assemble(deps, ME, AssembleRequest(query, 4000, deadline_ms=_LONG_MS)),
        "search": lambda query: search(deps, ME, SearchRequest(query, 10)),
    }
    wait_for_vectors(deps)
    embedder.runs = runs
    for name, step in steps.items():
        times = []
        for number, (query, _) in enumerate(asked):
            answer: dict[str, Any] = {}
            took = timed(lambda step=step, query=query, answer=answer: answer.update(step(query)))
            assert not answer["degraded"], answer["degraded"]
            assert answer.get("items") or answer.get("hits"), "nothing was found"
            if number >= _WARM:
                times.append(took)
        out[name] = figures(times)
    embedder.runs = False
    out["mirror_mb"] = deps.store.vectors.nbytes / 1e6
    out["rss_mb"] = psutil.Process().memory_info().rss / 1e6
    return out


def wait_for_vectors(deps: Deps) -> None:
    """Wait until all vectors are in memory."""
    deps.store.vectors.view()


def recall(deps: Deps, asked: Sequence[tuple[str, Floats]]) -> dict[str, float]:
    """Return the share of the exact ten nearest that the vector search gives, over all questions."""
    filt = Filter(visible(deps, complete(deps, ME)), DEFAULT_KINDS, with_covered=True)
    wanted = np.stack([vector for _, vector in asked])
    wait_for_vectors(deps)
    with deps.store.snapshot() as s:
        found = [[i for i, _ in look.vector_candidates(s, deps.store, v, filt, _TOP)] for v in wanted]
        view, allowed = look.Reading(s, filt).mask(deps.store)
    mine = np.sort(view.item[allowed])
    best = np.full((len(wanted), _TOP), -2.0, np.float32)
    items = np.zeros((len(wanted), _TOP), np.int64)
    for ids, matrix in blocks(deps.store):
        keep = mine[np.minimum(np.searchsorted(mine, ids), len(mine) - 1)] == ids
        near = wanted @ matrix[keep].T
        every = np.concatenate([best, near], axis=1)
        known = np.concatenate([items, np.broadcast_to(ids[keep], near.shape)], axis=1)
        top = np.argsort(-every, axis=1)[:, :_TOP]
        best, items = np.take_along_axis(every, top, 1), np.take_along_axis(known, top, 1)
    hits = [len(set(have) & set(exact)) for have, exact in zip(found, items.tolist(), strict=True)]
    return {"recall": sum(hits) / (_TOP * len(hits)), "worst": min(hits) / _TOP, "questions": len(hits)}


def blocks(store: Store) -> Iterator[tuple[np.ndarray, Floats]]:
    """Yield item ids and vectors, some thousands at a time."""
    after = 0
    while True:
        with store.snapshot() as s:
            rows = s.rows(
                "SELECT id, item_id, vector FROM chunk WHERE state = 1 AND id > ? ORDER BY id LIMIT 5000",
                (after,),
            )
        if not rows:
            return
        after = rows[-1][0]
        matrix = np.frombuffer(b"".join(row[2] for row in rows), "<f4").reshape(len(rows), -1)
        yield np.array([row[1] for row in rows], np.int64), matrix


def start(folder: Path, size: int) -> dict[str, float]:
    """Return the seconds until the real app answers ``health``, and until it answers from all vectors."""
    with libra(database(folder, size).parent.parent) as (client, process, health_s):
        begun = time.perf_counter()
        reasons: list[str] = []
        while time.perf_counter() - begun < 120:
            answer = client.call(
                "assemble",
                {
                    "who": {"user": "me"},
                    "query": "What did we say about bread and salt?",
                    "budget_tokens": 1000,
                },
            )
            if not answer["degraded"]:
                break
            reasons += [r for r in answer["degraded"] if r not in reasons]
            time.sleep(0.2)
        ready_s = health_s + time.perf_counter() - begun
        rss = psutil.Process(process.pid).memory_info().rss / 1e6
    return {"health_s": health_s, "ready_s": ready_s, "rss_mb": rss, "reasons": len(reasons)}


def write(deps: Deps, decade: Decade) -> dict[str, float]:
    """Return how many turns a second come in by the engine's own ``ingest``, and how many vectors are stored."""
    engine = Engine(deps)
    stamp = time.time_ns() // 1_000_000
    first = 10_000 + stamp % 100_000
    new = [*decade.shelf(first), *decade.shelf(first + 1)]
    count = 0
    begun = time.perf_counter()
    for session in new:
        who = Who(user="guest", session=f"bench:{stamp}-{session.number}", host="bench")
        said = [
            NewTurn(Role.USER, text, stamp + n, f"{session.number}-{n}", Origin.OWNER)
            for n, text in enumerate(session.texts)
        ]
        engine.ingest(who=who, turns=said)
        count += len(said)
    said_s = time.perf_counter() - begun
    begun = time.perf_counter()
    store_vectors(deps, [v for session in new for v in session.vectors])
    return {"turns_s": count / said_s, "vectors_s": count / (time.perf_counter() - begun)}


def forget(deps: Deps, size: int) -> dict[str, float]:
    """Return the time of forgetting one memory with its turn, one after another."""
    engine = Engine(deps)
    rng = np.random.default_rng(time.time_ns())
    with deps.store.snapshot() as s:
        low = rng.integers(0, size * 9 // 10, 200).tolist()
        sql = "SELECT uid FROM item WHERE id >= ? AND kind = 3 AND scope_id = ? LIMIT 1"
        scope = s.value("SELECT id FROM scope WHERE name = 'user:me'")
        uids = list(dict.fromkeys(uid for at in low if (uid := s.value(sql, (at, scope))) is not None))[:12]
    return figures([timed(lambda uid=uid: engine.forget(who=ME, ids=[uid])) for uid in uids])


def compaction(deps: Deps, decade: Decade) -> dict[str, float]:
    """Return the time of compacting a new session of 200 turns, one session after another."""
    engine = Engine(deps)
    stamp = time.time_ns() // 1_000_000
    times, done = [], 0
    for number in range(_COMPACTED):
        shelf = decade.shelf(20_000 + (stamp + number) % 100_000)
        said = [
            pair for made in shelf for pair in zip(made.texts[:TURNS], made.vectors[:TURNS], strict=True)
        ][:_LONG_TURNS]
        who = Who(user="me", session=f"long:{stamp}-{number}", host="bench", agent="main")
        turns = [
            NewTurn((Role.USER, Role.ASSISTANT)[n % 2], text, stamp + n, f"{number}-{n}", Origin.OWNER)
            for n, (text, _) in enumerate(said)
        ]
        engine.ingest(who=who, turns=turns)
        store_vectors(deps, [vector for _, vector in said])
        answer: dict[str, Any] = {}
        times.append(timed(lambda who=who, answer=answer: answer.update(compact(deps, who, force=True))))
        done += answer["did_compact"]
    return {**figures(times), "compacted": done}


def store_vectors(deps: Deps, rows: list[Floats]) -> None:
    """Store vectors for the newest turns that wait for them, in their order."""
    model = deps.model.get()
    assert model is not None
    left = list(rows)
    while left:
        with deps.store.snapshot() as s:
            waiting = vectors.pending(s, min(100, len(left)))
        put = [ChunkVectors(item, [(0, len(text), left.pop())]) for _, item, text in waiting]
        deps.store.write(lambda tx, put=put: vectors.put(tx, put, model.fingerprint)).result()


def measure(folder: Path, sizes: Sequence[int], count: int, what: Sequence[str]) -> None:
    """Measure stores of these sizes and keep the figures."""
    settle()
    real = Embedder.open(shipped("models") / "minilm-l6-v2")
    decade = Decade(real, folder)
    for size in sizes:
        embedder = Asked(real)
        asked = questions(decade, count + _WARM, size // PER_SESSION)
        steps: dict[str, Callable[[Deps], dict[str, Any]]] = {
            "ask": lambda deps, embedder=embedder, asked=asked: ask(deps, embedder, asked, runs=False),
            "embedded": lambda deps, embedder=embedder, asked=asked: ask(deps, embedder, asked, runs=True),
            "recall": lambda deps, asked=asked: recall(deps, asked),
            "write": lambda deps: write(deps, decade),
            "forget": lambda deps, size=size: forget(deps, size),
            "compact": lambda deps: compaction(deps, decade),
        }
        for name in what:
            if name == "start":
                found: dict[str, Any] = start(folder, size)
            else:
                with opened(folder, size, embedder) as deps:
                    found = steps[name](deps)
            note(folder, size, name, found)
            print(f"{size:,} {name}: {found}", flush=True)
