"""Whether a kill in the middle of a compaction loses or doubles anything: three a round, fifty rounds.

    PYTHONPATH=. python bench/killing.py [--rounds 50]

The real app on a throw-away folder, ended by SIGKILL while it compacts; what it left is looked at in a copy of its
files. The test suite does the same with five rounds.
"""

from __future__ import annotations

import argparse
import random

from running import folder

from tests.e2e.killing import KILLS, one_round
from tests.e2e.running import Running


def main() -> None:
    """Kill, look, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    rng = random.Random(5)  # noqa: S311 - the same moments on every run
    hits = 0
    with folder() as data:
        running = Running(data)
        try:
            running.start()
            for number in range(args.rounds):
                hits += one_round(running, number, rng).hits
                print(
                    f"round {number + 1}: {hits} of {(number + 1) * KILLS} kills hit a compaction", flush=True
                )
        finally:
            running.kill()
    print(f"{args.rounds} rounds, {hits} compactions killed at work: nothing lost, nothing doubled")


if __name__ == "__main__":
    main()
