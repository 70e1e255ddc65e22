"""Which system wrote a file, and the records in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from libra.exchange import webchats
from libra.exchange.rows import READERS, is_rabisai
from libra.exchange.shapes import SHAPES

Json = dict[str, Any]

OWN: Final = "libra"
_LISTS: Final = ("memories", "results", "entries", "records", "conversations", "data")
"""Members that hold the rows where a document is not the list itself."""
_TALKS: Final[Mapping[str, Callable[[Json], Iterator[Json]]]] = {
    "chatgpt": webchats.chatgpt,
    "claude-web": webchats.claude,
}
_MARKS: Final[Mapping[str, frozenset[str]]] = {
    "chatgpt": frozenset({"mapping"}),
    "claude-web": frozenset({"chat_messages"}),
    "libravdb": frozenset({"collection", "text"}),
    "noesis": frozenset({"memoryType", "content"}),
    "memory-lancedb-pro": frozenset({"text", "category"}),
    "mem0": frozenset({"memory", "id"}),
}
"""Fields by which a row is known, in the order in which they are tried."""
SYSTEMS: Final = (OWN, *READERS, *_TALKS, "memory-md")
"""The names that may be given for a file."""


def rows_of(document: Any) -> list[Any]:
    """Return the rows of a parsed JSON document: itself, or the list in it."""
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        found = (document[name] for name in _LISTS if isinstance(document.get(name), list))
        return next(found, [document])
    return []


def system_of(row: Any) -> str | None:
    """Return the system that a row looks like; None for none that is known."""
    if not isinstance(row, dict):
        return None
    if isinstance(row.get("kind"), str) and row["kind"] in SHAPES:
        return OWN
    if is_rabisai(row):
        return "rabisai-memory"
    return next((system for system, marks in _MARKS.items() if marks <= row.keys()), None)


def records(rows: Iterable[Any], system: str) -> Iterator[Any]:
    """Yield the records of a system's rows; a row that is no object goes through, so that it is counted as broken."""
    for row in rows:
        if system == OWN or not isinstance(row, dict):
            yield row
        elif system in _TALKS:
            yield from _TALKS[system](row)
        elif (record := READERS[system](row)) is not None:
            yield record
