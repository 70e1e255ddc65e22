"""What a step of reading takes and brings, the same for files of lines and for databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from libra.ground.records import Cursor, NewTurn, SessionRef, SourceBatch
from libra.sources.events import Said


@dataclass(frozen=True, slots=True)
class TalkFile:
    """A transcript: its host, its real path, its path below the host's folder, its form: ``jsonl``, ``json`` or ``sqlite``."""

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
        done: The end was reached.
        restarted: The cursor did not fit, or the person left a branch that was read: it is read from its start.
        folders: Working folders that the turns name.
        counts: Events by kind.
        waiting: Events so far in this pass that are not whole yet; None where the cursor says it.
        forgotten: Sessions that the person had the host forget.
        lost: Keys of sessions that were read and that the host does not have any more.
    """

    batches: tuple[SourceBatch, ...]
    cursor: Cursor
    done: bool
    restarted: bool = False
    folders: frozenset[str] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    waiting: int | None = None
    forgotten: int = 0
    lost: frozenset[str] = frozenset()


class Job(Protocol):
    """One pass over a transcript; a new one is made for the next pass."""

    def step(self, cursor: Cursor | None) -> Slice:
        """Read the next slice after ``cursor``, which is what the last step returned.

        Raises:
            OSError: It cannot be read (now); nothing was taken.
            SourceError: The same, of a database.
        """
        ...


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
