"""How long an upgrade lasts, with a real program: one Libra takes another's place while three clients write and ask without a pause.

PYTHONPATH=. python bench/upgrade.py dist/libra [NEWER]

``NEWER`` (the same program by default, with ``--replace``) is started beside the one that runs. Prints when the old one had ended, how long a client waited
at the most for an answer, and whether each turn is there once. Ends non-zero if a call failed, a turn is missing or doubled, or it took
longer than three seconds from the moment in which the newer one had the old one's place.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.ground.errors import LibraError
from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint
from tests.e2e.test_upgrade import Asker

CLIENTS = 3
TARGET_S = 3.0


class Timed(Asker):
    """Notes how long its answers took."""

    longest_s = 0.0

    def run(self) -> None:
        """Ask."""
        client = Client(self._place)
        while not self.ended.is_set():
            begin = time.monotonic()
            turn = {"role": "user", "content": f"Berth {self._number} {self.told}.", "id": f"t{self.told}"}
            try:
                done = client.call("ingest", {"who": {"session": f"s{self._number}"}, "turns": [turn]})
            except LibraError as error:
                self.wrong.append(error)
                return
            self.told += done["accepted"]
            self.longest_s = max(self.longest_s, time.monotonic() - begin)
            if not self._kept:
                client.close()
        client.close()


def main() -> None:
    """Measure, print, judge."""
    older, newer = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="lu-", dir="/tmp") as name:
        folder = Path(name)
        sock = folder / "s"
        flags = ["--data-dir", str(folder / "d"), "--socket", str(sock), "--replace"]
        env = {"HOME": name, "PATH": "/usr/bin:/bin"}
        log = (folder / "log").open("wb")
        first = subprocess.Popen([older, "serve", *flags], env=env, stdout=log, stderr=log)
        with Client(UnixEndpoint(sock), timeout_s=60.0) as client:
            while not sock.exists():
                time.sleep(0.01)
            client.call("drain", {"timeout_ms": 30_000})
            askers = [Timed(UnixEndpoint(sock), n, kept=n > 0) for n in range(CLIENTS)]
            for asker in askers:
                asker.start()
            while not all(asker.told > 2 for asker in askers):
                time.sleep(0.01)
            before_s = max(asker.longest_s for asker in askers)
            for asker in askers:
                asker.longest_s = 0.0
            begin = time.monotonic()
            second = subprocess.Popen([newer, "serve", *flags], env=env, stdout=log, stderr=log)
            first.wait(60)
            ended_s = time.monotonic() - begin
            told = [asker.told for asker in askers]
            while not all(a.told > n + 2 or a.wrong for a, n in zip(askers, told, strict=True)):
                time.sleep(0.01)
            for asker in askers:
                asker.ended.set()
                asker.join(60)
            client.close()
            kept = client.call("status")["counts"]["turn"]
            told_in_all = sum(asker.told for asker in askers)
            worst_s = max(asker.longest_s for asker in askers)
            client.call("shutdown")
        second.wait(60)
        log.close()
        print(f"the old one had ended {ended_s:.2f} s after the newer one was started")
        print(
            f"{told_in_all} turns told, {kept} there; the longest that a client waited: {worst_s:.2f} s, before it {before_s:.2f} s"
        )
        if kept != told_in_all or worst_s > TARGET_S or any(asker.wrong for asker in askers):
            raise SystemExit((folder / "log").read_text("utf-8", "replace")[-2000:])


if __name__ == "__main__":
    main()
