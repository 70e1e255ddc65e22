"""English rules that speak to somebody: "you must …", "we never …", "You are …"."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import Finding, Sentence, finding
from libra.text.deontic_verbs import MOSTLY_VERBS, NOUNISH, PLAIN_VERBS, RHETORICAL_VERBS

_SECOND: Final = re.compile(
    r"\b(?P<you>you|u|we|y'all)(?:\s+(?:and\s+i|all|both|guys|really|always|also|still|only|just|probably|generally|then|therefore|absolutely|definitely)){0,2}\s+"
    r"(?P<modal>must|shall|should|ought\s+to|may|can't|cannot|can\s+not|mustn't|shouldn't|(?:will\s+)?need\s+to|have\s+to"
    r"|are\s+(?:strictly\s+)?(?:required|expected|obliged|forbidden|prohibited|not\s+allowed|not\s+permitted|allowed|permitted|never|free|responsible|to|not\s+to|always\s+to|only)"
    r"|'re\s+(?:required|expected|not\s+allowed|not\s+to|to|never)|(?:will|do)\s+(?:not|never)|won't|always|never|don't)\b"
    r"(?P<mid>(?:\s+(?:not|never|always|only|also|first|ever|be|to|still|either|at\s+least|probably|ideally)\b){0,3})\s*(?P<verb>[\w\ue000'-]*)"
)
_SUBORDINATE: Final = re.compile(
    r"\b(?:if|when|whether|what|which|how|that|because|since|where|why|who|whom|than|as|unless|until|though|although|whatever|everything|anything|all|things?"
    r"|files?|one|time|times|way|reason|tools?|steps?|places?|code|information|context|commands?|only|like|and)\s+\Z"
)
_CLAUSE_START: Final = re.compile(r"[,;:(—–.]\s*\Z|\b(?:but|so|then|also|please)\s+\Z|-\s+\Z")
_BECAUSE: Final = re.compile(r"\b(?:because|since|as if|so that|why|whether)\s+[^,;]{0,60}\Z")
_STRONG: Final = re.compile(
    r"must|shall|cannot|can't|can\s+not|required|forbid|forbidden|prohibited|never|always|not\s+allowed|not\s+permitted|may\s+not"
)
_NEGATIVE: Final = re.compile(r"\bnot\b|n't|never|cannot|forbid|prohibit")
_HABITS: Final = frozenset(
    "use allow accept commit merge push mock test write add ship permit tolerate depend import rely skip hardcode hard-code do break log store track deploy release run call expose introduce rebase squash amend modify touch edit change delete remove send share mix follow keep prefer avoid target support-only".split()
)
_IDENTITY: Final = re.compile(
    r"you(?:\s+are|'re)\s+(?:now\s+|primarily\s+|fundamentally\s+)?(?P<next>[a-z][a-z-]*|\ue000+|\*+)(?P<rest>\b[^.]*)"
)
_ROLE: Final = frozenset("a an the not my our one responsible here-to".split())
_NOT_IDENTITY: Final = re.compile(
    r"(?:\w+ing|\w+ed|done|here|ready|welcome|right|wrong|probably|likely|already|about|all|now|still|also|most|sure|able|free|in|on|at|given|set|up|stuck|lucky|good|unsure"
    r"|new|familiar|unfamiliar|happy|aware|so|lost|late|just|both|what|who|where|why|how|like|as|with|under|over|only|never|always|better|allowed|required|expected|supposed|to|from|and)\Z"
)
_YOU_DO: Final = re.compile(r"(?:first|then|next|finally|afterwards|now),?\s+you\s+(?P<verb>[a-z-]+)\b")
_STYLE: Final = re.compile(
    r"you\s+(?:speak|talk|write|sound|respond|reply|answer|communicate|think)\s+(?:only\s+)?(?:in|like|with|as)\b"
)
_WE_CHOOSE: Final = re.compile(
    r"we\s+(?P<verb>use|prefer|write|follow|keep)\b[^.!?]{1,80}?(?:,?\s+(?:not|never)\s|\s+(?:instead\s+of|rather\s+than|over)\s)"
)
_REACH: Final = 80
_MOST: Final = 8
"""Findings of one kind in one sentence; more say nothing new."""
_FINE: Final = frozenset(["able", "fine", "good", "familiar", "ok", "okay", "set", "done", "ready"])
_TALK_MAY: Final = frozenset(
    "be need find get notice see want encounter experience already also know remember even well think come end have recall wonder prefer like hear feel".split()
)
_INTO: Final = (["into"], ["across"], ["out"])
_TALK_SHOULD: Final = frozenset("see get find now end notice receive already".split())
_TALK_CANNOT: Final = frozenset(
    "tell imagine believe help know see wait beat miss always find get go trust expect have be afford understand really".split()
)
_STATES: Final = frozenset(
    "tired hungry joking mistaken kidding crazy exhausted confused surprised curious lost new familiar".split()
)


def second_person(sentence: Sentence, at: int) -> list[Finding]:
    """Return "you must …" and "we must …" unless they are rhetoric or subordinate."""
    low = sentence.lower
    out: list[Finding] = []
    if "you" not in low and "we " not in low and " u " not in low and "y'all" not in low:
        return out
    low = low.replace("you'll need to", "you    need to")
    for match in _SECOND.finditer(low, at):
        modal = re.sub(r"\s+", " ", match.group("modal"))
        middle = match.group("mid") or ""
        if _is_talk(match, modal, middle, low):
            continue
        before = low[max(at, match.start() - _REACH) : match.start()]
        if len(out) >= _MOST:
            break
        strong = _STRONG.search(modal + middle) is not None
        firm = strong and not modal.startswith(("can", "always", "never"))
        if _SUBORDINATE.search(before) or _BECAUSE.search(before):
            continue
        if not firm and before and not _CLAUSE_START.search(before):
            continue
        negative = _NEGATIVE.search(modal + middle) is not None
        permits = modal in ("may", "are allowed", "are permitted", "are free") and not negative
        modality = (
            Modality.PERMISSION if permits else Modality.PROHIBITION if negative else Modality.OBLIGATION
        )
        out.append(
            finding(sentence, modality, match.start(), match.end("modal"), "second_person", strong=strong)
        )
    return out


def _is_talk(match: re.Match[str], modal: str, middle: str, low: str) -> bool:  # noqa: PLR0911 - a list of judgements, one a line
    """Return True for "you must be wondering", "you should have seen", "you can never tell", "we will not"."""
    you, verb = match.group("you"), match.group("verb")
    after = low[match.end() : match.end() + 40].split()
    if not verb and not after:
        return True
    being = verb == "be" or " be" in middle
    if verb in RHETORICAL_VERBS or (
        being and (verb in _STATES or (after[:1] and after[0] in _STATES) or verb.endswith("ing"))
    ):
        return True
    if verb == "have" and (modal != "must" or _perfect(after)):
        return True
    known = verb in PLAIN_VERBS or verb in MOSTLY_VERBS or verb in NOUNISH
    if you not in ("you", "u"):
        return _is_we_talk(modal, verb)
    if modal == "may":
        return verb in _TALK_MAY or being or (verb == "run" and after[:1] in _INTO)
    if modal in ("don't", "do not", "won't", "will not", "do never", "will never"):
        return not (modal in ("will not", "will never", "won't") and known)
    if modal in ("always", "never"):
        return not known
    if modal in ("can't", "cannot", "can not"):
        return verb in _TALK_CANNOT
    if modal == "should":
        return verb in _TALK_SHOULD or (being and bool({verb, *after[:1]} & _FINE))
    if modal in ("need to", "have to"):
        return verb in ("know", "worry")
    return modal in ("are to", "'re to", "are only") and not known


def _is_we_talk(modal: str, verb: str) -> bool:
    """Return True where "we …" tells of ourselves instead of binding: only our habits count."""
    if modal in ("do not", "don't", "never", "always"):
        return verb not in _HABITS
    return modal in (
        "may",
        "are to",
        "will not",
        "will never",
        "won't",
        "can't",
        "cannot",
        "can not",
        "do never",
        "are always to",
        "are only",
    )


def _perfect(after: list[str]) -> bool:
    """Return True for "must have been", "must have seen": a guess about the past."""
    return bool(after) and (
        after[0] in ("been", "had", "done", "gone", "seen", "known", "felt", "thought")
        or after[0].endswith("ed")
    )


def identity(sentence: Sentence, at: int) -> list[Finding]:
    """Return "You are …" and "First, you look …"."""
    low = sentence.lower
    out: list[Finding] = []
    match = _IDENTITY.match(low, at)
    if match and (match.group("next") in _ROLE or not _NOT_IDENTITY.match(match.group("next"))):
        out.append(finding(sentence, Modality.OBLIGATION, at, match.end("next"), "identity"))
    style = _STYLE.match(low, at)
    if style:
        out.append(finding(sentence, Modality.OBLIGATION, at, style.end(), "identity"))
    choice = _WE_CHOOSE.match(low, at)
    if choice:
        out.append(finding(sentence, Modality.OBLIGATION, at, choice.end("verb"), "habit"))
    steps = _YOU_DO.match(low, at)
    if steps and steps.group("verb") in PLAIN_VERBS | MOSTLY_VERBS | NOUNISH:
        out.append(finding(sentence, Modality.OBLIGATION, at, steps.end(), "second_person"))
    return out
