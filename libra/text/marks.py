"""Libra's own blocks in a prompt: how they are marked, and how they are cut out again.

A memory must never feed on itself (lessons.md C27, C28): whatever we put into a prompt comes back in a
transcript, perhaps quoted, re-indented, escaped for HTML or cut in half, and must not be learnt again.
A cut in the middle of a line is in :mod:`libra.text.halves`, what a host puts around a block in :mod:`libra.text.shells`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from libra.text.halves import Half, no_half, normal_line, with_halves
from libra.text.shells import with_shells

OUR_TAG: Final = "libra-context"

FOREIGN_TAGS: Final = (
    "recalled_memories",
    "authored_context",
    "recent_session_tail",
    "elevated_guidance",
    "libravdb_recalled_memory",
    "exact_recalled_memory",
    "predictive_context",
    "memory-context",
    "memory_context",
    "relevant-memories",
    "relevant_memories",
    "hindsight_memories",
    "claude-mem-context",
    "supermemory-context",
)
"""Blocks that other memories put into prompts (LibraVDB's seven fences, and their neighbours')."""

_NAMES: Final = "|".join((OUR_TAG, *FOREIGN_TAGS))
_LT: Final = r"(?:<|＜|&(?:amp;){0,2}(?:lt|#0*60|#x0*3c) ?;|\\{1,4}(?:u003c|x3c|<))"
_GT: Final = r"(?:>|＞|&(?:amp;){0,2}(?:gt|#0*62|#x0*3e) ?;|\\{1,4}(?:u003e|x3e|>))"
"""Also as a host writes them that escapes for HTML or JSON, one that escapes what was escaped, and in full width."""
_THIN: Final = r"[\s\u200b\u2060\ufeff]{0,4}"
"""White space, and what takes no room, which some put behind a bracket to make it harmless."""
_OPENER: Final = re.compile(rf"{_LT}(?={_THIN}/?{_THIN}(?:{_NAMES})(?![\w-]))", re.IGNORECASE)
_TAG: Final = re.compile(
    rf"{_LT}{_THIN}(?P<close>/?){_THIN}(?P<name>{_NAMES})(?![\w-])"
    rf"(?P<rest>[^<>\n]{{0,200}}?)(?:{_GT}|(?=\r?\n|\Z))",
    re.IGNORECASE,
)
_ID: Final = re.compile(r"""\bid=(?:"|'|&(?:amp;){0,2}(?:quot|#34);|\\")?([0-9a-z]{4,64})""", re.IGNORECASE)
_HALF_TAG: Final = re.compile(
    rf"""\A[ >|]{{0,80}}[^<>\n]{{0,80}}\bid="[0-9a-z]{{4,64}}"\s?{_GT}""", re.IGNORECASE
)
_SIGNS: Final = ("<", "&", "＜", "\\")
_PREFIX: Final = re.compile(r"(?:[ \t>|│]|\d{1,6} ?[|→:\t]|[+*]{1,3})*\Z")
"""Before a mark at the start of a line: quotes, frames, line numbers, signs of a difference, emphasis."""
_BLANKS: Final = re.compile(r"(?:\r?\n){3,}")
_REST: Final = re.compile(r"[ \t>|]{0,80}(?:\r?\n[ \t>|]{0,80}(?=\r?\n|\Z)){0,8}(?:\r?\n|\Z)")
_PREFIX_CHARS: Final = 80
_LINE_CHARS: Final = 8000
_MOST_ORPHANS: Final = 64
"""Marks without a partner whose neighbourhood is searched; the others are cut alone."""
_ROUNDS: Final = 8
"""A cut can bring the halves of a mark together; after so many rounds what is left is made harmless."""


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is left of a text without the blocks of a memory.

    Attributes:
        text: The person's own words.
        marks: Ids of our marks that were seen, in order, without repetition.
        depth: Deepest nesting of our marks; above 1 a host has fed us our own output (C28).
    """

    text: str
    marks: tuple[str, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class _Tag:
    """One mark in the text; the span includes its quote prefix."""

    start: int
    end: int
    close: bool
    name: str
    mark: str
    at_line_start: bool


def open_mark(tier: str, mark_id: str) -> str:
    """Return the line that opens a block, ``<libra-context tier="hard" id="ab12cd34ef56">``."""
    return f'<{OUR_TAG} tier="{tier}" id="{mark_id}">'


def close_mark() -> str:
    """Return the line that closes a block."""
    return f"</{OUR_TAG}>"


def escape(text: str) -> str:
    """Return ``text`` with every mark of a memory made harmless: its ``<`` becomes ``‹``.

    Nothing that :func:`strip` would recognise is left, so no content can open or close a block.
    """
    return _OPENER.sub("‹", text) if any(sign in text for sign in _SIGNS) else text


def line_hash(line: str) -> str:
    """Return 16 hex digits that stand for a line of ours, however a host has dressed it."""
    return hashlib.sha256(normal_line(line).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def strip(text: str, injected: Callable[[str], bool], half: Callable[[Half], bool] = no_half) -> Stripped:
    """Cut the blocks of a memory out of ``text``.

    Args:
        text: A turn as a host stored it.
        injected: Tells for a line in its :func:`~libra.text.halves.normal_line` form whether we have put
            it into a prompt. It is asked only where a block has lost its start or its end: the region then
            reaches as far as the lines are ours.
        half: Tells whether a line beside a region is what a cut has left of one of ours.

    Source: memory-model.md §7; lessons.md C27, C28.
    """
    seen: dict[str, None] = {}
    deepest = 0
    for _ in range(_ROUNDS):
        if not _OPENER.search(text) and not _HALF_TAG.match(text):
            return Stripped(text, tuple(seen), deepest)
        spans, marks, depth = _regions(text, _tags(text), injected)
        seen.update(dict.fromkeys(marks))
        deepest = max(deepest, depth)
        if not spans:
            return Stripped(text, tuple(seen), deepest)
        text = _without(text, with_shells(text, with_halves(text, _merged(spans), half)))
    return Stripped(escape(text), tuple(seen), deepest)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Return ``text`` without the spans and without the blank lines that they leave."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    pieces.append(text[at:])
    return _BLANKS.sub("\n\n", "".join(pieces)).strip("\r\n")


def _tags(text: str) -> list[_Tag]:
    """Return the marks in order."""
    out: list[_Tag] = []
    for match in _TAG.finditer(text):
        floor = max(0, match.start() - _PREFIX_CHARS)
        newline = text.rfind("\n", floor, match.start())
        line = newline + 1 if newline >= 0 else floor
        known = newline >= 0 or floor == 0
        bare = known and _PREFIX.match(text[line : match.start()]) is not None
        found = _ID.search(match.group("rest"))
        out.append(
            _Tag(
                line if bare else match.start(),
                match.end(),
                bool(match.group("close")),
                match.group("name").lower(),
                found.group(1).lower() if found else "",
                bare,
            )
        )
    return out


def _regions(
    text: str, tags: list[_Tag], injected: Callable[[str], bool]
) -> tuple[list[tuple[int, int]], tuple[str, ...], int]:
    """Return the spans to cut, the ids seen and the nesting depth."""
    spans: list[tuple[int, int]] = []
    open_tags: dict[str, list[_Tag]] = {}
    orphans: list[_Tag] = []
    depth = 0
    for tag in tags:
        stack = open_tags.setdefault(tag.name, [])
        if not tag.close:
            stack.append(tag)
            depth = max(depth, len(stack)) if tag.name == OUR_TAG else depth
        elif stack:
            first = stack.pop()
            if first.name == OUR_TAG or first.at_line_start:
                spans.append((first.start, _past_blank(text, tag.end) if first.at_line_start else tag.end))
        else:
            orphans.append(tag)
    orphans += [tag for stack in open_tags.values() for tag in stack]
    for i, tag in enumerate(orphans):
        if tag.name == OUR_TAG or tag.at_line_start:
            cut = _orphan(text, tag, injected) if i < _MOST_ORPHANS else (tag.start, tag.end)
            if cut[1] - cut[0] > tag.end - tag.start or tag.name == OUR_TAG:
                spans.append(cut)
    half = _HALF_TAG.match(text)
    if half and any(tag.close and tag.name == OUR_TAG for tag in orphans):
        spans.append(half.span())
    marks = tuple(dict.fromkeys(tag.mark for tag in tags if tag.mark and tag.name == OUR_TAG))
    return spans, marks, depth


def _past_blank(text: str, end: int) -> int:
    """Return where the text goes on behind a block: after its line end and the bare quote signs that follow."""
    match = _REST.match(text, end)
    return match.end() if match else end


def _orphan(text: str, tag: _Tag, injected: Callable[[str], bool]) -> tuple[int, int]:
    """Return the span of a mark whose partner is missing, with the lines beside it that are ours."""
    return _before(text, tag, injected) if tag.close else _behind(text, tag, injected)


def _before(text: str, tag: _Tag, injected: Callable[[str], bool]) -> tuple[int, int]:
    """Return the span of a closing mark whose start was cut away; a line that is not ours ends it."""
    start = tag.start
    while start > 0:
        line_end = start - 1 if text[start - 1] == "\n" else start
        floor = max(0, line_end - _LINE_CHARS)
        line_start = text.rfind("\n", floor, line_end) + 1
        if line_start == 0 and floor:
            break
        normal = normal_line(text[line_start:line_end])
        if normal and not injected(normal):
            break
        start = line_start
    return start, _past_blank(text, tag.end) if tag.at_line_start else tag.end


def _behind(text: str, tag: _Tag, injected: Callable[[str], bool]) -> tuple[int, int]:
    """Return the span of an opening mark whose end was cut away; a line that is not ours ends it."""
    end = tag.end
    while end < len(text):
        line_end = text.find("\n", end + 1, end + _LINE_CHARS)
        if line_end < 0:
            if len(text) - end > _LINE_CHARS:
                break
            line_end = len(text)
        normal = normal_line(text[end:line_end])
        if normal and not injected(normal):
            break
        end = line_end
    return tag.start, end


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans in order with overlaps joined."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
