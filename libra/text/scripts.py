"""Writing systems: runs of one script, CJK bigrams, and accent folding."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Script(Enum):
    """The scripts that token counts and search treat differently (memory model §2)."""

    LATIN = "latin"
    VIETNAMESE = "vietnamese"
    CJK = "cjk"
    DENSE = "dense"
    """Cyrillic, Greek, Armenian, Hebrew, Arabic, the Indic scripts, Thai, Lao, Georgian."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of one script; ``start`` and ``end`` are code point offsets."""

    script: Script
    start: int
    end: int


CJK_CLASS: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u3099-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f"
    "\U00020000-\U000323af"
)
"""Han, Kana, Hangul and Bopomofo letters, for use inside a character class."""

DENSE_CLASS: Final = (
    "\u0370-\u1016\u101a-\u10ff\u1200-\u139f\u1780-\u18af\u1c80-\u1c8f\u1f00-\u1fff\ufb13-\ufdff\ufe70-\ufefc"
)
"""Greek up to Georgian, Ethiopic, Khmer, Mongolian and their presentation forms."""

VIETNAMESE_CLASS: Final = (
    "\u0102\u0103\u0110\u0111\u0128\u0129\u0168\u0169\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9"
)
"""Letters that only Vietnamese uses in practice; the vowels that it shares with French are not here."""

_LATIN_CLASS: Final = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u1e00-\u1eff"

_RUN: Final = re.compile(
    f"(?P<cjk>[{CJK_CLASS}]+)|(?P<dense>[{DENSE_CLASS}]+)|(?P<latin>[{_LATIN_CLASS}]+)|"
    f"(?P<other>[^{CJK_CLASS}{DENSE_CLASS}{_LATIN_CLASS}]+)"
)
_VIETNAMESE: Final = re.compile(f"[{VIETNAMESE_CLASS}]")
_CJK: Final = re.compile(f"[{CJK_CLASS}]")
_CJK_RUN: Final = re.compile(f"[{CJK_CLASS}]+")

_UNSPLIT: Final = str.maketrans(
    {
        "đ": "d",
        "ð": "d",
        "ł": "l",
        "ø": "o",
        "ħ": "h",
        "ı": "i",
        "ŧ": "t",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
    }
)
"""Letters that canonical decomposition leaves whole (lessons.md C47)."""


def runs(text: str) -> list[Run]:
    """Return the runs of ``text`` in order; together they cover it exactly.

    A Latin word with a Vietnamese letter is a VIETNAMESE run; spaces, digits and signs are OTHER.
    """
    out: list[Run] = []
    for match in _RUN.finditer(text):
        kind = match.lastgroup
        if kind == "latin":
            script = Script.VIETNAMESE if is_vietnamese(match.group()) else Script.LATIN
        else:
            script = {"cjk": Script.CJK, "dense": Script.DENSE}.get(kind or "", Script.OTHER)
        out.append(Run(script, match.start(), match.end()))
    return out


def is_vietnamese(word: str) -> bool:
    """Return True if the word holds a letter that only Vietnamese uses, composed or not."""
    return _VIETNAMESE.search(unicodedata.normalize("NFC", word)) is not None


def is_cjk(ch: str) -> bool:
    """Return True for a Han, Kana, Hangul or Bopomofo letter."""
    return _CJK.match(ch) is not None


def has_cjk(text: str) -> bool:
    """Return True if any character of ``text`` is CJK."""
    return _CJK.search(text) is not None


def cjk_runs(text: str) -> list[tuple[int, int]]:
    """Return the code point spans of the CJK runs of ``text``."""
    return [match.span() for match in _CJK_RUN.finditer(text)]


def cjk_bigrams(text: str) -> list[str]:
    """Return every pair of neighbouring CJK characters, run by run; a run of one gives that character."""
    out: list[str] = []
    for start, end in cjk_runs(text):
        if end - start == 1:
            out.append(text[start:end])
        out.extend(text[i : i + 2] for i in range(start, end - 1))
    return out


def fold(text: str) -> str:
    """Return ``text`` in lower case without accents; đ, ł, ø and their like become plain letters."""
    if text.isascii():
        return text.lower()
    split = unicodedata.normalize("NFD", text.lower().translate(_UNSPLIT))
    bare = "".join(ch for ch in split if not unicodedata.combining(ch))
    return unicodedata.normalize("NFC", bare).translate(_UNSPLIT)


_LONGER: Final = "İ"
"""The only character whose lower case is longer."""


def lower(text: str) -> str:
    """Return ``text`` in lower case at the same length, so that offsets stay true ("İ" keeps its case)."""
    low = text.lower()
    return low if len(low) == len(text) else _LONGER.join(part.lower() for part in text.split(_LONGER))
