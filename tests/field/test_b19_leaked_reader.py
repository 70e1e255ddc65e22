"""B19: a reader that never ends makes the write-ahead log grow; status says so, and it shrinks once the reader is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.running import Running, minute
from tests.inference.tiny import write_model

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

_MOST = 1024 * 1024
_READER = (
    "import sqlite3, sys\n"
    "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "db.execute('BEGIN')\n"
    "db.execute('SELECT count(*) FROM item').fetchone()\n"
    "print('reading', flush=True)\n"
    "sys.stdin.readline()\n"
)
_WORDS = "the relay dropped frames while the harbour queue was full and nobody had looked at the log of the night shift"


def _turns(start: int, count: int) -> list[dict[str, str]]:
    """Return turns of about 500 bytes, no two alike."""
    return [
        {
            "id": f"t{n}",
            "role": "user",
            "content": f"{n} " + " ".join(f"{_WORDS} {n * 7 + i}" for i in range(4)),
            "ts": minute(n % 600),
        }
        for n in range(start, start + count)
    ]


def test_the_log_shrinks_once_the_reader_is_gone(running: Running, data_dir: Path) -> None:
    """Sixty times smaller than in the field, with the same bounds' ratio: warned while large, small when Libra is idle."""
    model = write_model(data_dir / "tiny")
    running.configure(
        f"[model]\nfolder = '{model}'\n[store.writer]\nwal_most_bytes = {_MOST}\nwal_keep_bytes = {_MOST // 16}\n"
    )
    running.start()
    running.call("ingest", who={"session": "s0"}, turns=_turns(0, 10))
    wal = running.data / "libra.db-wal"
    with subprocess.Popen(
        [sys.executable, "-c", _READER, str(running.data / "libra.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        for batch in range(40):
            running.call("ingest", who={"session": f"s{batch + 1}"}, turns=_turns(10 + 25 * batch, 25))
            if wal.stat().st_size > 3 * _MOST:
                break
        assert wal.stat().st_size > _MOST
        assert any(line.startswith("wal:") for line in running.call("status")["degraded"])
        reader.communicate("go\n")
    running.drain()
    running.until(lambda: wal.stat().st_size <= _MOST // 16, 60)
    assert not any(line.startswith("wal:") for line in running.call("status")["degraded"])
    assert running.turns() >= 35
