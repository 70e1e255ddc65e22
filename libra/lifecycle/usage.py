"""What an answer says of the memories that stood in its prompt: used or not, and called wrong by the person right after.

Careful on purpose: a use that is missed costs a little, a use that was none teaches the gate nonsense.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from libra.text.scripts import cjk_bigrams, fold, has_cjk
from libra.text.sentences import sentences
from libra.text.stopwords import STOP_WORDS
from libra.text.terms import identifiers


@dataclass(frozen=True, slots=True)
class UsageParams:
    """When a memory counts as used, and what an objection costs.

    Attributes:
        share: Share of what a memory alone brought in that must come back in the answer.
        named_share: The same where a name, an identifier or a long number is among what comes back.
        words: Plain words that must come back together in one sentence.
        doubt: Factor on the confidence of a memory that the person calls wrong.
        unused_after: A memory that stood in so many prompts and never helped counts as not useful.
        answer_within_ms: An answer belongs to the last prompt of its session that is not older than this.
        suppress_after: What stood in so many prompts within a day and helped in none is held back, unless it is asked for;
            0 for never. Source: reference-systems.md 2.3, Auto-recall.
        suppress_minutes: So long after the last of them.

    Source: memory-model.md §4, Calibration; the figures are chosen so that answers about other things of the same
    subject count as no use (tests/lifecycle/test_usage.py).
    """

    share: float = 0.5
    named_share: float = 0.34
    words: int = 2
    doubt: float = 0.5
    unused_after: int = 5
    answer_within_ms: int = 6 * 3_600_000
    suppress_after: int = 3
    suppress_minutes: int = 30


_WORD: Final = re.compile(r"[^\W\d_]{3,}(?:['’][^\W\d_]+)?")
_NAME: Final = re.compile(r"(?<=[\w,;:()\"'] )[A-ZÀ-ÝĐ][\w'’-]+")
"""A capitalised word inside a sentence: at its start every word has a capital."""
_NUMBER: Final = re.compile(r"(?<![\w.,])\d[\d.,:/-]*\d(?!\w)")
_LONG_NUMBER: Final = 3
_STEM_CHARS: Final = 6
_CHARS: Final = 20_000
"""What is read of an answer."""


@dataclass(frozen=True, slots=True)
class _Traits:
    """What a text may be known again by: names, identifiers and long numbers; stems of words and CJK pairs."""

    named: frozenset[str]
    words: frozenset[str]


def _stem(word: str) -> str:
    return fold(word).removesuffix("'s").removesuffix("’s")[:_STEM_CHARS]


def _words(text: str) -> set[str]:
    plain = {
        _stem(m.group())
        for m in _WORD.finditer(text)
        if fold(m.group()) not in STOP_WORDS and not has_cjk(m.group())
    }
    return plain | set(cjk_bigrams(text))


def _traits(text: str) -> _Traits:
    numbers = {m.group() for m in _NUMBER.finditer(text)}
    named = {i.casefold() for i in identifiers(text)} | {
        n for n in numbers if sum(map(str.isdigit, n)) >= _LONG_NUMBER
    }
    names = {_stem(m.group()) for m in _NAME.finditer(text) if fold(m.group()) not in STOP_WORDS}
    words = _words(text) | (numbers - named)
    return _Traits(frozenset(named | names), frozenset(words - names))


def used_in(memory: str, asked: Iterable[str], answer: str, params: UsageParams) -> bool:
    """Return True if an answer has made use of a memory: what the memory alone brought in comes back.

    What the question said itself proves nothing.

    Args:
        memory: The memory's text.
        asked: What the model was asked, and whatever else it had from elsewhere.
        answer: The assistant's turn after it.
        params: How much must come back.
    """
    brought = _traits(memory)
    given = [_traits(text) for text in asked]
    known = frozenset[str]().union(*(t.named | t.words for t in given)) if given else frozenset[str]()
    named, words = brought.named - known, brought.words - known
    every = len(named) + len(words)
    if not every:
        return False
    said = answer[:_CHARS]
    back = _traits(said)
    low = said.casefold()
    named_back = {n for n in named if n in back.named or n in back.words or (not n.isalpha() and n in low)}
    together = max((len(words & _sentence_words(s.text)) for s in sentences(said)), default=0)
    if named_back and (len(named_back) + together) / every >= params.named_share:
        return True
    return together >= params.words and together / every >= params.share


def _sentence_words(sentence: str) -> frozenset[str]:
    found = _traits(sentence)
    return found.words | found.named


_OBJECTION: Final = re.compile(
    r"^\W*(?:(?:no+|nope|nah|wait|sorry|hm+|actually|but|nein|nö|non|no,? eso|không|ne)\b[\s,.!:;–—-]*)*(?:"
    # English
    r"(?:(?:that|this|it)(?:['’]s| is| was)|you(?:['’]re| are)|what you said is) (?:(?:just|simply|totally|completely|plain|still|all|now) )?"
    r"(?:wrong|false|incorrect|mistaken|untrue|outdated|out of date|no longer (?:true|right|correct|valid|the case)"
    r"|not (?:\w+ )?(?:true|right|correct|accurate|the case))\b"
    r"|(?:that|this|it) (?:isn['’]t|wasn['’]t|ain['’]t) (?:\w+ )?(?:true|right|correct|accurate|the case)\b|wrong[.!,]|wrong$|not true\b|not any ?more[.!,]"
    # German, French, Spanish
    r"|(?:das|es) (?:stimmt|stimmte) (?:so |leider |gar |überhaupt )?nicht\b|stimmt nicht\b"
    r"|das ist (?:\w+ )?(?:falsch|nicht (?:\w+ )?(?:richtig|wahr|korrekt|aktuell|so))\b|falsch[.!,]|falsch$"
    r"|c['’]est (?:\w+ )?(?:faux|inexact)\b|ce n['’]est (?:pas|plus) (?:vrai|exact|correct|juste|le cas)\b|faux[.!,]"
    r"|(?:eso |esto )?(?:ya )?no es (?:verdad|cierto|correcto|así)\b|(?:eso )?es falso\b|(?:eso )?está mal\b"
    # Vietnamese, Chinese, Japanese
    r"|sai rồi\b|(?:điều|cái|chuyện)? ?(?:đó|này|ấy)? ?không (?:còn )?(?:đúng|phải(?: vậy| thế)?)(?: nữa)?\b|(?:đó|vậy) là sai\b"
    r"|(?:这|那|你)?(?:不对|不是这样|不是真的|错了|说错了|是错的|不正确|已经不是了|不再是了)"
    r"|(?:それは|これは)?(?:違います|違う|ちがう|間違い|間違って|間違えて|正しくない|もう違)"
    r")",
    re.IGNORECASE,
)
_HEAD_CHARS: Final = 160


def objects(text: str) -> bool:
    """Return True if a turn begins by calling what was just said wrong or no longer true.

    Only the first words count: further in, a person speaks of something else.
    """
    return _OBJECTION.match(text.lstrip()[:_HEAD_CHARS]) is not None


def meant(objection: str, used: Sequence[str]) -> int | None:
    """Return which of the memories that an answer used an objection is about, or None where that is not clear.

    Args:
        objection: The person's turn.
        used: Texts of the memories that the answer used.
    """
    if len(used) == 1:
        return 0
    said = _sentence_words(objection)
    counts = [len(said & _sentence_words(text)) for text in used]
    best = max(counts, default=0)
    return counts.index(best) if best and counts.count(best) == 1 else None
