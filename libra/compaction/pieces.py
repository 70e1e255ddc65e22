"""Cut a turn into pieces that a summary can be chosen from: sentences, clauses, phrases; all exact slices.

A clause is only good together with the head of its sentence ("… because it was slow" alone says nothing, and
"it is not true that" must not be lost from what follows it), so each piece names the one that it needs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from libra.text.scripts import is_cjk
from libra.text.sentences import sentences


class Grain(IntEnum):
    """How fine a text is cut."""

    SENTENCE = 0
    CLAUSE = 1
    PHRASE = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """A slice of a turn.

    Attributes:
        turn: Index of the turn.
        start, end: Characters of its text.
        text: The slice.
        needs: Index, in the list of all pieces, of the piece without which this one may not stand.
    """

    turn: int
    start: int
    end: int
    text: str
    needs: int | None


_CLAUSE = re.compile(
    r"(?<=[;:—])\s+|(?<=,)\s+(?![-+\d{\[(]|and\s+[-+\d])|(?<=[；：，])"
    r"|\s+(?=(?:because|so that|but|while|rather than|instead of|when|if|after|before|so|which|plus|until|unless|since"
    r"|nhưng|vì|nên|khi|nếu|để)\b)",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"\s+(?=(?:and|or|that|with|from|to|into|by|for|as|even|in|on|at|of|during|over|under|through|without|và|với|từ|cho|của)\b)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|`[^`\n]{1,300}`|\([^()\n]{1,200}\)|(?<!\w)'[^'\n]{2,200}'(?!\w)"
)
"""What must stay in one piece: quotes (who said it would be lost), code, brackets."""

_MIN_WORDS = 2
_MIN_CJK_CHARS = 4
_MAX_PIECE_CHARS = 600
_MAX_CUT_CHARS = 4000
"""A longer "sentence" is no prose: it is only sliced, which bounds the time of the patterns (C67)."""


def cut(texts: Sequence[str], grain: Grain) -> list[Piece]:
    """Return the pieces of all turns in order.

    Args:
        texts: The turns' texts.
        grain: How fine; sentences stand alone, clauses need their sentence's first piece, phrases the piece
            before them.
    """
    out: list[Piece] = []
    for turn, text in enumerate(texts):
        for sentence in sentences(text):
            _cut_sentence(turn, text, sentence.start, sentence.end, grain, out)
    return out


def _cut_sentence(turn: int, text: str, start: int, end: int, grain: Grain, out: list[Piece]) -> None:
    """Append the pieces of ``text[start:end]``."""
    if text.startswith(("```", "~~~"), start):
        _emit(turn, text, start, min(end, start + _MAX_PIECE_CHARS), None, out)
        return
    if end - start > _MAX_CUT_CHARS:
        grain = Grain.SENTENCE
    head = len(out)
    closed = [m.span() for m in _WHOLE.finditer(text, start, end)] if grain else []
    clauses = _breaks(text, start, end, _CLAUSE, closed) if grain else [(start, end)]
    for number, (a, b) in enumerate(clauses):
        phrases = _breaks(text, a, b, _PHRASE, closed) if grain is Grain.PHRASE else [(a, b)]
        for place, (c, d) in enumerate(phrases):
            needs = None if number == place == 0 else head if place == 0 else len(out) - 1
            for e in range(c, d, _MAX_PIECE_CHARS):
                _emit(turn, text, e, min(e + _MAX_PIECE_CHARS, d), needs if e == c else len(out) - 1, out)


def _breaks(
    text: str, start: int, end: int, pattern: re.Pattern[str], closed: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the spans between the breaks of ``pattern``; spans too short to stand join their neighbour."""
    spans: list[tuple[int, int]] = []
    at = start
    for m in pattern.finditer(text, start, end):
        if m.start() <= at or any(a < m.end() and m.start() < b for a, b in closed):
            continue
        if _too_short(text[at : m.start()]) or _too_short(text[m.end() : end]):
            continue
        spans.append((at, m.start()))
        at = m.end()
    spans.append((at, end))
    return spans


def _too_short(text: str) -> bool:
    """Return True for a slice with fewer than two words (four characters of CJK)."""
    if sum(1 for ch in text if is_cjk(ch)) >= _MIN_CJK_CHARS:
        return False
    return len(text.split()) < _MIN_WORDS


def _emit(turn: int, text: str, start: int, end: int, needs: int | None, out: list[Piece]) -> None:
    """Append a slice."""
    out.append(Piece(turn, start, end, text[start:end], needs))


def join(chosen: Sequence[Piece], texts: Sequence[str]) -> str:
    """Return pieces of one turn as text: neighbours by their own white space, gaps as an ellipsis.

    Args:
        chosen: Pieces of one turn, in order, at least one.
        texts: The turns' texts, by ``Piece.turn``.
    """
    source = texts[chosen[0].turn]
    out = chosen[0].text.strip()
    for before, after in itertools.pairwise(chosen):
        between = source[before.end : after.start]
        out += (" " if between else "") if not between.strip() else " … "
        out += after.text.strip()
    return out
