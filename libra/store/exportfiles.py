"""Take words out of files that Libra wrote: exports line by line, logs in place. Other files are left as they are."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from libra.store.connection import translate_os

_HEADER = "libra-export"
_BLANK = b"*"


def is_export(path: Path) -> bool:
    """Say whether a file begins as an export of Libra does; False for a link and for what cannot be read."""
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            first = orjson.loads(file.readline(4_096))
    except (OSError, orjson.JSONDecodeError):
        return False
    return isinstance(first, dict) and first.get("kind") == _HEADER


def rewrite(path: Path, change: Callable[[str], str]) -> int:
    """Change the words of an export, in its place; return how many lines were changed.

    Raises:
        StoreError: The file could not be written; it is as it was.
    """
    partial = path.with_name(path.name + ".partial")
    changed = 0
    try:
        with (
            path.open("rb") as source,
            os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out,
        ):
            for line in source:
                fresh = _line(line, change)
                changed += fresh != line
                out.write(fresh)
            out.flush()
            os.fsync(out.fileno())
        if changed:
            _blank_all(path)
            partial.replace(path)
    except OSError as error:
        raise translate_os(error, path) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    return changed


def _line(line: bytes, change: Callable[[str], str]) -> bytes:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return change(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    fresh = _mapped(record, change)
    return line if fresh == record else orjson.dumps(fresh) + b"\n"


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(k): _mapped(v, change) for k, v in value.items()}
    if isinstance(value, list):
        return [_mapped(v, change) for v in value]
    return value


def _blank_all(path: Path) -> None:
    """Overwrite a file that is about to be replaced, so that its blocks hold nothing where the disk writes in place."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        for start in range(0, size, 1 << 20):
            file.write(bytes(min(1 << 20, size - start)))
        file.flush()
        os.fsync(file.fileno())


def blank(path: Path, needles: Sequence[bytes]) -> int:
    """Overwrite words in a log that may be open for writing: same length, same place; return how many there were.

    Raises:
        StoreError: The file could not be written.
    """
    hits = 0
    try:
        with path.open("r+b") as file:
            held = file.read().lower()
            for needle in needles:
                at = held.find(needle)
                while at >= 0:
                    file.seek(at)
                    file.write(_BLANK * len(needle))
                    hits += 1
                    at = held.find(needle, at + len(needle))
    except OSError as error:
        raise translate_os(error, path) from error
    return hits
