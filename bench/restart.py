"""How long clients find nobody when Libra is restarted: from asking it to end until it answers again.

python bench/restart.py [turns]

Clients of LibraVDB survive an outage of some 3 s (hosts.md §4.2). Prints the seconds from the end of the old one until a client can
connect again, until ``health`` is answered, and until a search is, on a store with so many turns (10,000).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.ground.errors import NotRunning
from libra.rpc.endpoint import UnixEndpoint
from tests.e2e.running import Running

BATCH = 500


def until(app: Running, method: str, **params: object) -> None:
    """Ask until there is an answer."""
    while True:
        try:
            app.call(method, **params)
        except NotRunning:
            time.sleep(0.005)
        else:
            return


def connects(app: Running) -> None:
    """Try until the socket is there: from then on a client waits rather than fails."""
    while True:
        try:
            UnixEndpoint(app.socket).connect(1.0)[0].close()
        except NotRunning:
            time.sleep(0.005)
        else:
            return


def main() -> None:
    """Measure."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="lb-", dir="/tmp") as folder:
        app = Running(Path(folder))
        try:
            app.start()
            for first in range(0, count, BATCH):
                turns = [
                    {"role": "user", "content": f"The relay of pier {i} listens on port {7000 + i}."}
                    for i in range(first, min(first + BATCH, count))
                ]
                app.call("ingest", who={"session": f"s{first}"}, turns=turns)
            for _ in range(3):
                app.stop()
                gone = time.perf_counter()
                words = [
                    sys.executable,
                    "-m",
                    "libra",
                    "serve",
                    "--data-dir",
                    str(app.data),
                    "--socket",
                    str(app.socket),
                ]
                process = subprocess.Popen(
                    words, env=app.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                app._process = process  # noqa: SLF001 - so that it ends with this script
                connects(app)
                reached = time.perf_counter()
                until(app, "health")
                there = time.perf_counter()
                until(app, "search", query="pier 7")
                found = time.perf_counter()
                print(
                    f"answers after {there - gone:.2f} s, searches after {found - gone:.2f} s; connects {reached - gone:.2f}"
                )
        finally:
            app.kill()


if __name__ == "__main__":
    main()
