"""LibraVDB's own client for Hermes (PyPI ``hermes-memory-libravdb`` 0.7.0, unmodified) against the running app, over gRPC.

Run by ``.ci/hosts``, which installs it below LIBRA_HOSTS; the app needs the extra ``grpc``. The client is driven as Hermes drives
it, in a process of its own that finds the service by itself and is given nothing but the file with the secret.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import Running

HOSTS = os.environ.get("LIBRA_HOSTS", "")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.hosts,
    pytest.mark.skipif(not HOSTS, reason="needs real hosts: bash .ci/hosts"),
]

FACT = "We decided that the relay listens on port 7443."
ASKED = "On which port does the relay listen?"

AS_HERMES = """
import json, sys, threading
import hermes_memory_libravdb as plugin

class Context:
    def __init__(self): self.hooks = {}
    def register_memory_provider(self, provider): self.memory = provider
    def register_context_engine(self, engine): self.engine = engine
    def register_hook(self, name, hook): self.hooks[name] = hook

def ended(name):
    for thread in threading.enumerate():
        if name in thread.name: thread.join(60)

session, home, said, answered, asked = sys.argv[1:6]
context = Context()
plugin.register(context)
memory, engine = context.memory, context.engine
memory.initialize(session, hermes_home=home)
out = {"error": memory._startup_error, "health": memory._channel.health().ok}
context.hooks["on_session_start"](session_id=session)
engine.bootstrap()
out["prefetch"] = memory.prefetch(asked)
out["assembled"] = engine.assemble({"messages": [{"role": "user", "content": asked}], "prompt": asked})
if said:
    memory.sync_turn(said, answered)
    ended("_ingest_with_queue")
    engine.afterTurn({"messages": [{"role": "user", "content": said}, {"role": "assistant", "content": answered}]})
memory.queue_prefetch(asked)
ended("_prefetch_warm")
out["search"] = json.loads(memory.handle_tool_call("libravdb_search", {"query": asked}))
out["status"] = json.loads(memory.handle_tool_call("libravdb_status", {}))
out["cards"] = json.loads(memory.handle_tool_call("list_user_cards", {}))
memory.on_session_end([{}, {}])
context.hooks["on_session_finalize"](session_id=session)
journal = memory._channel._call("ListLifecycleJournal", plugin.provider.pb.ListLifecycleJournalRequest(session_id=session))
out["hints"] = [json.loads(entry)["hook"] for entry in journal.entries]
memory.shutdown()
print(json.dumps(out))
"""


def client() -> Path:
    """Return the Python that has the client, or skip."""
    pytest.importorskip("grpc", reason="the app needs the extra: pip install '.[grpc]'")
    python = Path(HOSTS) / "libravdb" / "bin" / "python"
    if not python.exists():
        pytest.skip("hermes-memory-libravdb is not installed in LIBRA_HOSTS")
    return python


def session(running: Running, name: str, said: str = "", answered: str = "", **more: str) -> dict[str, Any]:
    """Go through a whole session; return what the client got."""
    home = running.folder / "client"
    home.mkdir(exist_ok=True)
    env = {
        "HOME": str(running.home),
        "LIBRAVDB_AUTH_SECRET_FILE": str(running.data / "libravdb.secret"),
        **more,
    }
    done = subprocess.run(
        [str(client()), "-c", AS_HERMES, name, str(home), said, answered, ASKED],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    out: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return out


def test_a_whole_session_and_the_next(running: Running) -> None:
    """What was said with the unmodified client would not be known in its next session, or be there twice."""
    client()
    running.configure("[compat]\ngrpc = true\n")
    running.start()
    place = running.home / ".libravdbd" / "run" / "libravdb.sock"
    running.until(place.exists)
    first = session(running, "S1", FACT, "Noted: port 7443.")
    assert first["error"] is None
    assert first["health"] is True
    assert first["status"]["ok"] is True
    assert first["cards"] == {"users": [], "total": 0}
    assert first["hints"] == ["session_start", "session_end", "session_finalize"]
    running.drain()
    assert running.turns() == 2
    second = session(running, "S2")
    assert FACT in second["prefetch"]
    assert FACT in second["assembled"]
    assert FACT in [hit["text"] for hit in second["search"]["results"]]
    assert running.stop() == 0
    assert not place.exists()


def test_a_client_without_the_secret_gets_nothing(running: Running) -> None:
    """Whoever reaches the socket could read the memory."""
    client()
    running.configure("[compat]\ngrpc = true\n")
    running.start()
    running.until((running.home / ".libravdbd" / "run" / "libravdb.sock").exists)
    running.call("remember", text=FACT)
    running.drain()
    with pytest.raises(AssertionError, match="UNAUTHENTICATED"):
        session(running, "S1", LIBRAVDB_AUTH_SECRET_FILE="")
    assert (running.data / "libravdb.secret").stat().st_mode & 0o777 == 0o600
