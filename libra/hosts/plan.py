"""From wishes and files to changes: what each file would hold, and the record that takes it back. No file is touched."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libra.hosts.edits import Edit, Unreadable, apply, undo
from libra.hosts.wishes import Append, Own, Put, Wish

Json = dict[str, Any]
Read = Callable[[Path], bytes | None]
"""Returns a file's bytes, None if it is not there."""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file.

    Attributes:
        file: Which.
        before: Its bytes; None if it is not there.
        after: What it is to hold; None if it is to go.
        edits: How one becomes the other, for the record.
        own: True for a file of ours.
    """

    file: Path
    before: bytes | None
    after: bytes | None
    edits: tuple[Edit, ...] = ()
    own: bool = False

    @property
    def kind(self) -> str:
        """``create``, ``change``, ``remove`` or ``keep``."""
        if self.before == self.after:
            return "keep"
        return "create" if self.before is None else "remove" if self.after is None else "change"

    def diff(self) -> str:
        """Return the change as people read it."""
        old, new = (_lines(raw) for raw in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, str(self.file), str(self.file), n=2))


def _lines(raw: bytes | None) -> list[str]:
    lines = (raw or b"").decode("utf-8", "replace").splitlines()
    return [line + "\n" for line in lines]


def connect(wishes: Iterable[Wish], read: Read) -> list[Change]:
    """Return the changes that make the wishes true, a file each; none where all is so already.

    Raises:
        Unreadable: A file is not what its format wants; its name is in the message.
    """
    texts: dict[Path, str] = {}
    made: dict[Path, list[Edit]] = {}
    before: dict[Path, bytes | None] = {}
    out = []
    for wish in wishes:
        file = wish.file
        if isinstance(wish, Own):
            found, wanted = read(file), wish.text.encode()
            if found != wanted:
                out.append(Change(file, found, wanted, own=True))
            continue
        if file not in texts:
            before[file] = read(file)
            texts[file], made[file] = _text(file, before[file]), []
        texts[file] = _edited(file, texts[file], wish, made[file])
    for file, edits in made.items():
        if edits:
            out.append(Change(file, before[file], texts[file].encode(), tuple(edits)))
    return out


def _text(file: Path, raw: bytes | None) -> str:
    try:
        return (raw or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(f"{file} is not UTF-8") from None


def _edited(file: Path, text: str, wish: Put | Append, made: list[Edit]) -> str:
    try:
        for edit in wish.edits(text):
            text = apply(text, edit)
            made.append(edit)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from None
    return text


@dataclass(frozen=True, slots=True)
class Stage:
    """One ``connect``: what it did to a file, and the SHA-256 of what it left."""

    edits: tuple[Edit, ...]
    after: str


@dataclass(frozen=True, slots=True)
class Record:
    """What was done to one file, as it is kept until ``disconnect``.

    Attributes:
        file: Which.
        created: True if there was no such file.
        stages: In the order of their making; others may have written in between.
    """

    file: Path
    created: bool
    stages: tuple[Stage, ...] = ()

    def json(self) -> Json:
        """Return it as JSON."""
        stages = [{"edits": [[e.at, e.old, e.new] for e in s.edits], "after": s.after} for s in self.stages]
        return {"file": str(self.file), "created": self.created, "stages": stages}

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> Record:
        """Read it back."""
        stages = tuple(
            Stage(tuple(Edit(int(at), str(old), str(new)) for at, old, new in s["edits"]), str(s["after"]))
            for s in found["stages"]
        )
        return cls(Path(found["file"]), bool(found["created"]), stages)

    @classmethod
    def of(cls, change: Change, earlier: Record | None) -> Record:
        """Return the record of a change, after an earlier one to the same file."""
        before = earlier or cls(change.file, change.before is None)
        return cls(
            change.file, before.created, (*before.stages, Stage(change.edits, _hash(change.after or b"")))
        )

    def undone(self, text: str) -> str | None:
        """Return a text without what was done to it; None if that cannot be told."""
        for stage in reversed(self.stages):
            back = undo(text, stage.edits, exact=_hash(text.encode()) == stage.after)
            if back is None:
                return None
            text = back
        return text


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def disconnect(wishes: Iterable[Wish], records: Mapping[Path, Record], read: Read) -> list[Change]:
    """Return the changes that take everything of ours out again.

    A file that nobody has touched since gets its former bytes back. One that was touched loses what we
    inserted; where even that is not found, the members that the wishes name.

    Raises:
        Unreadable: A file cannot be read any more; its name is in the message.
    """
    out = []
    wishes = list(wishes)
    files = dict.fromkeys([*records, *(w.file for w in wishes if not isinstance(w, Own))])
    for file in files:
        raw = read(file)
        if raw is None:
            continue
        text, record = _text(file, raw), records.get(file)
        back = record.undone(text) if record is not None else None
        ours = [w for w in wishes if isinstance(w, Put) and w.file == file]
        if back is None or not all(wish.spares(text, back) for wish in ours):
            back = text
            for wish in reversed(wishes):
                if not isinstance(wish, Own) and wish.file == file:
                    back = _removed(file, back, wish)
        gone = record is not None and record.created and not back.strip("\ufeff \t\r\n")
        if gone or back != text:
            out.append(Change(file, raw, None if gone else back.encode()))
    own = ((w.file, read(w.file)) for w in wishes if isinstance(w, Own))
    out += [Change(file, raw, None, own=True) for file, raw in own if raw is not None]
    return out


def _removed(file: Path, text: str, wish: Put | Append) -> str:
    try:
        for edit in wish.removal(text):
            text = apply(text, edit)
    except Unreadable as error:
        raise Unreadable(f"{file}: {error}") from None
    return text
