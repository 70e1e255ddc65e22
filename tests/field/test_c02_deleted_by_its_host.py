"""C02: the agent deletes its transcript without a word; every turn of it is still there word for word, and what was forgotten is not."""

from __future__ import annotations

import json

import pytest

from tests.e2e.running import Json, Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

_LONG = "The harbour's list of berths: " + ", ".join(f"berth {n} for boat {n * 7}" for n in range(400)) + "."
_PLAN = "We sell the blue crane in June."
_OUTPUT = "12 passed, 1 failed: tests/test_quay.py::test_tide - assert 4 == 5"


def _output(uuid: str, text: str, ts: str) -> str:
    """Return Claude Code's line of a tool's result."""
    line = json.loads(cc(uuid, "user", "", ts))
    line["message"]["content"] = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    return json.dumps(line)


def _session(running: Running) -> Json | None:
    found = [one for one in running.call("sessions")["items"] if one["key"] == "claude-code:A"]
    return found[0] if found else None


def test_raw_turns_outlive_their_transcript(running: Running) -> None:
    """A talk of a month ago would be gone with the file that its agent has tidied away, or come back with what was forgotten."""
    path = running.transcript("A")
    said = [("user", _LONG), ("assistant", "Noted, 400 berths."), ("user", _PLAN), ("tool", _OUTPUT)]
    ids = [f"{n}{n}{n}{n}{n}{n}{n}{n}-0000-4000-8000-000000000001" for n in range(1, 5)]
    for number, (role, text) in enumerate(said):
        line = (
            _output(ids[number], text, minute(number))
            if role == "tool"
            else cc(ids[number], role, text, minute(number))
        )
        write(path, line)
    running.configure("[sources]\ntool_output = true\n[sources.look]\nreconcile_s = 1.0\n")
    running.start()
    running.drain()
    assert running.turns() == len(said)
    assert running.call("forget", query="blue crane")["forgotten"] >= 1
    path.unlink()
    running.until(lambda: (_session(running) or {})["gone"] is not None, 60.0)
    told = running.call("session", session="claude-code:A")["turns"]
    whole = [(one["role"], running.call("get", id=one["id"])["text"], one["line"]) for one in told]
    assert whole == [("user", _LONG, 1), ("assistant", said[1][1], 2), ("tool", _OUTPUT, 4)]
    exported = json.dumps(running.call("export", everybody=True)["records"])
    assert _OUTPUT in exported
    assert _LONG in exported
    running.stop()
    assert b"blue crane" not in running.bytes_of_everything()
