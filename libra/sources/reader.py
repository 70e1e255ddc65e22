"""Reads transcripts on, step by step, and hands what they say to the sink together with the cursor."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from libra.engine.feed import Sink
from libra.ground.errors import SourceError
from libra.ground.records import Clock, Cursor
from libra.sources.catalog import CODEX
from libra.sources.host_sqlite import DatabaseParams
from libra.sources.lines import is_unchanged
from libra.sources.progress import Tally
from libra.sources.scan import PACKED_NAME, Found, look_at
from libra.sources.slices import Job, Slice, TalkFile
from libra.sources.transcripts import Format, SliceParams

_log = logging.getLogger(__name__)

OK: Final = "ok"
UNREADABLE: Final = "unreadable"
GONE: Final = "gone"
EXCLUDED: Final = "excluded"
MOVED: Final = "moved"
"""States of a transcript."""


_MISSED_NS: Final = 5_000_000_000


@dataclass(slots=True)
class _Reading:
    """A transcript that is being read: how, and the cursor after the last step."""

    job: Job
    cursor: Cursor | None


class TalkReader:
    """Reads transcripts for one sink; one thread uses it.

    Args:
        sink: Takes the turns.
        formats: Of the hosts that keep talk in files.
        tally: Counts.
        clock: Now in epoch ms.
        slices: How much of a file at a time.
        database: How a host's database is read.
        on_folder: Told each working folder that a transcript names, with the transcript.
    """

    def __init__(
        self,
        sink: Sink,
        formats: dict[str, Format],
        tally: Tally,
        clock: Clock,
        *,
        slices: SliceParams,
        database: DatabaseParams,
        on_folder: Callable[[TalkFile, str], None],
    ) -> None:
        self._sink = sink
        self._formats = formats
        self._tally = tally
        self._clock = clock
        self._slices = slices
        self._database = database
        self._on_folder = on_folder
        self._readings: dict[str, _Reading] = {}
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._inodes: dict[tuple[int, int], str] = {}
        self._displaced: dict[tuple[int, int], Cursor] = {}
        self._unreadable: dict[str, str] = {}
        self._before: set[str] | None = None

    def unreadable(self) -> dict[str, str]:
        """Return the transcripts that cannot be read now, and why."""
        return dict(self._unreadable)

    def is_news(self, found: Found) -> bool:
        """Whether a transcript holds something that was not read yet; notes its size and folder."""
        path = found.file.path
        if path in self._readings:
            return True
        if path in self._stamps:
            return self._stamps[path] != found.stamp
        cursor = self._sink.cursor(path)
        left = found.size
        if cursor is not None:
            left = max(found.size - cursor.offset - cursor.waiting_bytes, 1)
            if isinstance(folder := cursor.parser.get("cwd"), str):
                self._on_folder(found.file, folder)
            self._inodes[cursor.device, cursor.inode] = path
            same = found.file.form != "sqlite" and is_unchanged(cursor, found.size, found.mtime_ns)
            if same and cursor.inode == found.inode:
                self._stamps[path] = found.stamp
                self._note(found.file, cursor, 0)
                return False
        self._tally.known(path, found.file.host, max(left, 1), time.monotonic())
        return True

    def was_missed(self, found: Found, now_ns: int) -> bool:
        """Whether a transcript changed a while ago without any event having told of it."""
        stamp = self._stamps.get(found.file.path)
        return stamp is not None and stamp != found.stamp and now_ns - found.mtime_ns > _MISSED_NS

    def step(self, file: TalkFile) -> tuple[bool, int]:
        """Read one slice of a transcript and hand it over; return whether there is more, and how many turns.

        Raises:
            StoreError: Nothing of the slice was kept; the step can be repeated.
        """
        path = file.path
        reading = self._readings.get(path)
        try:
            if reading is None:
                reading = self._readings[path] = _Reading(self._job(file), self._begin(file))
            piece = reading.job.step(reading.cursor)
            for batch in piece.batches:
                taken = self._sink.take(batch)
                tally = self._tally.host(file.host)
                tally.turns += len(batch.turns)
                tally.new_turns += taken.accepted
                tally.duplicates += taken.duplicates
                tally.forgotten += taken.forgotten
                if taken.accepted:
                    self._tally.last_taken_ms, self._tally.last_taken_from = self._clock(), path
        except FileNotFoundError:
            self._readings.pop(path, None)
            self._tally.advanced(path, 0, time.monotonic())
            return False, 0
        except (OSError, SourceError) as error:
            self._readings.pop(path, None)
            self._fail(file, error)
            return False, 0
        except Exception:
            self._readings.pop(path, None)
            raise
        self._after(file, piece)
        reading.cursor = piece.cursor
        if piece.done:
            self._readings.pop(path, None)
        return not piece.done, sum(len(batch.turns) for batch in piece.batches)

    def forget(self, path: str) -> None:
        """Drop what is remembered of a transcript that is gone."""
        self._stamps.pop(path, None)
        self._unreadable.pop(path, None)
        self._tally.gone(path)
        if self._before is not None:
            self._before.discard(path)

    def moved(self, path: str, found: Mapping[str, Found]) -> bool:
        """Whether a transcript that is not there any more lies elsewhere: renamed, or packed away."""
        cursor = self._sink.cursor(path)
        if cursor is None or f"{path}{PACKED_NAME}" in found:
            return cursor is not None
        same = ((one.device, one.inode) for one in found.values())
        name = os.path.basename(path)  # noqa: PTH119 - a string in, a string out
        names = {os.path.basename(other).removesuffix(PACKED_NAME) for other in found}  # noqa: PTH119
        return (cursor.device, cursor.inode) in same or (cursor.host == CODEX and name in names)

    def known(self) -> set[str]:
        """Return the transcripts that were read, by this process or one before it, and not found gone since."""
        if self._before is None:
            self._before = set(self._sink.transcripts())
        return self._before | self._stamps.keys()

    def _job(self, file: TalkFile) -> Job:
        return self._formats[file.host].job(file, self._slices, self._database)

    def _begin(self, file: TalkFile) -> Cursor | None:
        """Return the cursor to go on from: the file's own, or after a rename that of its old name.

        Raises:
            OSError: The file cannot be looked at.
        """
        cursor = self._sink.cursor(file.path)
        if file.form != "jsonl":
            return cursor
        now = look_at(file)
        if cursor is not None:
            if (cursor.device, cursor.inode) != (now.device, now.inode):
                # Another file has this name now; the old one may turn up under a new one.
                self._displaced[cursor.device, cursor.inode] = cursor
            return cursor
        before = self._inodes.get((now.device, now.inode))
        cursor = self._displaced.pop((now.device, now.inode), None)
        if cursor is None and before is not None:
            cursor = self._sink.cursor(before)
        # Checked against the file's bytes before it is used, like any cursor.
        return replace(cursor, path=file.path) if cursor is not None else None

    def _after(self, file: TalkFile, piece: Slice) -> None:
        """Note what a step brought."""
        path, cursor = file.path, piece.cursor
        for folder in piece.folders:
            self._on_folder(file, folder)
        for session_key in piece.lost:
            self._sink.session_gone(session_key)
        tally = self._tally.host(file.host)
        tally.events.update(piece.counts)
        left = 0 if piece.done else max(cursor.size - cursor.offset, 1)
        self._note(file, cursor, left)
        self._inodes[cursor.device, cursor.inode] = path
        if piece.waiting is not None:
            tally.waiting[path] = piece.waiting
        if self._unreadable.pop(path, None) is not None:
            self._sink.source_state(path, OK)
        if piece.done:
            self._stamps[path] = (cursor.size, cursor.mtime_ns, cursor.inode)

    def _note(self, file: TalkFile, cursor: Cursor, left: int) -> None:
        tally = self._tally.host(file.host)
        tally.bad_lines[file.path] = cursor.bad_lines
        tally.oversize_lines[file.path] = cursor.oversize_lines
        tally.waiting[file.path] = int(cursor.waiting_bytes > 0)
        self._tally.known(file.path, file.host, 0, time.monotonic())
        self._tally.advanced(file.path, left, time.monotonic())

    def _fail(self, file: TalkFile, error: OSError | SourceError) -> None:
        """Note that a transcript cannot be read now; what was learnt of it stays."""
        why = error.reason if isinstance(error, SourceError) else error.strerror or type(error).__name__
        if file.path not in self._unreadable:
            _log.warning("%s cannot be read now: %s", file.path, why)
            self._sink.source_state(file.path, UNREADABLE)
        self._unreadable[file.path] = why
        self._tally.advanced(file.path, 0, time.monotonic())
