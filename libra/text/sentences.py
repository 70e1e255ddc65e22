"""Cut a text into its sentences, each an exact slice of the text: nothing is re-written.

Used where a statement must be found inside a longer turn (lifecycle) and where a summary is chosen out of
sentences (compaction). Deterministic, one linear scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

_ABBREVIATION = re.compile(
    r"(?i:e\.g|i\.e|mr|mrs|ms|dr|prof|vs|etc|approx|fig|eq|dept|inc|ltd|jr|sr|cf|al|resp|incl|esp|tp|ts|gs)|[A-Z]"
)
"""Words whose full stop ends no sentence, without that stop, and initials (English, Vietnamese titles)."""

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_BREAK = re.compile(
    r"""[.!?…]+["'”’)\]*_]*(?=\s|$)   # a stop before white space
      | [。！？…]+["”’』」）)]*          # a CJK stop needs none
      | \n+""",
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"([\w.]+)\.$")
_LIST_NUMBER = re.compile(r"(?:^|\n)[ \t]*\d{1,3}\.$")
_LOOK_BACK_CHARS = 24


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: ``text == source[start:end]``, outer white space left out."""

    text: str
    start: int
    end: int


def sentences(text: str, most: int | None = None) -> list[Sentence]:
    """Return the sentences of ``text`` in order; a fenced code block is one sentence.

    Line ends separate sentences, as chat turns and list items rarely end in a stop.

    Args:
        text: Any text.
        most: How many are wanted; what stands behind them is not read.
    """
    return list(islice(_each(text), most))


def _each(text: str) -> Iterator[Sentence]:
    at = 0
    for fence in _FENCE.finditer(text):
        yield from _prose(text, at, fence.start())
        yield from _trimmed(text, fence.start(), fence.end())
        at = fence.end()
    yield from _prose(text, at, len(text))


def _prose(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Cut ``text[start:end]``, which holds no fence."""
    at = start
    for stop in _BREAK.finditer(text, start, end):
        if stop.group()[0] == "." and _ends_no_sentence(text, at, stop.end()):
            continue
        yield from _trimmed(text, at, stop.end())
        at = stop.end()
    yield from _trimmed(text, at, end)


def _ends_no_sentence(text: str, start: int, stop: int) -> bool:
    """Return True if the full stop before ``stop`` belongs to an abbreviation, an initial or a list number."""
    before = text[max(start, stop - _LOOK_BACK_CHARS) : stop]
    if _LIST_NUMBER.search(before):
        return True
    word = _LAST_WORD.search(before)
    return word is not None and _ABBREVIATION.fullmatch(word.group(1)) is not None


def _trimmed(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield ``text[start:end]`` without outer white space, if anything is left."""
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    body = piece.strip()
    if body:
        yield Sentence(body, start + lead, start + lead + len(body))
