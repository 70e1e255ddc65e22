"""Whether any megabyte of text takes more than about a second of processor: each edge on each hostile text, and the worst of them.

    nice python bench/hostile.py [--kb 1000] [--edge redact] [--text "open tags"] [--over 0.5]

Edges are those of ``tests/edges.py``, texts those of ``tests/hostile.py``. Each is read in a child process, which is given up after
so many seconds of processor; printed are those over ``--over`` seconds, and the dearest text of every edge. Ends non-zero if
one takes more than ``--floor`` seconds a megabyte. With ``--kb 250`` it takes a quarter of the time and finds what is quadratic
just as well: seconds are given for a megabyte, as if everything were linear.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.edges import EDGES, seeds
from tests.hostile import HOSTILE, megabyte

_GIVE_UP_S = 40


def spent_s(edge: str, data: bytes) -> float | None:
    """Return the seconds of processor of one reading in a child, None if it was given up or failed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + _GIVE_UP_S,) * 2)
        begun = time.process_time()
        try:
            EDGES[edge](data)
            os.write(theirs, f"{time.process_time() - begun:.4f}".encode())
        finally:
            os._exit(0)
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        said = os.read(ours, 100)
    os.close(ours)
    os.waitpid(child, 0)
    return float(said) if said else None


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kb", type=int, default=1000)
    parser.add_argument("--edge", action="append")
    parser.add_argument("--text", action="append")
    parser.add_argument("--over", type=float, default=1.0)
    parser.add_argument("--floor", type=float, default=1.5)
    args = parser.parse_args()
    failed, count, begun = 0, 0, time.monotonic()
    for edge in args.edge or EDGES:
        for seed in seeds(edge):
            EDGES[edge](seed)  # whatever is imported or built once is not the text's
        worst = (0.0, "")
        for text in args.text or HOSTILE:
            taken = spent_s(edge, megabyte(text, args.kb * 1000))
            count += 1
            scaled = _GIVE_UP_S * 1e3 / args.kb if taken is None else taken * 1e3 / args.kb
            worst = max(worst, (scaled, text))
            failed += scaled > args.floor
            if scaled > args.over:
                print(
                    f"  {edge:28} {text:28} {'more than ' if taken is None else ''}{scaled:7.2f} s a MB",
                    flush=True,
                )
        print(f"{edge:30} worst {worst[0]:6.2f} s a MB: {worst[1]}", flush=True)
    print(f"{count} readings in {time.monotonic() - begun:.0f} s; {failed} over {args.floor} s a MB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
