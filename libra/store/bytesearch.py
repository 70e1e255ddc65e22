"""Look for words in the bytes of files: in the database's own through SQLite, in packed copies when they are unpacked.

Opening SQLite's files beside it would, on closing them, drop the locks that this very process holds on them (POSIX), so the
database and its log are read through the connection. The shared memory beside them (``-shm``) holds page numbers only.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw
import orjson

from libra.store import connection
from libra.text.scripts import lower

_BLOCK_BYTES = 1024 * 1024
_DATABASE, _JOURNAL = 0, 1


@dataclass(frozen=True, slots=True)
class Searched:
    """What was found in one file.

    Attributes:
        path: The file.
        bytes: How much was read: of a packed file, what it holds.
        hits: How often a word was found; None where the file could not be read.
    """

    path: str
    bytes: int
    hits: int | None


def forms(words: Sequence[str]) -> list[bytes]:
    """Return how these words may stand in a file, in lower case: as UTF-8, within JSON, in UTF-16."""
    found: dict[bytes, None] = {}
    for word in words:
        for text in (word, lower(word), word.upper(), *written(word)):
            found[text.encode("utf-8", "surrogatepass").lower()] = None
            found[text.encode("utf-16-le", "surrogatepass").lower()] = None
    return [form for form in found if form]


def written(word: str) -> list[str]:
    """Return a word as JSON holds it, where that is another text."""
    import json

    plain = orjson.dumps(word).decode() if word.isprintable() else json.dumps(word, ensure_ascii=False)
    inside = {plain[1:-1], json.dumps(word)[1:-1]}
    return sorted(inside - {word})


def count(blocks: Iterator[bytes], needles: Sequence[bytes]) -> tuple[int, int]:
    """Return how many bytes there were and how often a needle stood in them, also across two blocks."""
    longest = max(map(len, needles), default=1)
    size = hits = 0
    rest = b""
    for block in blocks:
        size += len(block)
        held = rest + block.lower()
        # What ends within the part that was looked at before was counted then.
        hits += sum(_new(held, needle, len(rest)) for needle in needles)
        rest = held[-(longest - 1) :] if longest > 1 else b""
    return size, hits


def _new(held: bytes, needle: bytes, before: int) -> int:
    found, at = 0, held.find(needle, max(before - len(needle) + 1, 0))
    while at >= 0:
        found += 1
        at = held.find(needle, at + 1)
    return found


def folder(root: Path, database: Path, needles: Sequence[bytes]) -> list[Searched]:
    """Look through every file below a folder, in order of their paths."""
    own = {database, *(database.with_name(database.name + end) for end in ("-wal", "-shm", "-journal"))}
    others = (p for p in sorted(root.rglob("*")) if p not in own and p.is_file() and not p.is_symlink())
    return [*database_files(database, needles), *(file(path, needles) for path in others)]


def file(path: Path, needles: Sequence[bytes]) -> Searched:
    """Look through one file; of a packed one, through what it holds."""
    try:
        blocks = _unpacked(path) if path.suffix == ".gz" else _plain(path)
        size, hits = count(blocks, needles)
    except (OSError, EOFError, zlib.error):
        return Searched(str(path), 0, None)
    return Searched(str(path), size, hits)


def _plain(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while block := source.read(_BLOCK_BYTES):
            yield block


def _unpacked(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") as source:
        while block := source.read(_BLOCK_BYTES):
            yield block


def database_files(database: Path, needles: Sequence[bytes]) -> list[Searched]:
    """Look through the database and its log, page by page, as SQLite reads them."""
    if not database.exists():
        return []
    con = connection.open_reader(database, busy_ms=2_000, cache_kib=2048)
    try:
        # The log is known to a connection once it has read.
        con.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        found = []
        for which, path in ((_DATABASE, database), (_JOURNAL, database.with_name(database.name + "-wal"))):
            try:
                size = os.stat(path).st_size  # noqa: PTH116 - asks for the size without opening the file
            except OSError:
                continue
            try:
                read, hits = count(_read(con, which, size), needles)
            except apsw.Error:
                found.append(Searched(str(path), 0, None))
            else:
                found.append(Searched(str(path), read, hits))
        return found
    finally:
        con.close()


def _read(con: apsw.Connection, which: int, size: int) -> Iterator[bytes]:
    for start in range(0, size, _BLOCK_BYTES):
        length = min(_BLOCK_BYTES, size - start)
        yield con.read("main", which, start, length)[1]
