"""English rules without a modal of their own: "Only the owner may …", "Secrets are never …", "One assertion per test."."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import CODE, Finding, Sentence, finding
from libra.text.deontic_verbs import AGENT_NOUNS, FINITE, TECH_NOUNS

_WORD: Final = rf"[\w{CODE}][\w{CODE}'/.-]*"
_NOUNS: Final = rf"(?:{_WORD}\s+){{1,6}}?"
_ONLY: Final = re.compile(
    rf"only\s+(?!then\b|when\b|if\b|by\b)(?:the\s+|an?\s+|your\s+|our\s+)?(?P<who>{_NOUNS})(?P<modal>may|can|is\s+allowed\s+to|are\s+allowed\s+to|is\s+permitted\s+to|are\s+permitted\s+to)\s+(?P<verb>[a-z]+)"
)
_PEOPLE: Final = AGENT_NOUNS | frozenset(
    """owner owners admin admins administrator administrators lead leads manager managers human humans person people member members staff employee employees
    editor editors user users moderator moderators host hosts leader leaders captain""".split()
)
_PASSIVE: Final = re.compile(
    rf"(?P<subject>(?:all\s+|any\s+)?(?:{_WORD}\s+){{1,4}}?)(?P<modal>(?:is|are)\s+(?:never|always|only\s+ever))\s+(?P<verb>\w+(?:ed|[^u]en)|shown|kept|sent|built|read|set|put|cut|left|held|sold|told|made|run|done|drawn|thrown|known|split|shut|lost|found|taught|bound)\b(?!\s+by\s+(?!hand\b|any(?:one|body)\b))"
)
_HABIT: Final = re.compile(
    rf"(?P<subject>(?:{_WORD}\s+){{1,4}}?)(?P<modal>never)\s+(?:leaves?|goe?s?|enters?|appears?|touch(?:es)?|contains?|cross(?:es)?|depends?|imports?|reach(?:es)?|shares?|mix(?:es)?|mutates?|blocks?|logs?|prints?|stores?)\b"
)
_NONE_ALLOWED: Final = re.compile(
    r"\bno\s+[^,.;:]{1,80}?\s(?P<modal>(?:is|are)\s+(?:ever\s+)?(?:allowed|permitted|accepted|tolerated))\b"
)
_ONE: Final = re.compile(r"one\s+(?P<modal>must|should|may|shall)\s+(?:never|not|always|only)\b")
_MAY_ONLY: Final = re.compile(
    rf"(?P<subject>(?:{_WORD}\s+){{1,5}}?)(?P<modal>may\s+only|may\s+never|can\s+only\s+ever)\s+be\s+\w+"
)
_NEVER_IN: Final = re.compile(
    r"(?P<modal>never|always|only)\s+(?:in|on|at|from|to|via|with|by|as|inside|outside|under|after|before|through)\s+\w+"
)
_REQUIRE: Final = re.compile(
    rf"(?P<subject>(?:{_WORD}\s+){{1,5}}?)(?P<modal>requires?|needs?)\s+(?:an?\s+|at\s+least\s+|one\s+|two\s+|three\s+|the\s+)?(?:[\w-]+\s+){{0,4}}?"
    r"(?:approvals?|reviews?|reviewers?|sign-?offs?|changesets?|tests?|case|entry|bump|migrations?|adr|rfc|discussions?|permissions?|consent|confirmation|justification"
    r"|explanation|docs|documentation|docstrings?|changelog|label|ticket|issue|comment|description|example|screenshots?|rollback|owner|benchmarks?)\b"
)
_EVERY_NEEDS: Final = re.compile(
    rf"(?:every|each|all|any)\s+(?P<subject>{_NOUNS})(?P<modal>requires?|needs?|gets?|ha(?:s|ve))\s+(?:an?|its|their|at\s+least|one|exactly|no|[a-z]+s)\b"
)
_PLACE: Final = re.compile(
    rf"(?P<subject>(?:all\s+|any\s+|every\s+)?(?:{_WORD}\s+){{1,4}}?)(?P<modal>goe?s?)\s+(?:in|into|inside|under|(?P<fixed>at\s+the\s+(?:top|bottom|end)|on\s+top|first\b|last\b)|alongside|next\s+to)"
)
_THERE: Final = re.compile(
    r"there\s+(?P<modal>must|shall|should)\s+(?:be\s+(?:no|one|exactly|at\s+(?:least|most))|not\s+be|never\s+be|always\s+be|only\s+be)\b"
)
_LEEWAY: Final = re.compile(
    r"(?:feel\s+free\s+to|it(?:'s|\s+is)\s+(?:also\s+)?(?:fine|ok|okay|acceptable|allowed|permitted)\s+to|you(?:'re|\s+are)\s+free\s+to)"
    r"\s+(?!feel\b|be\b|not\b|reach\b|contact\b|call\b|drop\b|join\b|text\b|message\b|cry\b|rest\b|want\b|let\b|come\b|take\b|ask\s+me\b)[a-z]+"
)
_BAN: Final = re.compile(
    r"it(?:'s|\s+is)\s+(?:strictly\s+|never\s+)?(?:forbidden|prohibited|not\s+(?:allowed|permitted|acceptable|ok|okay)|unacceptable|acceptable)\s+(?:to|for)\b"
)
_MAY_BE: Final = re.compile(
    rf"(?P<subject>(?:{_WORD}\s+){{1,9}}?)(?P<modal>may)\s+(?:only\s+)?be\s+\w+(?:ed|en|ft|pt|un|ut|lt)\b[^.;]{{0,200}}?\b(?:unless|only|without|provided|as\s+long\s+as|if|before|until)\b"
)
_LIMIT: Final = re.compile(
    r"(?:no\s+more\s+than|not\s+more\s+than|less\s+than|fewer\s+than|at\s+most|at\s+least|up\s+to|max(?:imum)?(?:\s+of)?|min(?:imum)?(?:\s+of)?|under|(?:only\s+|exactly\s+)?one|two|three|a\s+single)\s+(?:\d[\d,.]*\s+|two\s+|three\s+|four\s+|five\s+|ten\s+)?"
    rf"[a-z{CODE}][\w{CODE}-]*(?:\s+[a-z{CODE}][\w{CODE}-]*){{0,3}}\s+(?:per|a|for\s+(?:each|every))\s+(?!second|minute|hour|day|night|week|month|year)[a-z][\w -]{{1,40}}\Z"
    r"|(?:no\s+more|not\s+more|less|fewer)\s+than\s+\d[\d,.]*\s+[a-z][\w -]{1,40}\Z"
)
_ZERO: Final = re.compile(r"zero\s+tolerance\s+(?:for|of|towards?)\b")
_ONLY_LAST: Final = re.compile(
    rf"(?!both\b|read\b|internal\b|optional\b|windows\b|linux\b|macos\b|dev\b|for\b|used?\b)(?:(?:{_WORD}\s+){{2,5}}only\Z|(?:{_WORD}\s+){{1,4}}only:\s)"
)
_YOU_WORK: Final = re.compile(
    r"you\s+(?:(?:also|only|always|carefully|\w{3,14}ly)\s+)?(?P<modal>help|speak|design|provide|write|build|create|guide|analyze|analyse|review|specialize|specialise|focus|explain|teach|value|prefer|prioritize|prioritise"
    r"|answer|assist|deliver|champion|translate|turn|transform|ensure|produce|refuse|favor|favour|communicate|advise|support|coach|mentor|follow|treat|avoid|verify|check|test)\s+[a-z]+"
)
_DETERMINED: Final = re.compile(
    r"(?:no|the|a|an|this|that|these|those|our|your|their|its|his|her|my|it|they|he|she|i|we|you|there|who|which|what|some|most|many|one|if|when|as|because|since)\b"
)
_SHORT: Final = 10


def norms(sentence: Sentence, at: int) -> list[Finding]:
    """Return the forms of this module; at most one of each kind, at the start of the sentence or of its label's text."""
    low = sentence.lower
    starts = [at]
    colon = low.find(": ", at, at + 50)
    if colon >= 0:
        starts.append(colon + 2)
    none = _NONE_ALLOWED.search(low, at)
    if none:
        return [
            finding(sentence, Modality.PROHIBITION, none.start(), none.end("modal"), "scoped", strong=True)
        ]
    out: list[Finding] = []
    place = _NEVER_IN.match(low, starts[-1]) if len(starts) > 1 else None
    if place:
        negative = place.group("modal") == "never"
        modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
        return [finding(sentence, modality, place.start(), place.end("modal"), "label", strong=True)]
    for start in starts:
        found = _subject_forms(sentence, start) or _whole(sentence, start)
        if found:
            out.append(found)
            break
    return out


