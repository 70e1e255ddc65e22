"""Transcript files, slice by slice: a few hundred turns, grouped by session, and the cursor after them.

A file is open only while a slice is read, so that its host may rename or delete it at any time (on Windows an
open file cannot be), and so that new talk can be read between two slices of a long history.

A transcript may be a tree: a person goes back and says something else. Which lines were left is only known from
the whole file, so that it is looked through before a history is read, and again when an appended line does not go
on where the talk stood. If other lines are left than before, the file is read again from its start: each turn is
handed over as it stands now, and identity by event makes that an update (lessons.md C96).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from libra.ground.records import Cursor, Metadata, digest
from libra.sources.events import Event, Parser, Said, Verdict, decode, text_of
from libra.sources.host_sqlite import DatabaseParams
from libra.sources.lines import WHOLE, LineFile, LineParams
from libra.sources.slices import Job, Slice, TalkFile, batches

_BRANCH_MAX_BYTES: Final = 512 * 1024 * 1024
"""Larger files are not looked through for left branches."""
_BRANCH_MIN_BYTES: Final = 64 * 1024
"""Fewer bytes after a cursor are no history: a line that leaves a branch is met when it is read."""
_LEFT: Final = "left"
"""Key of the cursor's memory: a digest of the left lines, and up to where they were looked for."""


@dataclass(frozen=True, slots=True)
class SliceParams:
    """How much is read at a time.

    Attributes:
        turns: Turns in one hand-over, about.
        slice_bytes: Bytes of a file in one slice, about.
        whole_max_bytes: A transcript that is one document and larger than this is not read.
        lines: Sizes of the cursor contract.
    """

    turns: int = 500
    slice_bytes: int = 16 * 1024 * 1024
    whole_max_bytes: int = 64 * 1024 * 1024
    lines: LineParams = field(default_factory=LineParams)


MakeParser = Callable[[TalkFile, Metadata | None, frozenset[str]], Parser]
MakeJob = Callable[[TalkFile, DatabaseParams], Job]


@dataclass(frozen=True, slots=True)
class Format:
    """How one host's transcripts are recognised and parsed; a further host is one more of these.

    Attributes:
        host: Its name.
        verdict: What a file is, by its path below the host's folder.
        parser: Makes the parser of a file; None for a host without files of lines.
        left: Given all events of a file, the ids of those on branches that the person left.
        database: Makes the reader of a database; None for a host without one.
        whole: Makes the reader of a session whose document names further files; None where the document is all.
        events_of: The events in a transcript that is one JSON document.
    """

    host: str
    verdict: Callable[[tuple[str, ...]], Verdict]
    parser: MakeParser | None = None
    left: Callable[[Iterator[Event]], frozenset[str]] = lambda _events: frozenset()
    database: MakeJob | None = None
    whole: MakeJob | None = None
    events_of: Callable[[Any], Iterable[Event]] = lambda _document: ()

    def job(self, file: TalkFile, slices: SliceParams, database: DatabaseParams) -> Job:
        """Return a new pass over a transcript."""
        if file.form == "sqlite" and self.database is not None:
            return self.database(file, database)
        if file.form == WHOLE:
            return self.whole(file, database) if self.whole is not None else WholeFile(file, self, slices)
        return Transcript(file, self, slices)


