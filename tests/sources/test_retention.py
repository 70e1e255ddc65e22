"""C02: hosts delete their own logs. What is about to go is read first, and what has gone is marked, not forgotten."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from libra.sources import retention
from libra.sources.backlog import Backlog
from libra.sources.slices import TalkFile

WAIT_S = 20.0
DAY_S = 86_400


def write(path: Path, text: str, age_days: float = 0) -> Path:
    """Write a file of some age and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    at = time.time() - age_days * DAY_S
    os.utime(path, (at, at))
    return path


@pytest.mark.parametrize(
    ("found", "days"),
    [
        (retention.claude_code({}), 30),
        (retention.claude_code({"cleanupPeriodDays": 365}), 365),
        (retention.claude_code({"cleanupPeriodDays": "x"}), 30),
        (retention.gemini({}), 30),
        (retention.gemini({"general": {"sessionRetention": {"maxAge": "2w"}}}), 14),
        (retention.gemini({"general": {"sessionRetention": {"enabled": False}}}), None),
        (retention.openclaw({"session": {"maintenance": {"pruneAfter": "36h"}}}), 1.5),
        (retention.openclaw({"session": {"maintenance": {"mode": "warn"}}}), None),
        (retention.openclaw({"session": []}), 30),
        (
            retention.hermes("sessions:\n  auto_prune: true  # tidy\n  retention_days: 10\nother:\n  x: 1\n"),
            10,
        ),
        (retention.hermes("sessions:\n  retention_days: 10\n"), None),
        (retention.hermes("auto_prune: true\n"), None),
    ],
)
def test_hosts_own_settings(found: retention.Retention | None, days: float | None) -> None:
    """Each host's setting, in its own shape; whatever is written there is no error."""
    assert (found.days if found is not None else None) == days


def test_order_of_the_backlog() -> None:
    """What is about to go comes first, the oldest before all; then the newest."""
    backlog = Backlog()
    for name, mtime, dying in (("new", 9, False), ("dying", 2, True), ("old", 5, False), ("dead", 1, True)):
        backlog.history(TalkFile("h", name, (name,)), mtime, dying=dying)
    order = []
    while (file := backlog.pop(0.0)) is not None:
        order.append(file.path)
    assert order == ["dead", "dying", "new", "old"]


def test_what_is_about_to_go_is_read_first_and_shown(home: Any, sink: Any, lines: Any) -> None:
    """Of a long history the file that the host deletes tomorrow is read before the newest."""
    write(home.claude / "settings.json", json.dumps({"cleanupPeriodDays": 60}))
    for name, age_days in (("newest", 0), ("middle", 40), ("dying", 59)):
        text = lines.cc(f"{name}-{'u' * 20}", "user", name)
        write(home.slug / f"{name}.jsonl", text, age_days)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["dying", "newest", "middle"]
    host = service.status()["hosts"]["claude-code"]
    assert (host["kept_days"], host["kept_by"], host["soon_deleted"]) == (60.0, "cleanupPeriodDays", 1)


@pytest.mark.parametrize("running", [True, False])
def test_a_deleted_transcript_is_marked_once_it_is_surely_gone(
    home: Any, sink: Any, lines: Any, *, running: bool
) -> None:
    """Deleted while Libra runs, or while it is away: what was learnt stays, and the source is marked gone."""
    path = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "kept"))
    write(home.slug / "b.jsonl", lines.cc("u2" * 10, "user", "other"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    if not running:
        service.stop()
    path.unlink()
    service = service if running else home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.wait(lambda s: s.source_states.get(str(path)) == "gone")
    assert sorted(sink.standing()) == ["kept", "other"]


def test_a_folder_that_is_away_marks_nothing(home: Any, sink: Any, lines: Any) -> None:
    """C01: the whole folder unplugged is no deletion."""
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "kept"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    (home.claude / "projects").rename(home.claude / "elsewhere")
    assert service.wait_idle(WAIT_S)
    assert service.wait_idle(WAIT_S)
    assert "gone" not in sink.source_states.values()


def test_renamed_is_not_gone(home: Any, sink: Any, lines: Any) -> None:
    """A transcript that lies elsewhere now is not counted among the deleted."""
    path = write(home.sessions / "s1.jsonl", lines.header("s1") + lines.ocl("a", None, "user", "x"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    path.rename(path.with_name("s1.jsonl.reset.2026-04-11T10-00-00.000Z"))
    assert service.wait_idle(WAIT_S)
    assert sink.wait(lambda s: s.source_states.get(str(path)) == "moved")
