"""The first line of a long summary: the words that its turns share most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from libra.compaction.candidates import speaker_words
from libra.compaction.lexical import content_words
from libra.compaction.turns import ClusterTurn
from libra.ground.records import Role
from libra.text.scripts import fold

_WORDS = 6
_LEAST_TURNS = 3
_WORD = re.compile(r"[^\W\d_]{3,24}")
_LABEL = re.compile(r"(?:^|[.!?…] )([^\W\d_]{2,24}): ", re.MULTILINE)
"""Who spoke, inside of a lower summary."""
_FORM = "About {}.\n"
_HEADER = re.compile(r"About [^\n.]{1,200}\.\n")


def header(turns: Sequence[ClusterTurn], texts: Sequence[str]) -> str:
    """Return the line with its end, or nothing if no word is shared.

    Args:
        turns: For who speaks; tools' outputs do not count.
        texts: Their sanitised texts.
    """
    below = [text for turn, text in zip(turns, texts, strict=True) if not turn.label]
    names = speaker_words(turns) | {m.group(1) for text in below for m in _LABEL.finditer(text)}
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for turn, text in zip(turns, texts, strict=True):
        if turn.role is Role.TOOL:
            continue
        words = {fold(m.group()): m.group() for m in _WORD.finditer(text)}
        said = list(dict.fromkeys(word for word in content_words(text, names) if word in words))
        counts.update(said)
        for word in said:
            forms.setdefault(word, words[word])
    order = {word: k for k, word in enumerate(counts)}
    top = sorted(counts, key=lambda word: (-counts[word], order[word]))[:_WORDS]
    shown = [forms[word] for word in top if counts[word] >= _LEAST_TURNS]
    return _FORM.format(", ".join(shown)) if shown else ""


def without_header(text: str) -> str:
    """Return a summary without that line, for the summary above it: it gets a line of its own."""
    found = _HEADER.match(text)
    return text[found.end() :] if found else text
