"""Does the tasks of the agenda: documents, transcripts, watches. One thread uses it."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from libra.engine.feed import Sink
from libra.sources.absence import Look, look
from libra.sources.agenda import Agenda, Task
from libra.sources.catalog import (
    CLAUDE_CODE,
    CODEX,
    CURSOR,
    GEMINI,
    OPENCLAW,
    Catalog,
    Surroundings,
    TalkFolder,
    survey,
)
from libra.sources.events import Event, decode, text_of
from libra.sources.host_sqlite import signature
from libra.sources.librarian import Librarian
from libra.sources.looking import is_folder
from libra.sources.openclaw import DATABASE
from libra.sources.projects import Projects
from libra.sources.reader import EXCLUDED, GONE, MOVED, TalkReader
from libra.sources.scan import Found, Patience, Scanned, locate, look_at, scan
from libra.sources.slices import TalkFile
from libra.sources.transcripts import Format
from libra.sources.watcher import Change, Watcher

_SLUG_PARTS: Final = 2
_PEEK_BYTES: Final = 256 * 1024
_PEEK_FILES: Final = 3
_RETRY_READ_S: Final = 5.0
_NEARLY: Final = 0.9
"""A look that comes a little early is still the second one."""
_SILENT_S: Final = 3600.0
_DAY_S: Final = 86_400.0
_MAIN_AGENT: Final = "main"
_FOLLOWED: Final = "followed"
"""Stands for the project of a transcript outside all known folders."""


@dataclass(frozen=True, slots=True)
class LookParams:
    """How often is looked where.

    Attributes:
        poll_s: Time between two looks where a folder gives no events.
        reconcile_s: Time between two looks where all do.
        check_s: Time between two checks of the watches and of the hosts' databases.
        scan_s: A folder that takes longer to list is left alone.
        confirm_s: Time until what is missing is looked for again.
        dying_days: A transcript that its host may delete within so many days is read before all other history.
    """

    poll_s: float = 30.0
    reconcile_s: float = 300.0
    check_s: float = 2.0
    scan_s: float = 30.0
    confirm_s: float = 2.1
    dying_days: float = 3.0


@dataclass(slots=True)
class Standing:
    """What is known of the hosts' folders; replaced as a whole, so that other threads may read it."""

    catalog: Catalog
    talk: Mapping[str, tuple[TalkFolder, Format]] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, TalkFile] = field(default_factory=dict)
    excluded: frozenset[str] = frozenset()
    dying: Mapping[str, int] = field(default_factory=dict)
    """How many transcripts each host may soon delete."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a follower works with."""

    reader: TalkReader
    librarian: Librarian
    watcher: Watcher
    projects: Projects


