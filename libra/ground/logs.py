"""Logging set-up: lines on stderr and a small rotating file. Only ids, counts and paths are ever logged."""

from __future__ import annotations

import io
import logging
import logging.handlers
import os
import sys
from io import TextIOWrapper
from pathlib import Path

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FILE_BYTES = 2_000_000
_FILES_KEPT = 2


class _Private(logging.handlers.RotatingFileHandler):
    """A log file that only this user can read, from its first byte."""

    def _open(self) -> TextIOWrapper:
        opened = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return TextIOWrapper(io.FileIO(opened, "a"), encoding=self.encoding, errors=self.errors)


def setup(folder: Path | None, *, verbose: bool = False, stderr: bool = True) -> None:
    """Send Libra's log to stderr and, if ``folder`` can be written, to ``folder/libra.log``.

    Args:
        folder: Where the log file goes; None for stderr only.
        verbose: Log DEBUG lines too.
        stderr: False when a terminal should stay clean (progress bars).
    """
    root = logging.getLogger("libra")
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    root.propagate = False
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    if stderr:
        root.addHandler(logging.StreamHandler(sys.stderr))
    if folder is not None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            root.addHandler(
                _Private(
                    folder / "libra.log", maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8"
                )
            )
        except OSError as error:
            root.warning("no log file in %s: %s", folder, error.strerror)
    for handler in root.handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
