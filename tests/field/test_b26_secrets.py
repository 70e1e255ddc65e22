"""B26: secrets that are typed are stored nowhere, in no form, on no path."""

from __future__ import annotations

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
