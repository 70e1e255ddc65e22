"""How much of what was said is found, and stands in the prompt: the shared harness over the running app's socket.

    python bench/recall.py [--shared ../shared] [--data locomo,beam,tech] [--only ID]

Each data set is one run of the harness in a process of its own (`bench/run.py` of the shared folder, system `libra`), in *one*
configuration for all. Prints a table and ends with 1 if a figure is below its floor, with 2 if there is nothing to measure.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libra.ground.paths import shipped

_ROOT = Path(__file__).resolve().parents[1]
_RULES = "instruction_following"


@dataclass(frozen=True, slots=True)
class Floor:
    """A figure that may not be lower. ``category`` is one of the data set's, or None for all that counts."""

    data: str
    figure: str
    least: float
    category: str | None = None


FLOORS = (
    Floor("locomo", "recall@10", 0.82),
    Floor("locomo", "ndcg@10", 0.62),
    Floor("locomo", "cover@1000", 0.82),
    Floor("locomo", "cover@2000", 0.87),
    Floor("locomo", "cover@4000", 0.91),
    Floor("beam", "recall@10", 0.76),
    Floor("beam", "cover@2000", 0.75),
    Floor("beam", "cover@2000", 0.90, _RULES),
    Floor("tech", "recall@5", 0.95),
)
"""On the development halves of the public data."""

_COLUMNS = ("recall@5", "recall@10", "recall@20", "ndcg@10", "cover@1000", "cover@2000", "cover@4000")


def measure(shared: Path, data: str, only: str | None, cache: Path) -> dict[str, Any]:
    """Run the harness on one data set; return its result."""
    out = cache / f"{data}.json"
    command = [sys.executable, "run.py", "--system", "libra", "--data", data, "--out", str(out)]
    env = {
        "BENCH_MODEL_DIR": str(shipped("models") / "minilm-l6-v2"),
        "BENCH_CACHE": str(cache),
        "BENCH_LIBRA_CMD": f"{sys.executable} -m libra serve --data-dir {{dir}} --socket {{sock}}",
        "PYTHONPATH": str(_ROOT),
        **_away(cache),
    }
    subprocess.run(
        command + (["--only", only] if only else []),
        cwd=shared / "bench",
        env={**os.environ, **env},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


def _away(cache: Path) -> Mapping[str, str]:
    """Return the surroundings in which no transcript of this machine is read."""
    home = cache / "home"
    home.mkdir(exist_ok=True)
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "OPENCLAW_STATE_DIR": str(home / "openclaw"),
    }


def below(data: str, found: Mapping[str, Any]) -> list[str]:
    """Return the figures of one result that are below their floors, and overruns of the budget."""
    out = []
    for floor in FLOORS:
        part = found["core"] if floor.category is None else found["by_category"].get(floor.category)
        if floor.data == data and part is not None and part[floor.figure] < floor.least:
            where = f" ({floor.category})" if floor.category else ""
            out.append(
                f"{data}: {floor.figure}{where} is {part[floor.figure]:.3f}, at least {floor.least} expected"
            )
    if overruns := found["cost"]["budget_overruns"]:
        out.append(f"{data}: {overruns} answers were over their budget")
    return out


def _row(name: str, part: Mapping[str, Any]) -> str:
    return f"| {name} | {part['n']} | " + " | ".join(f"{part[c]:.3f}" for c in _COLUMNS) + " |"


def main() -> int:
    """Measure, print, compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, default=_ROOT.parent / "shared")
    parser.add_argument("--data", default="locomo,beam,tech")
    parser.add_argument("--only", help="one dialogue's id")
    args = parser.parse_args()
    if not (args.shared / "bench" / "run.py").is_file():
        print(f"nothing to measure: there is no harness in {args.shared}", file=sys.stderr)
        return 2
    print("| data | questions | " + " | ".join(_COLUMNS) + " |")
    print("| --- " * (len(_COLUMNS) + 2) + "|")
    failed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="lbench-") as folder:
        for data in args.data.split(","):
            found = measure(args.shared.resolve(), data, args.only, Path(folder))
            print(_row(data, found["core"]), flush=True)
            for category, part in found["by_category"].items():
                print(_row(f"– {category}", part), flush=True)
            failed += below(data, found)
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
