"""How the tables of German, French and Spanish are read: one grammar of clause starts, three tables of words.

A table says by which words its language is known, which modals bind, which words are imperatives, what
introduces a condition, and what is a question or a tale. English and Vietnamese have modules of their own:
English because its verbs are also nouns, Vietnamese because its letters give it away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import CODE, Finding, Sentence, finding
from libra.text.deontic_verbs import MOSTLY_VERBS, NOUNISH, PLAIN_VERBS, TECH_NOUNS

_WORDS: Final = re.compile(r"[a-zà-öø-ÿœßẞ]+(?:'(?=[a-zà-öø-ÿœß]))?", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"[\s\"'“”„«»‘(\[>#•·*+¡–—-]*(?:(?:(?:\d{1,3}|[a-z])[.)]\s+|\[[ x]?\]\s*|[^\w\s\ue000(\[`\"'“«¿]+\s*))*"
)
_BREAK: Final = re.compile(r"(?P<mark>[;:,(—–]|\s-{1,2}\s|\s(?:und|aber|et|mais|puis|y|pero|luego)\s)\s*")
_WORD: Final = re.compile(rf"[\w{CODE}][\w{CODE}'’-]*")
_SHORT: Final = 4
"""An imperative this short proves no language: "such", "deja", "ve" are met in English, too."""
_LABEL_WORDS: Final = 6
_MOST: Final = 8
"""Findings and breaks of one sentence; more say nothing new."""
_ENGLISH: Final = frozenset(
    "the of and to is are be with that this for you your it not if when should must from by an on".split()
)
_ENGLISH_VERBS: Final = PLAIN_VERBS | MOSTLY_VERBS | NOUNISH | TECH_NOUNS
_OF: Final = frozenset("de du des del der von".split())


@dataclass(frozen=True, slots=True)
class Language:
    """One language's table.

    Attributes:
        words: By which it is known: none of them is an English word.
        forms: Modality, strength and pattern of what binds wherever it stands.
        imperatives: Words that begin an instruction when they begin a clause.
        takes_of: Imperatives that may be followed by "of"; after others it shows a noun.
        instruction: Other beginnings of an instruction (polite forms, "no …" without a verb); a group ``not`` forbids.
        negation: What makes an imperative a prohibition, within its clause.
        always: What makes an imperative strong.
        openers: What may stand before an imperative.
        lead_in: What begins a condition or a place, after which an instruction may follow a comma.
        label: Labels that make a rule of what follows; a group ``not`` forbids.
        identity: "You are a …".
        talk: Tales, reports, guesses, the first person: the whole sentence is silent.
    """

    words: frozenset[str]
    forms: tuple[tuple[Modality, bool, re.Pattern[str]], ...]
    imperatives: frozenset[str]
    takes_of: frozenset[str]
    instruction: re.Pattern[str]
    negation: re.Pattern[str]
    always: re.Pattern[str]
    openers: re.Pattern[str]
    lead_in: re.Pattern[str]
    label: re.Pattern[str]
    identity: re.Pattern[str]
    talk: re.Pattern[str]


def words_of(text: str) -> frozenset[str]:
    """Return the distinct words of a text in lower case, for :func:`spoken`."""
    return frozenset(_WORDS.findall(text.lower().replace("’", "'")))


def spoken(words: frozenset[str], languages: Sequence[Language]) -> list[Language]:
    """Return the languages that the words of a text show more than they show English."""
    english = len(words & _ENGLISH)
    return [language for language in languages if _shown(words, language) > max(english - 1, 0)]


def _shown(words: frozenset[str], language: Language) -> int:
    """Return how many words show a language: its own ones, and imperatives that English does not have."""
    own = words & language.words
    orders = (words & language.imperatives) - _ENGLISH_VERBS
    return len(own) + sum(len(word) > _SHORT or not word.isascii() for word in orders)


def foreign(low: str, languages: Sequence[Language]) -> bool:
    """Return True if a sentence is in one of the languages beyond doubt, so that English is not tried on it."""
    words = words_of(low)
    most = max(len(words & language.words) for language in languages)
    english = len(words & _ENGLISH)
    return most > english and (most > 1 or not english)


def find(sentence: Sentence, language: Language) -> list[Finding]:
    """Return the forms of one sentence in one language."""
    low = sentence.lower
    if "?" in low[-6:] or "¿" in low or language.talk.search(low):
        return []
    lead = _LEAD.match(low)
    at = lead.end() if lead else 0
    out = _forms(sentence, language)
    label = language.label.match(low, at)
    if label:
        out.append(_said(sentence, at, label.end(), "label", negative=_has_not(label), strong=True))
    _clauses(sentence, language, at, out)
    if not out:
        identity = language.identity.match(low, at)
        if identity:
            out.append(finding(sentence, Modality.OBLIGATION, at, identity.end(), "identity"))
    return out


def _forms(sentence: Sentence, language: Language) -> list[Finding]:
    """Return what binds wherever it stands; a stretch is told once, by the first form that takes it."""
    out: list[Finding] = []
    taken = 0
    for modality, strong, pattern in language.forms:
        for match in islice(pattern.finditer(sentence.lower), _MOST):
            mask = (1 << match.end()) - (1 << match.start())
            if not taken & mask:
                taken |= mask
                out.append(finding(sentence, modality, match.start(), match.end(), "form", strong=strong))
    return out


def _clauses(sentence: Sentence, language: Language, at: int, out: list[Finding]) -> None:
    """Try the start of the sentence, what follows a label or a semicolon, and what follows a lead-in."""
    low = sentence.lower
    opened = _clause(sentence, language, at, out)
    lead_in = language.lead_in.match(low, at) is not None
    for mark in islice(_BREAK.finditer(low, at), _MOST):
        sign = mark.group("mark").strip()
        before = low[at : mark.start()]
        if sign == ":":
            may = CODE not in before and len(before.split()) <= _LABEL_WORDS
        elif sign in ";—–(-":
            may = CODE not in before
        elif sign == ",":
            may = lead_in or opened
        else:
            may = opened
        if may and _clause(sentence, language, mark.end(), out):
            return


def _clause(sentence: Sentence, language: Language, at: int, out: list[Finding]) -> bool:
    """Add what an instruction at ``at`` says; return True if there is one."""
    low = sentence.lower
    opener = language.openers.match(low, at)
    start = opener.end() if opener else at
    other = language.instruction.match(low, start) or (
        language.instruction.match(low, at) if start > at else None
    )
    word = _WORD.match(low, start)
    if other is None and not (word is not None and _orders(low, word, language)):
        return False
    end = other.end() if other else word.end() if word else start
    stop = _clause_end(low, start)
    negative = (other is not None and _has_not(other)) or language.negation.search(low, at, stop) is not None
    strong = negative or language.always.search(low, at, stop) is not None
    out.append(_said(sentence, at, max(end, at + 1), "imperative", negative=negative, strong=strong))
    return True


def _orders(low: str, word: re.Match[str], language: Language) -> bool:
    """Return True if a word is an imperative here: not a label, not a noun with "of" ("Structure du projet")."""
    verb = word.group()
    if verb not in language.imperatives and verb.split("-")[0] not in language.imperatives:
        return False
    if low[word.end() : word.end() + 1] in (":", "/", "_", ")"):
        return False
    following = _WORD.search(low, word.end())
    if following is None or low[word.end() : following.start()] != " " or verb in language.takes_of:
        return True
    article = following.group() == "des" and low.rstrip().endswith((".", "!"))
    return following.group() not in _OF or article


def _clause_end(low: str, at: int) -> int:
    """Return where the clause at ``at`` ends."""
    ends = [end for end in (low.find(sign, at) for sign in ",;:(") if end >= 0]
    return min(ends, default=len(low))


def _has_not(match: re.Match[str]) -> bool:
    return bool(match.groupdict().get("not"))


def _said(sentence: Sentence, start: int, end: int, form: str, *, negative: bool, strong: bool) -> Finding:
    """Return an obligation or a prohibition."""
    modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
    return finding(sentence, modality, start, end, form, strong=strong)
