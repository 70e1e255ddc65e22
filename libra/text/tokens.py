"""Token estimates without a tokenizer: pieces of text are counted, and each kind of piece has a cost.

The budget is a promise, so the estimate leans upwards: against the public cl100k tokenizer it is to be no
more than 5 % low on any real text and about 3 % high on talk, 5 % on average; newer vocabularies (o200k) take the
same or fewer tokens. Pieces are cut where those tokenizers cut: a sign with the line end behind it, indentation,
a sign before a word. Code, paths, hexadecimal and base64, digits, emoji and each script have costs of
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
from libra.text.tongues import tongue_of


@dataclass(frozen=True, slots=True)
class TokenCosts:
    """Tokens per piece, fitted to cl100k over prose, code, logs, paths and 24 languages, then rounded up."""

    common: float = 1.01
    tiny: float = 1.02
    """One or two letters."""
    short: float = 1.3
    """Three to ten letters that are no common word."""
    long: float = 1.55
    """Eleven or twelve letters."""
    native: float = 0.15
    """Less for each word that is not common, in English whose other words are: there 1.05 tokens is the mean of such words."""
    longer: float = 2.04
    letter: float = 0.35
    """Each letter after the twelfth."""
    caps: float = 0.96
    caps_letter: float = 0.22
    caps_common: float = 1.24
    glued: float = 1.94
    """Two to four letters inside a mixed run ("aB3xYz")."""
    beside_digit: float = 1.1
    digits: float = 1.02
    """Each group of up to three."""
    blank_before_digits: float = 0.91
    line_end: float = 1.0
    blanks: float = 1.34
    """Two or more blanks before something: indentation, columns."""
    sign: float = 1.03
    sign_before_digits: float = 0.99
    sign_before_letter: float = 0.7
    sign_and_line_end: float = 1.04
    two_signs: float = 1.25
    three_signs: float = 1.25
    three_signs_and_line_end: float = 1.5
    signs: float = 0.48
    """Each further sign of a longer run."""
    more_signs: float = 0.11
    """Each sign after the eighth, besides."""
    repeated: float = 1.25
    """Sixteen equal signs in a row."""
    accented_word: float = 0.05
    vietnamese_word: float = 0.7
    vietnamese_letter: float = 0.26


_COSTS: Final = TokenCosts()
_BEFORE_LETTER: Final = {
    "'": 0.11,
    "(": 0.16,
    ".": 0.2,
    "_": 0.26,
    '"': 0.81,
    "-": 0.99,
    "/": 1.02,
    "`": 1.0,
    "|": 1.2,
    "{": 1.0,
}
"""What a sign costs before a word: vocabularies hold "(self" and ".get", hardly any "-self"."""
_CONTRACTED: Final = frozenset(f"'{end}" for end in ("s", "t", "m", "d", "re", "ve", "ll"))
"""Ends of words that are always one token."""

_ACCENTED: Final = "\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff"
_LAST_SIGNS: Final = frozenset(".,:;!?)]}'\"")
_SIGNS: Final = "!-/:-@\\[-`{-~"
_ASCII_PIECE: Final = re.compile(
    rf"[ {_SIGNS}]?[A-Za-z0-9]+|[{_SIGNS}]+[\r\n]*|(?<![^\S\r\n])\s*[\r\n]+|[ \t]{{2,}}"
)
"""White space is looked through once a run, from its first sign: behind that one no line end can come that it has not taken."""
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
_COMMON: Final = -1
_PLAIN_LETTERS: Final = 4
_MOST_LETTERS: Final = 20
_FOREIGN_FROM: Final = 0.7
_FOREIGN_OVER: Final = 0.15
"""English and code hold 30 to 60 % common words, other languages in Latin letters under 20 %."""
_NATIVE_UNDER: Final = 0.6
_NATIVE_OVER: Final = 0.2
_NATIVE_PRIOR: Final = 2
"""Two unknown words are supposed beside those that are there: of a few words nobody can tell the language."""

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
    (0x3400, 3.0),
    (0x4E00, 0.0),
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
    common = unknown = spare = accented = 0
    plain = text.isascii()
    pieces = Counter((_ASCII_PIECE if plain else _PIECE).findall(text))
    for piece, count in pieces.items():
        cost, letters = _piece_cost(piece)
        total += cost * count
        if letters > _SHORT_WORD:
            unknown += count
            spare += count * max(0, min(letters, _MOST_LETTERS) - _PLAIN_LETTERS)
        elif letters < 0:
            if letters == _COMMON:
                common += count
            else:
                accented += count * (_COMMON - letters)
    foreign = (
        min(max(unknown / (unknown + common) - _FOREIGN_FROM, 0.0) / _FOREIGN_OVER, 1.0) if spare else 0.0
    )
    if foreign or accented:
        tongue = tongue_of(pieces)
        total += foreign * spare * tongue.letter + accented * tongue.accented
    elif unknown:
        share = (unknown + _NATIVE_PRIOR) / (unknown + common + _NATIVE_PRIOR)
        total -= unknown * _COSTS.native * min(max((_NATIVE_UNDER - share) / _NATIVE_OVER, 0.0), 1.0)
    if not plain:
        for character, count in Counter("".join(_HIGH.findall(text))).items():
            total += _character_cost(character) * count
    return max(math.ceil(total), 1)


def plain_cost(text: str) -> float:
    """Return the tokens of a short ASCII text that stands before or above others, not rounded, in [0, ∞).

    :func:`estimate` leans further up for so short a text: a name alone reads as a foreign language, and each rounding
    adds half a token. A name before a sentence costs the sentence nothing more.
    """
    return sum(_piece_cost(piece)[0] for piece in _ASCII_PIECE.findall(text))


def ends_in_sign(text: str) -> bool:
    """Return True if a line end behind the text costs nothing: vocabularies hold both as one token."""
    return text[-1:] in _LAST_SIGNS


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
    """Return the tokens of a piece, and its letters if it is an unknown word in ASCII, else 0.

    For a common word in lower case they are -1, for a word with an accent -1 less its plain letters: what those
    cost depends on the language. Its non-ASCII characters are counted elsewhere.
    """
    costs = _COSTS
    first = piece[0]
    if not piece.isascii():
        letters = len(_PLAIN.findall(piece))
        if _VIETNAMESE.search(piece):
            return costs.vietnamese_word + costs.vietnamese_letter * letters, 0
        return costs.accented_word, _COMMON - letters
    if piece in _CONTRACTED:
        return 1.0, 0
    if piece[-1].isalnum():
        run = piece if first.isalnum() else piece[1:]
        before = 0.0
        if first == " ":
            before = costs.blank_before_digits if run[0].isdigit() else 0.0
        elif first != run[0]:
            before = (
                costs.sign_before_digits
                if run[0].isdigit()
                else _BEFORE_LETTER.get(first, costs.sign_before_letter)
            )
        if run.islower() and run.isalpha():
            if run in COMMON:
                return before + costs.common, _COMMON if len(run) > _SHORT_WORD else 0
            return before + _unknown_cost(len(run)), len(run)
        letters = len(run) if run.istitle() and run.isalpha() and run.lower() not in COMMON else 0
        return before + _run_cost(run), letters
    return _gap_cost(piece), 0


def _gap_cost(piece: str) -> float:
    """Return the tokens of white space or signs."""
    costs = _COSTS
    if piece.isspace():
        return costs.line_end if piece[-1] in "\r\n" else costs.blanks
    signs = piece.rstrip("\r\n")
    ends = len(signs) < len(piece)
    length = len(signs)
    if length > 3 and signs.count(signs[0]) == length:
        return costs.repeated * math.ceil(length / _RUN)
    if length <= 2:
        if ends:
            return costs.sign_and_line_end
        return costs.sign if length == 1 else costs.two_signs
    first = costs.three_signs_and_line_end if ends else costs.three_signs
    return first + costs.signs * (length - 3) + costs.more_signs * max(length - _FEW_SIGNS, 0)


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
