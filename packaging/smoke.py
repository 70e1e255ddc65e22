"""Try a built libra as its user would: start it, ask for its health over the socket, run the demo, stop it.

    python packaging/smoke.py dist/libra

Uses nothing of ours but the program that is tried. Ends non-zero with a sentence if something is wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

START_S = 60.0
DEMO_S = 180.0
STOP_S = 30.0


def ask(path: Path, method: str) -> dict[str, Any]:
    """Send one request over the Unix socket and return its result."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(10.0)
        client.connect(str(path))
        client.sendall(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode() + b"\n"
        )
        with client.makefile("r", encoding="utf-8") as answers:
            answer = json.loads(answers.readline())
    if "result" not in answer:
        raise SystemExit(f"{method}: {answer}")
    result: dict[str, Any] = answer["result"]
    return result


def wait_for(path: Path, process: subprocess.Popen[bytes], field: str) -> tuple[float, dict[str, Any]]:
    """Ask for health until ``field`` is true; return the seconds since now and the answer."""
    begin = time.monotonic()
    while time.monotonic() - begin < START_S:
        if process.poll() is not None:
            raise SystemExit(f"the program ended with {process.returncode} before it was {field}")
        try:
            answer = ask(path, "health")
        except OSError:
            answer = {}
        if answer.get(field):
            return time.monotonic() - begin, answer
        time.sleep(0.02)
    raise SystemExit(f"not {field} within {START_S:.0f} s")


def serve(program: Path, folder: Path) -> None:
    """Start the program headless, wait for its health, and end it with SIGTERM."""
    sock = folder / "s"
    command = [str(program), "serve", "--data-dir", str(folder / "data"), "--socket", str(sock)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        first_s, _ = wait_for(sock, process, "ok")
        ready_s, health = wait_for(sock, process, "ready")
        print(
            f"health after {first_s:.2f} s, ready after {first_s + ready_s:.2f} s: {health.get('message', '')}"
        )
        if health.get("degraded"):
            raise SystemExit(f"degraded: {health['degraded']}")
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_S)
    finally:
        if process.poll() is None:
            process.kill()
        print((folder / "log").read_text(encoding="utf-8", errors="replace")[-2000:])
    if sock.exists():
        raise SystemExit("the socket was left behind")


def demo(program: Path, folder: Path) -> None:
    """Run the demo and check that it says of itself that it worked."""
    begin = time.monotonic()
    out = subprocess.run(
        [str(program), "demo", "--json"],
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEMO_S,
        check=False,
    )
    if out.returncode != 0:
        raise SystemExit(f"demo ended with {out.returncode}: {out.stderr.decode(errors='replace')[-2000:]}")
    json.loads(out.stdout)
    print(f"demo in {time.monotonic() - begin:.1f} s")
    left = [path.name for path in folder.iterdir()]
    if left:
        raise SystemExit(f"the demo left behind: {left}")


def main() -> None:
    """Try the program named on the command line."""
    program = Path(sys.argv[1]).resolve()
    print(f"{program.name}: {program.stat().st_size / 1e6:.1f} MB")
    for trial in (serve, demo):
        folder = Path(tempfile.mkdtemp(prefix="ls-"))
        try:
            trial(program, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
