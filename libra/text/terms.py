"""What the two full-text indexes hold, and how a query is cut the same way.

The word index (FTS5, porter, accents kept) holds the text itself. The side index holds what a word
splitter loses: CJK bigrams, whole identifiers, and unaccented forms of accented words. A query is cut
by the same functions, so that the two always meet (lessons.md C43, C44, C47).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_lowercase
from typing import Final

from libra.text.artifacts import BRANDS, ERRNO
from libra.text.filepaths import PATH, is_path
from libra.text.scripts import CJK_CLASS, cjk_bigrams, cjk_runs, fold
from libra.text.stopwords import STOP_WORDS

__all__ = [
    "STOP_WORDS",
    "Query",
    "encode",
    "identifiers",
    "near",
    "parse_query",
    "phrase_match",
    "side_match",
    "side_terms",
    "word_match",
]

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_FOLDABLE: Final = re.compile(r"[^\W\d_]{2,}")
_PHRASE: Final = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^“”\n]{2,200})”|「([^「」\n]{1,200})」|『([^『』\n]{1,200})』"
)
_QUERY_WORDS: Final = 64
_QUERY_CHARS: Final = 4000
_NEAR_WORDS: Final = 2
_NEAR_LEAST, _NEAR_SWAPPED, _NEAR_MOST = 4, 6, 12
"""Letters of a word that may be written with one more or fewer, from which one may be another, and up to which."""
_CODED: Final = re.compile("[^a-z0-9]")

_PLAIN_WORD: Final = r"(?:[A-Z]?[^\W\d_A-Z]*+(?<!file)(?:-[^\W\d_A-Z]++){0,2}+|\d++)"
_SIGN: Final = r"\],;!?\"'’“”‘*\[…，。！？；：、（）「」『』—–"
_PLAIN: Final = (
    rf"(?<!\S)(?:(?:{_PLAIN_WORD}(?:[{_SIGN}]|\((?!\)))++)*+{_PLAIN_WORD}[{_SIGN}.:)#=+>%|&-]*+(?:\s++|\Z))++"
)
"""White-space-bounded pieces in which no identifier can start, whatever follows: plain words and numbers.

