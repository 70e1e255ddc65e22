"""opencode's storage before its database: a JSON file for each session, message and part.

``storage/session/<project>/<session>.json`` is the transcript; its messages are ``storage/message/<session>/*.json``, their parts
``storage/part/<message>/*.json``, with the ids that the database has for them since. The host changes the session's file with its
messages, so a session is read whole each time that file changes; one that the database holds is the database's to tell.

Source: hosts.md §3.3, and the host's releases before 1.2.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from libra.ground.errors import SourceError
from libra.ground.records import Cursor
from libra.sources.events import Event, ParseParams, Said, decode, text_of, time_of
from libra.sources.host_sqlite import DatabaseParams, reading
from libra.sources.lines import WHOLE
from libra.sources.opencode import HOST, OpencodeParser, Talk, is_open
from libra.sources.slices import Slice, TalkFile, batches

_FRESH_S: Final = 3_600.0
"""An answer that is not complete for longer was broken off: the session is looked at no more until it changes."""


class OpencodeFiles:
    """One pass over one session; make a new one for the next pass.

    Args:
        file: The session's file.
        parse: Settings of the parser.
        params: Bounds of what is read.
    """

    def __init__(self, file: TalkFile, parse: ParseParams, params: DatabaseParams) -> None:
        self.file = file
        self._parse = parse
        self._params = params
        self._storage = Path(file.path).parents[2]

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the session; one whose file is not whole (yet) waits.

        Raises:
            OSError: It cannot be read (now); nothing was taken.
        """
        stat = Path(self.file.path).stat()
        read = Cursor(self.file.path, HOST, WHOLE, stat.st_dev, stat.st_ino, mtime_ns=stat.st_mtime_ns)
        known = self._event(Path(self.file.path))
        if known is None:
            return Slice((), replace(cursor or read, size=0), done=True, waiting=1)
        talk = _talk(known, Path(self.file.path).stem)
        parser = OpencodeParser(self._parse, talk)
        said, whole = ([], True) if self._superseded(talk) else self._said(parser, talk)
        session = parser.session()
        late = not whole and time.time() - stat.st_mtime < _FRESH_S
        read = replace(
            read,
            size=0 if late else stat.st_size,
            offset=stat.st_size,
            lines=len(said),
            session_key=session.key,
        )
        folders = frozenset(one.session.cwd for one in said if one.session.cwd)
        return Slice(
            tuple(batches(said, session, None, read)),
            read,
            done=True,
            folders=folders,
            counts=Counter(parser.counts),
            waiting=0,
        )

    def _said(self, parser: OpencodeParser, talk: Talk) -> tuple[list[Said], bool]:
        """Return the turns, and whether the last answer is complete."""
        said: list[Said] = []
        found = sorted(self._messages(talk), key=lambda one: one[:2])
        for number, (_, name, data) in enumerate(found, 1):
            if is_open(data) and number == len(found):
                return said, False
            said += parser.feed(name, data, list(self._parts(name)), number)
        return said, True

    def _messages(self, talk: Talk) -> Iterator[tuple[int, str, Event]]:
        """Yield time, id and content of a session's messages."""
        for path in _files(self._storage / "message" / talk.session_id):
            event = self._event(path)
            if event is not None:
                times = event.get("time")
                created = time_of(times.get("created")) if isinstance(times, dict) else None
                yield created or 0, path.stem, event

    def _parts(self, message: str) -> Iterator[tuple[str, Event, int]]:
        """Yield id, content and size of a message's parts."""
        for path in _files(self._storage / "part" / message):
            event = self._event(path)
            if event is not None:
                yield path.stem, event, 0

    def _event(self, path: Path) -> Event | None:
        """Return what a file holds; None if it is too large or half-written."""
        with path.open("rb") as source:
            data = source.read(self._params.row_max_bytes + 1)
        event, sound = decode(data) if len(data) <= self._params.row_max_bytes else (None, False)
        return event if sound else None

    def _superseded(self, talk: Talk) -> bool:
        """Whether a database beside the storage holds the session: there it goes on, here it stands still."""
        for path in sorted(self._storage.parent.glob("opencode*.db")):
            with (
                suppress(SourceError),
                reading(str(path), self._params, frozenset({"session"})) as sql,
            ):
                if sql.has("session", "id") and any(
                    sql.rows("SELECT 1 FROM session WHERE id = ?", (talk.session_id,))
                ):
                    return True
        return False


def _files(folder: Path) -> list[Path]:
    """Return the JSON files in a folder, in the order of their names, which is that of their making."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name.endswith(".json"))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _talk(known: Event, name: str) -> Talk:
    revert = known.get("revert")
    place = revert if isinstance(revert, dict) else {}
    return Talk(
        text_of(known.get("id")) or name,
        text_of(known.get("parentID")),
        text_of(known.get("directory")),
        text_of(place.get("messageID")),
        text_of(place.get("partID")),
    )
