"""The canary's file is written, seen and read like an agent's, and is gone afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from libra.ground.errors import SourceError
from libra.sources.canary import read_back

TEXT = "The yellow bird is called canary123 today."


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    """A reader that finds nothing in a file that an agent writes learns nothing."""
    turns = read_back(tmp_path / "canary", TEXT, lambda: 1_775_932_200_000)
    assert [turn.content for turn in turns] == [TEXT]
    assert not (tmp_path / "canary").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A full or read-only disk is told as such."""
    (tmp_path / "canary").write_text("a file is in the way")
    with pytest.raises(SourceError) as told:
        read_back(tmp_path / "canary", TEXT, lambda: 0)
    assert told.value.reason == "file"
