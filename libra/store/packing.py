"""Copies of the database as packed files: written, compared with what was copied, and read again."""

from __future__ import annotations

import gzip
import os
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

from libra.ground.errors import StoreDamaged

_LEVEL = 3
"""Of compression: from here on more time buys little."""
_BLOCK_BYTES = 1024 * 1024


def private(path: Path) -> None:
    """Make an empty file that nobody else can read, in the place of what is there."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)


def pack(plain: Path, packed: Path) -> None:
    """Pack a file; it is on the disk when this returns."""
    private(packed)
    with plain.open("rb") as source, packed.open("wb") as raw:
        with gzip.GzipFile("", "wb", _LEVEL, raw, 0) as file:
            shutil.copyfileobj(source, file, _BLOCK_BYTES)
        raw.flush()
        os.fsync(raw.fileno())


def compare(packed: Path, plain: Path) -> None:
    """Unpack to nowhere and compare; gzip's own checksum would not see a file that was packed wrong.

    Raises:
        StoreDamaged: They are not the same.
        OSError: One cannot be read.
    """
    with plain.open("rb") as source:
        for block in unpacked(packed):
            if block != source.read(len(block)):
                raise StoreDamaged("the packed copy is not what was copied", where=str(packed))
        if source.read(1):
            raise StoreDamaged("the packed copy is too short", where=str(packed))


def unpacked(file: Path) -> Iterator[bytes]:
    """Yield the bytes of the database in a copy, packed or not.

    Raises:
        StoreDamaged: The file is cut or its checksum is wrong.
        OSError: It cannot be read.
    """
    try:
        with file.open("rb") if file.suffix == ".db" else gzip.open(file, "rb") as source:
            while block := source.read(_BLOCK_BYTES):
                yield block
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StoreDamaged("the backup is damaged: it cannot be unpacked", where=str(file)) from error


def on_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlive the power; a system that cannot do that to a folder is let be."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder on Windows
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
