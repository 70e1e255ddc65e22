"""The deontic lexer: does a paragraph oblige, forbid or permit, and where does it say so?

Deterministic and linear: inline code, links and attributed speech are blanked out at equal length, the
text is cut into sentences once, and each language's table of forms is tried on each sentence. Positions
are code point offsets into the text as given.
"""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text import deontic_chinese, deontic_english, deontic_japanese, deontic_latin, deontic_vietnamese
from libra.text.deontic_forms import CODE, Finding, Sentence
from libra.text.deontic_french import FRENCH
from libra.text.deontic_german import GERMAN
from libra.text.deontic_spanish import SPANISH
from libra.text.scripts import has_cjk, lower

__all__ = ["Finding", "is_strong", "modalities", "scan"]

_CODE_SPAN: Final = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]{1,400}(?:\n[^`\n]{1,400}){0,3})\1(?!`)")
_SPELLING: Final = re.compile(
    r"(?:pascal|camel|snake|kebab|title|upper|lower|train|macro|screaming[_-]?snake|upper[_-]?snake)[_-]?case",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"!?\[[^\[\]\n]{0,300}\]\([^()\s]{0,500}(?:\s\"[^\"\n]{0,200}\")?\)")
_URL: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>)\]]{1,500}")
_EMPHASIS: Final = re.compile(
    r"\*{1,3}|~~|(?<![\w\ue000])_{1,3}|_{1,3}(?![\w\ue000])|</?[a-zA-Z][\w-]{0,20}>"
)
_SPEECH: Final = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|「[^「」\n]{1,400}」|«[^«»\n]{1,400}»|(?<![\w])'[^'\n]{2,300}'(?![\w])"
)
_END: Final = re.compile(r"[.!?]+[\"'”’)\]*_]*(?=\s|\Z)|[。！？；]+[”」』）]*|\n|…")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|no|cf|approx|fig|sec|ch|art|resp|incl|dr|mr|ms|mrs|st)|\b[a-z])\Z",
    re.IGNORECASE,
)
_NEXT_BLOCK: Final = re.compile(r"[ \t]{0,20}(?:\n|[-*+•][ \t]|\d{1,3}[.)][ \t]|\Z)")
_PARAGRAPH_QUOTED: Final = re.compile(r"\A\s*[\"“「](.*)[\"”」][.!]?\s*\Z", re.DOTALL)
_LATIN: Final = (GERMAN, FRENCH, SPANISH)
_SENTENCE_CHARS: Final = 1200
"""Longer sentences are cut: nobody writes a rule that long, and it bounds every pattern."""
_PARAGRAPH_CHARS: Final = 60_000
"""What stands farther down in one paragraph is not looked at: that is data, not prose."""
_FEWEST_CHARS: Final = 3


def scan(text: str) -> tuple[Finding, ...]:
    """Return the deontic forms of ``text`` in order of their place.

    Source: memory-model.md §3.
    """
    masked = _mask(text[:_PARAGRAPH_CHARS])
    cjk = not masked.isascii() and has_cjk(masked)
    vietnamese = not masked.isascii() and deontic_vietnamese.has_accents(masked)
    words = deontic_latin.words_of(masked)
    latin = deontic_latin.spoken(words, _LATIN)
    out: list[Finding] = []
    for sentence in _sentences(masked):
        if not (latin and deontic_latin.foreign(sentence.lower, latin)):
            out += deontic_english.find(sentence)
        if cjk:
            japanese = deontic_japanese.has_kana(sentence.text)
            out += deontic_japanese.find(sentence) if japanese else deontic_chinese.find(sentence)
        if vietnamese:
            out += deontic_vietnamese.find(sentence)
        for language in latin:
            out += deontic_latin.find(sentence, language)
    if len(out) > 1:
        out.sort(key=lambda f: (f.start, f.end, f.modality.value))
    return tuple(out)


def modalities(text: str) -> tuple[Modality, ...]:
    """Return the distinct modalities of ``text``, in order of first appearance."""
    return tuple(dict.fromkeys(finding.modality for finding in scan(text)))


def is_strong(findings: tuple[Finding, ...]) -> bool:
    """Return True if any form binds without choice: must, never, always, required, forbidden."""
    return any(finding.strong for finding in findings)


def _code(match: re.Match[str]) -> str:
    """Return inline code as :data:`CODE`; the name of a spelling ("`snake_case`") stays, as it is an adjective."""
    if _SPELLING.fullmatch(match.group(2)):
        return match.group().replace("`", " ")
    return _blank(match, CODE)


def _blank(match: re.Match[str], fill: str) -> str:
    """Return ``fill`` at the length of the match."""
    return fill * (match.end() - match.start())


def _mask(text: str) -> str:
    """Return ``text`` at the same length with code as :data:`CODE` characters and markup as spaces."""
    out = text
    if "`" in out:
        out = _CODE_SPAN.sub(_code, out)
    if "](" in out:
        out = _LINK.sub(lambda m: _blank(m, CODE), out)
    if "://" in out:
        out = _URL.sub(lambda m: _blank(m, CODE), out)
    if "*" in out or "_" in out or "~" in out or "<" in out:
        out = _EMPHASIS.sub(lambda m: _blank(m, " "), out)
    if not _PARAGRAPH_QUOTED.match(out):
        out = _SPEECH.sub(lambda m: _blank(m, CODE), out)
    return out


def _sentences(masked: str) -> list[Sentence]:
    """Cut the masked text into sentences; soft line breaks become spaces."""
    out: list[Sentence] = []
    at = 0
    for match in _END.finditer(masked):
        if _ends(masked, match.start(), match.end()):
            _add(out, masked, at, match.end())
            at = match.end()
    if at < len(masked):
        _add(out, masked, at, len(masked))
    return out


def _ends(masked: str, start: int, end: int) -> bool:
    """Return True if a sign really ends a sentence: no abbreviation, no number, no soft line break."""
    sign = masked[start]
    if sign == "\n":
        return masked[start - 1 : start] in (":", "\n") or _NEXT_BLOCK.match(masked, end) is not None
    if sign == "!" and end - start == 1 and masked[end : end + 2].strip()[:1].islower():
        return False
    closed = masked[start + 1 : end]
    if sign != "." or closed.strip(")\"'”’]*_"):
        return True
    before = masked[max(0, start - 8) : start]
    if closed:
        return not (_ABBREVIATION.search(before) and masked[end : end + 2].strip()[:1].islower())
    if before[-1:].isdigit():
        following = masked[end : end + 2].strip()
        return not following or following.isupper()
    if _ABBREVIATION.search(before):
        return (
            before.lower().endswith(("etc", "no"))
            and masked[end : end + 2].strip()[:1].isupper()
            and len(before) > 3
        )
    return True


def _add(out: list[Sentence], masked: str, start: int, end: int) -> None:
    """Append the sentence ``masked[start:end]``, in pieces if it is very long."""
    for piece in range(start, end, _SENTENCE_CHARS):
        text = masked[piece : min(piece + _SENTENCE_CHARS, end)]
        if "\n" in text or "\r" in text:
            text = text.replace("\n", " ").replace("\r", " ")
        if len(text) > _FEWEST_CHARS or not text.isascii():
            out.append(Sentence(piece, text, lower(text.replace("’", "'"))))