class Transcript:
    """One file while it is being read.

    Args:
        file: The file.
        form: Its host's format, which has a parser.
        params: How much at a time.
    """

    def __init__(self, file: TalkFile, form: Format, params: SliceParams | None = None) -> None:
        assert form.parser is not None, form.host  # noqa: S101 - the scan gives no such file to this host
        self.file = file
        self._form = form
        self._make = form.parser
        self._params = params or SliceParams()
        self._left: frozenset[str] | None = None
        self._looked_to = 0
        self._mark = ""

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the next slice after ``cursor``.

        Raises:
            OSError: The file cannot be read (now); nothing was taken.
        """
        with LineFile(self.file.path, self.file.host, cursor, self._params.lines) as source:
            if (self._left is None or source.restarted) and self._begin(source):
                return self._again(source)
            parser = self._make(self.file, source.parser or None, self._left or frozenset())
            unmoved = source.unmoved()
            said: list[Said] = []
            folders: set[str] = set()
            begin = source.offset
            for line in source.lines():
                event, sound = decode(line.data)
                if not sound:
                    source.bad_lines += 1
                if event is not None:
                    if folder := text_of(event.get("cwd")):
                        folders.add(folder)
                    said += parser.feed(event, line.number)
                    if parser.forked and source.offset > self._looked_to and self._leaves(source):
                        return self._again(source)
                if len(said) >= self._params.turns or source.offset - begin >= self._params.slice_bytes:
                    break
            session = parser.session()
            known = {_LEFT: [self._mark, self._looked_to]} if self._mark else {}
            moved = source.cursor(session.key, {**parser.memory(), **known})
        folders.update(one.session.cwd for one in said if one.session.cwd)
        return Slice(
            batches=tuple(batches(said, session, unmoved, moved)) if moved.offset else (),
            cursor=moved,
            done=source.at_end,
            restarted=source.restarted,
            folders=frozenset(folders),
            counts=Counter(parser.counts),
        )

    def _begin(self, source: LineFile) -> bool:
        """Find the left branches, if a history lies ahead; return whether what was read is to be read again."""
        self._mark, looked_to = source.parser.get(_LEFT) or ("", 0)
        self._left, self._looked_to = frozenset(), source.offset
        ahead = source.size - source.offset
        if source.offset > 0 and ahead < _BRANCH_MIN_BYTES and source.offset >= looked_to:
            return False
        if source.offset == 0:
            self._mark = ""
        return self._leaves(source) and source.offset > 0

    def _leaves(self, source: LineFile) -> bool:
        """Look through the file; return whether other lines are left than those that were handed over as left."""
        if source.size > _BRANCH_MAX_BYTES:
            return False
        self._left = self._form.left(_events(self.file, self._params.lines))
        self._looked_to = max(source.size, source.offset)
        before, self._mark = self._mark, digest(*sorted(self._left))[:16] if self._left else ""
        return before != self._mark

    def _again(self, source: LineFile) -> Slice:
        """Return nothing, and the cursor from which all is to be read with what is known now."""
        return Slice((), source.start(), done=False, restarted=True)


class WholeFile:
    """A transcript that is one JSON document, which its host writes anew each time: read whole, each time.

    Args:
        file: The file.
        form: Its host's format, which has a parser.
        params: How much at a time; a larger document is not read.
    """

    def __init__(self, file: TalkFile, form: Format, params: SliceParams) -> None:
        assert form.parser is not None, form.host  # noqa: S101 - the scan gives no such file to this host
        self.file = file
        self._form = form
        self._make = form.parser
        self._params = params

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the document; one that is not whole (yet) waits.

        Raises:
            OSError: The file cannot be read (now); nothing was taken.
        """
        most = self._params.whole_max_bytes
        with open(self.file.path, "rb") as source:  # noqa: PTH123 - a string in
            stat = os.fstat(source.fileno())
            data = source.read(most + 1)
        read = Cursor(
            self.file.path, self.file.host, WHOLE, stat.st_dev, stat.st_ino, mtime_ns=stat.st_mtime_ns
        )
        whole, sound = decode(data) if len(data) <= most else (None, False)
        if not sound:
            oversize = int(len(data) > most)
            waits = replace(cursor or read, size=0, oversize_lines=oversize)
            return Slice((), waits, done=True, waiting=1 - oversize)
        parser = self._make(self.file, None, frozenset())
        said = [
            one
            for number, event in enumerate(self._form.events_of(whole), 1)
            for one in parser.feed(event, number)
        ]
        session = parser.session()
        read = replace(read, size=stat.st_size, offset=len(data), lines=1, session_key=session.key)
        folders = frozenset(one.session.cwd for one in said if one.session.cwd)
        return Slice(
            tuple(batches(said, session, None, read)),
            read,
            done=True,
            folders=folders,
            counts=Counter(parser.counts),
            waiting=0,
        )


def _events(file: TalkFile, params: LineParams) -> Iterator[Event]:
    """Yield all events of a file."""
    with LineFile(file.path, file.host, None, params) as source:
        for line in source.lines():
            event, _ = decode(line.data)
            if event is not None:
                yield event
