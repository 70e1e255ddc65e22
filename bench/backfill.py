"""How fast history becomes searchable: turns a second by their words, and vectors beside the model alone.

    python bench/backfill.py [--turns 20000] [--vectors-s 60]
    python bench/backfill.py --megabytes 300

Writes Claude Code transcripts into a throw-away home, starts the real `libra serve` and watches its status. With ``--megabytes``
so much history is written as real sessions have it, four fifths of its bytes in the output of tools (which is read over, not kept, unless the
settings ask for it), and what is watched is resident memory until all of it is searchable by its words; the target is 400 MB,
whatever the size (lessons C64).
"""

from __future__ import annotations

import argparse
import json
import random
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

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


def write_megabytes(home: Path, megabytes: int) -> int:
    """Write so many MB: sessions of 500 turns of some 1.5 KB, before every second of them a tool's output of 2 to 200 KB.

    Returns:
        How many turns there are; what tools said is not counted.
    """
    projects = home / "claude" / "projects" / "-home-dev-bench"
    projects.mkdir(parents=True)
    pool = list(corpus.sentences(4000))
    rng = random.Random(9)  # noqa: S311 - the same history on every run
    printed = "\n".join(f"{n:5} {text}" for n, text in enumerate(pool))
    written = turns = 0
    while written < megabytes * 1_000_000:
        session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"large{turns}"))
        with (projects / f"{session}.jsonl").open("w", encoding="utf-8") as file:
            for place in range(500):
                if place % 2:
                    size = min(int(rng.lognormvariate(9.0, 1.0)), 200_000)
                    start = rng.randrange(len(printed) - size)
                    output = {
                        "type": "tool_result",
                        "tool_use_id": "t",
                        "content": printed[start : start + size],
                    }
                    written += _line(file, session, f"tool{turns}", turns, "user", [output])
                text = f"{turns}: " + " ".join(rng.choices(pool, k=8))
                role, content = (
                    ("assistant", [{"type": "text", "text": text}]) if place % 2 else ("user", text)
                )
                written += _line(file, session, f"large{turns}", turns, role, content)
                turns += 1
    return turns


def _line(file: IO[str], session: str, name: str, number: int, role: str, content: object) -> int:
    """Write one line as Claude Code does; return its bytes."""
    when = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=90 * number)
    line = {
        "type": role,
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        "sessionId": session,
        "timestamp": when.isoformat().replace("+00:00", "Z"),
        "cwd": "/home/dev/bench",
        "isSidechain": False,
        "message": {"role": role, "content": content},
    }
    return file.write(json.dumps(line) + "\n")


def resident(megabytes: int) -> None:
    """Back-fill so much and print what it took."""
    with folder() as data:
        (data / "home").mkdir()
        turns = write_megabytes(data / "home", megabytes)
        with libra(data) as (client, process, _):
            watched, begun, next_s = psutil.Process(process.pid), time.monotonic(), 0.0
            most = 0.0
            while True:
                status = client.call("status", {}, timeout_s=120)
                done, rss = status["counts"]["turn"], watched.memory_info().rss / 1e6
                most = max(most, rss)
                spent = time.monotonic() - begun
                if spent >= next_s or done >= turns:
                    print(
                        f"{spent:6.0f} s: {done:,} of {turns:,} turns, {status['queue']['embedded']:,} vectors, resident {rss:.0f} MB",
                        flush=True,
                    )
                    next_s = spent + 20
                if done >= turns:
                    break
                time.sleep(1.0)
            sizes = client.call("status", {})["sizes"]
            print(
                f"{megabytes} MB in {spent:.0f} s ({turns / spent:,.0f} turns/s), resident at the most {most:.0f} MB;"
                f" database {sizes['db_bytes'] / 1e6:.0f} MB"
            )


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
    parser.add_argument("--megabytes", type=int, default=0)
    args = parser.parse_args()
    if args.megabytes:
        resident(args.megabytes)
        return
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
