"""Token estimates without a tokenizer: pieces of text are counted, and each kind of piece has a cost.

The budget is a promise, so the estimate leans upwards: against the public cl100k tokenizer it is to be no
more than 5 % low on any real text and about 10 % high on average; newer vocabularies (o200k) take the
same or fewer tokens. Code, paths, hexadecimal and base64, digits, emoji and each script have costs of
their own, because a flat characters-per-token rate under-counts them (memory model §2; lessons.md C45).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from libra.text.cjk_costs import ONE_TOKEN, THREE_TOKENS
from libra.text.common_words import COMMON
from libra.text.scripts import VIETNAMESE_CLASS


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """Tokens per piece, fitted to cl100k over prose, code, logs, paths and 24 languages, then rounded up."""

    common: float = 0.97
    tiny: float = 1.05
    """One or two letters."""
    short: float = 1.55
    """Three to ten letters that are no common word."""
    long: float = 2.5
    """Eleven or twelve letters."""
    longer: float = 2.8
    letter: float = 0.5
    """Each letter after the twelfth."""
    caps: float = 1.15
    caps_letter: float = 0.26
    caps_common: float = 1.12
    glued: float = 2.1
    """Two to four letters inside a mixed run ("aB3xYz")."""
    beside_digit: float = 1.05
    digits: float = 1.04
    """Each group of up to three."""
    blank_before_digits: float = 0.92
    line_end: float = 0.93
    indent: float = 0.3
    blanks: float = 1.7
    sign: float = 1.02
    sign_before_letter: float = 0.5
    two_signs: float = 1.2
    signs: float = 0.42
    """Each further sign of a longer run."""
    more_signs: float = 0.12
    """Each sign after the eighth, besides."""
    repeated: float = 1.3
    """Sixteen equal signs in a row."""
    accented_word: float = 0.05
    accented_letter: float = 0.56
    """Each plain letter of a word with an accent."""
    vietnamese_word: float = 0.7
    vietnamese_letter: float = 0.26
    foreign_letter: float = 0.22
    """Each letter after the fourth of an unknown word, where hardly a word is common (Finnish, German, lists of names)."""


_COSTS: Final = TokenCosts()

_ACCENTED: Final = "\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff"
_SIGNS: Final = "!-/:-@\\[-`{-~"
_ASCII_PIECE: Final = re.compile(
    rf"[ {_SIGNS}]?[A-Za-z0-9]+|[{_SIGNS}]+|[ \t]*[\r\n]\s*|[ \t]{{2,}}(?![ \t]*[\r\n])"
)
_PIECE: Final = re.compile(rf"[ ]?[A-Za-z]*[{_ACCENTED}][A-Za-z{_ACCENTED}]*|{_ASCII_PIECE.pattern}")
_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_VIETNAMESE: Final = re.compile(f"[{VIETNAMESE_CLASS}\u0300-\u036f]")
_PLAIN: Final = re.compile("[A-Za-z]")
_HIGH: Final = re.compile("[^\x00-\x7f]+")
_GLUED_LETTERS: Final = 4
_HEX_LETTERS: Final = 3
_RUN: Final = 16
_FEW_SIGNS: Final = 8
_SHORT_WORD: Final = 3
_PLAIN_LETTERS: Final = 4
_FOREIGN_FROM: Final = 0.7
_FOREIGN_OVER: Final = 0.15
"""English and code hold 30 to 60 % common words, other languages in Latin letters under 20 %."""

_RANGES: Final = (
    (0x80, 1.0),
    (0xC0, 1.17),
    (0x100, 0.78),
    (0x250, 2.0),
    (0x300, 2.1),
    (0x370, 1.1),
    (0x400, 1.6),
    (0x430, 0.56),
    (0x450, 1.6),
    (0x530, 2.0),
    (0x590, 1.2),
    (0x600, 0.9),
    (0x700, 2.0),
    (0x800, 3.0),
    (0x900, 1.28),
    (0x980, 1.42),
    (0xA00, 2.1),
    (0xB80, 1.55),
    (0xC00, 2.1),
    (0xE00, 1.02),
    (0xE80, 2.3),
    (0x1000, 2.6),
    (0x10A0, 2.15),
    (0x1100, 3.0),
    (0x1780, 2.2),
    (0x1800, 3.0),
    (0x1E00, 0.8),
    (0x1F00, 3.0),
    (0x2000, 1.3),
    (0x2070, 2.2),
    (0x2190, 1.3),
    (0x2200, 2.1),
    (0x2300, 2.8),
    (0x2500, 0.85),
    (0x25A0, 2.0),
    (0x2600, 2.2),
    (0x2800, 3.0),
    (0x2E80, 0.0),
    (0xD800, 3.0),
    (0xF900, 0.0),
    (0xFB00, 3.0),
    (0xFE00, 1.2),
    (0xFE20, 2.6),
    (0xFF00, 2.2),
    (0x10000, 4.0),
    (0x1F000, 3.05),
    (0x1FB00, 4.0),
)
"""Tokens per character from each code point on; 0 stands for the East Asian table."""
_STARTS: Final = tuple(start for start, _ in _RANGES)
_EAST_ASIAN: Final = {1: 0.94, 2: 2.32, 3: 2.52}
"""Per character of a class of one, two or three tokens; neighbours merge a little, blanks add a little."""
_WHOLE: Final = {_EAST_ASIAN[1]: 1.0, _EAST_ASIAN[2]: 2.0, _EAST_ASIAN[3]: 3.0}
"""Equal characters do not merge (lessons.md C45)."""
_REPEATED: Final = re.compile(r"(.)\1{15,}", re.DOTALL)
_WIDTHS: Final = {
    character: width
    for width, characters in (
        (120, " "), (64, "#*-./=_"), (32, "+~%"), (16, ";\t\n"), (8, "afoxAF<>X!:"), (4, "bcdeyBCELMY$()\\|?@^,"),
    )
    for character in characters
}  # fmt: skip
"""Equal characters that one token holds. Source: measured on cl100k and o200k, the smaller of both; digits else 3, others 2."""
_BEYOND_BMP: Final = 0x10000
_THREE: Final = tuple(
    (int(first, 16), int(last, 16))
    for first, _, last in (pair.partition("-") for pair in THREE_TOKENS.split())
)
_THREE_STARTS: Final = tuple(first for first, _ in _THREE)


def estimate(text: str) -> int:
    """Return an upper-leaning estimate of the BPE tokens of ``text``; 0 only for the empty string."""
    if not text:
        return 0
    total, text = _without_runs(text)
    common = unknown = spare = 0
    plain = text.isascii()
    pieces = _ASCII_PIECE if plain else _PIECE
    for piece, count in Counter(pieces.findall(text)).items():
        cost, letters = _piece_cost(piece)
        total += cost * count
        if letters > _SHORT_WORD:
            unknown += count
            spare += count * max(0, letters - _PLAIN_LETTERS)
        elif letters < 0:
            common += count
    if spare:
        foreign = min(max(unknown / (unknown + common) - _FOREIGN_FROM, 0.0) / _FOREIGN_OVER, 1.0)
        total += foreign * spare * _COSTS.foreign_letter
    if not plain:
        for character, count in Counter("".join(_HIGH.findall(text))).items():
            total += _character_cost(character) * count
    return max(math.ceil(total), 1)


def _without_runs(text: str) -> tuple[float, str]:
    """Return the tokens of long runs of one character, and the text with the first character of each left."""
    total = 0.0

    def take(match: re.Match[str]) -> str:
        nonlocal total
        character = match.group(1)
        total += _repeated_cost(character, len(match.group()) - 1)
        return character

    left = _REPEATED.sub(take, text)
    return total, left


def _repeated_cost(character: str, count: int) -> float:
    """Return the tokens of ``count`` further equal characters: vocabularies hold some of them in long pieces."""
    if character.isascii():
        return math.ceil(count / _WIDTHS.get(character, 3 if character.isdigit() else 2))
    cost = _character_cost(character)
    return count * _WHOLE.get(cost, cost)


def cheap_length(text: str) -> int:
    """Return the gate's length norm, ``max(floor(codepoints / 4), 1)``.

    Source: memory-model.md §2.
    """
    return max(len(text) // 4, 1)


@lru_cache(maxsize=1 << 15)
def _piece_cost(piece: str) -> tuple[float, int]:
    """Return the tokens of a piece, and the letters of an unknown word (-1 for a common one in lower case, else 0).

    Its non-ASCII characters are counted elsewhere.
    """
    costs = _COSTS
    first = piece[0]
    if not piece.isascii():
        letters = len(_PLAIN.findall(piece))
        if _VIETNAMESE.search(piece):
            return costs.vietnamese_word + costs.vietnamese_letter * letters, 0
        return costs.accented_word + costs.accented_letter * letters, 0
    if piece[-1].isalnum():
        run = piece if first.isalnum() else piece[1:]
        before = 0.0
        if first == " ":
            before = costs.blank_before_digits if run[0].isdigit() else 0.0
        elif first != run[0]:
            before = costs.sign if run[0].isdigit() else costs.sign_before_letter
        if run.islower() and run.isalpha():
            if run in COMMON:
                return before + costs.common, -1 if len(run) > _SHORT_WORD else 0
            return before + _unknown_cost(len(run)), len(run)
        letters = len(run) if run.istitle() and run.isalpha() and run.lower() not in COMMON else 0
        return before + _run_cost(run), letters
    return _gap_cost(piece), 0


def _gap_cost(piece: str) -> float:
    """Return the tokens of white space or signs."""
    costs = _COSTS
    if piece.isspace():
        if "\n" in piece or "\r" in piece:
            return costs.line_end + (costs.indent if piece[-1] in " \t" else 0.0)
        return costs.blanks
    if len(piece) == 1:
        return costs.sign
    if len(piece) > 3 and piece.count(piece[0]) == len(piece):
        return costs.repeated * math.ceil(len(piece) / _RUN)
    return (
        costs.two_signs + costs.signs * (len(piece) - 2) + costs.more_signs * max(len(piece) - _FEW_SIGNS, 0)
    )


def _run_cost(run: str) -> float:
    """Return the tokens of a run of ASCII letters and digits."""
    parts = _PART.findall(run)
    if len(parts) == 1:
        return _part_cost(run, glued=False, beside_digit=False)
    total = 0.0
    for i, part in enumerate(parts):
        beside = (i > 0 and parts[i - 1][0].isdigit()) or (i + 1 < len(parts) and parts[i + 1][0].isdigit())
        total += _part_cost(part, glued=i > 0 and not parts[i - 1][0].isdigit(), beside_digit=beside)
    return total


def _part_cost(part: str, *, glued: bool, beside_digit: bool) -> float:
    """Return the tokens of one word or number inside a run."""
    costs = _COSTS
    length = len(part)
    if part[0].isdigit():
        return costs.digits * math.ceil(length / 3)
    if beside_digit and length <= _HEX_LETTERS:
        return costs.beside_digit
    known = part.lower() in COMMON
    if glued and length <= _GLUED_LETTERS and not known:
        return costs.glued
    if length > 1 and part.isupper():
        return costs.caps_common if known else costs.caps + costs.caps_letter * length
    if known:
        return costs.common
    return _unknown_cost(length)


def _unknown_cost(length: int) -> float:
    """Return the tokens of a word of so many letters that is not common."""
    costs = _COSTS
    if length <= 2:
        return costs.tiny
    if length <= 10:
        return costs.short
    if length <= 12:
        return costs.long
    return costs.longer + costs.letter * (length - 13)


@lru_cache(maxsize=1 << 13)
def _character_cost(character: str) -> float:
    """Return the tokens of one non-ASCII character."""
    code = ord(character)
    cost = _RANGES[bisect_right(_STARTS, code) - 1][1]
    if cost:
        return cost
    if character in ONE_TOKEN:
        return _EAST_ASIAN[1]
    at = bisect_right(_THREE_STARTS, code) - 1
    return _EAST_ASIAN[3 if at >= 0 and code <= _THREE[at][1] else 2]
