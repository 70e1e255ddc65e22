"""What the running app shows to other users and to the network: nothing."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

SAID = "The harbour gate opens at dawn for the blue ferry."

GUARD = """
import os, sys
def _deny(event, args):
    if event in ("socket.connect", "socket.bind", "socket.sendto"):
        address = args[1]
        if not isinstance(address, (str, bytes)):
            _tell(f"{event} {address!r}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        _tell(event)
def _tell(what):
    with open(os.environ["NETWORK_LOG"], "a") as log:
        log.write(what + "\\n")
    raise PermissionError("no network in this test")
sys.addaudithook(_deny)
"""


def guarded(folder: Path) -> dict[str, str]:
    """Return an environment in which every Python process writes down and refuses what is not local."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(GUARD, encoding="utf-8")
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), "NETWORK_LOG": str(folder / "network.log")}


def main_job(app: Running) -> dict[str, Any]:
    """Do with the app what it is for: read, learn, ask, assemble, compact, copy, forget."""
    write(app.transcript("A"), *(cc(f"u{n}", "user", f"{SAID} Note {n}.", minute(n)) for n in range(4)))
    app.start()
    app.drain()
    app.call(
        "ingest", who={"session": "rpc"}, turns=[{"role": "user", "content": "We always deploy on Monday."}]
    )
    app.call("remember", text="The relay listens on port 7443.")
    app.drain()
    answers = {
        "assemble": app.call(
            "assemble", query="When does the gate open?", who={"session": "rpc"}, budget_tokens=1000
        ),
        "search": app.call("search", query="relay port"),
        "compact": app.call("compact", who={"session": "rpc"}, force=True),
        "backup": app.call("backup"),
        "forget": app.call("forget", query="relay port 7443"),
        "status": app.call("status"),
    }
    app.drain()
    return answers


@linux
def test_every_file_is_for_this_user_only(running: Running) -> None:
    """On a machine with a lax umask other users could read what was said from the database, its log or a copy."""
    mask = os.umask(0)
    try:
        running.begin()
    finally:
        os.umask(mask)
    running.until(lambda: running.call("status")["model"]["state"] != "loading", 60)
    running.call("remember", text=SAID)
    running.call("backup")
    running.drain()
    found = {p.relative_to(running.data): stat.S_IMODE(p.stat().st_mode) for p in running.data.rglob("*")}
    assert {"libra.db", "backups"} <= {path.parts[0] for path in found}
    assert {str(path): oct(mode) for path, mode in found.items() if mode & 0o077} == {}
    assert stat.S_IMODE(running.data.stat().st_mode) == 0o700
    assert stat.S_IMODE(running.socket.stat().st_mode) == 0o600


def test_the_main_job_needs_no_network(running: Running, data_dir: Path) -> None:
    """What people say would leave the machine, or Libra would fail without a network."""
    env = guarded(data_dir)
    app = Running(data_dir / "app", env)
    try:
        answers = main_job(app)
    finally:
        app.stop()
    assert answers["search"]["hits"]
    assert answers["forget"]
    assert answers["status"]["model"]["state"] == "ready"
    assert not Path(env["NETWORK_LOG"]).exists()


def test_the_guard_of_that_test_works(data_dir: Path) -> None:
    """A guard that sees nothing would prove nothing."""
    env = guarded(data_dir)
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, check=False
    )
    assert done.returncode != 0
    assert "getaddrinfo" in Path(env["NETWORK_LOG"]).read_text("utf-8")


@linux
def test_no_port_is_open(running: Running) -> None:
    """A web page or another user could speak to a port; there is none before somebody asks for the page."""
    running.start()
    mine = set()
    for entry in Path(f"/proc/{running.pid}/fd").iterdir():
        target = str(entry.readlink())
        mine |= {target[8:-1]} if target.startswith("socket:[") else set()
    assert mine
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        rows = Path(f"/proc/{running.pid}/net/{table}").read_text("ascii").splitlines()[1:]
        assert [row for row in rows if row.split()[9] in mine] == []


@linux
def test_nothing_leaks_by_command_line_core_dump_or_log(running: Running) -> None:
    """Other users read command lines, crash reporters take core dumps along, and logs are sent to whoever helps."""
    running.start()
    running.call("remember", text=SAID)
    running.call("search", query=SAID)
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it answers: the log is what counts
        running.call("remember", text=SAID, kind=SAID)
    process = Path(f"/proc/{running.pid}")
    words = process.joinpath("cmdline").read_bytes().split(b"\0")
    assert [w.decode() for w in words if w][1:] == ["-m", "libra", *running.words("serve")]
    limits = process.joinpath("limits").read_text("ascii")
    assert re.search(r"Max core file size\s+0\s", limits)
    running.stop()
    logs = running.log.read_text("utf-8") + "".join(p.read_text("utf-8") for p in running.data.rglob("*.log"))
    assert "harbour" not in logs


@linux
def test_a_user_that_is_not_ours_is_turned_away(running: Running) -> None:
    """Another user who can reach the socket, by a folder that was opened by hand, would read everything."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    running.start()
    for path in (running.folder, running.socket):
        path.chmod(0o777)
    code = (
        "import os, socket, sys\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "s = socket.socket(socket.AF_UNIX); s.settimeout(30); s.connect(sys.argv[1])\n"
        'try:\n    s.sendall(b\'{"jsonrpc":"2.0","id":1,"method":"status"}\\n\'); print(s.recv(65536).decode())\n'
        "except OSError as error:\n    print('closed', error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(running.socket)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "counts" not in done.stdout
    assert running.call("health")["ok"]


def test_half_a_request_of_a_browser_is_no_call(running: Running) -> None:
    """A page that gets a browser to speak to the socket sends HTTP: each line of it is an error, and nothing is done."""
    running.start()
    with socket.socket(socket.AF_UNIX) as conn:
        conn.settimeout(30)
        conn.connect(str(running.socket))
        conn.sendall(b"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}\n")
        conn.shutdown(socket.SHUT_WR)
        answer = b""
        while data := conn.recv(65536):
            answer += data
    answers = [json.loads(line) for line in answer.splitlines()]
    assert answers
    assert all("error" in one for one in answers)
