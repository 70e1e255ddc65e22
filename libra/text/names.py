"""Proper names and titles, and questions that want one: "Which cities has he been to?", 他去过哪些城市."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_CHARS: Final = 400
"""A text is read so far: a longer one nearly always holds a name, which then tells nothing."""
_ASKED: Final = re.compile(
    r"^[\s\W]*(?:who|whose|whom|which|where|what"
    r"|wer|wen|wem|wessen|welche[mnrs]?|wo|wohin|woher|was|wie (?:heißt|heißen|hieß)"
    r"|qui|quel(?:le)?s?|où|que|quoi|comment s['’]appel\w+"
    r"|qui[ée]n(?:es)?|cu[áa]l(?:es)?|d[óo]nde|qu[ée]|ad[óo]nde"
    r"|ai|đâu|nơi nào)\b"
    r"|谁|誰|哪[里裡儿兒些个個家座本部位]|什么名字|什麼名字|叫什么|叫什麼|どこ|どの|どんな|何という"
    r"|\b(?:là ai|ở đâu|tên (?:là )?gì|nào)\b",
    re.IGNORECASE,
)
# A blank comes first, so that the scan leaps from word to word.
_NAME: Final = re.compile(
    r" (?<=[^\W\d_A-Z] |[,;&] )([A-ZÀ-ÖØ-Þ][^\W\d_A-Z]{2,}|[A-Z]{2,5}\b)|[\"“]([A-Z][^\"“”\n]{2,40})[\"”]|《([^《》\n]{1,40})》|『([^『』\n]{1,40})』"
)


def asks_for_name(query: str) -> bool:
    """Say whether a question wants somebody, some place or some thing by name.

    Args:
        query: The person's own words; only the first 400 characters are read.
    """
    return _ASKED.search(query[:_CHARS]) is not None


def holds_name(text: str, known: Collection[str]) -> bool:
    """Say whether a text names something: a capital within a sentence, a title in quotation marks.

    Args:
        text: Any; only the first 400 characters are read.
        known: Names that tell nothing new, in lower case: of those who speak.
    """
    return any(
        match.group(match.lastindex or 0).lower() not in known for match in _NAME.finditer(text, 0, _CHARS)
    )
