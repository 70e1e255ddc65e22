"""The sources as the app sees them: one thread that follows the hosts' files, and what can be asked of it."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from libra.engine.feed import Sink
from libra.ground.errors import StoreError
from libra.ground.records import Clock
from libra.sources.agenda import Agenda, AgendaParams, Task
from libra.sources.backlog import BacklogParams
from libra.sources.catalog import CLAUDE_CODE, CODEX, CURSOR, GEMINI, HERMES, OPENCLAW, OPENCODE, Surroundings
from libra.sources.document_places import NamedRoot
from libra.sources.documents import DocumentParams
from libra.sources.events import ParseParams
from libra.sources.follower import Follower, LookParams, Parts
from libra.sources.formats import formats
from libra.sources.host_sqlite import DatabaseParams
from libra.sources.librarian import Librarian
from libra.sources.looking import is_folder
from libra.sources.progress import Progress, Tally
from libra.sources.projects import Projects
from libra.sources.reader import TalkReader
from libra.sources.slices import TalkFile
from libra.sources.transcripts import SliceParams
from libra.sources.watcher import Change, Watcher

_log = logging.getLogger(__name__)

_RETRY_BUG_S: Final = 60.0
_NAMED: Final = 3
"""How many unreadable places a sentence names; the status lists all."""


@dataclass(frozen=True, slots=True)
class SourceParams:
    """Settings of the sources.

    Attributes:
        user: Whose sessions and notes these are.
        hosts: Hosts that are read.
        tool_output: Hand in the results of tools too (lessons.md C81: off by default).
        roots: Further documents, named by the configuration.
        surroundings: Home folder, environment, platform; None for those of this process.
        events: Use file system events; without them everything is looked at every ``look.poll_s``.
        stall_s: Reading that brings nothing for so long is called stalled.
        progress_s: Least time between two calls of ``on_progress``.
    """

    user: str
    hosts: tuple[str, ...] = (CLAUDE_CODE, CODEX, CURSOR, GEMINI, HERMES, OPENCLAW, OPENCODE)
    tool_output: bool = False
    roots: tuple[NamedRoot, ...] = ()
    surroundings: Surroundings | None = None
    events: bool = True
    stall_s: float = 60.0
    progress_s: float = 0.2
    look: LookParams = field(default_factory=LookParams)
    agenda: AgendaParams = field(default_factory=AgendaParams)
    backlog: BacklogParams = field(default_factory=BacklogParams)
    documents: DocumentParams = field(default_factory=DocumentParams)
    slices: SliceParams = field(default_factory=SliceParams)
    database: DatabaseParams = field(default_factory=DatabaseParams)


class SourceService:
    """Follows the files of all hosts and feeds a sink.

    Args:
        sink: Takes turns and documents; called on the thread ``libra-watch`` only.
        params: Settings.
        clock: Now in epoch ms.
        on_progress: Told how far the back-fill is; called on ``libra-watch``.
        projects: Finds a folder's project; share it with the engine.
    """

    def __init__(
        self,
        sink: Sink,
        params: SourceParams,
        clock: Clock,
        on_progress: Callable[[Progress], None] | None = None,
        projects: Projects | None = None,
    ) -> None:
        self.projects = projects or Projects()
        self._params = params
        self._on_progress = on_progress
        self._told_s = 0.0
        self._told: Progress | None = None
        self._thread: threading.Thread | None = None
        self._tally = Tally()
        self._agenda = Agenda(params.backlog, params.agenda)
        parse = ParseParams(params.user, params.tool_output, self.projects.key)
        known = {host: form for host, form in formats(parse).items() if host in params.hosts}
        self._librarian = Librarian(sink, params.user, self.projects, clock, params.roots, params.documents)
        self._watcher = Watcher(self._heard, self._doubt)
        self._reader = TalkReader(
            sink,
            known,
            self._tally,
            clock,
            slices=params.slices,
            database=params.database,
            on_folder=self._saw_folder,
        )
        self._follower = Follower(
            sink,
            self._agenda,
            Parts(self._reader, self._librarian, self._watcher, self.projects),
            known,
            params.surroundings or Surroundings.of_process(),
            params.look,
        )

    def start(self) -> None:
        """Begin following, on a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="libra-watch", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 15.0) -> None:
        """Finish the present step and end; what was read is kept with its cursor."""
        self._agenda.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def follow(self, path: str) -> bool:
        """Read a transcript that a host named, now and whenever it changes; False if it is none."""
        file = self._follower.follow(path)
        if file is None:
            return False
        self._agenda.changed(file)
        self._agenda.due(Task.DOCUMENTS, settled=True)
        return True

    def add_folder(self, cwd: str, wait_s: float = 0.0) -> bool:
        """Note a folder that somebody works in, so that its instruction files become known soon.

        Args:
            cwd: The folder.
            wait_s: Wait up to this long until they are known.

        Returns:
            True if the folder was not known before.
        """
        if not self._librarian.add_folder(cwd):
            return False
        if wait_s > 0 and self._alive():
            self._agenda.wait_documents(wait_s)
        else:
            self._agenda.due(Task.DOCUMENTS)
        return True

    def accept_missing(self) -> None:
        """Let documents be given up even though many are missing at once: a person has said so."""
        self._librarian.accept_missing()
        self._agenda.look()

    def pause(self, seconds: float | None = None) -> None:
        """Take nothing in for a while, or until :meth:`resume`."""
        self._agenda.pause(seconds)

    def resume(self) -> None:
        """Go on."""
        self._agenda.resume()

    def wait_idle(self, timeout_s: float) -> bool:
        """Look at everything once more and wait until all of it is read; False if that takes longer.

        A service that does not run has nothing to wait for.
        """
        return not self._alive() or self._agenda.wait_idle(timeout_s)

    def progress(self) -> Progress:
        """Return how far the back-fill is."""
        return self._tally.progress(time.monotonic(), self._params.stall_s)

    def status(self) -> dict[str, Any]:
        """Return what is read, what waits and what cannot be read, for ``libra status``."""
        progress = self.progress()
        report = self._librarian.report
        standing = self._follower.standing
        failed = self._reader.unreadable()
        hosts = self._tally.hosts()
        for name, counts in hosts.items():
            counts["failed"] = sum(standing.files[p].host == name for p in failed if p in standing.files)
            span = standing.catalog.retention.get(name)
            counts["kept_days"] = span.days if span is not None else None
            counts["kept_by"] = span.named_by if span is not None else None
            counts["soon_deleted"] = standing.dying.get(name, 0)
        waiting = sum(counts["lines_waiting"] for counts in hosts.values())
        unreadable = {**dict.fromkeys(report.unreadable, "unreadable"), **standing.unreadable, **failed}
        blind = self._watcher.blind()
        silent = self._follower.silent_databases()
        problems = _problems(unreadable, len(report.held_back), silent, self._agenda.refusal)
        if progress.stalled:
            problems.append("reading has brought nothing for a minute")
        problems += [f"{path}: {why}" for path, why in standing.catalog.problems.items()]
        return {
            "running": self._alive(),
            "idle": self._agenda.idle,
            "paused": self._agenda.paused,
            "message": "; ".join([*_waiting(waiting), *problems]),
            "problems": problems,
            "hosts": hosts,
            "waiting_lines": waiting,
            "malformed_lines": sum(counts["malformed"] for counts in hosts.values()),
            "oversize_lines": sum(counts["oversize"] for counts in hosts.values()),
            "unreadable": unreadable,
            "excluded": len(standing.excluded),
            "silent_databases": silent,
            "documents": {
                "present": report.present,
                "missing": list(report.missing),
                "held_back": list(report.held_back),
                "oversize": list(report.oversize),
            },
            "progress": {name: getattr(progress, name) for name in Progress.__slots__},
            "watch": {
                "mode": "events" if self._watcher.count() and not blind else "polling",
                "folders": self._watcher.count(),
                "blind": blind,
            },
            "roots": [
                {
                    "host": folder.host,
                    "path": str(folder.path),
                    "named_by": folder.named_by,
                    "found": is_folder(folder.path),
                }
                for folder in standing.catalog.talk
            ],
            "settings_problems": dict(standing.catalog.problems),
            "last_taken_ms": self._tally.last_taken_ms,
            "last_taken_from": self._tally.last_taken_from,
            "store": self._agenda.refusal,
        }

    def _alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _heard(self, change: Change) -> None:
        self._follower.hear(change)

    def _saw_folder(self, file: TalkFile, cwd: str) -> None:
        self._follower.saw_folder(file, cwd)

    def _doubt(self, why: str) -> None:
        _log.debug("looking at everything: %s", why)
        self._agenda.look()

    def _run(self) -> None:
        if self._params.events:
            self._watcher.start()
        try:
            while (todo := self._agenda.next()) is not None:
                self._do(*todo)
                self._tell()
        finally:
            self._watcher.stop()

    def _do(self, task: Task, file: TalkFile | None) -> None:
        """Do one task; a refusing store makes everything wait, a fault of ours only this task."""
        try:
            again_s = self._follower.do(task, file)
        except StoreError as error:
            delay_s = self._agenda.refused(task, file, error.reason)
            _log.warning("the store refused (%s); trying again in %.0f s", error.reason, delay_s)
        except Exception as error:  # noqa: BLE001 - one strange file must not end the following of all others
            where = file.path if file is not None else task.value
            # Only the kind of error and its place: its text might hold what somebody said.
            _log.error("%s: %s at %s", where, type(error).__name__, _place(error))
            self._agenda.finished(task, _RETRY_BUG_S)
        else:
            self._agenda.finished(task, again_s)

    def _tell(self) -> None:
        """Call ``on_progress`` when something changed, not too often, but always at the end."""
        if self._on_progress is None:
            return
        now_s = time.monotonic()
        progress = self.progress()
        ended = self._told is not None and self._told.busy and not progress.busy
        if progress != self._told and (ended or now_s - self._told_s >= self._params.progress_s):
            self._told, self._told_s = progress, now_s
            try:
                self._on_progress(progress)
            except Exception as error:  # noqa: BLE001 - a broken progress bar must not end the following
                _log.error("progress: %s at %s", type(error).__name__, _place(error))
                self._on_progress = None


def _place(error: BaseException) -> str:
    """Return file and line at which an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"


def _waiting(lines: int) -> list[str]:
    """Return what waits, as a sentence, if anything does."""
    return [f"{lines} line{'s' if lines != 1 else ''} waiting"] if lines else []


def _problems(unreadable: Mapping[str, str], held_back: int, silent: list[str], refusal: str) -> list[str]:
    """Return one sentence for each thing that is not as it should be."""
    out = []
    if unreadable:
        count = len(unreadable)
        named = ", ".join([f"{path} ({why})" for path, why in sorted(unreadable.items())][:_NAMED])
        more = ", …" if count > _NAMED else ""
        out.append(f"{count} source{'s' if count != 1 else ''} could not be read: {named}{more}")
    if held_back:
        out.append(f"{held_back} documents are missing at once; their rules are kept until you say so")
    out += [f"{path} has grown for an hour without a turn being read from it" for path in silent]
    if refusal:
        out.append(f"the store takes nothing now ({refusal})")
    return out
