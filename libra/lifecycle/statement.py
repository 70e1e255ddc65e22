"""What of a turn is a statement at all, and what of it becomes the memory's text: never altered words."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from libra.lifecycle import forms
from libra.lifecycle.ownwords import own_words
from libra.text.sentences import Sentence, sentences


@dataclass(frozen=True, slots=True)
class StatementParams:
    """How long a memory's text may be.

    Attributes:
        verbatim_chars: A turn up to this long is kept as it stands.
        longest_chars: A longer turn is cut to whole sentences of at most this length together.
    """

    verbatim_chars: int = 320
    longest_chars: int = 600


CUT = " … "
"""Stands in a memory's text for what its turn says between two of its sentences."""
_FENCED = re.compile(r"\s*(?:```|~~~)")


MAX_SENTENCES = 100
"""Statements are looked for in the beginning of a turn; what follows is pasted matter (C67)."""
_HEAD_CHARS = 480
_TAIL_CHARS = 120


def head_of(sentence: str) -> str:
    """Return a sentence, or of an over-long one its beginning and its end: forms are looked for there only.

    It bounds the time that the patterns can take on any input (lessons.md C67).
    """
    if len(sentence) <= _HEAD_CHARS + _TAIL_CHARS:
        return sentence
    return f"{sentence[:_HEAD_CHARS]} {sentence[-_TAIL_CHARS:]}"


def declarative(sentence: str) -> bool:
    """Return True if a sentence states something: no question, no hypothetical, no request, no quote.

    A request to remember counts as a statement, since what follows it is one.
    """
    return _declares(head_of(sentence))


@lru_cache(maxsize=1024)
def _declares(sentence: str) -> bool:
    """Return :func:`declarative` of a shortened sentence; it is asked several times while a turn is judged."""
    if _FENCED.match(sentence) or forms.QUOTED.match(sentence):
        return False
    if forms.QUESTION.search(sentence):
        return False
    if forms.REMEMBER.search(sentence):
        return True
    return not (forms.HYPOTHETICAL.search(sentence) or forms.small_talk(sentence))


def stated(text: str) -> list[str]:
    """Return the beginnings of the sentences in which a person states something in their own words.

    Source: lessons.md C37 (what they quote, report or paste is not theirs).
    """
    every = sentences(own_words(text), MAX_SENTENCES)
    return [head_of(s.text) for s in every if declarative(s.text)]


def asks_to_remember(text: str) -> bool:
    """Return True if the person asks in so many words that something be kept."""
    return any(forms.REMEMBER.search(head) and not forms.QUESTION.search(head) for head in stated(text))


def memorable(text: str, params: StatementParams | None = None) -> str:
    """Return what of a turn is kept as a memory's text: the turn, or its sentences that state something.

    Every word is the person's own and in order; left-out parts between two sentences show as ``…``.

    Args:
        text: The turn, stripped and redacted.
        params: Lengths in characters.
    """
    params = params or StatementParams()
    whole = text.strip()
    if len(whole) <= params.verbatim_chars:
        return whole
    every = sentences(whole, MAX_SENTENCES)
    parts = [s for s in every if not _FENCED.match(s.text)] or every
    own = own_words(whole)
    ranked = sorted(range(len(parts)), key=lambda i: (_rank(own[parts[i].start : parts[i].end].strip()), i))
    chosen: list[int] = []
    room = params.longest_chars
    for i in ranked:
        cost = len(parts[i].text) + len(CUT)
        if cost <= room:
            chosen.append(i)
            room -= cost
    if not chosen:
        return parts[ranked[0]].text[: params.longest_chars].rstrip()
    return _join(whole, [parts[i] for i in sorted(chosen)])


def _rank(sentence: str) -> int:
    """Return how soon a sentence is taken: 0 for the first form of the table, the table's length for none."""
    if not sentence or not declarative(sentence):
        return len(forms.PRECEDENCE) + 1
    kind = forms.sentence_type(head_of(sentence))
    return forms.PRECEDENCE.index(kind) if kind is not None else len(forms.PRECEDENCE)


def _join(source: str, chosen: list[Sentence]) -> str:
    """Join sentences in order: neighbours by their own white space, others by an ellipsis."""
    out = chosen[0].text
    for before, after in itertools.pairwise(chosen):
        between = source[before.end : after.start]
        out += (between if between.strip() == "" else CUT) + after.text
    return out
