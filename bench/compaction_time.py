"""How long a compaction of fifty turns takes, beside the time that embedding the fifty turns would take.

    python bench/compaction_time.py [--runs 5]

The turns are those of two and a half talks of ``bench/data/talks``, stored with their vectors. Wall time and processor time
of this process, in milliseconds, the median of the runs; each run has a store of its own and the two are measured in turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

from clusters import talks
from recall_after_compaction import opened, settle

from libra.engine.compact import compact
from libra.engine.ingest import ingest
from libra.ground.paths import shipped
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.embedder import Embedder

_TURNS = 50
_WHO = Who(user="bench", session="talk")
_START_MS = 1_775_000_000_000
_ORIGIN = {Role.USER: Origin.OWNER, Role.ASSISTANT: Origin.AGENT, Role.TOOL: Origin.TOOL}


def timed(step: Callable[[], object]) -> tuple[float, float]:
    """Return the wall and the processor time of a step, in ms."""
    wall, processor = time.perf_counter(), time.process_time()
    step()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    embedder = Embedder.open(shipped("models") / "minilm-l6-v2")
    every = [turn for cluster in talks() for turn in cluster.turns]
    embedder.embed_passages([text for _, text in every[:8]])
    alone, whole = [], []
    for run in range(args.runs):
        part = every[run * _TURNS : (run + 1) * _TURNS]
        alone.append(timed(lambda part=part: embedder.embed_passages([text for _, text in part])))
        with opened(embedder) as deps:
            new = [
                NewTurn(role, text, _START_MS + n * 60_000, f"e{n}", _ORIGIN[role])
                for n, (role, text) in enumerate(part)
            ]
            ingest(deps, _WHO, new, None)
            settle(deps)
            whole.append(timed(lambda deps=deps: compact(deps, _WHO, force=True)))
    print("| what | wall ms | processor ms |")
    print("| --- | --- | --- |")
    for name, rows in (("embedding 50 turns", alone), ("compacting 50 turns", whole)):
        print(f"| {name} | {median(r[0] for r in rows):.0f} | {median(r[1] for r in rows):.0f} |")


if __name__ == "__main__":
    main()
