"""English rules by phrase: "make sure", "IMPORTANT: …", "No new dependencies.", "Tabs, not spaces."."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import CODE, Finding, Sentence, finding
from libra.text.deontic_verbs import FINITE

_MAKE_SURE: Final = re.compile(
    r"(?P<b>\A[\W_]*|[,;:.(—]\s*|\b(?:and|but|just|then|please|also|or|so|always)\s+)"
    r"(?:make\s+(?:absolutely\s+|very\s+)?(?:sure|certain)|be\s+sure|ensure(?=\s+(?:that|the|all|you|your|any|every|each|it|no|proper)))\b"
)
_IMPORTANT: Final = re.compile(
    r"\bit(?:'s|\s+is)\s+(?:very\s+|absolutely\s+|extremely\s+|your\s+|also\s+)?(?:important|essential|critical|imperative|crucial|vital|recommended|advisable|preferable|mandatory|forbidden|required|necessary|responsibility|job|duty)\s+(?:to|that|you)\b"
    r"|\b(?:i|we)\s+(?:want|need|expect|would\s+like|require|ask)\s+you\s+to\b|\bi'd\s+like\s+you\s+to\b"
    r"|\byour\s+(?:job|task|goal|mission|role|responsibility|duty|objective|purpose|primary\s+\w+|main\s+\w+|first\s+\w+)\s+is\s+(?:to|not)\b"
    r"|\bmake\s+it\s+a\s+(?:point|habit|rule)\b|\bha(?:s|ve)\s+(?:the|a|an)\s+(?:\w+\s+)?(?:mandate|duty|obligation)\s+to\b"
)
_SUBORDINATE: Final = re.compile(r"\b(?:if|when|that|why|where|whether|because)\s+\Z")
_LABEL: Final = re.compile(
    r"(?P<label>(?:very |super )?important|critical|crucial|mandatory|required|requirements?|(?:hard |golden |core |key |main |cardinal |iron )?rules?|policy|constraints?|must|never|always|do|don't|forbidden|prohibited|not allowed|disallowed|banned|off limits"
    r"|invariants?|guidelines?|convention|directive|instructions?|default|non-negotiable|warning|caution|must not|do not|principle|priority|reminder|remember)"
    r"(?:\s*\((?:[^()\n]{1,40})\)|\s+#?\d{1,3}|\s+(?:notice|note))?!?\s*(?::|—|–|\s-\s)\s*(?P<rest>\S.*)"
)
_SILENT_LABELS: Final = frozenset(
    [
        "warning",
        "caution",
        "requirement",
        "requirements",
        "priority",
        "remember",
        "reminder",
        "do",
        "rules",
        "guidelines",
        "constraints",
        "instructions",
        "invariants",
        "principle",
        "required",
        "instruction",
    ]
)
"""Labels that announce rules or facts: what follows decides."""
_NEGATIVE_LABELS: Final = frozenset(
    [
        "never",
        "don't",
        "forbidden",
        "prohibited",
        "must not",
        "do not",
        "not allowed",
        "disallowed",
        "banned",
        "off limits",
    ]
)
_SOFT_LABELS: Final = frozenset(["default", "principle", "convention", "guideline"])
_BARE_VALUE: Final = re.compile(
    rf"[\s{CODE}\d.,%/:\"'()-]*(?:true|false|none|null|yes|no|on|off|[a-z]{{1,12}})?[\s.{CODE}]*\Z"
)
_NO: Final = re.compile(r"(?:absolutely\s+|strictly\s+|please,?\s+)?no\s+(?P<np>[\w\ue000\"'][^.!?;:]{1,90})")
_NO_LABEL: Final = re.compile(
    r"(?!(?:status|dependenc|result|output|input|licen|price|cost|return|default|known|feature|note:|error|side effect|breaking|current|total|test)\w*\b)(?:[\w'/-]+\s+){0,2}[\w'/-]+:\s+(?=no\s)"
)
"""A short label before a verbless prohibition ("Style: no semicolons")."""
_NO_BUT: Final = re.compile(
    r"(?:one|idea|problem|problems|longer|wonder|matter|need|doubt|such|known|further|worries|way|thanks|results?|changes?|more\s+than|issues?|errors?|warnings?|response|luck|reason|surprise|question|less|fewer|strings|bs|big|other|user"
    r"|files?\s+found|data|documentation\s+needed|part|bugs?|matches|output|updates?|downtime|evidence|guarantees?|difference|effect|impact|action|support|setup|installation|dependencies$|and|or|but|pun|pressure|rush|offense)(?![\w-])"
)
_CONDITION: Final = re.compile(r"\s(?:while|when|if|until|unless|before|after|without)\s")
_NO_DESCRIPTIVE: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|will|needed|required|found|available|exists?|yet|necessary|left|known|configured|specified|detected|provided|supported|remains?|involved|was|does|do|did|can|could|would|should|must|may)\b"
)
_XNOTY: Final = re.compile(r"(?P<x>[^,;:—–]{2,40}),\s*(?:and\s+)?(?:not|never|no)\s+(?P<y>[^,;:—–]{2,40})\Z")
_OVER: Final = re.compile(
    r"(?P<x>[a-z][a-z-]{3,20}(?:\s[a-z-]{2,20}){0,2})\s+over\s+(?P<y>[a-z][a-z-]{2,20}(?:\s[a-z-]{3,20}){0,2})\Z"
)
_OVER_BUT: Final = re.compile(
    r"\b(?:time|tcp|http|https|tls|ssh|udp|network|years|months|the|wire|ip|websocket|websockets|again|all|stdio|grpc|changes|change|control|https|git)\b"
)
_ARTICLE: Final = frozenset(
    "a an the it this that they he she i we you there these those his her its".split()
)
_STRUCTURED: Final = re.compile(
    r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s*(?:(?:->|=>|→)\s*[A-Za-z]|:\s*\S{0,60}?_?(?:ONLY|Only|only|NEVER|Never|never|ALWAYS|Always|always|FORBIDDEN|Forbidden|REQUIRED|Required)\b)"
)
_MOST: Final = 8
_CONTRAST_WORDS: Final = 7
_NO_WORDS: Final = 10


def phrases(sentence: Sentence, at: int, *, imperative: bool) -> list[Finding]:
    """Return the phrase forms of a sentence.

    Args:
        sentence: The masked sentence.
        at: Where its words start.
        imperative: It already is an instruction; the weakest forms are not tried then.
    """
    low = sentence.lower
    out: list[Finding] = []
    sure = "sure" in low or "certain" in low
    for match in islice(_MAKE_SURE.finditer(low, at), _MOST if sure else 0):
        start = match.start() + len(match.group("b"))
        out.append(finding(sentence, Modality.OBLIGATION, start, match.end(), "imperative"))
    binding = " to" in low or " you" in low or " that" in low or "make it" in low or " not" in low
    out.extend(
        finding(
            sentence,
            _required(match.group()),
            match.start(),
            match.end(),
            "required",
            strong=_NO_CHOICE.search(match.group()) is not None,
        )
        for match in islice(_IMPORTANT.finditer(low, at), _MOST if binding else 0)
        if not _SUBORDINATE.search(low[: match.start()])
    )
    others = (_label(sentence, at), _no(sentence, at), _structured(sentence))
    out.extend(found for found in others if found)
    if not imperative and not out:
        contrast = _contrast(sentence, at)
        if contrast:
            out.append(contrast)
    return out


_NO_CHOICE: Final = re.compile(r"mandatory|forbidden|required|imperative")


def _required(text: str) -> Modality:
    """Return what "it is … to" says."""
    return Modality.PROHIBITION if "forbidden" in text else Modality.OBLIGATION


def _label(sentence: Sentence, at: int) -> Finding | None:
    """Return a label rule ("Default: …", "IMPORTANT: …")."""
    match = _LABEL.match(sentence.lower, at)
    if match is None or match.group("label") in _SILENT_LABELS:
        return None
    label = match.group("label")
    if label in _SOFT_LABELS and _BARE_VALUE.match(match.group("rest")):
        return None
    negative = label in _NEGATIVE_LABELS
    modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
    return finding(sentence, modality, at, match.end("label"), "label", strong=label not in _SOFT_LABELS)


def _no(sentence: Sentence, at: int) -> Finding | None:
    """Return a verbless prohibition ("No unnecessary copies.")."""
    low = sentence.lower
    label = _NO_LABEL.match(low, at)
    match = _NO.match(low, label.end() if label else at)
    if match is None:
        return None
    phrase = _CONDITION.split(match.group("np"), maxsplit=1)[0]
    if len(phrase.split()) > _NO_WORDS or _NO_BUT.match(phrase) or _NO_DESCRIPTIVE.search(phrase):
        return None
    if low[match.end() : match.end() + 2].strip() == ":":
        return None
    return finding(sentence, Modality.PROHIBITION, at, match.end(), "prohibition", strong=True)


def _structured(sentence: Sentence) -> Finding | None:
    """Return a rule in key form ("ON_LINT_FAILURE -> Attempt_Autofix", "ALLOC_STRATEGY: Arena_Only")."""
    match = _STRUCTURED.search(sentence.text) if "_" in sentence.text else None
    if match is None:
        return None
    return finding(sentence, Modality.OBLIGATION, match.start(), match.end(), "label", strong=True)


def _contrast(sentence: Sentence, at: int) -> Finding | None:
    """Return a short verbless "X, not Y" or "X over Y" ("Tabs, not spaces", "Clarity over cleverness")."""
    low = sentence.lower.rstrip(" .!")
    if len(low[at:].split()) > _CONTRAST_WORDS or FINITE & set(low.split()):
        return None
    match = _XNOTY.match(low, at)
    if match:
        words = match.group("x").split()
        told = sentence.text.rstrip().endswith((".", "!")) and sentence.text[at : at + 1].isupper()
        plural_later = any(word.endswith("s") for word in words[1:]) and not told
        articles = _ARTICLE & set(low[at:].split())
        if len(words) > 3 or articles or plural_later:
            return None
    else:
        match = _OVER.match(low, at)
        if match is None or _OVER_BUT.search(low, at) or match.group("x").split()[0] in _ARTICLE:
            return None
    return finding(sentence, Modality.OBLIGATION, at, match.end(), "contrast")
