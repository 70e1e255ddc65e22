"""How long `assemble` takes against the size of the store, embedding included, beside the embedding alone.

    python bench/assemble.py [--sizes 1000,10000,100000] [--queries 200]

The store is filled through its own API with memories whose texts are real sentences; 2,000 vectors are the
model's own, the others are theirs turned a little, which costs the searches the same. Then the real
`libra serve` runs on it and is asked over its socket. Both times are taken in turns, in one run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import corpus
import numpy as np
import psutil
from running import folder, libra, percentile

from libra.app import now_ms
from libra.ground.paths import shipped
from libra.ground.records import MemoryType
from libra.ground.vectors import normalise
from libra.inference.embedder import Embedder
from libra.store import memories, vectors
from libra.store.memories import NewMemory
from libra.store.store import Store, StoreParams
from libra.store.vectors import ChunkVectors

_REAL = 2000
_BATCH = 1000


def fill(path: Path, count: int, embedder: Embedder) -> None:
    """Store ``count`` memories with vectors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    store = Store.open(path, StoreParams(), now_ms)
    store.write(lambda tx: vectors.begin_model(tx, embedder.fingerprint, embedder.dims)).result()
    texts = list(corpus.sentences(count))
    real = embedder.embed_texts(texts[: min(_REAL, count)])
    rng = np.random.default_rng(3)
    for start in range(0, count, _BATCH):
        part = texts[start : start + _BATCH]
        own = real[rng.integers(0, len(real), len(part))]
        if start < len(real):
            own[: len(real) - start] = real[start : start + len(part)]
        else:
            own = normalise(own + rng.normal(0, 0.02, own.shape).astype(np.float32))

        def job(tx: object, part: list[str] = part, own: np.ndarray = own, start: int = start) -> None:
            ids = [memories.insert(tx, memory(text, start + n), now_ms()) for n, text in enumerate(part)]
            rows = [ChunkVectors(i, ((0, len(t), v),)) for i, t, v in zip(ids, part, own, strict=True)]
            vectors.put(tx, rows, embedder.fingerprint)

        store.write(job).result()
    store.close()


def memory(text: str, number: int) -> NewMemory:
    """Return one memory of the bench's user."""
    return NewMemory(
        uid=f"m{number:023}",
        user="bench",
        type=MemoryType.FACT,
        text=text,
        tokens=len(text) // 4,
        ts_ms=now_ms() - number * 60_000,
        confidence=0.6,
        priority=30,
        content_hash=f"{number:032}",
    )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--queries", type=int, default=200)
    args = parser.parse_args()
    embedder = Embedder.open(shipped("models") / "minilm-l6-v2")
    print(
        "| memories | embed p50 ms | embed p95 ms | assemble p50 ms | assemble p95 ms | p95 / embed p50 | RSS MB | db MB |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in map(int, args.sizes.split(",")):
        with folder() as data:
            fill(data / "store" / "libra.db", size, embedder)
            with libra(data) as (client, process, _):
                row = measure(client, process, embedder, args.queries)
            bytes_ = (data / "store" / "libra.db").stat().st_size
        print(f"| {size:,} | " + " | ".join(row) + f" | {bytes_ / 1e6:.0f} |", flush=True)


def measure(client: object, process: object, embedder: Embedder, count: int) -> list[str]:
    """Return the figures of one store."""
    who = {"user": "bench"}
    asked = corpus.questions(count + 20)
    while not client.call("health", {})["ready"] or client.call("status", {})["model"]["state"] != "ready":
        time.sleep(0.05)
    client.call("drain", {"timeout_ms": 600_000}, timeout_s=700)
    alone, whole = [], []
    for number, question in enumerate(asked):
        begun = time.perf_counter()
        embedder.embed_query(question)
        middle = time.perf_counter()
        answer = client.call("assemble", {"who": who, "query": question, "budget_tokens": 4000})
        ended = time.perf_counter()
        assert answer["items"], "nothing was recalled"
        assert answer["tokens"] <= 3800
        if number >= 20:
            alone.append((middle - begun) * 1e3)
            whole.append((ended - middle) * 1e3)
    rss = psutil.Process(process.pid).memory_info().rss / 1e6
    half, most = percentile(alone, 0.5), percentile(whole, 0.95)
    values = (half, percentile(alone, 0.95), percentile(whole, 0.5), most, most / half)
    return [f"{v:.1f}" for v in values] + [f"{rss:.0f}"]


if __name__ == "__main__":
    main()