class Follower:
    """Keeps the sink in step with the disk.

    Args:
        sink: Told the states of transcripts.
        agenda: Told what is to be done again.
        parts: What reads, keeps and watches.
        formats: Of the hosts that are followed.
        surroundings: Where their folders are.
        params: How often is looked where.
    """

    def __init__(
        self,
        sink: Sink,
        agenda: Agenda,
        parts: Parts,
        formats: Mapping[str, Format],
        surroundings: Surroundings,
        params: LookParams,
    ) -> None:
        self._sink = sink
        self._agenda = agenda
        self._reader = parts.reader
        self._librarian = parts.librarian
        self._watcher = parts.watcher
        self._projects = parts.projects
        self._formats = formats
        self._surroundings = surroundings
        self._params = params
        self._patience: Patience[Scanned] = Patience(params.scan_s)
        self._followed: dict[str, TalkFile] = {}
        self._mtimes: dict[str, int] = {}
        self._peeked: set[str] = set()
        self._there: frozenset[str] = frozenset()
        self._stamps: dict[str, tuple[int, int] | None] = {}
        self._growing: dict[str, float] = {}
        self._lost: dict[str, float] = {}
        self._missed = False
        self.standing = self._survey()

    def do(self, task: Task, file: TalkFile | None) -> float:
        """Do one task; return in how many seconds it is to be done again at the latest.

        Raises:
            StoreError: The sink refused; the task is to be repeated.
        """
        if task is Task.DOCUMENTS:
            return self._documents()
        if task is Task.TALK:
            return self._talk()
        if task is Task.CHECK:
            return self._check()
        if file is not None:
            self._read(file)
        return float("inf")

    def follow(self, path: str) -> TalkFile | None:
        """Return the transcript that a host named, and watch it from now on; None if it is none."""
        real = os.path.realpath(path)
        file = locate(real, self.standing.talk) or _guess(real)
        if file is None or file.host not in self._formats:
            return None
        self._followed[real] = file
        return file

    def hear(self, change: Change) -> None:
        """Put a change that the file system told on the agenda; called on watchdog's threads."""
        talk = self.standing.talk
        file = None if change.folder else self._followed.get(change.path) or locate(change.path, talk)
        if file is not None:
            self._agenda.changed(file)
        inside = change.folder and any(
            change.path.startswith(root + os.sep) for root, (folder, _) in talk.items() if folder.depth > 1
        )
        if inside or self._librarian.is_interesting(change.path):
            self._agenda.due(Task.DOCUMENTS, settled=True)
        if inside:
            self._agenda.due(Task.TALK, settled=True)

    def saw_folder(self, file: TalkFile, cwd: str) -> None:
        """Note a working folder that a transcript names: its documents become known soon."""
        news = self._librarian.add_folder(cwd)
        if file.host == CLAUDE_CODE and len(file.parts) >= _SLUG_PARTS:
            news = self._librarian.add_slug(file.parts[0], cwd) or news
        if news:
            self._agenda.due(Task.DOCUMENTS, settled=True)

    def _survey(self) -> Standing:
        catalog = survey(self._surroundings)
        talk = {
            os.path.realpath(folder.path): (folder, self._formats[folder.host])
            for folder in catalog.talk
            if folder.host in self._formats
        }
        return Standing(catalog, talk)

    def _documents(self) -> float:
        """Go over the documents; watch the folders that they are in."""
        catalog = survey(self._surroundings)
        if catalog != self.standing.catalog:
            before, self.standing = self.standing, self._survey()
            self.standing.files, self.standing.unreadable = before.files, before.unreadable
            self._agenda.due(Task.TALK)
        self._peek()
        report = self._librarian.update(self.standing.catalog)
        self._watch()
        if report.missing or report.unsettled:
            return self._params.confirm_s
        return self._again_s()

    def _watch(self) -> None:
        wanted = {
            root: folder.depth > 1 for root, (folder, _) in self.standing.talk.items() if is_folder(root)
        }
        for path in self._followed:
            wanted.setdefault(os.path.dirname(path), False)  # noqa: PTH120 - a string in, a string out
        for path, whole in self._librarian.folders(self.standing.catalog).items():
            wanted[path] = wanted.get(path, False) or whole
        self._watcher.want(wanted)

    def _talk(self) -> float:
        """Look for transcripts; put those with news on the agenda, newest first."""
        self._projects.forget()
        found: dict[str, Found] = {}
        unreadable: dict[str, str] = {}
        excluded: set[str] = set()
        for root, (folder, form) in self.standing.talk.items():
            scanned = self._patience.run(root, partial(scan, folder, form))
            if scanned is None:
                unreadable[root] = "it does not answer"
                continue
            found.update(scanned.found)
            unreadable.update(scanned.unreadable)
            excluded.update(scanned.excluded)
        for path, file in self._followed.items():
            try:
                found.setdefault(path, look_at(file))
            except OSError:
                continue
        for path in excluded - self.standing.excluded:
            self._sink.source_state(path, EXCLUDED)
        self._mtimes.update({path: one.mtime_ns for path, one in found.items()})
        # A change that only looking has found: events are lost here (no watches left, a network drive).
        now_ns = time.time_ns()
        self._missed = any(self._reader.was_missed(one, now_ns) for one in found.values())
        for one in found.values():
            if self._reader.is_news(one):
                self._agenda.history(one.file, one.mtime_ns, dying=self._is_dying(one.file, one.mtime_ns))
        self.standing.dying = Counter(
            one.file.host for one in found.values() if self._is_dying(one.file, one.mtime_ns)
        )
        self.standing.files = {path: one.file for path, one in found.items()}
        self.standing.unreadable = unreadable
        self.standing.excluded = frozenset(excluded)
        return self._params.confirm_s if self._vanished(found, unreadable) else self._again_s()

    def _is_dying(self, file: TalkFile, mtime_ns: int) -> bool:
        """Whether the host may soon delete a transcript, as its own setting says (lessons.md C02)."""
        span = self.standing.catalog.retention.get(file.host)
        if span is None or file.form == "sqlite":
            return False
        return time.time() - mtime_ns / 1e9 > span.seconds - self._params.dying_days * _DAY_S

    def _vanished(self, found: Mapping[str, Found], unreadable: Mapping[str, str]) -> bool:
        """Note transcripts that are gone (what was learnt stays); True if some wait for a second look."""
        now_s = time.monotonic()
        for path in self._reader.known() - found.keys():
            root = next((top for top in self.standing.talk if path.startswith(top + os.sep)), None)
            if any(path.startswith(place) for place in unreadable) or look(path, root) is not Look.MISSING:
                continue
            first_s = self._lost.setdefault(path, now_s)
            if now_s - first_s >= self._params.confirm_s * _NEARLY:
                self._sink.source_state(path, MOVED if self._reader.moved(path, found) else GONE)
                self._reader.forget(path)
                del self._lost[path]
        self._lost = {path: first_s for path, first_s in self._lost.items() if path not in found}
        return bool(self._lost)

    def _check(self) -> float:
        """Set the watches right; look whether a folder appeared or a database grew without an event."""
        self._watcher.check()
        for path, file in self.standing.files.items():
            if file.form == "sqlite":
                stamp = signature(path)
                if self._stamps.setdefault(path, stamp) != stamp:
                    self._stamps[path] = stamp
                    self._growing.setdefault(path, time.monotonic())
                    self._agenda.changed(file)
        catalog = self.standing.catalog
        places = [*self.standing.talk, str(catalog.claude), *(str(one.path) for one in catalog.workspaces)]
        there = frozenset(place for place in places if is_folder(place))
        if there - self._there:
            self._agenda.look()
        self._there = there
        return self._params.check_s

    def silent_databases(self) -> list[str]:
        """Return the databases that have grown for an hour without bringing a turn (lessons.md C04)."""
        now_s = time.monotonic()
        return [path for path, since_s in dict(self._growing).items() if now_s - since_s >= _SILENT_S]

    def _read(self, file: TalkFile) -> None:
        """Read one slice; what is left goes back to its place in the history."""
        more, turns = self._reader.step(file)
        if turns:
            self._growing.pop(file.path, None)
        if more:
            mtime_ns = self._mtimes.setdefault(file.path, time.time_ns())
            self._agenda.history(file, mtime_ns, dying=self._is_dying(file, mtime_ns))
        elif file.path in self._reader.unreadable():
            self._agenda.later(file, _RETRY_READ_S)

    def _peek(self) -> None:
        """Find the working folder of each slug that has notes, from a transcript beside them."""
        for folder, _ in self.standing.talk.values():
            if folder.host != CLAUDE_CODE:
                continue
            for notes in _globbed(folder.path, "*/memory"):
                slug = notes.parent.name
                if slug not in self._peeked:
                    self._peeked.add(slug)
                    for cwd in _folders_named(notes.parent):
                        self._librarian.add_folder(cwd)
                        self._librarian.add_slug(slug, cwd)

    def _again_s(self) -> float:
        """Return how long the next look can wait."""
        if self._missed or self._watcher.blind() or self._watcher.count() == 0:
            self._watcher.check(retry=True)
            return self._params.poll_s
        return self._params.reconcile_s


