"""Whole lines of a growing file, read on from a cursor that survives rename, truncation and rewriting.

A file that its host has packed away with Zstandard is read like a plain one: offsets count unpacked bytes, so that
the cursor of the plain file fits the packed one.

Cut at byte 0x0A only: ``str.splitlines`` would also cut at U+2028, U+0085 and form feed, which stand inside
JSON strings. A line without its newline waits. Memory is bounded by one chunk and one line.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import BinaryIO, Final, Self

from libra.ground.records import Cursor, Metadata
from libra.sources.packed import Stream, Unpacked, is_packed

PACKED: Final = "zst"
"""Form of a cursor of a packed file."""
WHOLE: Final = "json"
"""Form of a cursor of a file that is read as a whole: its size says that all of it was read."""
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class LineParams:
    """Sizes of the cursor contract.

    Attributes:
        line_max_bytes: Longer lines are skipped and counted.
        chunk_bytes: How much is read at once.
        head_bytes: How much of the file's start the cursor remembers.
        tail_bytes: How much before the read position it remembers.
        unpacked_max_bytes: A packed file that holds more than this is read up to there.

    Source: transcripts.md, A cursor that survives everything.
    """

    line_max_bytes: int = 8 * 1024 * 1024
    chunk_bytes: int = 1024 * 1024
    head_bytes: int = 1024
    tail_bytes: int = 256
    unpacked_max_bytes: int = 4 * 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Line:
    """One complete line: its 1-based number and its bytes without the line end."""

    number: int
    data: bytes


class LineFile:
    """A file opened for reading on from a cursor; use it as a context manager.

    If the cursor does not fit the file any more (shorter than the read position, other first bytes, other
    bytes before the position), reading starts again at 0 and ``restarted`` is True: identity by event makes
    that harmless.

    Args:
        path: The file.
        host: Whose file it is; goes into the cursor.
        cursor: Where reading stopped, or None.
        params: Sizes.

    Raises:
        OSError: The file cannot be opened.
    """

    def __init__(self, path: str, host: str, cursor: Cursor | None, params: LineParams | None = None) -> None:
        self._params = params or LineParams()
        self._file: BinaryIO = io.open(path, "rb", buffering=0)  # noqa: SIM115, UP020 - closed by __exit__
        try:
            self._begin(path, host, cursor)
        except OSError:
            self._file.close()
            raise

    def _begin(self, path: str, host: str, cursor: Cursor | None) -> None:
        """Look at the file, and decide where to start."""
        stat = os.fstat(self._file.fileno())
        self._size = stat.st_size
        self._packed = is_packed(self._file)
        self._stream: Stream = self._file
        if self._packed:
            self._stream = Unpacked(self._file, self._params.unpacked_max_bytes)
        self._head = self._at(0, self._params.head_bytes)
        fits = cursor is not None and self._fits(cursor)
        self.restarted = cursor is not None and cursor.offset > 0 and not fits
        start = cursor if cursor is not None and fits else Cursor(path=path, host=host)
        self._start = replace(
            start,
            path=path,
            host=host,
            form=PACKED if self._packed else "jsonl",
            device=stat.st_dev,
            inode=stat.st_ino,
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
        )
        self._offset = start.offset
        self._lines = start.lines
        self._oversize = start.oversize_lines
        self.bad_lines = start.bad_lines
        self.at_end = False
        begin = max(self._offset - self._params.tail_bytes, 0)
        self._tail = self._at(begin, self._offset - begin)
        self._buffer = b""
        self._skipped = 0
        self._skipped_tail = b""
        self._buffer_at = self._offset

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def parser(self) -> Metadata:
        """What the host's parser remembered when reading stopped; empty at the start of a file."""
        return self._start.parser

    @property
    def size(self) -> int:
        """Bytes in the file when it was opened, as it lies on the disk."""
        return self._size

    @property
    def offset(self) -> int:
        """Bytes taken so far, from the start of the file."""
        return self._offset

    def lines(self) -> Iterator[Line]:
        """Yield the complete lines from the read position on; blank lines are counted but not yielded."""
        self._stream.seek(self._offset)
        while chunk := self._stream.read(self._params.chunk_bytes):
            yield from self._cut(chunk)
        self.at_end = True
        self.bad_lines += isinstance(self._stream, Unpacked) and self._stream.damaged

    def cursor(self, session_key: str | None = None, parser: Metadata | None = None) -> Cursor:
        """Return the cursor that is true after the last line that was yielded."""
        tail = self._tail
        if (taken := self._offset - self._buffer_at) > 0:
            tail = (tail + self._skipped_tail + self._buffer[:taken])[-self._params.tail_bytes :]
        head = self._head[: min(self._offset, len(self._head))]
        return replace(
            self._start,
            # Of a packed file the size says that all of it was read.
            size=self._size if self.at_end or not self._packed else 0,
            offset=self._offset,
            head_sha256=_sha256(head),
            head_bytes=len(head),
            tail_sha256=_sha256(tail),
            lines=self._lines,
            bad_lines=self.bad_lines,
            oversize_lines=self._oversize,
            waiting_bytes=self._skipped + len(self._buffer) if self.at_end else 0,
            session_key=session_key,
            parser=parser if parser is not None else self._start.parser,
        )

    def start(self) -> Cursor:
        """Return a cursor at the file's start."""
        now = self._start
        begin = Cursor(now.path, now.host, now.form, now.device, now.inode, now.size, mtime_ns=now.mtime_ns)
        return replace(begin, session_key=now.session_key)

    def unmoved(self, session_key: str | None = None) -> Cursor:
        """Return the cursor as it stood when the file was opened: true whatever becomes of the lines."""
        return replace(self._start, waiting_bytes=0, session_key=session_key or self._start.session_key)

    def _cut(self, chunk: bytes) -> Iterator[Line]:
        """Yield the lines that end in ``chunk``; keep the rest."""
        limit = self._params.line_max_bytes
        skipped = self._skipped
        self._buffer += chunk
        pieces = self._buffer.split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            length = skipped + len(piece)
            skipped = 0
            first = self._offset == 0
            self._offset += length + 1
            self._lines += 1
            if length > limit:
                self._oversize += 1
                continue
            data = piece[:-1] if piece.endswith(b"\r") else piece
            if first and data.startswith(_BOM):
                data = data[len(_BOM) :]
            if data and not data.isspace():
                yield Line(self._lines, data)
        self._keep(rest)

    def _keep(self, rest: bytes) -> None:
        """Hold the unfinished line; of one that is too long to be taken, hold its length and its end only."""
        keep = self._params.tail_bytes
        if taken := self._buffer[: len(self._buffer) - len(rest)]:
            self._tail = (self._tail + self._skipped_tail + taken)[-keep:]
            self._skipped, self._skipped_tail = 0, b""
        if self._skipped + len(rest) > self._params.line_max_bytes:
            self._skipped += len(rest)
            self._skipped_tail = (self._skipped_tail + rest)[-keep:]
            rest = b""
        self._buffer = rest
        self._buffer_at = self._offset + self._skipped

    def _fits(self, cursor: Cursor) -> bool:
        """Whether the bytes that the cursor remembers are still there."""
        if (self._size < cursor.offset and not self._packed) or (
            cursor.offset > 0 and cursor.head_bytes <= 0
        ):
            return False
        if _sha256(self._at(0, cursor.head_bytes)) != cursor.head_sha256 and cursor.offset > 0:
            return False
        begin = max(cursor.offset - self._params.tail_bytes, 0)
        return cursor.offset == 0 or _sha256(self._at(begin, cursor.offset - begin)) == cursor.tail_sha256

    def _at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset`` on."""
        self._stream.seek(offset)
        parts: list[bytes] = []
        while count > 0 and (part := self._stream.read(count)):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def is_unchanged(cursor: Cursor, size: int, mtime_ns: int) -> bool:
    """Whether the cursor has seen all of a file that now has this size and time.

    A cursor from the middle of a file never says so, even if the file itself did not change since.
    """
    if cursor.form in {PACKED, WHOLE}:
        return cursor.size == size and cursor.mtime_ns == mtime_ns
    return cursor.offset + cursor.waiting_bytes == size == cursor.size and cursor.mtime_ns == mtime_ns


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
