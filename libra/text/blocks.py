"""The leaves of a Markdown document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """Kinds of leaf; the value is what :class:`~libra.ground.records.Node` carries."""

    LIST_ITEM = "list_item"
    FRONT_MATTER = "front_matter"
    QUOTE = "quote"
    PARAGRAPH = "paragraph"
    CODE = "code"
    TABLE = "table"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf of a document. Headings, rules and comments are context, not leaves.

    Attributes:
        kind: What it is.
        text: Its text without quote signs, its list marker, and container indent.
        start, end: Byte span in the UTF-8 source, from its first mark to its last visible character.
        line_start, line_end: 1-based, inclusive.
        heading: Titles from the outermost heading down.
    """

    kind: BlockKind
    text: str
    start: int
    end: int
    line_start: int
    line_end: int
    heading: tuple[str, ...] = ()
