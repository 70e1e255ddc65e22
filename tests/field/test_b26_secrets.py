"""B26: secrets that are typed are stored nowhere, in no form, on no path."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

PASSWORD = "Tr0ub4dor&3x"  # noqa: S105 - the case's own
KEY = "sk-test_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5f"


def test_neither_string_is_anywhere(running: Running) -> None:
    """User turn, tool result, rule: redacted before the first write; the statement and the rule stay."""
    said = f"Remember: the prod DB password is {PASSWORD} and the API key is {KEY}."
    tool = (
        '{"type":"user","uuid":"t1","sessionId":"A","timestamp":"2026-04-10T09:00:00.000Z","cwd":"/home/dev/harbor","isSidechain":false,'
        '"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"password='
        + PASSWORD
        + " key "
        + KEY
        + '"}]}}'
    )
    workspace = running.openclaw / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "AGENTS.md").write_text(
        f"- Always log in with password: {PASSWORD} before a deploy.\n", encoding="utf-8"
    )
    running.configure("[sources]\ntool_output = true\n")
    write(running.transcript("A"), cc("u1", "user", said, minute(0)), tool)
    running.start()
    running.drain()
    turn = {"role": "tool", "content": f"export API_KEY={KEY}\npassword is {PASSWORD}"}
    running.call("ingest", who={"session": "rpc"}, turns=[turn, {"role": "user", "content": said}])
    running.drain()
    answer = running.call("assemble", query="what is the prod DB password?", budget_tokens=2000)
    assert "before a deploy" in answer["stable"]
    kept = [h["text"] for h in running.search("prod DB password", kinds=["memory"])]
    assert any("prod DB password is [redacted" in text for text in kept)
    running.call("search", query=f"password {PASSWORD}")
    running.stop()
    everything = running.bytes_of_everything()
    assert PASSWORD.encode() not in everything
    assert KEY.encode() not in everything


def _line(uuid: str, **changes: Any) -> str:
    """Return a Claude Code line with some of its fields changed."""
    return json.dumps({**json.loads(cc(uuid, "user", f"I noted the word for {uuid}.", minute(1))), **changes})


def test_other_ways_in(running: Running) -> None:
    """By remember, update, metadata, a speaker's name, a tool call, an imported file, a note, a quote, front matter, a code block."""
    workspace = running.openclaw / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "secrets.md").write_text(f"- The API key is {KEY}\n", encoding="utf-8")
    (workspace / "AGENTS.md").write_text(
        f"---\npassword: {PASSWORD}\n---\n# Rules\n\n@secrets.md\n\n- Deploy:\n  - first log in, password is {PASSWORD}\n\n"
        f"> Always use password {PASSWORD}\n\n```sh\nexport API_KEY={KEY}\n```\n\nNever share the password: {PASSWORD}.\n",
        encoding="utf-8",
    )
    (workspace / "memory").mkdir()
    (workspace / "memory" / "2026-04-10.md").write_text(
        f"The prod password is {PASSWORD}\n", encoding="utf-8"
    )
    running.configure("[sources]\ntool_output = true\n")
    tool_use = {"type": "tool_use", "id": "x", "name": "Bash", "input": {"command": f"export API_KEY={KEY}"}}
    spoken = {"role": "assistant", "content": [{"type": "text", "text": "I log in."}, tool_use]}
    write(
        running.transcript("A"),
        cc("u0", "user", "We begin.", minute(0)),
        _line("u1", type="assistant", message=spoken),
        _line("u2", gitBranch=f"fix/{KEY}", slug=KEY),
    )
    running.start()
    running.drain()
    running.call("ingest", who={"session": "rpc"}, turns=[
        {"role": "user", "content": "The relay is slow today.", "metadata": {"note": f"password is {PASSWORD}", "deep": {"keys": [KEY]}}},
        {"role": "assistant", "content": f"> password: {PASSWORD}\n\n    API_KEY={KEY}"},
        {"role": "user", "content": "Who is there?", "speaker": f"password: {PASSWORD}"},
    ])  # fmt: skip
    kept = running.call("remember", text=f"The prod password is {PASSWORD}")
    running.call("update", id=kept["id"], text=f"The prod API key is {KEY}")
    running.call("forget", query=f"password {PASSWORD}", dry_run=True)
    running.call("grep", pattern=PASSWORD)
    running.drain()
    running.stop()
    everything = running.bytes_of_everything()
    assert PASSWORD.encode() not in everything
    assert KEY.encode() not in everything
