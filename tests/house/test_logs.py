"""The log does not grow for ever."""

from __future__ import annotations

import logging
from pathlib import Path

from libra.ground import logs


def test_log_files_rotate(tmp_path: Path) -> None:
    """Install and forget: after any number of lines there are at most three files of two megabytes."""
    logs.setup(tmp_path, stderr=False)
    try:
        log = logging.getLogger("libra.test")
        for number in range(4_500):
            log.info("line %d %s", number, "x" * 2_000)
        files = sorted(tmp_path.iterdir())
        assert [f.name for f in files] == ["libra.log", "libra.log.1", "libra.log.2"]
        assert all(f.stat().st_size <= 2_000_000 for f in files)
        assert "line 4499 " in (tmp_path / "libra.log").read_text("utf-8")
    finally:
        root = logging.getLogger("libra")
        for handler in list(root.handlers):
            root.removeHandler(handler)
            handler.close()
        root.propagate = True
        root.setLevel(logging.NOTSET)
