"""B18: another process holds the database for four seconds; no write is lost, the cursor never runs ahead."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint
from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.slow]

HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read(int(sys.argv[2]))
db.execute("ROLLBACK")
"""


def hold(running: Running) -> subprocess.Popen[str]:
    """Take the write lock in another process, until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(running.data / "libra.db"), "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_twenty_turns_while_the_lock_is_held(running: Running) -> None:
    """All calls succeed once the lock is free, well within their time."""
    running.start()
    running.drain()
    other = hold(running)
    begun = time.monotonic()

    def ingest(number: int) -> int:
        with Client(UnixEndpoint(running.socket), timeout_s=30) as client:
            turn = {"id": f"e{number}", "role": "user", "content": f"turn number {number} during the lock"}
            accepted: int = client.call("ingest", {"who": {"session": "busy"}, "turns": [turn]})["accepted"]
            return accepted

    with ThreadPoolExecutor(20) as pool:
        calls = [pool.submit(ingest, n) for n in range(20)]
        # The case's own four seconds, not a wait for something: the holder lets go when its input ends.
        threading.Event().wait(4.0)
        other.communicate("x")
        assert sum(c.result(15) for c in calls) == 20
    assert time.monotonic() - begun < 15
    assert running.turns() == 20


def test_a_crash_in_the_window_leaves_the_cursor_behind_the_rows(running: Running) -> None:
    """SIGKILL while the lock is held: the file is read again, every line is there once."""
    running.start()
    running.drain()
    other = hold(running)
    write(
        running.transcript("A"), *(cc(f"u{i}", "user", f"line {i} of the file", minute(i)) for i in range(20))
    )
    running.until(lambda: running.call("status")["sources"] is not None)
    running.kill()
    other.communicate("x")
    db = sqlite3.connect(running.data / "libra.db")
    (read,) = db.execute("SELECT coalesce(sum(lines), 0) FROM source WHERE path LIKE '%.jsonl'").fetchone()
    (stored,) = db.execute("SELECT count(*) FROM turn").fetchone()
    db.close()
    assert read <= stored
    running.start()
    running.drain()
    assert running.turns() == 20