def _subject_forms(sentence: Sentence, at: int) -> Finding | None:
    """Return the rule whose subject starts at ``at``."""
    low = sentence.lower
    only = _ONLY.match(low, at)
    if only and (only.group("modal") == "may" or only.group("who").split()[-1] in _PEOPLE):
        return finding(sentence, Modality.PERMISSION, at, only.end("modal"), "scoped", strong=True)
    for pattern, modality in (
        (_THERE, Modality.OBLIGATION),
        (_LEEWAY, Modality.PERMISSION),
        (_BAN, Modality.PROHIBITION),
        (_ONE, Modality.OBLIGATION),
        (_YOU_WORK, Modality.OBLIGATION),
    ):
        match = pattern.match(low, at)
        if match and not (pattern is _BAN and _permits(match.group())):
            strong = pattern in (_THERE, _BAN, _ONE)
            return finding(sentence, modality, at, match.end(), "scoped", strong=strong)
    every = _EVERY_NEEDS.match(low, at)
    if every and every.group("modal")[0] in "rn":
        return finding(sentence, Modality.OBLIGATION, every.start("modal"), every.end("modal"), "scoped")
    return _bare(sentence, at)


def _permits(text: str) -> bool:
    """Return True for "it is acceptable to", which forbids nothing."""
    return text.split()[-2] == "acceptable" and not re.search(r"\b(?:not|never)\b", text)


