"""What a host has packed away is read like what it was before, within bounds (C03)."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.records import Cursor
from libra.sources.lines import LineFile, LineParams, is_unchanged
from libra.sources.packed import unpack

TALK = b"".join(b'{"line":%d}\n' % number for number in range(200))


def packed(data: bytes) -> bytes:
    """Return data as one frame."""
    return zstandard.ZstdCompressor().compress(data)


def read(
    path: Path, cursor: Cursor | None = None, params: LineParams | None = None
) -> tuple[list[bytes], Cursor]:
    """Return all whole lines after a cursor, and the cursor after them."""
    with LineFile(str(path), "h", cursor, params) as file:
        return [line.data for line in file.lines()], file.cursor("h:s")


def test_the_name_says_nothing(tmp_path: Path) -> None:
    """Packed data under a plain name and plain lines under ``.zst`` are both read."""
    (tmp_path / "a.jsonl").write_bytes(packed(TALK))
    (tmp_path / "b.jsonl.zst").write_bytes(TALK)
    assert read(tmp_path / "a.jsonl")[0] == read(tmp_path / "b.jsonl.zst")[0] == TALK.split(b"\n")[:-1]


def test_cursor_of_the_plain_file_fits_the_packed_one(tmp_path: Path) -> None:
    """A transcript that is packed away between two reads goes on where it was: no line twice, none lost."""
    plain, cold = tmp_path / "r.jsonl", tmp_path / "r.jsonl.zst"
    plain.write_bytes(TALK)
    first, cursor = read(plain)
    cold.write_bytes(packed(TALK + b'{"more":1}\n'))
    assert read(cold, cursor)[0] == [b'{"more":1}']
    assert len(first) == 200


def test_slices_and_the_end(tmp_path: Path) -> None:
    """Read in the middle, the file is not done; at its end it is, until it changes."""
    path = tmp_path / "r.jsonl.zst"
    path.write_bytes(packed(TALK))
    stat = path.stat()
    with LineFile(str(path), "h", None, LineParams(chunk_bytes=64)) as file:
        first = [line.data for _, line in zip(range(10), file.lines(), strict=False)]
        cursor = file.cursor()
    assert not is_unchanged(cursor, stat.st_size, stat.st_mtime_ns)
    rest, cursor = read(path, cursor)
    assert first + rest == TALK.split(b"\n")[:-1]
    assert is_unchanged(cursor, stat.st_size, stat.st_mtime_ns)
    assert not is_unchanged(cursor, stat.st_size + 1, stat.st_mtime_ns)


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 4000), flip=st.integers(0, 4000), frames=st.integers(1, 3))
def test_torn_and_damaged_files_give_their_beginning(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flip: int, frames: int
) -> None:
    """A half-written or damaged file brings whole lines from its start, none that is not there, and no error."""
    path = tmp_path_factory.mktemp("torn") / "r.jsonl.zst"
    data = bytearray(b"".join(packed(TALK) for _ in range(frames)))
    if flip < len(data):
        data[flip] ^= 0x55
    path.write_bytes(bytes(data[: max(cut, 4)]))
    lines = (TALK * frames).split(b"\n")[:-1]
    got, _ = read(path)
    whole = flip >= len(data) or flip >= max(cut, 4)
    assert not whole or got == lines[: len(got)]


def test_truncated_frame_is_a_torn_last_line(tmp_path: Path) -> None:
    """The lines before the tear are taken; the rest is taken when the file is whole."""
    path = tmp_path / "r.jsonl.zst"
    packer = zstandard.ZstdCompressor().compressobj()
    start = packer.compress(TALK[:100]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    rest = packer.compress(TALK[100:]) + packer.flush()
    path.write_bytes(start)
    got, cursor = read(path)
    assert got == TALK[:100].split(b"\n")[:-1]
    assert cursor.bad_lines == 0
    path.write_bytes(start + rest)
    more, cursor = read(path, cursor)
    assert got + more == TALK.split(b"\n")[:-1]


def test_bombs_end_at_the_bound(tmp_path: Path) -> None:
    """A few kilobytes that unpack to gigabytes take neither the memory nor the day."""
    path = tmp_path / "r.jsonl.zst"
    path.write_bytes(packed(b"one\n" + b"x" * 50_000_000 + b"\ntwo\n"))
    params = LineParams(line_max_bytes=1000, unpacked_max_bytes=1_000_000)
    got, cursor = read(path, None, params)
    assert got == [b"one"]
    assert cursor.bad_lines == 1
    assert unpack(packed(b"x" * 5000), 1000) is None
    assert unpack(packed(b"x" * 5000), 5000) == b"x" * 5000
    assert unpack(b"x" * 50, 5000) is None


def test_a_frame_that_asks_for_much_memory_is_refused(tmp_path: Path) -> None:
    """A window of 128 MiB is no transcript's: it counts as damage."""
    path = tmp_path / "r.jsonl.zst"
    how = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=how).compressobj()
    path.write_bytes(packer.compress(TALK) + packer.flush())
    got, cursor = read(path)
    assert (got, cursor.bad_lines) == ([], 1)
