"""The seam between the readers of files and the engine: what a source may ask of it and hand to it.

Sources know no store. They read a host's files and hand turns and documents to a :class:`Sink`, which keeps
them together with the cursor that is true once they are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from libra.ground.records import Cursor, DocumentText, SourceBatch


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a batch.

    Attributes:
        accepted: Turns that are new.
        duplicates: Turns that were known already, by event or by content.
        forgotten: Turns that a person had made Libra forget; they stay forgotten.
    """

    accepted: int = 0
    duplicates: int = 0
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What is kept about a document between two looks at the disk.

    Attributes:
        path: Real path.
        digest: Hex digest of the text that was taken last.
        size, mtime_ns: The file's, when it was taken.
        state: ``present``, ``unreadable``, ``missing_once`` or ``gone``. The rules of an ``unreadable`` or
            ``missing_once`` document stay in force.
        first_missing_ms: When "not found" was seen first, if it was.
        host: Whose document it is, as it was taken last.
    """

    path: str
    digest: str
    size: int
    mtime_ns: int
    state: str
    first_missing_ms: int | None = None
    host: str = ""


class Sink(Protocol):
    """What the engine offers to the readers; every method may be called from the thread ``libra-watch``."""

    def cursor(self, path: str) -> Cursor | None:
        """Return how far the file or database at ``path`` was read, or None if it never was."""
        ...

    def take(self, batch: SourceBatch) -> Taken:
        """Keep the turns and the cursor in one transaction; return once both are durable.

        A known turn that is handed over with another ``undone`` than before is taken back or brought back, with the
        memories that were made of it alone, if its session is the one it was first seen in.

        A batch may hold no turns: then only its cursor is kept.

        Raises:
            StoreError: Nothing of the batch was kept, and the cursor did not move.
        """
        ...

    def documents(self) -> dict[str, DocumentState]:
        """Return what is kept of every document that was ever taken, by real path."""
        ...

    def document(self, doc: DocumentText) -> bool:
        """Keep this text of a document as present; return True if it differs from what was kept.

        Raises:
            StoreError: The document was not kept.
        """
        ...

    def document_state(self, path: str, state: str) -> None:
        """Record the state of a document whose text could not be read: see :class:`DocumentState`."""
        ...

    def source_state(self, path: str, state: str) -> None:
        """Record the state of a transcript: ``ok``, ``unreadable``, ``gone``, ``moved`` or ``excluded``.

        Sessions all of whose transcripts are gone are kept, and marked so.
        """
        ...

    def transcripts(self) -> frozenset[str]:
        """Return the paths of the transcripts that were read and not found gone since."""
        ...

    def session_gone(self, key: str) -> None:
        """Record that a host's database does not hold a session any more; it is kept."""
        ...