def _bare(sentence: Sentence, at: int) -> Finding | None:
    """Return what a bare plural or a noun without an article is said to need, or how it is always treated."""
    low = sentence.lower
    if _DETERMINED.match(low, at):
        return None
    match = _PASSIVE.match(low, at)
    if match and CODE not in match.group("subject") and not FINITE & set(match.group("subject").split()):
        never = "never" in match.group("modal")
        modality = Modality.PROHIBITION if never else Modality.OBLIGATION
        return finding(sentence, modality, match.start("modal"), match.end("modal"), "scoped", strong=True)
    match = _REQUIRE.match(low, at)
    if (
        match
        and not match.group("subject").startswith(CODE)
        and not FINITE & set(match.group("subject").split())
    ):
        return finding(
            sentence, Modality.OBLIGATION, match.start("modal"), match.end("modal"), "scoped", strong=True
        )
    for pattern in (_HABIT, _MAY_ONLY):
        match = pattern.match(low, at)
        if match and not FINITE & set(match.group("subject").split()):
            return finding(
                sentence,
                Modality.PROHIBITION,
                match.start("modal"),
                match.end("modal"),
                "scoped",
                strong=True,
            )
    match = _PLACE.match(low, at)
    if match and (match.group("fixed") or _technical(match.group("subject"))):
        return finding(sentence, Modality.OBLIGATION, match.start("modal"), match.end("modal"), "scoped")
    match = _MAY_BE.match(low, at)
    if match and _technical(match.group("subject")):
        return finding(sentence, Modality.PERMISSION, match.start("modal"), match.end("modal"), "scoped")
    return None


def _technical(subject: str) -> bool:
    """Return True if a subject ends in a thing of the trade, in the plural or with a quantifier."""
    words = subject.split()
    last = words[-1]
    plural = last.endswith("s") and not last.endswith("ss")
    return (plural or words[0] in ("all", "any", "every")) and (
        last in TECH_NOUNS or last.rstrip("s") in TECH_NOUNS
    )


def _whole(sentence: Sentence, at: int) -> Finding | None:
    """Return the rule that is a short sentence without a verb ("One assertion per test.", "Named exports only")."""
    low = sentence.lower.split(";", 1)[0].rstrip(" .!")
    words = low[at:].split()
    if len(words) > _SHORT or FINITE & set(words):
        return None
    if _ZERO.match(low, at):
        return finding(sentence, Modality.PROHIBITION, at, len(low), "prohibition", strong=True)
    if _LIMIT.match(low, at) or (_ONLY_LAST.match(low, at) and not {"the", "for"} & set(words)):
        return finding(sentence, Modality.OBLIGATION, at, len(low), "limit")
    return None
