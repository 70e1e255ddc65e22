"""Parts of the one-file program that are unpacked when they are needed, not all of them before its first line runs.

The bootloader unpacks what every start needs: Python, its own extensions, small files. Everything large (runtimes, the model,
shared libraries) lies in one archive inside the program, which the bootloader leaves alone, and goes into the same
unpack folder by an import of its name or by :func:`bring`. Health answers before that, and a command that only speaks
with the running app never pays for it.

The unpack folder is made anew by each start, for its owner only, and removed at the end: there is no copy that could be stale or
that somebody else could have changed.

The archive: :data:`MAGIC`, four bytes that say how long the index is, the index (JSON), then one zstd frame a file.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_LOG = logging.getLogger(__name__)

MAGIC = b"LIBRA-PARTS-1\n"
NAME = "parts.bin"
"""What the archive is called inside the program."""
MARK = "parts.id"
"""A file in the unpack folder that says which archive belongs to it: the program may be replaced while it starts."""
LENGTH = struct.Struct("!I")

_COOKIE = struct.Struct("!8sIIII64s")
_COOKIE_MAGIC = b"MEI\014\013\012\013\016"
_ENTRY = struct.Struct("!IIIIBc")
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """One file of a unit.

    Attributes:
        path: Where it goes, below the unpack folder, with slashes.
        offset: Of its frame, from the end of the index.
        packed: Bytes of the frame.
        link: What it points to, if it is a link; it has no frame then.
    """

    path: str
    offset: int
    packed: int
    link: str | None = None


@dataclass(slots=True)
class Unit:
    """What is unpacked together.

    Attributes:
        needs: Names of the units that must be there, too, those of which they need included.
        pieces: Its files.
    """

    needs: tuple[str, ...]
    pieces: tuple[Piece, ...]
    there: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class Parts:
    """The archive of a program that runs; as a finder it lays out what is imported, and leaves finding it to the others.

    Args:
        program: The program's file. It stays open until everything is unpacked, so that a newer program in its place
            changes nothing.
        folder: Its unpack folder.

    Raises:
        ValueError: The program has no such archive, or that of another build.
        OSError: It cannot be read.
    """

    def __init__(self, program: Path, folder: Path) -> None:
        self._folder = folder
        self._reading = threading.Lock()
        self._file: BinaryIO = program.open("rb")
        try:
            self._frames, told = index_of(self._file, folder / MARK)
        except BaseException:
            self._file.close()
            raise
        self._names: dict[str, str] = told["names"]
        self._units = {
            name: Unit(tuple(unit["needs"]), tuple(Piece(*piece) for piece in unit["pieces"]))
            for name, unit in told["units"].items()
        }

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Lay out what a package needs before it is looked for. Never finds anything itself."""
        del target
        if path is None:
            self.bring(fullname)
        return None

    def bring(self, name: str) -> None:
        """Lay out what belongs to a top-level module or a folder of this name; nothing if that is all there.

        Raises:
            OSError: It cannot be written; the next call tries again.
        """
        unit = self._names.get(name)
        if unit is None:
            return
        for one in (*self._units[unit].needs, unit):
            self._lay_out(self._units[one])

    def bring_all(self) -> None:
        """Lay out everything, in the order of the archive, and let go of the program's file.

        Raises:
            OSError: See :meth:`bring`.
        """
        for unit in self._units.values():
            self._lay_out(unit)
        self._file.close()

    def _lay_out(self, unit: Unit) -> None:
        with unit.lock:
            if unit.there:
                return
            for piece in unit.pieces:
                target = self._folder / piece.path
                # What is there is whole, and may be in use: two Libras of which one started the other share a folder, and a library
                # that is written anew under a program that has loaded it loses what the loader had done to it.
                if os.path.lexists(target):
                    continue
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                fresh = target.with_name(f"{target.name}.{os.getpid()}")
                if piece.link is None:
                    self._write(piece, fresh)
                else:
                    fresh.unlink(missing_ok=True)  # of a try that failed
                    fresh.symlink_to(piece.link)
                fresh.replace(target)
            # Two changes of a folder within one tick of the file system's clock look like one to who has listed it.
            for place in sys.path:
                finder = sys.path_importer_cache.get(place)
                if finder is not None and hasattr(finder, "invalidate_caches"):
                    finder.invalidate_caches()
            unit.there = True

    def _write(self, piece: Piece, target: Path) -> None:
        import zstandard

        with self._reading:
            self._file.seek(self._frames + piece.offset)
            frame = self._file.read(piece.packed)
        # Libraries are only ever mapped, but some systems ask for the right to run them.
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        )
        with (
            os.fdopen(os.open(target, flags, 0o700), "wb") as out,
            zstandard.ZstdDecompressor().stream_reader(frame) as reader,
        ):
            while block := reader.read(_BLOCK_BYTES):
                out.write(block)