def _guess(path: str) -> TalkFile | None:
    """Return the transcript at a path outside all known folders, by its first lines; None if it is none."""
    name = os.path.basename(path)  # noqa: PTH119 - a string in, a string out
    if name == DATABASE:
        return TalkFile(OPENCLAW, path, (_MAIN_AGENT, "agent", name), "sqlite")
    for event in _first_events(Path(path)):
        if event.get("type") == "session" and "id" in event:
            return TalkFile(OPENCLAW, path, (_MAIN_AGENT, "sessions", name))
        if event.get("type") == "session_meta" and "payload" in event:
            return TalkFile(CODEX, path, (name,))
        if "sessionId" in event and "projectHash" in event:
            return TalkFile(GEMINI, path, (_FOLLOWED, "chats", name))
        if "sessionId" in event or "uuid" in event:
            return TalkFile(CLAUDE_CODE, path, (_FOLLOWED, name))
        if "role" in event and "message" in event and "type" not in event:
            return TalkFile(CURSOR, path, (_FOLLOWED, "agent-transcripts", name))
    return None


def _folders_named(slug: Path) -> list[str]:
    """Return the first working folder that one of the newest transcripts in a slug names."""
    for path in _newest(_globbed(slug, "*.jsonl")):
        for event in _first_events(path):
            if cwd := text_of(event.get("cwd")):
                return [cwd]
    return []


def _newest(paths: list[Path]) -> list[Path]:
    aged = []
    for path in paths:
        try:
            aged.append((path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return [path for _, path in sorted(aged, reverse=True)[:_PEEK_FILES]]


def _first_events(path: Path) -> Iterator[Event]:
    try:
        with path.open("rb") as file:
            data = file.read(_PEEK_BYTES)
    except OSError:
        return
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:-1]:
        event, _ = decode(line.strip())
        if event is not None:
            yield event


def _globbed(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []
