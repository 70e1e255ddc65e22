"""Words and phrases looked for as whole words: "ana" does not stand in "banana", in any script and whatever the case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from libra.text.scripts import CJK_CLASS

_NO_BLANKS: Final = re.compile(rf"[{CJK_CLASS}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Scripts that put no blanks between words: there a word stands wherever its characters do."""


def found(text: str, phrases: Sequence[str]) -> list[str]:
    """Return those of the phrases that stand in the text, in the order of ``phrases``.

    Between the words of a phrase any white space may stand. Time is linear in the text.
    """
    low = unicodedata.normalize("NFC", text)
    return [phrase for phrase in phrases if (wanted := _pattern(phrase)) is not None and wanted.search(low)]


@lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str] | None:
    """Return the expression of one phrase, None for one without a word."""
    words = unicodedata.normalize("NFC", phrase).split()
    if not words:
        return None
    body = r"\s+".join(re.escape(word) for word in words)
    before = r"(?<!\w)" if _ends_a_word(words[0][0]) else ""
    after = r"(?!\w)" if _ends_a_word(words[-1][-1]) else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _ends_a_word(char: str) -> bool:
    return re.match(r"\w", char) is not None and _NO_BLANKS.match(char) is None
