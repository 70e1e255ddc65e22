"""What a host runs at every prompt: quick, quiet, and always successful."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.ground.paths import places
from libra.hosts import hook
from libra.rpc.endpoint import UnixEndpoint
from libra.rpc.methods import Methods
from libra.rpc.server import Server
from tests.hosts.served import served

ROOT = Path(__file__).resolve().parents[2]
Json = dict[str, Any]


class FakeEngine:
    """Answers the two verbs that hooks use."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Json]] = []

    def assemble(self, **asked: Any) -> Json:
        """Answer with a stable and a volatile part."""
        self.asked.append(("assemble", asked))
        return {"stable": "<rules>\nUse tabs. 测试\n</rules>\n", "volatile": "Fridays.\n", "text": "both"}

    def flush(self, **asked: Any) -> Json:
        """Take a transcript's name."""
        self.asked.append(("flush", asked))
        return {"ok": True, "following": True}


@pytest.fixture
def engine(data_dir: Path) -> Iterator[FakeEngine]:
    """Yield a fake engine behind the real server."""
    with served(FakeEngine(), data_dir / "s.sock") as fake:
        yield fake


def run(data_dir: Path, host: str, said: object, *more: str) -> str:
    """Run the hook as a host does, as a file by itself, and return what it prints."""
    raw = said if isinstance(said, bytes) else json.dumps(said).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-S", hook.__file__, host, *more, "--socket", str(data_dir / "s.sock")],
        input=raw,
        capture_output=True,
        check=False,
        timeout=60,
        cwd=data_dir,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode("ascii")


def event(name: str, **more: str) -> Json:
    """Return what Claude Code tells at an event."""
    return {
        "session_id": "7c0f",
        "transcript_path": "/t/7c0f.jsonl",
        "cwd": "/w",
        "hook_event_name": name,
        **more,
    }


def test_a_session_begins_with_the_rules_that_the_host_does_not_read_itself(
    engine: FakeEngine, data_dir: Path
) -> None:
    """The stable part, once a session, without the host's own files and without recall."""
    out = json.loads(run(data_dir, "claude-code", event("SessionStart", source="startup")))
    assert out["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "Use tabs. 测试" in out["hookSpecificOutput"]["additionalContext"]
    assert "Fridays" not in str(out)
    _, asked = engine.asked[0]
    assert asked["have"] == {"own_files", "guidance", "tail", "recall"}
    assert (asked["who"].host, asked["who"].session, asked["who"].cwd) == ("claude-code", "7c0f", "/w")


@pytest.mark.parametrize("source", ["resume", "clear", "compact"])
def test_every_kind_of_start_gets_them(engine: FakeEngine, data_dir: Path, source: str) -> None:
    """A resumed session, or one that was just compacted, is not left without its rules (C93)."""
    assert "Use tabs" in run(data_dir, "claude-code", event("SessionStart", source=source))


def test_a_prompt_gets_what_it_recalls(engine: FakeEngine, data_dir: Path) -> None:
    """The volatile part only: rules and running conversation are in the prompt already (C41)."""
    out = json.loads(run(data_dir, "claude-code", event("UserPromptSubmit", prompt="When do we deploy?")))
    assert out["hookSpecificOutput"]["additionalContext"] == "Fridays.\n"
    _, asked = engine.asked[0]
    assert asked["query"] == "When do we deploy?"
    assert asked["have"] == {"hard", "soft", "tail"}
    assert asked["deadline_ms"] <= 1000


@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd"])
def test_a_turns_end_hands_the_transcript_over(engine: FakeEngine, data_dir: Path, name: str) -> None:
    """Before anything is compacted away its words are on their way to Libra; nothing is printed."""
    assert run(data_dir, "claude-code", event(name)) == ""
    assert engine.asked == [("flush", {"path": "/t/7c0f.jsonl"})]


def test_other_hosts(engine: FakeEngine, data_dir: Path) -> None:
    """Each host gets its own form of answer."""
    gemini = json.loads(run(data_dir, "gemini", event("BeforeAgent", prompt="deploy?")))
    assert gemini["hookSpecificOutput"] == {"hookEventName": "BeforeAgent", "additionalContext": "Fridays.\n"}
    said = {"conversation_id": "c1", "workspace_roots": ["/w"], "hook_event_name": "sessionStart"}
    cursor = json.loads(run(data_dir, "cursor", said))
    assert cursor["additional_context"].startswith("<rules>")
    assert engine.asked[-1][1]["who"].session == "c1"
    assert json.loads(run(data_dir, "codex", event("x", prompt="deploy?"), "UserPromptSubmit"))


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        event("Notification"),
        event("UserPromptSubmit", prompt=" "),
        event("nonsense"),
    ],
)
def test_nothing_to_say_is_said(engine: FakeEngine, data_dir: Path, said: object) -> None:
    """Events of no use to us, broken input, an empty prompt: no output, exit code 0."""
    assert run(data_dir, "claude-code", said) == ""
    assert engine.asked == []