def packed_sizes(program: Path) -> dict[str, int]:
    """Return how much of a program each file of its archive takes, for :mod:`packaging/sizes.py`.

    Raises:
        ValueError: It has no such archive.
    """
    with program.open("rb") as file:
        _, told = index_of(file)
    return {piece[0]: piece[2] for unit in told["units"].values() for piece in unit["pieces"]}


def index_of(file: BinaryIO, mark: Path | None = None) -> tuple[int, Any]:
    """Return where the frames of a program's archive begin, and its index.

    Args:
        file: The program.
        mark: The file that says which archive it is to be; None for any.

    Raises:
        ValueError: The program has no such archive.
    """
    begin = embedded(file, NAME)
    file.seek(begin)
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("the program's parts are of another kind")
    (length,) = LENGTH.unpack(file.read(LENGTH.size))
    told = json.loads(file.read(length))
    if mark is not None and told["mark"] != mark.read_text("ascii"):
        raise ValueError("the program was replaced while it started: start it again")
    return begin + len(MAGIC) + LENGTH.size + length, told


def embedded(file: BinaryIO, name: str) -> int:
    """Return where an entry of a PyInstaller program begins.

    Args:
        file: The program.
        name: The entry's name; it is not compressed.

    Raises:
        ValueError: There is no such entry.

    Source: PyInstaller's manual, "CArchive": a table of entries, and behind it a cookie that says where the table is. On Linux
    some tables of the linker follow the cookie, on Windows a signature may.
    """
    end = file.seek(0, os.SEEK_END)
    at = -1
    while at < 0 and end >= len(_COOKIE_MAGIC):
        start = max(0, end - _BLOCK_BYTES)
        file.seek(start)
        found = file.read(end - start).rfind(_COOKIE_MAGIC)
        at = start + found if found >= 0 else -1
        end = start + len(_COOKIE_MAGIC) - 1 if start else 0
    if at < 0:
        raise ValueError("this is no program of PyInstaller's")
    file.seek(at)
    _, whole, table, length, _, _ = _COOKIE.unpack(file.read(_COOKIE.size))
    begin = at + _COOKIE.size - whole
    file.seek(begin + table)
    entries = file.read(length)
    here = 0
    while here < length:
        size, offset, _, _, _, _ = _ENTRY.unpack_from(entries, here)
        if entries[here + _ENTRY.size : here + size].rstrip(b"\0").decode() == name:
            return int(begin + offset)
        here += size
    raise ValueError(f"the program has no {name}")


def begin(program: Path, folder: Path) -> None:
    """Let this program's parts be unpacked as they are needed; see :class:`Parts`."""
    sys.meta_path.insert(0, Parts(program, folder))


def bring(name: str) -> None:
    """Lay out the folder ``name`` of this program, if it is one file; its packages come by being imported."""
    parts = _own()
    if parts is not None:
        parts.bring(name)


def bring_all_soon() -> None:
    """Lay out everything beside what else is done: the app is going to need it, in a program that may be gone by then."""
    parts = _own()
    if parts is not None:
        threading.Thread(target=_all_of, args=[parts], name="libra-unpack", daemon=True).start()


def _all_of(parts: Parts) -> None:
    try:
        parts.bring_all()
    except OSError as error:  # who needs it gets the same error, and says what does not work without it
        _LOG.warning("the program cannot be unpacked: %s", error.strerror)


def _own() -> Parts | None:
    return next((finder for finder in sys.meta_path if isinstance(finder, Parts)), None)
