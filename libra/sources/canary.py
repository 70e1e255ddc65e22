"""The canary's first steps: an agent's file is written, seen to change, and read like any other."""

from __future__ import annotations

import contextlib
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import orjson

from libra.ground.errors import LibraError, SourceError
from libra.ground.records import Clock, NewTurn
from libra.sources.catalog import CLAUDE_CODE
from libra.sources.events import ParseParams
from libra.sources.formats import formats
from libra.sources.host_sqlite import DatabaseParams
from libra.sources.slices import TalkFile
from libra.sources.transcripts import SliceParams
from libra.sources.watcher import Watcher

_PATIENCE_S: Final = 10.0


def read_back(folder: Path, text: str, clock: Clock) -> tuple[NewTurn, ...]:
    """Write ``text`` into a transcript in ``folder``, and return what is read of it; the file is gone afterwards.

    Raises:
        SourceError: With the reason ``file``, ``watcher`` (no event came, though the folder is watched) or ``reader``.
    """
    name = f"canary-{secrets.token_hex(8)}"
    file = folder / f"{name}.jsonl"
    changed = threading.Event()
    watcher = Watcher(
        lambda change: changed.set() if Path(change.path).name == file.name else None, lambda _why: None
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        watcher.start()
        watcher.want({str(folder): False})
        watcher.check()
        _write(file, name, text, clock())
        if str(folder) not in watcher.blind() and watcher.count() and not changed.wait(_PATIENCE_S):
            raise SourceError("no event came of a file that was written", reason="watcher", where=str(folder))
        return _read(file)
    except OSError as error:
        raise SourceError(f"cannot write: {error.strerror}", reason="file", where=str(folder)) from error
    finally:
        watcher.stop()
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
            folder.rmdir()


def _write(file: Path, name: str, text: str, now_ms: int) -> None:
    line = {
        "type": "user", "uuid": name, "parentUuid": None, "isSidechain": False, "sessionId": name, "cwd": "/",
        "timestamp": datetime.fromtimestamp(now_ms / 1000, UTC).isoformat(), "message": {"role": "user", "content": text},
    }  # fmt: skip
    file.touch(mode=0o600)
    file.write_bytes(orjson.dumps(line) + b"\n")


def _read(file: Path) -> tuple[NewTurn, ...]:
    known = formats(ParseParams(""))[CLAUDE_CODE]
    try:
        piece = known.job(
            TalkFile(CLAUDE_CODE, str(file), (file.name,)), SliceParams(), DatabaseParams()
        ).step(None)
    except LibraError as error:
        raise SourceError(error.message, reason="reader", where=str(file)) from error
    turns = tuple(turn for batch in piece.batches for turn in batch.turns)
    if len(turns) != 1:
        raise SourceError("the turn was not read", reason="reader", where=str(file))
    return turns
