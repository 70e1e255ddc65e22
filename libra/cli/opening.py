"""Opens what is to be imported: a file or a folder into records, with bounds on what a file may cost.

A zip is never unpacked: the one member that is known by its name is read within a bound, so that neither its paths nor
what it claims of its sizes matter. A JSON document is read whole, lines are read one by one.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson

from libra.exchange import recognise
from libra.exchange.notes import bullets
from libra.ground.errors import InvalidParams, OverLimit
from libra.sources import claude_mem, lance

_MEMBER = "conversations.json"
_MARKDOWN = "memory-md"
"""Markdown: by its ending, or because the person says so."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds.

    Attributes:
        document_bytes: A JSON document, packed or not, may hold so much.
        line_bytes: A line may.
        note_bytes: A Markdown file may.
        note_files: Markdown files of a folder.
    """

    document_bytes: int = 1024 * 1024 * 1024
    line_bytes: int = 16 * 1024 * 1024
    note_bytes: int = 4 * 1024 * 1024
    note_files: int = 10_000


Moved = Callable[[int], None]
"""Told how many bytes have been read."""


def records(path: Path, system: str | None, params: Bounds, moved: Moved) -> tuple[str, Iterator[Any]]:
    """Return which system wrote a file, and its records.

    Args:
        path: A file, a folder of Markdown, or a folder of LanceDB.
        system: What the person says it is; None to find it from the file.
        params: Bounds.
        moved: For the progress bar.

    Raises:
        InvalidParams: It cannot be read, or it is not known whose it is.
        OverLimit: It is larger than the bounds.
        SourceError: A database cannot be read, or LanceDB is not installed.
    """
    try:
        if lance.is_folder(path):
            return _of_rows(iter(lance.rows(path)), system)
        if path.is_dir() or path.suffix.lower() in {".md", ".markdown"} or system == _MARKDOWN:
            return _MARKDOWN, _notes(path, params)
        with path.open("rb") as file:
            head = file.read(4096)
        if claude_mem.is_database(head):
            return "claude-mem", recognise.records(claude_mem.rows(str(path.absolute())), "claude-mem")
        if head.startswith(b"PK\x03\x04"):
            rows: Iterator[Any] = iter(recognise.rows_of(_parsed(_packed(path, params))))
        elif _is_lines(head, path):
            rows = _lines(path, params, moved)
        else:
            rows = iter(recognise.rows_of(_parsed(_whole(path, params))))
    except OSError as error:
        raise InvalidParams(f"{path.name} cannot be read: {error.strerror}", where="path") from error
    return _of_rows(rows, system)


def _of_rows(rows: Iterator[Any], system: str | None) -> tuple[str, Iterator[Any]]:
    """Return which system wrote rows, by the first of them, and their records.

    Raises:
        InvalidParams: It is not known whose they are.
    """
    first = next(rows, None)
    found = system or recognise.system_of(first)
    if found is None:
        known = ", ".join(recognise.SYSTEMS)
        raise InvalidParams(
            "this file is of no system that is known", where="path", hint=f"--from says which: {known}"
        )
    return found, recognise.records(_chained(first, rows), found)


def _chained(first: Any, rows: Iterator[Any]) -> Iterator[Any]:
    if first is not None:
        yield first
    yield from rows


def _is_lines(head: bytes, path: Path) -> bool:
    """Say whether a file is one JSON value a line: by its name, or since its first line is one whole object."""
    if path.suffix.lower() in {".ndjson", ".jsonl"}:
        return True
    line, newline, _ = head.partition(b"\n")
    try:
        return bool(newline) and isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _lines(path: Path, params: Bounds, moved: Moved) -> Iterator[Any]:
    """Yield the values of a file's lines; None for one that is no JSON."""
    done = 0
    with path.open("rb") as file:
        while line := file.readline(params.line_bytes + 1):
            if len(line) > params.line_bytes:
                raise OverLimit(
                    f"a line of the file holds more than {params.line_bytes:,} bytes", where="path"
                )
            done += len(line)
            moved(done)
            if not line.strip():
                continue
            try:
                yield orjson.loads(line.removeprefix(b"\xef\xbb\xbf"))
            except orjson.JSONDecodeError:
                yield "no JSON"


def _whole(path: Path, params: Bounds) -> bytes:
    with path.open("rb") as file:
        return _bounded(file, params.document_bytes)


def _bounded(file: IO[bytes], most: int) -> bytes:
    data = file.read(most + 1)
    if len(data) > most:
        raise OverLimit(f"the file holds more than {most:,} bytes", where="path")
    return data


def _packed(path: Path, params: Bounds) -> bytes:
    """Return the conversations of a web export."""
    try:
        with zipfile.ZipFile(path) as packed:
            names = [n for n in packed.namelist() if n.rsplit("/", 1)[-1] == _MEMBER]
            if not names:
                raise InvalidParams(f"the zip holds no {_MEMBER}", where="path")
            with packed.open(min(names, key=len)) as member:
                return _bounded(member, params.document_bytes)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        raise InvalidParams(
            "the zip is damaged, packed in an unknown way, or locked", where="path"
        ) from error


def _parsed(data: bytes) -> Any:
    try:
        return orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        raise InvalidParams("the file is no JSON in UTF-8", where="path") from None


def _notes(path: Path, params: Bounds) -> Iterator[Any]:
    """Yield the bullets of a Markdown file, or of all Markdown files of a folder in order of their names."""
    files = sorted(p for p in path.rglob("*.md") if p.is_file()) if path.is_dir() else [path]
    if len(files) > params.note_files:
        raise OverLimit(f"the folder holds more than {params.note_files:,} Markdown files", where="path")
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        with file.open("rb") as opened:
            text = _bounded(opened, params.note_bytes).decode("utf-8", "replace")
        yield from bullets(text, name)
