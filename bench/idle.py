"""What Libra costs while nobody uses it: processor, wake-ups of each thread, memory, log, and what a thousand turns take on disk.

    PYTHONPATH=. python bench/idle.py [--minutes 10] [--turns 1000]

Starts the real ``libra serve`` in a home of its own, stores so many turns in sessions of a hundred, waits until all is
embedded and judged and a minute more, then only looks from outside (Linux: /proc). Targets: at most 0.5 % of a core, no
thread that wakes more than once a second.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import corpus
import psutil
from running import folder, libra

_SETTLE_S = 60.0


def switches(pid: int) -> dict[int, int]:
    """Return how often each thread has gone to sleep by itself: each time is one wake-up."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        text = (task / "status").read_text()
        found[int(task.name)] = int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return found


def fill(client: object, turns: int) -> None:
    """Store turns of some fifty tokens, a hundred a session."""
    said = corpus.sentences(turns)
    for start in range(0, turns, 100):
        batch = [
            {"id": f"t{start + n}", "role": "assistant" if n % 2 else "user", "content": next(said)}
            for n in range(min(100, turns - start))
        ]
        client.call("ingest", {"who": {"session": f"s{start}"}, "turns": batch})
    client.call("drain", {"timeout_ms": 600_000}, timeout_s=700)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--turns", type=int, default=1000)
    args = parser.parse_args()
    with folder() as data, libra(data) as (client, process, _):
        while client.call("status", {})["model"]["state"] != "ready":
            time.sleep(0.05)
        empty = client.call("backup", {"label": "empty"})["db_bytes"]
        fill(client, args.turns)
        time.sleep(_SETTLE_S)
        client.close()
        watched = psutil.Process(process.pid)
        used, woken, begun = watched.cpu_times(), switches(process.pid), time.monotonic()
        time.sleep(args.minutes * 60)
        span = time.monotonic() - begun
        now, later = watched.cpu_times(), switches(process.pid)
        cpu = (now.user + now.system) - (used.user + used.system)
        rates = sorted(((later[t] - woken.get(t, 0)) / span for t in later), reverse=True)
        print(f"processor {100 * cpu / span:.3f} % of a core over {span / 60:.1f} min")
        print(
            f"{len(rates)} threads; wake-ups a second: " + ", ".join(f"{r:.3f}" for r in rates if r > 0.001)
        )
        print(f"all together {sum(rates):.2f} a second; resident {watched.memory_info().rss / 1e6:.0f} MB")
        # A copy is the database without its log, which is up to 4 MB at rest, whatever is stored.
        grown = (client.call("backup", {"label": "full"})["db_bytes"] - empty) / args.turns * 1000
        print(f"{grown / 1e6:.2f} MB of database for 1,000 turns (of {args.turns:,})")
        logs = sum(p.stat().st_size for p in (data / "store").rglob("*.log*"))
        print(f"{logs:,} bytes of log")


if __name__ == "__main__":
    main()
