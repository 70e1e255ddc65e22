"""How fast history becomes searchable: turns a second by their words, and vectors beside the model alone.

    python bench/backfill.py [--turns 20000] [--vectors-s 60]

Writes Claude Code transcripts into a throw-away home, starts the real `libra serve` and watches its status.
"""

from __future__ import annotations

import argparse
import json
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import corpus
import psutil
from running import folder, libra, percentile

from libra.ground.paths import shipped
from libra.inference.embedder import Embedder

_PER_FILE = 100


def write_history(home: Path, turns: int) -> None:
    """Write ``turns`` turns as Claude Code keeps them, 100 a session."""
    projects = home / "claude" / "projects" / "-home-dev-bench"
    projects.mkdir(parents=True)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    said = corpus.sentences(turns)
    for number in range(turns // _PER_FILE):
        session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"bench{number}"))
        lines = []
        for turn in range(_PER_FILE):
            role = "user" if turn % 2 == 0 else "assistant"
            when = start + timedelta(hours=number, seconds=20 * turn)
            content = next(said) if role == "user" else [{"type": "text", "text": next(said)}]
            lines.append(
                json.dumps(
                    {
                        "type": role,
                        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"bench{number}/{turn}")),
                        "sessionId": session,
                        "timestamp": when.isoformat().replace("+00:00", "Z"),
                        "cwd": "/home/dev/bench",
                        "isSidechain": False,
                        "message": {"role": role, "content": content},
                    }
                )
            )
        (projects / f"{session}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def alone(count: int = 400) -> float:
    """Return texts a second of the model alone, one thread, batched as the product batches."""
    embedder = Embedder.open(shipped("models") / "minilm-l6-v2")
    texts = list(corpus.sentences(count))
    embedder.embed_passages(texts[:64])
    begun = time.perf_counter()
    for start in range(0, count, 64):
        embedder.embed_passages(texts[start : start + 64])
    spent = time.perf_counter() - begun
    embedder.close()
    return count / spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--vectors-s", type=float, default=60.0)
    args = parser.parse_args()
    with folder() as data:
        (data / "home").mkdir()
        write_history(data / "home", args.turns)
        with libra(data) as (client, process, health_s):
            begun = time.perf_counter()
            while client.call("status", {})["counts"]["turn"] < args.turns:
                time.sleep(0.02)
            taken = time.perf_counter() - begun
            print(
                f"health after {health_s:.2f} s; {args.turns:,} turns searchable by text in {taken:.1f} s: {args.turns / taken:,.0f} turns/s"
            )
            during = ask(client, 60)
            first, start = vectors_ready(client), time.perf_counter()
            time.sleep(args.vectors_s)
            rate = (vectors_ready(client) - first) / (time.perf_counter() - start)
            rss = psutil.Process(process.pid).memory_info().rss / 1e6
            client.call("pause", {})
            client.call("drain", {"timeout_ms": 1})
            time.sleep(2)
            idle = ask(client, 60)
            single = alone()
            print(
                f"vectors {rate:.0f} texts/s, the model alone {single:.0f} texts/s: {rate / single:.2f}; resident {rss:.0f} MB"
            )
            print(
                f"assemble p50/p95 during {percentile(during, 0.5):.1f}/{percentile(during, 0.95):.1f} ms, idle {percentile(idle, 0.5):.1f}/{percentile(idle, 0.95):.1f} ms: {percentile(during, 0.95) / percentile(idle, 0.95):.2f}"
            )


def vectors_ready(client: object) -> int:
    """Return how many chunks have their vector."""
    return int(client.call("status", {})["queue"]["embedded"])


def ask(client: object, count: int) -> list[float]:
    """Return the milliseconds of ``count`` assembles."""
    spent = []
    for question in corpus.questions(count):
        begun = time.perf_counter()
        client.call("assemble", {"query": question, "budget_tokens": 4000})
        spent.append((time.perf_counter() - begun) * 1e3)
    return spent


if __name__ == "__main__":
    main()
