"""Instruction files and notes as they are on the disk → documents for the engine, imports followed.

A pass goes over all places, reads what changed, follows ``@imports``, and judges what is missing. A file is
only taken if its size and time were the same before and after it was read.

Source: hosts.md §2.3 (imports); lessons.md C01.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from libra.engine.feed import DocumentState, Sink
from libra.ground.records import Clock, DocumentText, Scope, digest
from libra.sources.absence import GONE, UNREADABLE, AbsenceParams, Judgement, Look, judge, look
from libra.sources.catalog import ANY_HOST
from libra.sources.document_places import DocumentPlace
from libra.sources.notes import tagged
from libra.text.imports import imports

_PATHS: Final = re.compile(r"paths\s*:")
_RULES: Final = "rules"
_CURSOR_RULE: Final = ".mdc"
_FRONT: Final = re.compile(r"\A---[ \t]*\n(?:(?!---[ \t]*$).*\n)*?---[ \t]*$", re.MULTILINE)
_ALWAYS: Final = re.compile(r"^alwaysApply[ \t]*:[ \t]*true[ \t]*$", re.MULTILINE | re.IGNORECASE)
_TRIES: Final = 3

Signature = tuple[int, int, int, int]
"""Size, time in ns, inode, device."""


@dataclass(frozen=True, slots=True)
class DocumentParams:
    """Bounds of reading documents.

    Attributes:
        max_bytes: Larger files are no documents.
        import_depth: How many imports deep a document is followed.
        absence: When a document is gone.
    """

    max_bytes: int = 2 * 1024 * 1024
    import_depth: int = 5
    absence: AbsenceParams = field(default_factory=AbsenceParams)


@dataclass(frozen=True, slots=True)
class Report:
    """What a pass over the documents showed.

    Attributes:
        present: Documents in force.
        changed: Of these, new or changed in this pass.
        unreadable: Paths that could not be read; what was learnt of them stays in force.
        missing: Paths that wait for their second look.
        held_back: Paths kept because too many vanished at once.
        unsettled: Paths that changed while they were read: to be looked at again.
        oversize: Paths over the size limit.
        paths: The documents in force.
    """

    present: int = 0
    changed: int = 0
    unreadable: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    held_back: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    oversize: tuple[str, ...] = ()
    paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Known:
    """A document as it was handed over last."""

    signature: Signature
    place: tuple[str, Scope, bool, int, str | None, tuple[str, ...]]
    imports: tuple[str, ...]
    text: str = ""
    """Digest of its text."""


@dataclass(slots=True)
class _Pass:
    """What one pass has met so far."""

    seen: dict[str, _Known] = field(default_factory=dict)
    texts: set[tuple[Scope, str]] = field(default_factory=set)
    changed: int = 0
    unreadable: dict[str, None] = field(default_factory=dict)
    unsettled: dict[str, None] = field(default_factory=dict)
    oversize: dict[str, None] = field(default_factory=dict)


class _Unsettled(Exception):
    """The file changed while it was read."""


class _Unwanted(Exception):
    """The file has none of the tags that are asked for."""


class _Copy(Exception):
    """The file says the same as another document of its reader."""


class _Oversize(Exception):
    """The file is too large for a document."""


class Shelf:
    """Keeps the engine's documents equal to the files; one thread uses it.

    Args:
        sink: Takes the documents.
        home: The person's home folder, for ``@~/…``.
        clock: Now in epoch ms.
        params: Bounds.
    """

    def __init__(self, sink: Sink, home: Path, clock: Clock, params: DocumentParams | None = None) -> None:
        self._sink = sink
        self._home = home
        self._clock = clock
        self._params = params or DocumentParams()
        self._known: dict[str, _Known] = {}
        self._anchors: dict[str, str] = {}
        self._untagged: dict[str, tuple[Signature, tuple[Any, ...]]] = {}
        self._accepted = False

    def accept_missing(self) -> None:
        """Let the next passes take documents away even if many are missing at once."""
        self._accepted = True

    def update(
        self, places: Iterable[DocumentPlace], unlisted: Iterable[str] = (), roots: Iterable[str] = ()
    ) -> Report:
        """Go over all places once.

        Args:
            places: Where documents may be, the first to name a file wins.
            unlisted: Folders that could not be listed, so that places may lack.
            roots: Folders that ``places`` cover whole: a document below one that no place names any more
                (an import line was taken out) is in force no longer.

        Raises:
            StoreError: A document could not be kept; the pass can be repeated.
        """
        run = _Pass()
        run.unreadable.update(dict.fromkeys(unlisted))
        for place in places:
            self._visit(run, place, None, 0)
        kept = self._sink.documents()
        lost = {path: state for path, state in kept.items() if path not in run.seen and state.state != GONE}
        judgement = self._judge(run, kept, lost, tuple(roots))
        for path, state in judgement.states.items():
            self._sink.document_state(path, state)
            if state == UNREADABLE:
                run.unreadable[path] = None
        if not judgement.missing and not judgement.held_back:
            self._accepted = False
        # What is not in force as read is handed over again when it is back, even if it did not change.
        self._known = dict(run.seen)
        return Report(
            present=len(run.seen),
            changed=run.changed,
            unreadable=tuple(run.unreadable),
            missing=judgement.missing,
            held_back=judgement.held_back,
            unsettled=tuple(run.unsettled),
            oversize=tuple(run.oversize),
            paths=frozenset(run.seen),
        )

    def _judge(
        self,
        run: _Pass,
        kept: dict[str, DocumentState],
        lost: dict[str, DocumentState],
        roots: tuple[str, ...],
    ) -> Judgement:
        """Look for the documents that no place named, and say what becomes of them."""
        looks = {path: self._look(path) for path in lost}
        # Read files whose importer was not: no word about them. Else they are named nowhere, and so not in force.
        complete = not (run.unreadable or run.unsettled or run.oversize)
        # A document of a root that the configuration names no longer is named nowhere, wherever it lies.
        unnamed = {
            path
            for path, seen in looks.items()
            if seen is Look.THERE and complete and (kept[path].host == ANY_HOST or _below(path, roots))
        }
        judgement = judge(kept, looks, self._clock(), self._params.absence, accepted=self._accepted)
        bounds = self._params.absence
        if unnamed and (
            self._accepted or len(unnamed) <= bounds.many or len(unnamed) <= bounds.many_share * len(kept)
        ):
            return replace(judgement, states={**judgement.states, **dict.fromkeys(unnamed, GONE)})
        return replace(judgement, held_back=(*judgement.held_back, *sorted(unnamed)))

    def _look(self, path: str) -> Look:
        return look(path, self._anchors.get(path))

    def _visit(self, run: _Pass, place: DocumentPlace, imported_by: str | None, depth: int) -> None:
        """Take one place's document, if it is there, and what it imports."""
        try:
            path = os.path.realpath(place.path, strict=True)
            signature = _signature(Path(path).stat())
            path = str(place.path) if place.as_named else path
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            run.unreadable[_culprit(place)] = None
            return
        if path in run.seen or not Path(path).is_file():
            return
        known = self._kept(run, path, signature, place, imported_by)
        if known is None:
            return
        run.seen[path] = known
        run.texts.add((place.scope, known.text))
        if depth < self._params.import_depth:
            for target in known.imports:
                self._follow(run, place, path, target, depth)

    def _kept(
        self, run: _Pass, path: str, signature: Signature, place: DocumentPlace, imported_by: str | None
    ) -> _Known | None:
        """Return a document as it stands, read if it has changed; None if it is none now, which is noted."""
        known = self._known.get(path)
        as_what = _as_what(place, imported_by)
        if self._untagged.get(path) == (signature, as_what):
            return None
        if known is not None and known.signature == signature and known.place == as_what:
            return known
        try:
            known = self._take(run, path, place, imported_by)
        except _Unwanted:
            self._untagged[path] = (signature, as_what)
        except _Copy:
            pass
        except _Oversize:
            run.oversize[path] = None
        except _Unsettled:
            run.unsettled[path] = None
            return known
        except OSError:
            run.unreadable[path] = None
            return known
        else:
            run.changed += 1
            return known
        return None

    def _take(self, run: _Pass, path: str, place: DocumentPlace, imported_by: str | None) -> _Known:
        """Read a document and hand it over.

        Raises:
            OSError: It cannot be read.
            StoreError: It was not kept.
            _Unwanted, _Copy: It is no document.
        """
        data, signature = read_stable(path, self._params.max_bytes)
        text = decode_text(data)
        conditional = _RULES in place.path.parts and _for_some_paths(text)
        if place.path.suffix == _CURSOR_RULE:
            front = _FRONT.match(text)
            conditional = front is None or _ALWAYS.search(front.group()) is None
            # Keys for the host are no rules; blanks keep every line and byte where it is.
            text = text if front is None else _blank(front.group()) + text[front.end() :]
        same = (place.scope, digest(text))
        if not tagged(text, place.tags):
            raise _Unwanted
        if place.unless_same and same in run.texts:
            raise _Copy
        self._sink.document(
            DocumentText(
                path=path,
                text=text,
                host=place.host,
                scope=place.scope,
                # Rules for some paths only are no standing rules: they are found when they are relevant.
                instructions=place.instructions and not conditional,
                size=signature[0],
                mtime_ns=signature[1],
                imported_by=imported_by,
                order=place.order,
            )
        )
        targets = tuple(imports(text)) if place.import_roots else ()
        self._anchors[path] = os.path.realpath(place.anchor)
        return _Known(signature, _as_what(place, imported_by), targets, same[1])

    def _follow(self, run: _Pass, place: DocumentPlace, path: str, target: str, depth: int) -> None:
        """Visit an imported file, if it lies where this document's imports may lead."""
        if "\0" in target:
            return
        for folder in dict.fromkeys((place.path.parent, Path(path).parent)):
            wanted = self._home / target[2:] if target.startswith("~/") else folder / target
            try:
                found = self._allowed(wanted, place.import_roots) and wanted.is_file()
            except OSError:
                run.unreadable[str(wanted)] = None
                return
            if found:
                self._visit(run, replace(place, path=wanted), path, depth + 1)
                return

    def _allowed(self, wanted: Path, roots: tuple[Path, ...]) -> bool:
        """Whether the real path lies below one of the roots; below the home folder, not in a hidden folder."""
        real = Path(os.path.realpath(wanted))
        home = Path(os.path.realpath(self._home))
        for root in roots:
            top = Path(os.path.realpath(root))
            if real.is_relative_to(top):
                hidden = top == home and real.relative_to(top).parts[0].startswith(".")
                if not hidden:
                    return True
        return False


