"""Whether a kill in the middle of a compaction loses or doubles anything: three a round, fifty rounds.

    PYTHONPATH=. python bench/killing.py [--rounds 50]

The real app on a throw-away folder, ended by SIGKILL while it compacts; what it left is looked at in a copy of its
files. The model is a tiny one: the figures it makes are no matter here, and the processor that the real one takes is most of
a round. The test suite does the same with three rounds.
"""

from __future__ import annotations

import argparse
import random

from running import folder

from tests.e2e.killing import KILLS, one_round, small_app
from tests.e2e.nursery import Nursery


def main() -> None:
    """Kill, look, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    rng = random.Random(5)  # noqa: S311 - the same moments on every run
    hits = 0
    nursery = Nursery()
    with folder() as data:
        running = small_app(data, nursery)
        try:
            running.start()
            for number in range(args.rounds):
                hits += one_round(running, number, rng).hits
                print(
                    f"round {number + 1}: {hits} of {(number + 1) * KILLS} kills hit a compaction", flush=True
                )
        finally:
            running.kill()
            nursery.close()
    print(f"{args.rounds} rounds, {hits} compactions killed at work: nothing lost, nothing doubled")


if __name__ == "__main__":
    main()
