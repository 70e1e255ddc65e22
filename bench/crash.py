"""Whether a crash at any moment loses, doubles or brings back anything: 200 kills under a mixed load.

    PYTHONPATH=. python bench/crash.py [--rounds 200] [--seed 1] [--tmpfs MB]

The real app on a throw-away folder, with eight clients that ingest, write transcripts, assemble, search, remember, forget,
compact and copy at once, a model that changes now and then, and SIGKILL. ``--tmpfs`` (root, Linux): the same on a
memory file system of so many MB that is full, or nearly, while they work. What is looked at after each kill stands in
``tests/e2e/ledger.py``; the test suite runs a few rounds of it.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import subprocess
import time
from pathlib import Path

from running import folder

from tests.e2e.crashing import Crash, ran
from tests.e2e.nursery import ForkedLibra, Nursery

_KIB = 1024
_LEFT_KIB = (0, 0, 8, 64, 256, 1024, 4096)
"""Room that a full file system may have left."""


class Small:
    """A small memory file system that is made full and emptied again.

    Args:
        place: Where it is mounted.
        megabytes: Its size.
    """

    def __init__(self, place: Path, megabytes: int) -> None:
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)], check=True)
        self._place = place
        self._ballast = place / "ballast"
        self._rng = random.Random(3)  # noqa: S311 - the same on every run

    def scarce(self) -> None:
        """Leave little room, or none."""
        room_kib = shutil.disk_usage(self._place).free // _KIB - self._rng.choice(_LEFT_KIB)
        with contextlib.suppress(OSError), self._ballast.open("wb") as file:
            file.write(b"\0" * max(room_kib, 0) * _KIB)

    def roomy(self) -> None:
        """Give the room back."""
        self._ballast.unlink(missing_ok=True)

    def close(self) -> None:
        """Take it away."""
        subprocess.run(["umount", "-l", str(self._place)], check=False)


def main() -> None:
    """Kill, look, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tmpfs", type=int, default=0)
    args = parser.parse_args()
    begun = time.monotonic()
    nursery = Nursery()
    with folder() as place, contextlib.ExitStack() as stack:
        stack.callback(nursery.close)
        running = ForkedLibra(place, nursery)
        stack.callback(running.kill)
        more: dict[str, object] = {}
        if args.tmpfs:
            disk = Small(running.data, args.tmpfs)
            stack.callback(disk.close)
            more = {"scarce": disk.scarce, "roomy": disk.roomy, "allowed": frozenset({"disk_full"})}
        rounds = Crash.of(running, args.seed, **more)
        try:
            ran(rounds, args.rounds, (5, 40), lambda line: print(line, flush=True))
        except AssertionError:
            print(running.log.read_text(encoding="utf-8")[-3000:])
            raise
        size = sum(f.stat().st_size for f in running.data.rglob("*") if f.is_file()) / 1e6
        print(
            f"{args.rounds} rounds in {time.monotonic() - begun:.0f} s: {len(rounds.ledger.turns)} turns and {rounds.ledger.read}"
            f" lines there, {len(rounds.ledger.gone)} forgotten gone, {size:.1f} MB on disk"
        )


if __name__ == "__main__":
    main()