def test_libra_is_away(data_dir: Path) -> None:
    """No socket, a stale socket, an unknown host: the agent goes on as if Libra were not there."""
    said = event("UserPromptSubmit", prompt="deploy?")
    assert run(data_dir, "claude-code", said) == ""
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(data_dir / "s.sock"))
    stale.close()
    assert run(data_dir, "claude-code", said) == ""
    assert run(data_dir, "no-such-host", said) == ""


def test_libra_refuses_or_hangs_up(data_dir: Path) -> None:
    """An error, a cut line: silence. A Libra that never answers is bounded by the time-out."""
    for reply in (
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"x"}}\n',
        b'{"jsonrpc"',
        b"nonsense\n",
    ):
        path = data_dir / "s.sock"
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(1)

        def serve(listener: socket.socket = listener, reply: bytes = reply) -> None:
            conn, _ = listener.accept()
            conn.recv(65_536)
            conn.sendall(reply)
            conn.close()

        thread = threading.Thread(target=serve)
        thread.start()
        assert run(data_dir, "claude-code", event("UserPromptSubmit", prompt="deploy?")) == ""
        thread.join(10)
        listener.close()


def test_a_long_path_is_reached(data_dir: Path) -> None:
    """A data folder deep in a home still has a socket that hooks find, though addresses hold some 100 bytes only."""
    deep = data_dir / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    methods = Methods("anna")
    methods.attach(FakeEngine())
    server = Server(methods, UnixEndpoint(deep / "s.sock"))
    server.start()
    try:
        assert "Fridays" in run(deep, "claude-code", event("UserPromptSubmit", prompt="deploy?"))
    finally:
        server.stop()


@pytest.mark.parametrize(
    "env", [{}, {"XDG_DATA_HOME": "/x/data"}, {"LIBRA_DATA_DIR": "/d"}, {"LIBRA_SOCKET": "/s/l.sock"}]
)
def test_the_place_is_the_apps(env: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The hook looks where the app listens, whatever the environment says."""
    for name in [n for n in os.environ if n.startswith(("XDG_", "LIBRA_"))]:
        monkeypatch.delenv(name)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert hook.place({}, os.environ) == str(places().socket)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert hook.place({}, os.environ) == str(places().socket)
    assert hook.place({"data-dir": "/e"}, os.environ) == str(places("/e").socket)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_its_json_is_json(value: Any) -> None:
    """It reads and writes JSON without Python's module for it: a text of any script would arrive as another one."""
    assert json.loads(hook.dumps(value)) == value
    for raw in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1), hook.dumps(value)):
        assert hook.loads(b"\xef\xbb\xbf" + raw.encode() + b"\n") == value


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a" 1}', b"[1] 2", b"nope", b'"\xff', b"{'a': 1}"])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    """Half an answer would be taken for a whole one."""
    with pytest.raises(ValueError, match=r"\w"):
        hook.loads(raw)


def test_it_loads_the_standard_library_only() -> None:
    """No numpy, no ONNX Runtime, nothing of ours: it has to start in a fraction of 150 ms."""
    code = f"import sys; sys.argv=['hook']; exec(open({hook.__file__!r}).read().split('if __name__')[0]); print(*sys.modules)"
    out = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    loaded = set(out.split())
    heavy = {"libra", "numpy", "onnxruntime", "orjson", "typing", "pathlib", "asyncio", "subprocess"}
    assert not (heavy | {"json", "re", "enum", "socket", "selectors", "collections"}) & loaded
    short = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "libra", "hook", "x"],
        input="", capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert "libra.cli" not in short.stderr
    assert "libra.hosts.hook" in short.stderr
