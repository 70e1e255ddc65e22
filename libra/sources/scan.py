"""Which transcripts lie in the hosts' folders now: a walk that links in circles cannot trap."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

from libra.sources.catalog import TalkFolder
from libra.sources.events import Verdict
from libra.sources.host_sqlite import signature
from libra.sources.looking import is_folder
from libra.sources.openclaw import named_session
from libra.sources.slices import TalkFile
from libra.sources.transcripts import Format

T = TypeVar("T")

_BESIDE: Final = ("-wal", "-journal", "-shm")
PACKED_NAME: Final = ".zst"
_FORMS: Final = {Verdict.DATABASE: "sqlite", Verdict.WHOLE: "json"}
_IMPORTS: Final = "session-sqlite-import-archive"


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript as it lies there now."""

    file: TalkFile
    size: int
    mtime_ns: int
    inode: int
    device: int

    @property
    def stamp(self) -> tuple[int, int, int]:
        """What changes when the file does: size, time, inode."""
        return self.size, self.mtime_ns, self.inode


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one folder of talk holds.

    Attributes:
        found: Transcripts to take, by real path.
        excluded: Transcripts that the person deleted.
        unreadable: Folders and files that could not be looked at, and why.
        there: The folder itself exists and was looked through.
    """

    found: Mapping[str, Found] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict)
    there: bool = False


def scan(folder: TalkFolder, form: Format) -> Scanned:
    """Walk through one folder of talk."""
    found: dict[str, Found] = {}
    excluded: list[str] = []
    unreadable: dict[str, str] = {}
    root = os.path.realpath(folder.path)
    there = False
    deleted: set[tuple[str, str]] = set()
    for entry, parts in _walk(root, folder.depth, unreadable):
        there = True
        verdict, kind = classify(form, parts)
        if verdict is Verdict.EXCLUDED:
            excluded.append(entry.path)
            deleted.add((parts[0], named_session(parts)))
        elif verdict is Verdict.TAKE:
            path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            try:
                found[path] = _found(TalkFile(folder.host, path, parts, kind))
            except FileNotFoundError:
                continue
            except OSError as error:
                unreadable[path] = error.strerror or type(error).__name__
    # The host's import archive may still hold what the person deleted.
    for path, one in list(found.items()):
        parts = one.file.parts
        if _IMPORTS in parts and (parts[0], named_session(parts)) in deleted:
            excluded.append(path)
            del found[path]
    # A host packs a transcript before it takes the plain one away: the plain one is enough.
    for path in [
        path for path in found if path.endswith(PACKED_NAME) and path.removesuffix(PACKED_NAME) in found
    ]:
        del found[path]
    if not there and root not in unreadable:
        there = is_folder(root)
    return Scanned(found, tuple(excluded), unreadable, there)


def classify(form: Format, parts: tuple[str, ...]) -> tuple[Verdict, str]:
    """Say what a path below a host's folder is, and its form."""
    verdict = form.verdict(parts)
    kind = _FORMS.get(verdict)
    return (verdict, "jsonl") if kind is None else (Verdict.TAKE, kind)


def locate(path: str, folders: Mapping[str, tuple[TalkFolder, Format]]) -> TalkFile | None:
    """Return the transcript that a changed path is or belongs to (``-wal``), None if it is none.

    Args:
        path: As a file system event names it.
        folders: Folder and format by the folder's real path.
    """
    for suffix in _BESIDE:
        path = path.removesuffix(suffix)
    for root, (folder, form) in folders.items():
        if path.startswith(root + os.sep):
            parts = Path(path[len(root) + 1 :]).parts
            verdict, kind = classify(form, parts)
            # A folder may lie within another one of the same host.
            if len(parts) <= folder.depth and verdict is Verdict.TAKE:
                return TalkFile(folder.host, path, parts, kind)
    return None


def look_at(file: TalkFile) -> Found:
    """Return a transcript as it is now.

    Raises:
        OSError: It is not there, or cannot be looked at.
    """
    return _found(file)


def _found(file: TalkFile) -> Found:
    stat = Path(file.path).stat()
    size, mtime_ns = stat.st_size, stat.st_mtime_ns
    if file.form == "sqlite":
        size, mtime_ns = signature(file.path) or (size, mtime_ns)
    return Found(file, size, mtime_ns, stat.st_ino, stat.st_dev)


def _walk(
    root: str, depth: int, unreadable: dict[str, str]
) -> Iterator[tuple[os.DirEntry[str], tuple[str, ...]]]:
    """Yield the files below a folder and their path below it; each folder once, however it is linked."""
    todo: list[tuple[str, tuple[str, ...]]] = [(root, ())]
    seen: set[str] = set()
    while todo:
        at, parts = todo.pop()
        real = os.path.realpath(at)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(at) as entries:
                listed = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            unreadable[at] = error.strerror or type(error).__name__
            continue
        for entry in listed:
            below = (*parts, entry.name)
            try:
                folder = entry.is_dir()
            except OSError:
                continue
            if not folder:
                yield entry, below
            elif len(below) < depth:
                todo.append((entry.path, below))


class Patience(Generic[T]):
    """Runs a job that may hang on a dead network drive, and gives it up after a while (lessons.md C76).

    A place whose last job still hangs is left alone.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._hanging: dict[str, threading.Thread] = {}

    def run(self, place: str, job: Callable[[], T]) -> T | None:
        """Return the job's result, None if it took too long or an earlier one still hangs."""
        hanging = self._hanging.get(place)
        if hanging is not None and hanging.is_alive():
            return None
        result: list[T] = []
        thread = threading.Thread(target=lambda: result.append(job()), name="libra-look", daemon=True)
        thread.start()
        thread.join(self._timeout_s)
        if not result:
            self._hanging[place] = thread
            return None
        self._hanging.pop(place, None)
        return result[0]
