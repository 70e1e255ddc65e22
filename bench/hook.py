"""How long a host waits for the hook: from the start of its process to its end, with Libra there and away.

python bench/hook.py [runs]

Prints the median and the 95th percentile in ms, and the processor time of the hook's own process, which does not depend
on what else the machine does; beside it what an empty Python takes, which is the floor. The app is the real one, on an empty data folder with a hundred turns.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.hosts import hook
from tests.e2e.running import Running

PYTHON = [sys.executable, "-I", "-S"]


def timed(words: list[str], said: dict[str, str], runs: int) -> str:
    """Return the figures of a command's whole life."""
    took = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(words, input=json.dumps(said).encode(), capture_output=True, check=True)
        took.append((time.perf_counter() - started) * 1000)
    took.sort()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000 / runs
    return f"{took[len(took) // 2]:7.0f} {took[int(len(took) * 0.95)]:7.0f} {cpu:7.0f}"


def main() -> None:
    """Measure."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory(prefix="lb-", dir="/tmp") as folder:
        app = Running(Path(folder))
        words = [*PYTHON, hook.__file__, "claude-code", "--socket", str(app.socket)]
        said = {
            "session_id": "s",
            "transcript_path": "/none.jsonl",
            "cwd": folder,
            "prompt": "Where is the relay?",
        }
        events = ("SessionStart", "UserPromptSubmit", "Stop")
        print(f"{runs} runs, ms{'':27}p50     p95     cpu")
        print(f"{'an empty Python':32}{timed([*PYTHON, '-c', 'pass'], {}, runs)}")
        for event in events:
            print(f"{f'away, {event}':32}{timed(words, {**said, 'hook_event_name': event}, runs)}")
        try:
            app.start()
            turns = [
                {"role": "user", "content": f"The relay of pier {i} listens on port {7000 + i}."}
                for i in range(100)
            ]
            app.call("ingest", who={"session": "old"}, turns=turns)
            app.drain()
            for event in events:
                print(f"{f'running, {event}':32}{timed(words, {**said, 'hook_event_name': event}, runs)}")
        finally:
            app.kill()


if __name__ == "__main__":
    main()
