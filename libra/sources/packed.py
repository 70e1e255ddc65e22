"""Zstandard: files and blobs that a host has packed away, unpacked as a stream within bounds.

Recognised by their first bytes, never by their names. What ends in the middle of a frame ends like a torn line;
damage is an end, too, and is told. A file that unpacks to more than it may (a decompression bomb) ends there.

Source: transcripts.md, Codex (magic bytes); lessons.md C03.
"""

from __future__ import annotations

import os
from typing import BinaryIO, Final, Protocol

MAGIC: Final = b"\x28\xb5\x2f\xfd"
_WINDOW_MAX_BYTES: Final = 64 * 1024 * 1024
"""What a frame may ask us to hold; the packer's highest ordinary level needs 8 MiB."""
_SKIP_BYTES: Final = 1024 * 1024


class Stream(Protocol):
    """The part of a file that the reading of lines needs."""

    def read(self, count: int, /) -> bytes:
        """Return up to ``count`` bytes, b"" at the end."""
        ...

    def seek(self, offset: int, /) -> int:
        """Go to a place, counted from the start."""
        ...


class Unpacked:
    """The unpacked bytes of an open file; going back begins anew, so read on rather than back.

    Args:
        file: The packed file, open for reading; stays the caller's to close.
        max_bytes: More than this is not unpacked.
    """

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self.damaged = False
        """The data was damaged, or unpacked to too much; what came before stands."""
        self._begin()

    def read(self, count: int, /) -> bytes:
        """Return up to ``count`` bytes; b"" at the end, at damage and at the bound."""
        import zstandard

        if self.damaged:
            return b""
        try:
            data: bytes = self._reader.read(count)
        except zstandard.ZstdError:
            self.damaged = True
            return b""
        self._at += len(data)
        self.damaged = self._at > self._max_bytes
        return data

    def seek(self, offset: int, /) -> int:
        """Go to a place; it may lie beyond the end."""
        if offset < self._at:
            self._begin()
        while self._at < offset and self.read(min(offset - self._at, _SKIP_BYTES)):
            pass
        return self._at

    def _begin(self) -> None:
        import zstandard

        self._file.seek(0)
        unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_MAX_BYTES)
        self._reader = unpacker.stream_reader(self._file, read_across_frames=True, closefd=False)
        self._at = 0
        self.damaged = False


def is_packed(file: BinaryIO) -> bool:
    """Whether an open file holds packed data; its position is moved."""
    file.seek(0, os.SEEK_SET)
    return file.read(len(MAGIC)) == MAGIC


def unpack(blob: bytes, limit: int) -> bytes | None:
    """Return the unpacked bytes of a blob; None for damaged data or more than ``limit`` bytes."""
    import zstandard

    if not blob.startswith(MAGIC):
        return None
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_MAX_BYTES)
    try:
        with unpacker.stream_reader(blob) as reader:
            data: bytes = reader.read(limit + 1)
    except zstandard.ZstdError:
        return None
    return data if len(data) <= limit else None
