"""The cursor contract: whole lines, no line twice, none lost, whatever happens to the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.records import Cursor
from libra.sources.lines import LineFile, LineParams, is_unchanged

SMALL = LineParams(line_max_bytes=64, chunk_bytes=16)


def read(
    path: Path, cursor: Cursor | None = None, params: LineParams | None = None
) -> tuple[list[bytes], Cursor]:
    """Return all whole lines after a cursor, and the cursor after them."""
    with LineFile(str(path), "h", cursor, params) as file:
        got = [line.data for line in file.lines()]
        return got, file.cursor("h:s")


def test_lines_are_cut_at_line_feeds_only(tmp_path: Path) -> None:
    """U+2028, U+0085 and form feed stand inside lines."""
    path = tmp_path / "a"
    whole = "x\u2028y\u0085z\x0cw"
    path.write_text(f"{whole}\nnext\n", encoding="utf-8")
    assert read(path)[0] == [whole.encode(), b"next"]


def test_bom_crlf_and_blank_lines(tmp_path: Path) -> None:
    """A BOM and carriage returns are no part of a line; blank lines count but say nothing."""
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\r\n  \ntwo\r\n")
    got, cursor = read(path)
    assert got == [b"one", b"two"]
    assert cursor.lines == 4


def test_unterminated_line_waits(tmp_path: Path) -> None:
    """The last line is held back until its newline comes, then it is taken once."""
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\nthr")
    got, cursor = read(path)
    assert got == [b"one", b"two"]
    assert cursor.waiting_bytes == 3
    with path.open("ab") as file:
        file.write(b"ee\n")
    got, cursor = read(path, cursor)
    assert got == [b"three"]
    assert (cursor.waiting_bytes, cursor.lines) == (0, 3)
    assert read(path, cursor)[0] == []


def test_oversize_line_is_skipped_and_counted(tmp_path: Path) -> None:
    """A line over the limit is no reason to stop; the cursor moves over it."""
    path = tmp_path / "a"
    path.write_bytes(b"one\n" + b"x" * 1000 + b"\ntwo\n")
    got, cursor = read(path, None, SMALL)
    assert got == [b"one", b"two"]
    assert (cursor.oversize_lines, cursor.lines, cursor.offset) == (1, 3, path.stat().st_size)
    assert read(path, cursor, SMALL)[0] == []


def test_oversize_line_without_end_waits(tmp_path: Path) -> None:
    """An unfinished line over the limit waits too, and its cursor still fits the file."""
    path = tmp_path / "a"
    path.write_bytes(b"one\n" + b"x" * 1000)
    got, cursor = read(path, None, SMALL)
    assert got == [b"one"]
    assert (cursor.offset, cursor.waiting_bytes) == (4, 1000)
    with path.open("ab") as file:
        file.write(b"x\ntwo\n")
    with LineFile(str(path), "h", cursor, SMALL) as file:
        assert [line.data for line in file.lines()] == [b"two"]
        assert not file.restarted


def test_real_limit_is_eight_mebibytes(tmp_path: Path) -> None:
    """A line of 8 MiB and one byte is skipped with the shipped sizes."""
    path = tmp_path / "a"
    path.write_bytes(b"one\n" + b"y" * (8 * 1024 * 1024 + 1) + b"\ntwo\n")
    got, cursor = read(path)
    assert got == [b"one", b"two"]
    assert cursor.oversize_lines == 1


@pytest.mark.parametrize(
    "now",
    [b"ONE\ntwo\nthree\n", b"one\ntWo\nthree\n", b"one\n", b"", b"zero\none\ntwo\n"],
    ids=["other head", "other tail", "shorter", "empty", "shifted"],
)
def test_rewritten_file_is_read_again(tmp_path: Path, now: bytes) -> None:
    """Another head, another tail or a shorter file make the cursor void."""
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    _, cursor = read(path)
    path.write_bytes(now)
    with LineFile(str(path), "h", cursor) as file:
        assert [line.data for line in file.lines()] == now.split(b"\n")[:-1]
        assert file.restarted
        assert file.parser == {}


def test_rename_keeps_the_cursor(tmp_path: Path) -> None:
    """A cursor fits the same bytes under another name."""
    old, new = tmp_path / "a", tmp_path / "b"
    old.write_bytes(b"one\n")
    _, cursor = read(old)
    old.rename(new)
    with LineFile(str(new), "h", replace(cursor, path=str(new))) as file:
        assert not list(file.lines())
        assert not file.restarted


def test_cursor_from_the_middle_never_looks_complete(tmp_path: Path) -> None:
    """A half-read file that did not change since is still read on."""
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    stat = path.stat()
    with LineFile(str(path), "h", None) as file:
        next(file.lines())
        half = file.cursor()
    assert half.offset == 4
    assert not is_unchanged(half, stat.st_size, stat.st_mtime_ns)
    _, whole = read(path, half)
    assert is_unchanged(whole, stat.st_size, stat.st_mtime_ns)


def test_unmoved_cursor_stays_true(tmp_path: Path) -> None:
    """The unmoved cursor gives everything again."""
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    with LineFile(str(path), "h", None) as file:
        list(file.lines())
        unmoved = file.unmoved()
    assert read(path, unmoved)[0] == [b"one", b"two"]


PIECE = st.lists(
    st.binary(max_size=40).map(lambda b: b.replace(b"\n", b" ").replace(b"\r", b" ")), max_size=12
)


@settings(max_examples=60, deadline=None)
@given(pieces=PIECE, cut=st.integers(0, 400), chunk=st.integers(1, 50), limit=st.integers(8, 50))
def test_any_growth_gives_every_line_once(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], cut: int, chunk: int, limit: int
) -> None:
    """However a file grows and however it is chunked, each line comes once, in order, or is counted."""
    path = tmp_path_factory.mktemp("grow") / "a"
    data = b"".join(piece + b"\n" for piece in pieces)
    params = LineParams(line_max_bytes=limit, chunk_bytes=chunk, head_bytes=10, tail_bytes=6)
    path.write_bytes(data[:cut])
    first, cursor = read(path, None, params)
    path.write_bytes(data)
    with LineFile(str(path), "h", cursor, params) as file:
        second = [line.data for line in file.lines()]
        assert not file.restarted
        end = file.cursor()
    fits = [p for p in pieces if len(p) <= limit]
    expected = [p for i, p in enumerate(fits) if p and not p.isspace()]
    got = first + second
    if pieces and pieces[0].startswith(b"\xef\xbb\xbf"):
        return
    assert got == expected
    assert end.oversize_lines == len(pieces) - len(fits)
    assert (end.offset, end.lines) == (len(data), len(pieces))
