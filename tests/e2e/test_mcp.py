"""``libra mcp`` as a host starts it: nothing runs yet, and the first call is answered."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from libra.ground.errors import NotRunning
from tests.e2e.running import Running

pytestmark = pytest.mark.e2e


class Speaks:
    """One ``libra mcp`` process, spoken to line by line."""

    def __init__(self, running: Running) -> None:
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "libra", "mcp", "--host", "codex"),
                *("--data-dir", str(running.data), "--socket", str(running.socket)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=running.environment(),
        )

    def __call__(self, method: str, number: int | str = 0, **params: Any) -> Any:
        """Ask and return the result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert answer["id"] == number
        return answer["result"]

    def end(self) -> int:
        """Close its input and return its exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        code = self._process.wait(30)
        self._process.stdout.close()
        return code


def test_a_handshake_loads_no_verbs(running: Running) -> None:
    """Hosts that wait two seconds for their tools would go without them on a busy machine."""
    done = subprocess.run(
        [
            sys.executable,
            "-X",
            "importtime",
            "-m",
            "libra",
            "mcp",
            "--no-start",
            "--data-dir",
            str(running.data),
        ],
        input=b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n',
        env=running.environment(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "libra"
    loaded = done.stderr.decode()
    assert "libra.mcp.server" in loaded
    assert not {
        name for name in ("libra.engine", "libra.cli.commands", "libra.cli.show", "numpy") if name in loaded
    }


def test_a_wrong_flag_is_a_usage_error(running: Running) -> None:
    """The host's log would say nothing of what is wrong with its entry."""
    done = subprocess.run(
        [sys.executable, "-m", "libra", "mcp", "--no-stat"],
        env=running.environment(), capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "libra mcp --help" in done.stderr


def test_the_first_call_starts_libra_and_a_later_session_finds_what_was_stored(running: Running) -> None:
    """A person installs the entry and never starts Libra by hand: it is there, and it stays when the host ends."""
    try:
        first = Speaks(running)
        assert first("initialize", protocolVersion="2025-06-18")["protocolVersion"] == "2025-06-18"
        stored = first(
            "tools/call", 1, name="memory_store", arguments={"text": "The relay listens on port 7443."}
        )
        assert stored["isError"] is False, stored
        assert first.end() == 0
        second = Speaks(running)
        second("initialize", protocolVersion="2025-11-25")
        asked = {"query": "which port does the relay listen on"}
        found = second("tools/call", "b", name="memory_search", arguments=asked)
        assert "7443" in found["content"][0]["text"]
        assert second.end() == 0
        record = running.search("relay port", kinds=["memory"])[0]
        assert record["role"] == "assistant"
    finally:
        with suppress(NotRunning):
            running.call("shutdown")