They hold no digit beside a letter, no capital behind a letter, no slash, underscore, back-tick, ``()`` or
``--x``, no full stop or colon but at their end, and fewer than the four hyphens of a UUID; "file" ends a
Makefile. A fifth of the cost of trying every pattern at every letter.
"""
_IDENTIFIER: Final = (
    r"`(?P<quoted>[^`\n]{1,120})`|(?<!\w)(?=[\w.@+{}\[\]~/$#-])(?:"
    r"(?=[A-Za-z])(?:(?P<url>(?<!@)[a-zA-Z][a-zA-Z0-9+.-]{1,15}://[^\s<>\"'`，。；、）】]{1,400})"
    r"|(?P<tag>(?<![:/.-])(?:proj|project|env|tag|repo|area|team):[A-Za-z0-9][\w./-]{0,60}))"
    rf"|(?P<path>{PATH.pattern})"
    r"|(?=[0-9A-Za-z])(?:(?P<id>(?<!-)(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]{2,64}"
    r"|(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64})(?![\w-]))"
    r"|(?P<version>(?<![.-])(?:v?\d{1,5}\.\d{1,5}(?:\.\d{1,5}){1,2}(?:[-+][\w.+-]{1,40})?|v\d{1,4}(?:\.\d{1,5})?)(?!\w)))"
    r"|(?P<number>(?<![&/])#\d{1,8}(?!\w))"
    r"|(?=[A-Z])(?:(?P<ticket>[A-Z][A-Z0-9]{1,9}-\d{1,8}(?![\w-])|[A-Z]{1,5}\d{3,6}(?!\w))"
    rf"|(?P<errno>E(?:{ERRNO})(?!\w)))"
    r"|(?=[@-])(?:(?P<package>(?<!@)@[a-z0-9][\w.-]{0,60}/[\w.-]{1,80})"
    r"|(?P<flag>(?<!-)--[a-z][a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){0,6}(?![\w-])))"
    r"|(?=[A-Za-z_$])(?:(?P<dotted>(?<![$.])[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->)[A-Za-z_$][\w$]{0,60}){1,8}(?:\(\))?(?!\w))"
    r"|(?P<call>[A-Za-z_]\w{0,80}\(\))"
    r"|(?P<snake>_{0,2}[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,12}_{0,2}(?!\w))"
    r"|(?P<camel>(?:[a-z]{1,40}[0-9]{0,4}(?:[A-Z][a-z0-9]{1,40}){1,8}|(?:[A-Z][a-z0-9]{1,40}){2,8}|[A-Z]{2,6}[a-z]{2,40}(?:[A-Z][a-z0-9]{1,40}){1,6})(?!\w))"
    r"|(?P<kebab>(?<!-)[a-z]{1,20}\d{0,4}(?:-[a-z0-9]{1,20}){0,4}-\d{1,6}[a-z]?(?![\w-]))))"
)
"""What may stand before and at the beginning of all but what is in back-ticks is asked once: each try costs."""
_SCAN: Final = re.compile(f"{_PLAIN}|{_IDENTIFIER}")
"""An identifier, in its group, or a run of plain words, in none: all of the scan stays within the one expression."""
_TRAIL: Final = ".,;:!?)]}>'\"*"
_LINE: Final = re.compile(r"(?::\d{1,6}){1,2}\Z")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ABBREVIATION: Final = re.compile(r"(?:[a-z]\.)+[a-z]?\Z|etc|vs\Z", re.IGNORECASE)
_RANGE: Final = re.compile(r"[a-z]{1,8}-\d{1,2}\Z")
"""``top-5``, ``covid-19``: words more often than names, and the word index has them."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query as both indexes see it.

    Attributes:
        words: Content words, NFC, lower case, distinct, in order.
        phrases: What stood in quotation marks.
        identifiers: Paths, hashes, codes, names: as written.
        side: Encoded identifiers, CJK bigrams, and folded forms of unaccented words; a trailing ``*`` is
            a prefix.
    """

    words: tuple[str, ...]
    phrases: tuple[str, ...]
    identifiers: tuple[str, ...]
    side: tuple[str, ...]


def identifiers(text: str) -> list[str]:
    """Return the technical names in ``text``, distinct, in order of appearance.

    Paths, file:line, URLs, hashes and ids, error codes and ticket numbers, versions, snake_case,
    camelCase, dotted names, flags, calls, ``#123``, tags (``proj:harbour``, ``env:staging``) and what stands in back-ticks. Silent on ordinary prose.
    """
    seen: dict[str, None] = {}
    for match in _SCAN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        raw = match.group(kind)
        name = raw.strip() if kind == "quoted" else raw if raw.endswith("()") else raw.rstrip(_TRAIL)
        if _is_identifier(name, kind):
            seen.setdefault(name, None)
    return list(seen)


def _is_identifier(name: str, kind: str) -> bool:
    """Return False for what only looks like a name: too short, an abbreviation, a brand, a lost blank."""
    if len(name) < 2:
        return False
    lower = name.lower()
    if kind == "path":
        return is_path(name)
    if kind == "dotted":
        parts = re.split(r"\.|::|->", lower.removesuffix("()"))
        return (
            _ABBREVIATION.match(lower) is None
            and parts[-1] not in STOP_WORDS
            and len(parts[0]) + len(parts[-1]) > 2
        )
    if kind == "camel":
        return lower not in BRANDS
    return kind != "kebab" or _RANGE.match(name) is None


def encode(identifier: str) -> str:
    """Return one FTS token for an identifier: lower case, every other character as ``_<hex>_``."""
    name = unicodedata.normalize("NFC", identifier).lower()
    return name if name.isalnum() and name.isascii() else _CODED.sub(_code, name)


def _code(match: re.Match[str]) -> str:
    """Return the code of one character."""
    return f"_{ord(match.group()):x}_"


def _variants(identifier: str) -> list[str]:
    """Return an identifier and the shorter names that people also use for it."""
    out = [identifier]
    bare = _LINE.sub("", identifier) if ":" in identifier else identifier
    bare = bare.removesuffix("()")
    if bare != identifier:
        out.append(bare)
    base = bare[max(bare.rfind("/"), bare.rfind("\\")) + 1 :]
    if base and base != bare and "://" not in bare:
        out.append(base)
    return [name for name in out if len(name) > 1]


def side_terms(text: str) -> str:
    """Return the document text of the side index: tokens joined by spaces."""
    text = unicodedata.normalize("NFC", text)
    terms = cjk_bigrams(text)
    for start, end in cjk_runs(text):
        if end - start > 1:
            terms.append(text[end - 1])
    terms += [encode(name) for found in identifiers(text) for name in _variants(found)]
    if not text.isascii():
        for match in _FOLDABLE.finditer(text):
            terms += _folded(match.group())
    return " ".join(terms)


@lru_cache(maxsize=8192)
def _folded(word: str) -> tuple[str, ...]:
    """Return ``f_`` forms of an accented word, and of plain words that stand glued to CJK."""
    if word.isascii():
        return ()
    parts = re.split(f"[{CJK_CLASS}]+", word)
    glued = len(parts) > 1
    out = []
    for part in parts:
        plain = fold(part)
        if len(plain) > 1 and plain.isascii() and plain.isalnum() and (glued or plain != part.lower()):
            out.append("f_" + plain)
    return tuple(out)


def parse_query(text: str) -> Query:
    """Cut a query like the indexes are cut. Never raises; at most 64 terms of each kind."""
    text = unicodedata.normalize("NFC", text[:_QUERY_CHARS])
    names = identifiers(text)[:_QUERY_WORDS]
    words: dict[str, None] = {}
    side: dict[str, None] = {}
    for name in names:
        for variant in _variants(name):
            side.setdefault(encode(variant), None)
    for match in _WORD.finditer(text):
        for part in re.split(f"[{CJK_CLASS}]+", match.group().lower()):
            if not part or part in STOP_WORDS:
                continue
            words.setdefault(part, None)
            if part.isascii() and part.isalpha() and len(part) > 1:
                side.setdefault("f_" + part, None)
    for start, end in cjk_runs(text):
        if end - start == 1:
            side.setdefault(text[start:end] + "*", None)
    for bigram in cjk_bigrams(text):
        if len(bigram) == 2:
            side.setdefault(bigram, None)
    phrases = tuple(dict.fromkeys(next(filter(None, m.groups())).strip() for m in _PHRASE.finditer(text)))
    return Query(
        tuple(words)[:_QUERY_WORDS],
        tuple(p for p in phrases if p)[:_QUERY_WORDS],
        tuple(names),
        tuple(side)[: 2 * _QUERY_WORDS],
    )


def _term(text: str) -> str:
    """Return an FTS5 string; NUL, which would end the expression, becomes a space."""
    return '"' + text.replace("\0", " ").replace('"', '""') + '"'


def word_match(query: Query) -> str | None:
    """Return the MATCH expression for the word index, or None when the query has no content word."""
    return " OR ".join(_term(word) for word in query.words) or None


def side_match(query: Query) -> str | None:
    """Return the MATCH expression for the side index, or None when there is nothing for it."""
    return " OR ".join(_term(t[:-1]) + " *" if t.endswith("*") else _term(t) for t in query.side) or None


def phrase_match(query: Query) -> str | None:
    """Return the MATCH expression that finds the quoted phrases as phrases in the word index."""
    return " OR ".join(_term(p) for p in query.phrases if _LETTER.search(p) or re.search(r"\d", p)) or None


def near(query: Query) -> Query:
    """Return the spellings that are one letter away from the query's longest plain words, as words and side terms.

    One letter more, one fewer, or two exchanged; in a longer word also another one: of a short one that makes too many
    other words (cafe, case, care). The first letter stays. At most about 1,200 spellings. Source: lessons.md C48.
    """
    plain = [w for w in query.words if _NEAR_LEAST <= len(w) <= _NEAR_MOST and w.isascii() and w.isalpha()]
    longest = sorted(plain, key=len, reverse=True)[:_NEAR_WORDS]
    found = dict.fromkeys(near_word for word in longest for near_word in _one_letter_away(word))
    return Query(tuple(found), (), (), tuple("f_" + word for word in found))


def _one_letter_away(word: str) -> Iterator[str]:
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in ascii_lowercase)
        if tail:
            yield head + tail[1:]
            if len(word) >= _NEAR_SWAPPED:
                yield from (head + letter + tail[1:] for letter in ascii_lowercase if letter != tail[0])
        if len(tail) > 1 and tail[0] != tail[1]:
            yield head + tail[1] + tail[0] + tail[2:]
