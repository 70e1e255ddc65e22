"""B03: one torn last row costs nothing; B04: broken lines in the middle cost only themselves."""

from __future__ import annotations

import json

import pytest

from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]


def test_b03_a_torn_last_line_waits(running: Running) -> None:
    """Three turns are there at once; the fourth comes with the rest of its line, after a crash in between."""
    path = running.transcript("A")
    good = [
        cc(f"u{i}", "user", text, minute(i))
        for i, text in enumerate(["the green lantern is lit", "second line here", "third line here"])
    ]
    write(path, *good, '{"type":"user","uuid":"u4","mess', end="")
    running.start()
    running.drain()
    assert running.turns() == 3
    assert "green lantern" in running.search("lantern")[0]["text"]
    shown = json.dumps(running.call("status")["sources"])
    assert "1 line waiting" in shown
    running.kill()
    with path.open("a", encoding="utf-8") as file:
        file.write('age":{"role":"user","content":"blue heron"}}\n')
    running.start()
    running.drain()
    assert running.turns() == 4
    assert [h["text"] for h in running.search("heron", kinds=["turn"])].count("blue heron") == 1
    assert "1 line waiting" not in json.dumps(running.call("status")["sources"])


def test_b04_nul_bytes_and_broken_json_cost_their_line_only(running: Running) -> None:
    """Lines around the damage are whole, the damage is counted, U+2028 ends no line."""
    path = running.transcript("A")
    last = "before\u2028after the separator"
    with path.open("wb") as file:
        file.write(cc("u1", "user", "line one is good", minute(1)).encode() + b"\n")
        file.write(b"\0" * 16 + b"\n")
        file.write(cc("u3", "user", "line three is good", minute(3)).encode() + b"\n")
        file.write(b"[1,2\n")
        file.write(cc("u5", "user", last, minute(5)).encode() + b"\n")
    running.start()
    running.drain()
    assert running.turns() == 3
    assert last in [h["text"] for h in running.search("separator", kinds=["turn"])]
    assert running.call("status")["sources"]["malformed_lines"] == 2
