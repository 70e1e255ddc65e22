"""Transcript files, slice by slice: a few hundred turns, grouped by session, and the cursor after them.

A file is open only while a slice is read, so that its host may rename or delete it at any time (on Windows an
open file cannot be), and so that new talk can be read between two slices of a long history.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from libra.ground.records import Cursor, Metadata, NewTurn, SessionRef, SourceBatch
from libra.sources import claude_code, openclaw
from libra.sources.events import Event, ParseParams, Parser, Said, Verdict, decode, text_of
from libra.sources.lines import LineFile, LineParams
from libra.sources.openclaw_sessions import SessionFacts, SessionLists, predecessor

_BRANCH_MAX_BYTES: Final = 64 * 1024 * 1024
"""Larger files are not looked through for left branches before they are read."""
_BRANCH_MIN_BYTES: Final = 64 * 1024
"""Fewer bytes after a cursor are no history: what is appended stands on the active branch."""


@dataclass(frozen=True, slots=True)
class SliceParams:
    """How much is read at a time.

    Attributes:
        turns: Turns in one hand-over, about.
        slice_bytes: Bytes of a file in one slice, about.
        lines: Sizes of the cursor contract.
    """

    turns: int = 500
    slice_bytes: int = 16 * 1024 * 1024
    lines: LineParams = field(default_factory=LineParams)


@dataclass(frozen=True, slots=True)
class TalkFile:
    """A transcript: its host, its real path, its path below the host's folder, ``jsonl`` or ``sqlite``."""

    host: str
    path: str
    parts: tuple[str, ...]
    form: str = "jsonl"


@dataclass(frozen=True, slots=True)
class Slice:
    """What one step of reading brought.

    Attributes:
        batches: To be taken in this order; the last one carries the cursor that moved.
        cursor: That cursor.
        done: The end of the file was reached.
        restarted: The cursor did not fit the file, so it was read from its start.
        folders: Working folders that the turns name.
        counts: Events by kind.
    """

    batches: tuple[SourceBatch, ...]
    cursor: Cursor
    done: bool
    restarted: bool
    folders: frozenset[str] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)


MakeParser = Callable[[TalkFile, Metadata | None, frozenset[str]], Parser]


@dataclass(frozen=True, slots=True)
class Format:
    """How one host's transcript files are recognised and parsed; a further host is one more of these.

    Attributes:
        host: Its name.
        verdict: What a file is, by its path below the host's folder.
        parser: Makes the parser of a file.
        left: Given all events of a file, the ids of those on branches that the person left.
    """

    host: str
    verdict: Callable[[tuple[str, ...]], Verdict]
    parser: MakeParser
    left: Callable[[Iterator[Event]], frozenset[str]]


def formats(params: ParseParams) -> dict[str, Format]:
    """Return the formats of all hosts that keep their talk in files, by host."""
    lists = SessionLists()

    def claude(file: TalkFile, memory: Metadata | None, left: frozenset[str]) -> Parser:
        return claude_code.ClaudeCodeParser(params, file.parts, memory, left)

    def claw(file: TalkFile, memory: Metadata | None, left: frozenset[str]) -> Parser:
        return openclaw.OpenClawParser(
            params,
            file.parts[0],
            openclaw.named_session(file.parts),
            facts_of=lambda session_id: _facts(lists, file, session_id),
            memory=memory,
            abandoned=left,
        )

    return {
        claude_code.HOST: Format(claude_code.HOST, claude_code.verdict, claude, claude_code.abandoned),
        openclaw.HOST: Format(openclaw.HOST, openclaw.verdict, claw, openclaw.left_in),
    }


def _facts(lists: SessionLists, file: TalkFile, session_id: str) -> SessionFacts | None:
    """Return what the session list says; a live file's parent is the archive that once had its name."""
    known = lists.facts(os.path.dirname(file.path), session_id)  # noqa: PTH120 - a string in, a string out
    before = predecessor(file.path)
    if before is None or before == session_id:
        return known
    known = known or SessionFacts()
    return SessionFacts(known.kind, known.parent or before, known.shared)


class Transcript:
    """One file while it is being read.

    Args:
        file: The file.
        form: Its host's format.
        params: How much at a time.
    """

    def __init__(self, file: TalkFile, form: Format, params: SliceParams | None = None) -> None:
        self.file = file
        self._form = form
        self._params = params or SliceParams()
        self._left: frozenset[str] | None = None

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the next slice after ``cursor``.

        Raises:
            OSError: The file cannot be read (now); nothing was taken.
        """
        with LineFile(self.file.path, self.file.host, cursor, self._params.lines) as source:
            if self._left is None or source.restarted:
                self._left = self._branches(source)
            parser = self._form.parser(self.file, source.parser or None, self._left)
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
                if len(said) >= self._params.turns or source.offset - begin >= self._params.slice_bytes:
                    break
            session = parser.session()
            moved = source.cursor(session.key, parser.memory())
        return Slice(
            batches=tuple(batches(said, session, unmoved, moved)) if moved.offset else (),
            cursor=moved,
            done=source.at_end,
            restarted=source.restarted,
            folders=frozenset(folders),
            counts=Counter(parser.counts),
        )

    def _branches(self, source: LineFile) -> frozenset[str]:
        """Return the ids on left branches, if a history lies ahead."""
        ahead = source.size - source.offset
        history = source.offset == 0 or ahead >= _BRANCH_MIN_BYTES
        if not history or source.size > _BRANCH_MAX_BYTES:
            return frozenset()
        return self._form.left(_events(self.file, self._params.lines))


def _events(file: TalkFile, params: LineParams) -> Iterator[Event]:
    """Yield all events of a file."""
    with LineFile(file.path, file.host, None, params) as source:
        for line in source.lines():
            event, _ = decode(line.data)
            if event is not None:
                yield event


def batches(
    said: list[Said], session: SessionRef, unmoved: Cursor | None, moved: Cursor
) -> Iterator[SourceBatch]:
    """Yield one batch a session, in the order in which they first spoke.

    Only the last batch moves the cursor; those before it carry the unmoved one, which stays true if the
    work stops between two of them. Without turns, the moved cursor is handed over alone.
    """
    grouped: dict[SessionRef, list[NewTurn]] = {}
    for one in said:
        grouped.setdefault(one.session, []).append(one.turn)
    if not grouped:
        grouped[session] = []
    last = len(grouped) - 1
    for number, (ref, turns) in enumerate(grouped.items()):
        yield SourceBatch(ref, tuple(turns), moved if number == last else unmoved)
