"""When two memories are one: equal after normalising, or nearly equal and saying the same (memory model §4)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from libra.ground.records import digest
from libra.lifecycle.claims import LEAD, claim, without_mood
from libra.text.stopwords import STOP_WORDS
from libra.text.terms import identifiers


@dataclass(frozen=True, slots=True)
class ConsolidateParams:
    """When two memories are one.

    Attributes:
        min_cosine: Nearness from which two memories may be one. It belongs to the model's profile.

    Source: memory-model.md §4; lessons.md C21.
    """

    min_cosine: float = 0.95


_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})
_EDGE = re.compile(r"^[\s\W_]+|[\s.!,;:…。！，；]+$")


def content_hash(text: str) -> str:
    """Return 32 hex digits that are equal for texts that differ only in case, white space, quotes, edges or a smile at the end.

    Equal hashes are one memory: storing it again is a confirmation (field case B24).
    """
    folded = unicodedata.normalize("NFKC", text.translate(_QUOTES)).casefold()
    folded = " ".join(folded.split())
    folded = LEAD.sub("", _EDGE.sub("", without_mood(folded))) or folded
    return digest("memory", folded)


_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NUMBER_WORD = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|million|first|second|third|half|double|twice)\b|[一二三四五六七八九十百千万两半]+(?=个|次|天|年|月|点|人|块|元)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|cannot|neither|nor|no longer|used to|formerly|stopped|except|unless|un(?:able|like)"
    r"|không|chưa|đừng|chẳng|cấm|hết)\b|n['’]t\b|不|没|別|别|禁止|无|未",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w'’-])[A-ZÀ-ÝĐ][\w'’-]+")
_WORD = re.compile(r"\w[\w'’-]*")


_MAX_CHARS = 4000
"""Longer texts are one only when they are equal: their particulars would take too long to compare."""


@dataclass(frozen=True, slots=True)
class Particulars:
    """What must be the same in two texts for them to say the same."""

    numbers: frozenset[str]
    negations: int
    names: frozenset[str]
    identifiers: frozenset[str]


def particulars(text: str) -> Particulars:
    """Return numbers, the count of negations, capitalised words and identifiers of a text."""
    numbers = {m.group() for m in _NUMBER.finditer(text)} | {
        m.group().lower() for m in _NUMBER_WORD.finditer(text)
    }
    names = {_bare(m.group()) for m in _NAME.finditer(text)} - STOP_WORDS
    return Particulars(
        frozenset(numbers),
        sum(1 for _ in _NEGATION.finditer(text)),
        frozenset(names),
        frozenset(i.casefold() for i in identifiers(text)),
    )


def particulars_text(text: str) -> str:
    """Return one line that is equal for texts with the same particulars."""
    found = particulars(text)
    parts = (sorted(found.numbers), [str(found.negations)], sorted(found.names), sorted(found.identifiers))
    return "|".join(" ".join(part) for part in parts)


def _bare(name: str) -> str:
    """Return a name in lower case without a genitive."""
    return re.sub(r"['’]s$", "", name).casefold()


def near_duplicate(a: str, b: str, cosine: float, params: ConsolidateParams) -> bool:
    """Return True if two memories of one type say the same in other words.

    They must be near, and agree in numbers, negation, names and identifiers; two claims about one slot with
    different values are a contradiction, never a duplicate.

    Args:
        a: One text.
        b: The other.
        cosine: Of their vectors, of one model.
        params: The nearness needed.
    """
    if not cosine >= params.min_cosine:
        return False
    if content_hash(a) == content_hash(b):
        return True
    if max(len(a), len(b)) > _MAX_CHARS:
        return False
    ours, theirs = particulars(a), particulars(b)
    if (ours.numbers, ours.negations, ours.identifiers) != (
        theirs.numbers,
        theirs.negations,
        theirs.identifiers,
    ):
        return False
    if not (_has_names(a, theirs.names) and _has_names(b, ours.names)):
        return False
    one, other = claim(a), claim(b)
    if one is None or other is None:
        return True
    if (one.subject, one.slot) == (other.subject, other.slot):
        return (one.value, one.denied) == (other.value, other.denied)
    return one.subject == other.subject


def _has_names(text: str, names: frozenset[str]) -> bool:
    """Return True if each name is a word of ``text``, in whatever case.

    The first word of a sentence counts as a name too: a wrong "no" only keeps two memories apart.
    """
    return names <= {_bare(m.group()) for m in _WORD.finditer(text)}
