"""B13: a permission error is not a deletion: the rules stay in force."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]


def test_rules_stay_while_their_folder_cannot_be_read(running: Running) -> None:
    """Two rules and nine notes; the folder refuses for several rescans, then opens again."""
    workspace = running.openclaw / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "AGENTS.md").write_text(
        "- Never push to main.\n- Always run the tests first.\n", encoding="utf-8"
    )
    for number in range(9):
        (workspace / "memory" / f"2026-04-0{number + 1}.md").write_text(
            f"- note {number}\n", encoding="utf-8"
        )
    running.configure("[sources.look]\nreconcile_s = 3.0\n")
    running.start(ordinary=True)
    running.drain()
    everything = documents(running)
    assert rules(running) == ["Never push to main.", "Always run the tests first."]
    workspace.chmod(0)
    try:
        running.until(lambda: names(running, workspace))
        assert rules(running) == ["Never push to main.", "Always run the tests first."]
        assert documents(running) == everything
    finally:
        workspace.chmod(0o700)
    running.until(lambda: not names(running, workspace))
    assert rules(running) == ["Never push to main.", "Always run the tests first."]
    assert documents(running) == everything


def names(running: Running, folder: Path) -> bool:
    """Return whether status names a folder that cannot be read."""
    return str(folder) in json.dumps(running.call("status")["sources"].get("unreadable", []))


def rules(running: Running) -> list[str]:
    """Return the hard rules that an assemble holds."""
    answer = running.call("assemble", query="what are the rules for a push?", budget_tokens=2000)
    return [line[2:] for line in answer["stable"].splitlines() if line.startswith("- ")]


def documents(running: Running) -> int:
    """Return how many documents are in force."""
    count: int = running.call("status")["counts"]["document"]
    return count
