"""Lines of ours that a host has cut in the middle: what stands beside a region of ours and is a part of the next line.

A host that shortens a prompt to so many characters cuts within a line, and what is left of it stands at the edge of the
block. Few characters may be left, so likeness is no evidence: a line counts as half of ours only if it is, to the letter,
the beginning of the very line that followed its neighbour in a prompt (or the end of the one before it). A person's own
words are not, so they stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final

_QUOTE: Final = re.compile(r"\A(?:\s|>|&gt;|\|)+")
_SPACE: Final = re.compile(r"\s+")
_CUT: Final = re.compile(r"(?:…|\.\.\.|\[(?:\.{3}|…)?\s?truncated[^\]\n]{0,40}\])\s*\Z", re.IGNORECASE)
"""What a host puts where it has shortened a text."""
_LINE_CHARS: Final = 8000
_BLANK_LINES: Final = 8
_MOST_SPANS: Final = 16
"""Regions from either end of a text that are looked beside: a cut takes an end off."""
_ESCAPED: Final = ("&lt;", "&gt;", "&amp;", "&quot;", "&#x27;", "&#39;")
_ESCAPES: Final = 3
"""How often a text may have been escaped on its way."""


class Side(Enum):
    """Which part of a line a cut has left."""

    HEAD = "head"
    TAIL = "tail"


@dataclass(frozen=True, slots=True)
class Half:
    """A line beside a region of ours that may be a part of a line of ours.

    Attributes:
        side: ``HEAD`` behind a region, ``TAIL`` before it.
        part: The line in its normal form.
        written: The same without taking HTML's escapes off: a cut may have gone through one.
        neighbour: The region's line next to it, in its normal form.
    """

    side: Side
    part: str
    written: str
    neighbour: str


def no_half(_half: Half) -> bool:
    """Know no prompt."""
    return False


def normal_line(line: str) -> str:
    """Return a line as it is compared: unescaped, without quote signs, white space collapsed, lower case."""
    for _ in range(_ESCAPES):
        plain = html.unescape(line) if "&" in line else line
        if plain == line:
            break
        line = plain
    return _bare(line)


def _bare(line: str) -> str:
    return _SPACE.sub(" ", _QUOTE.sub("", line)).strip().casefold()


def is_half(half: Half, lines: Sequence[str]) -> bool:
    """Return True if these lines of a prompt, in normal form and order, have the neighbour next to the whole of the half."""
    head = half.side is Side.HEAD
    for first, second in pairwise(lines):
        beside, whole = (first, second) if head else (second, first)
        if beside == half.neighbour and _is_part(half, whole, head=head):
            return True
    return False


def _is_part(half: Half, whole: str, *, head: bool) -> bool:
    torn = _without_torn_escape(half.part, head=head)
    for part, line in ((half.part, whole), (half.written, html.escape(whole)), (torn, whole)):
        if part and (line.startswith(part) if head else line.endswith(part)):
            return True
    return False


def _without_torn_escape(part: str, *, head: bool) -> str:
    """Return a half without the piece of an escape that the cut went through; empty if there is none."""
    if head:
        at = part.rfind("&")
        piece = part[at:] if at >= 0 else ""
        return part[:at] if piece and any(escape.startswith(piece) for escape in _ESCAPED) else ""
    piece, mark, rest = part.partition(";")
    return rest if mark and any(escape.endswith(f"{piece};") for escape in _ESCAPED) else ""


def with_halves(
    text: str, spans: Sequence[tuple[int, int]], half: Callable[[Half], bool]
) -> list[tuple[int, int]]:
    """Return the spans, each with the half line before and behind it.

    Args:
        text: The whole text.
        spans: Regions of ours in order, none touching another.
        half: Whether a line is half of one of ours.
    """
    out: list[tuple[int, int]] = []
    for i, (begin, stop) in enumerate(spans):
        start, end = begin, stop
        if i < _MOST_SPANS or i >= len(spans) - _MOST_SPANS:
            start = _with_tail(text, begin, _first_line(text[begin:stop]), half)
            end = _with_head(text, stop, _last_line(text[begin:stop]), half)
        out.append((max(start, out[-1][1]) if out else start, end))
    return out


def _first_line(region: str) -> str:
    """Return the first line that says anything, in its normal form."""
    head = region[:_LINE_CHARS]
    return next(filter(None, map(normal_line, head.split("\n"))), "")


def _last_line(region: str) -> str:
    """Return the last line that says anything, in its normal form."""
    tail = region[-_LINE_CHARS:]
    return next(filter(None, map(normal_line, reversed(tail.split("\n")))), "")


def _with_tail(text: str, start: int, neighbour: str, half: Callable[[Half], bool]) -> int:
    """Return where a region begins if the line before it is the rest of one of ours."""
    at = first = start
    for _ in range(_BLANK_LINES):
        if at == 0 or text[at - 1] != "\n":
            break
        begin = max(text.rfind("\n", max(0, at - 1 - _LINE_CHARS), at - 1) + 1, at - 1 - _LINE_CHARS, 0)
        line = text[begin : at - 1]
        if part := normal_line(line):
            return begin if half(Half(Side.TAIL, part, _bare(line), neighbour)) else first
        at = begin
        if line.strip():
            first = begin  # a bare quote sign: nobody's words
    return first


def _with_head(text: str, end: int, neighbour: str, half: Callable[[Half], bool]) -> int:
    """Return where a region ends if the line behind it is the beginning of one of ours."""
    at = end
    if at and text[at - 1] != "\n":
        if not text[at : at + 2].lstrip("\r").startswith("\n"):
            return end
        at = text.index("\n", at) + 1
    for _ in range(_BLANK_LINES):
        line_end = text.find("\n", at, at + _LINE_CHARS)
        line_end = min(len(text), at + _LINE_CHARS) if line_end < 0 else line_end
        written = text[at:line_end]
        line = _CUT.sub("", written)
        if part := normal_line(line):
            return line_end if half(Half(Side.HEAD, part, _bare(line), neighbour)) else end
        if normal_line(written):
            return line_end  # the cut fell on a line end, and the host's sign stands alone behind it
        at = line_end + 1
    return end
