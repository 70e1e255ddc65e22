"""Whether a text that a model wrote stands on what was said: no invented names or numbers, no new rules, no loops."""

from __future__ import annotations

import re
from collections.abc import Sequence

from libra.compaction.fidelity import exact_terms, holds
from libra.compaction.lexical import content_words
from libra.text.deontic import modalities
from libra.text.sentences import sentences

_NUMBER = re.compile(r"-?\d+(?:[.,:]\d+)*")
_SHORTEST = 2
_UNIT = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_GRAM = 4
_FEWEST_UNITS = 16
_LEAST_FRESH = 0.6
_BACKED = 0.5
_MOST_CHARS = 200_000


def repeats(text: str) -> bool:
    """Return True for a text that goes round in circles: many of its four-word sequences come again.

    Small models do that when they do not know how to go on.
    """
    units = [u.lower() for u in _UNIT.findall(text)]
    if len(units) < _FEWEST_UNITS:
        return False
    grams = [tuple(units[i : i + _GRAM]) for i in range(len(units) - _GRAM + 1)]
    return len(set(grams)) < _LEAST_FRESH * len(grams)


def invents(text: str, sources: Sequence[str]) -> bool:
    """Return True if a text names an exact term that none of the sources holds.

    Written otherwise is not invented: letter case, a unit's space and a number's commas do not count, nor do single
    digits, since counting things is fair.

    Args:
        text: What was written.
        sources: All that it may speak of.
    """
    whole = "\n".join(sources)[:_MOST_CHARS].lower()
    plain = whole.replace(",", "")
    return any(
        not _grounded(name.lower(), whole, plain) for name in exact_terms(text) if len(name) >= _SHORTEST
    )


def _grounded(name: str, whole: str, plain: str) -> bool:
    if holds(whole, name):
        return True
    number = _NUMBER.match(name)
    if number is None:
        return False
    return any(
        holds(place, form) for place in (whole, plain) for form in (number[0], number[0].replace(",", ""))
    )


def has_new_rule(text: str, sources: Sequence[str]) -> bool:
    """Return True if a sentence obliges, forbids or permits something that no source sentence does.

    A source sentence backs it that has the same modality and holds half of its content words. What a page or a tool
    has put into a conversation could else come back out of its summary as an order.

    Args:
        text: What was written.
        sources: All that it may speak of.
    """
    found = [
        (set(kinds), set(content_words(s.text))) for s in sentences(text) if (kinds := modalities(s.text))
    ]
    if not found:
        return False
    known = [
        (set(kinds), set(content_words(s.text)))
        for source in sources
        for s in sentences(source[:_MOST_CHARS])
        if (kinds := modalities(s.text))
    ]
    return any(
        not any(kinds & theirs and len(words & said) >= _BACKED * len(words) for theirs, said in known)
        for kinds, words in found
    )
