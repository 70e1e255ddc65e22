"""Coverage-guided fuzzing of everything that reads what strangers write: no exception may leave an edge.

pip install atheris          # Linux and macOS; only this script needs it
nice python bench/fuzz.py EDGE [SECONDS]
nice python bench/fuzz.py all 60

The edges are those of ``tests/edges.py``, one process each.

Prints one line an edge with the inputs tried, and exits with 1 if one raised; the input is then kept as ``fuzz-EDGE-…``
in the folder for temporary files, to become a test. Inputs that were once too much stand in the tests of their package.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_FEWEST = 200
"""Inputs that must have been tried, or nothing was fuzzed."""


def fuzz(name: str, seconds: int) -> None:
    """Run one edge in this process; it ends by itself."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with atheris.instrument_imports(include=["libra"]):
        from tests.edges import EDGES, seeds

        for seed in seeds(name):
            EDGES[name](seed)  # what is imported at the first use is instrumented, too
    plain = re.sub(r"\W+", "-", name).strip("-")
    corpus = Path(tempfile.mkdtemp(prefix=f"libra-fuzz-{plain}-"))
    for number, seed in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(seed)
    prefix = Path(tempfile.gettempdir()) / f"fuzz-{plain}-"
    flags = [
        f"-max_total_time={seconds}",
        "-max_len=2000",
        f"-artifact_prefix={prefix}",
        "-print_final_stats=1",
        "-timeout=20",
    ]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], EDGES[name])
    atheris.Fuzz()


def main(args: list[str]) -> int:
    """Run one edge or each of them in a process of its own."""
    name, seconds = args[0] if args else "all", int(args[1]) if len(args) > 1 else 60
    if name != "all":
        fuzz(name, seconds)
        return 0
    from tests.edges import EDGES

    failed = whole = 0
    for target in EDGES:
        began = time.monotonic()
        done: Any = subprocess.run(
            [sys.executable, __file__, target, str(seconds)], capture_output=True, text=True, check=False
        )
        tried = next(
            (
                int(line.split()[-1])
                for line in done.stderr.splitlines()
                if "number_of_executed_units" in line
            ),
            0,
        )
        bad = done.returncode != 0 or tried < _FEWEST
        failed += bad
        whole += tried
        print(
            f"{target:26} {tried:>9,} inputs in {time.monotonic() - began:5.0f} s  {'FAILED' if bad else 'ok'}",
            flush=True,
        )
        if bad:
            print("\n".join(done.stderr.splitlines()[-25:]))
    print(f"{whole:,} inputs, {failed} of {len(EDGES)} edges failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
