"""Finding transcripts, and what a changed path belongs to."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from libra.sources.catalog import TalkFolder
from libra.sources.events import ParseParams
from libra.sources.formats import formats
from libra.sources.scan import Patience, locate, look_at, scan
from libra.sources.slices import TalkFile

FORMATS = formats(ParseParams("u"))


def touch(path: Path) -> Path:
    """Make an empty file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_scan_of_openclaw(tmp_path: Path) -> None:
    """Lines, archives, databases; deleted ones apart; everything else left out."""
    agents = tmp_path / "agents"
    for name in (
        "s1.jsonl",
        "s2.jsonl.reset.2026-03-04T08-30-00.000Z",
        "s1.trajectory.jsonl",
        "sessions.json",
    ):
        touch(agents / "main" / "sessions" / name)
    deleted = touch(agents / "main" / "sessions" / "s3.jsonl.deleted.2026-03-04T08-30-00.000Z")
    touch(agents / "ops" / "agent" / "openclaw-agent.sqlite")
    touch(agents / "ops" / "agent" / "openclaw-agent.sqlite-wal")
    touch(agents / "ops" / "agent" / "other.sqlite")
    found = scan(TalkFolder("openclaw", agents), FORMATS["openclaw"])
    assert sorted((Path(p).name.split(".")[0], f.file.form) for p, f in found.found.items()) == [
        ("openclaw-agent", "sqlite"),
        ("s1", "jsonl"),
        ("s2", "jsonl"),
    ]
    assert found.excluded == (str(deleted),)
    assert found.there
    assert not found.unreadable


def test_scan_of_what_is_not_there(tmp_path: Path) -> None:
    """A folder that does not exist is empty and said not to be there; one that cannot be read is named."""
    assert not scan(TalkFolder("claude-code", tmp_path / "no"), FORMATS["claude-code"]).there
    (tmp_path / "empty").mkdir()
    assert scan(TalkFolder("claude-code", tmp_path / "empty"), FORMATS["claude-code"]).there
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert list(scan(TalkFolder("claude-code", loop), FORMATS["claude-code"]).unreadable) == [str(loop)]


def test_hidden_parent_hides_nothing(tmp_path: Path) -> None:
    """C78: rules for names hold below the root only."""
    root = tmp_path / ".hidden" / "tmp.tmp" / "projects"
    touch(root / "-slug" / "a.jsonl")
    assert len(scan(TalkFolder("claude-code", root), FORMATS["claude-code"]).found) == 1


def test_linked_transcript_counts_once(tmp_path: Path) -> None:
    """A link to a transcript is the transcript."""
    root = tmp_path / "projects"
    real = touch(root / "-slug" / "a.jsonl")
    (root / "-slug" / "b.jsonl").symlink_to(real)
    assert list(scan(TalkFolder("claude-code", root), FORMATS["claude-code"]).found) == [str(real)]


def test_locate() -> None:
    """Events name files, WALs and things that are none of ours."""
    folders = {
        os.sep + "c": (TalkFolder("claude-code", Path("/c")), FORMATS["claude-code"]),
        os.sep + "o": (TalkFolder("openclaw", Path("/o")), FORMATS["openclaw"]),
    }
    assert locate("/c/-slug/a.jsonl", folders) == TalkFile(
        "claude-code", "/c/-slug/a.jsonl", ("-slug", "a.jsonl")
    )
    database = locate("/o/main/agent/openclaw-agent.sqlite-wal", folders)
    assert database is not None
    assert (database.path, database.form) == ("/o/main/agent/openclaw-agent.sqlite", "sqlite")
    for path in ("/c/-slug/a.txt", "/cc/-slug/a.jsonl", "/o/main/sessions/s.jsonl.deleted.2026", "/c"):
        assert locate(path, folders) is None


def test_look_at_a_database_counts_its_wal(tmp_path: Path) -> None:
    """Size and time of a database are those of it and its WAL."""
    path = touch(tmp_path / "openclaw-agent.sqlite")
    (tmp_path / "openclaw-agent.sqlite-wal").write_bytes(b"1234")
    file = TalkFile("openclaw", str(path), ("main", "agent", path.name), "sqlite")
    assert look_at(file).size == 4
    with pytest.raises(FileNotFoundError):
        look_at(TalkFile("openclaw", str(tmp_path / "no"), ("main",)))


def test_hanging_folder_is_given_up() -> None:
    """C76: a drive that does not answer costs one wait, and is left alone until it does."""
    release, asked = threading.Event(), []
    patience: Patience[int] = Patience(0.05)

    def hang() -> int:
        asked.append(1)
        release.wait(10)
        return 1

    assert patience.run("drive", hang) is None
    assert patience.run("drive", hang) is None
    assert len(asked) == 1
    release.set()
    patience._hanging["drive"].join(10)
    assert patience.run("drive", lambda: 2) == 2


def test_progress_estimates(monkeypatch: Any) -> None:
    """Bytes, files, the time left, and a stall."""
    from libra.sources.progress import Tally

    tally = Tally()
    tally.known("a", "h", 600, 0.0)
    tally.known("b", "h", 400, 0.0)
    assert (tally.progress(0.5, 60).eta_s, tally.progress(0.5, 60).busy) == (None, True)
    tally.advanced("a", 350, 5.0)
    half = tally.progress(5.0, 60)
    assert (half.bytes_done, half.bytes_known, half.eta_s, half.files_done) == (250, 1000, 15.0, 0)
    assert tally.progress(66.0, 60).stalled
    tally.advanced("a", 0, 67.0)
    tally.advanced("b", 0, 68.0)
    end = tally.progress(68.0, 60)
    assert (end.files_done, end.files_known, end.busy, end.stalled) == (2, 2, False, False)
    tally.gone("a")
    assert tally.progress(70.0, 60).files_known == 1
