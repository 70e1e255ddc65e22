"""Of what an English modal says something: the subject before it, and that subject's head."""

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = re.compile(
    r"[,;(—–]|:(?!\d)|\s-\s|\b(?:and|but|so|because|since|then|if|when|while|although|whereas|until|unless|once)\b"
)
_PREPOSITION: Final = re.compile(
    r"\b(?:in|of|for|via|from|to|with|on|by|under|within|that|which|who|using|inside|at|across|between|without|through|against|per|outside|into|over|about|after|before|generated|written|added|used|created|made|containing|involving)\b"
)
_LEAD: Final = re.compile(r"\A[^a-z\ue000]*")
_FINITE: Final = re.compile(r"\b(?:is|are|was|were|has|have|do|does|will|can|use|uses|run|runs)\b")
_RELATIVE: Final = re.compile(r"\s(?:that|which|who)\s")
_TWO_WORDS: Final = re.compile(
    r"[a-z]+s\s(?!and\b|of\b)[a-z]+\s(?:in|at|on|next|to|under|with|beside|inside)\b"
)
"""A plural and what it does somewhere: "Fixtures live next to …"."""
_EDGES: Final = " \"'*_-•>#[]0123456789.)"
_LONG_SUBJECT: Final = 24
QUANTIFIER: Final = re.compile(
    r"(?:all|every|each|any|no|none|neither|both|only|new|existing|public|most|anything|everything|everyone|anyone|nobody|nothing|no\s+one)\b"
)
PARTICIPLES: Final = frozenset(
    "been had done gone seen known felt thought come made found left lost told said run begun cost cut hit put set sent kept built".split()
)
PARTICIPLE: Final = re.compile(r"\w+(?:ed|en|un|ut|pt|ld|nt|lt|de|ne)\b")


def subject_of(low: str, end: int) -> str:
    """Return the words that the modal at ``end`` says something of.

    The clause before it; or, where that is empty ("… are managed by Ruff and should stay sorted"), what
    the clause before that speaks of; or the whole opening, where it starts with "every", "all", "no".
    """
    window = low[max(0, end - 240) : end]
    opening = _LEAD.sub("", window) if end <= 240 else ""
    if QUANTIFIER.match(opening) and len(opening.split()) <= _LONG_SUBJECT and not _FINITE.search(opening):
        return opening.strip()
    cut = previous = 0
    joined = False
    for mark in _BREAK.finditer(window):
        if mark.group() == "and" and window[mark.end() :].strip():
            before = window[cut : mark.start()].split()
            if len(before) <= 4 and not _FINITE.search(window[cut : mark.start()]):
                continue
        previous, cut = cut, mark.end()
        joined = mark.group() in ("and", "but", "so", "then")
    subject = window[cut:].strip(_EDGES)
    if not subject and joined:
        earlier = window[previous:cut].strip(_EDGES).rsplit(" ", 1)[0]
        earlier = _RELATIVE.split(earlier, maxsplit=1)[0]
        finite = _FINITE.search(earlier)
        first = " ".join(earlier.split()[: 1 if _TWO_WORDS.match(earlier) else 2])
        subject = earlier[: finite.start()].strip(_EDGES) if finite else first
    return subject


def head_of(subject: str) -> str:
    """Return the head noun of a subject: the last word before its first preposition."""
    cut = _PREPOSITION.search(subject, 1)
    phrase = subject[: cut.start()] if cut and cut.start() > 0 else subject
    words = phrase.split() or subject.split()
    told = len(words) > 1 and (words[-1] in PARTICIPLES or PARTICIPLE.fullmatch(words[-1]))
    if told and words[-2].endswith("s"):
        words.pop()
    return words[-1].strip("`'\"*_,.()") if words else ""