def read_stable(path: str, max_bytes: int) -> tuple[bytes, Signature]:
    """Return a file's bytes and signature, both from one state of the file.

    Raises:
        OSError: It cannot be read.
    """
    for _ in range(_TRIES):
        with open(path, "rb") as file:  # noqa: PTH123 - a string in
            before = _signature(os.fstat(file.fileno()))
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise _Oversize
        if before == _signature(Path(path).stat()) and before[0] == len(data):
            return data, before
    raise _Unsettled


def decode_text(data: bytes) -> str:
    """Return the text of a document: UTF-8, or UTF-16 where a BOM says so; NUL bytes dropped."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return data.decode(encoding, errors="replace").replace("\x00", "")


def _for_some_paths(text: str) -> bool:
    """Say whether the front matter names paths: the rules are for these only."""
    first, *rest = text.split("\n")
    if first.rstrip() != "---":
        return False
    within = itertools.takewhile(lambda line: line.rstrip() != "---", rest)
    return any(_PATHS.match(line) for line in within)


def _as_what(
    place: DocumentPlace, imported_by: str | None
) -> tuple[str, Scope, bool, int, str | None, tuple[str, ...]]:
    """Return as what a document is taken: if that changes, it is handed over again."""
    return place.host, place.scope, place.instructions, place.order, imported_by, place.tags


def _blank(text: str) -> str:
    """Return as many bytes of blanks, with the line ends where they are."""
    return "\n".join(" " * len(line.encode()) for line in text.split("\n"))


def _culprit(place: DocumentPlace) -> str:
    """Return what cannot be read: the whole folder, if it is that, else the file."""
    try:
        with os.scandir(place.anchor) as entries:
            next(entries, None)
    except OSError:
        return str(place.anchor)
    return str(place.path)


def _signature(stat: os.stat_result) -> Signature:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
