"""How much memory the reading of history takes (lessons.md C64)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from libra.sources.events import ParseParams
from libra.sources.formats import formats
from libra.sources.slices import TalkFile
from libra.sources.transcripts import SliceParams

_MIB = 1024 * 1024


@pytest.mark.parametrize(("turns", "width"), [(3_000, 8_000), (60, 400_000)])
def test_a_large_transcript_is_never_in_memory(tmp_path: Path, lines: Any, turns: int, width: int) -> None:
    """24 MB of many turns, or of few that are long, read in slices of 1 MiB: the peak follows the slice, not the file."""
    path = tmp_path / "large.jsonl"
    with path.open("w") as file:
        for n in range(turns):
            file.write(
                lines.cc(f"u{n:08}", "user", f"{n} " + "word " * (width // 5), "2026-04-01T10:00:00.000Z")
            )
    assert path.stat().st_size > 22 * _MIB
    host = formats(ParseParams("me", tool_output=False, project_of=lambda _cwd: None))["claude-code"]
    job = host.job(
        TalkFile("claude-code", str(path), ("-work-app", path.name)),
        SliceParams(turns=500, slice_bytes=_MIB),
        None,
    )  # type: ignore[arg-type]
    cursor, seen, done = None, 0, False
    tracemalloc.start()
    try:
        while not done:
            slice_ = job.step(cursor)
            seen += sum(len(batch.turns) for batch in slice_.batches)
            cursor, done = slice_.cursor, slice_.done
            del slice_
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert seen == turns
    assert peak < 10 * _MIB, f"{peak / _MIB:.1f} MiB at the most"
