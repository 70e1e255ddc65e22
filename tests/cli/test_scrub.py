"""``libra scrub`` as a person types it, with a real engine behind the real socket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from libra.engine.core import Engine


def test_it_is_shown_then_done_then_proven(app: Engine, libra: Any, tmp_path: Path) -> None:
    """The whole way: look first, nothing changes; then everywhere, the export too; the word is read from standard input."""
    app.remember(text="The gate code is Quuxly-81.")
    file = tmp_path / "memory.ndjson"
    assert libra("export", str(file)).code == 0
    shown = libra("scrub", "quuxly-81", "--dry-run")
    assert shown.code == 0
    assert str(file) in shown.out
    assert b"Quuxly-81" in file.read_bytes()
    assert libra("scrub", "quuxly-81").code == 2
    done = libra("scrub", "-", "--yes", "--json", stdin=b"Quuxly-81\n")
    assert (done.code, done.json["ok"], done.json["changed"]["exports"]) == (0, True, 1)
    assert b"Quuxly-81" not in file.read_bytes()
    assert libra("import", "verify", str(file)).code == 0
