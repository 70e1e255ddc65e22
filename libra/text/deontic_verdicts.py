"""English rules told as a verdict: what is refused, what goes there "and nowhere else", what an agent never does, "X, not Y".

Tried only on sentences in which no imperative, modal or label was found. Each pattern is one kind; what may be
its subject is what keeps tales out ("Requests are rejected with 403" tells, "Force pushes are rejected" binds).
"""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_collocations import CONTRIBUTIONS, TRANSGRESSIONS
from libra.text.deontic_forms import CODE, Finding, Sentence, finding
from libra.text.deontic_verbs import AGENT_NOUNS, FINITE, MOSTLY_VERBS, NOUNISH, PLAIN_VERBS, TECH_NOUNS

_WORD: Final = rf"[\w{CODE}][\w{CODE}'/.-]*"
_REFUSED: Final = re.compile(
    r"\b(?P<modal>(?:will\s+not|won't|cannot|can't|can\s+not)(?:\s+be)?|(?:is|are)\s+(?:not|never)|isn't|aren't|(?:does|do)\s+not|doesn't|don't)\s+"
    r"(?:merged|accepted|reviewed|considered|approved|entertained|shipped|released|acceptable|welcome|an\s+option|pass\s+(?:code\s+)?(?:review|ci|inspection)"
    r"|make\s+it\s+(?:in|into|past|through)|count\s+as\s+(?:done|finished|complete|tested|reviewed)|be\s+(?:merged|accepted|approved|released))\b"
)
_BOUNCED: Final = re.compile(
    r"\b(?P<modal>(?:is|are|gets?|will\s+be|will\s+get)\s+(?:immediately\s+|automatically\s+|always\s+)?(?:rejected|closed|reverted|refused|declined|sent\s+back|turned\s+down|bounced|backed\s+out))\b(?!\s+(?:automatically\s+)?by\b)"
)
_ON_SIGHT: Final = re.compile(
    r"\b(?:in|during|at|by)\s+(?:code\s+)?review\b|\bon\s+sight\b|\bwithout\s+(?:discussion|review|comment|notice)\b"
)
_LACKING: Final = re.compile(r"\b(?:without|that|which|with\s+no|lacking|missing)\b")
"""What is "closed" for a fault binds; what is closed after a month does not."""
_ELSE: Final = re.compile(
    r"\band\s+(?:to\s+|over\s+|in\s+|from\s+)?(?:nowhere|nothing|nobody|no\s+one)\s+else\b"
)
_OUT_OF: Final = re.compile(
    r"\b(?P<modal>(?:stays?|remains?|keeps?)\s+(?:out\s+of|off))\s+(?:the\s+|our\s+|your\s+|any\s+)?[a-z]"
)
_WELCOME: Final = re.compile(
    r"\b(?P<modal>(?:is|are)\s+(?:welcome|fine|ok|okay|acceptable|allowed))\s+(?:only\s+)?(?:when|if|as\s+long\s+as|provided|unless|in|with)\b"
)
_ONLY_BY: Final = re.compile(
    r"\b(?P<modal>(?:is|are)\s+(?P<first>only\s+)?\w+)\s+(?(first)|(?P<then>only\s+)?)by\s+(?:the\s+|an?\s+|our\s+)?[\w-]+(?(first)|(?(then)|(?:\s+[\w-]+)?\s+(?:only|alone)))\b"
)
_ACT: Final = re.compile(
    rf"(?P<subject>{_WORD}(?:\s+{_WORD}){{0,2}}?)\s+(?P<modal>never)\s+(?P<verb>[a-z-]+)\s"
)
_FIRST: Final = re.compile(rf"(?:{_WORD}\s+){{1,3}}first,\s+(?:then\s+)?{_WORD}")
_EVERYWHERE: Final = re.compile(rf"{CODE}+\s+(?P<modal>everywhere|throughout)\b")
_NOT_YOURS: Final = re.compile(r"\b(?P<modal>(?:is|are)\s+(?:not|never)\s+yours\s+to)\s+[a-z]+")
_HABIT: Final = re.compile(
    r"(?:the\s+|an?\s+|our\s+|your\s+|every\s+)?(?:[\w-]+\s+){0,2}?(?P<agent>[\w-]+)\s+(?P<modal>never|always|only\s+ever)\s+(?P<verb>[a-z-]+)\b"
)
_LIMIT_LABEL: Final = re.compile(
    r"(?:[\w/-]+\s+){0,4}[\w/-]+\s*(?::|—|–)\s+(?:[^:;.]{0,40}\s)?(?:at\s+(?:most|least)|max(?:imum)?|minimum|or\s+(?:less|fewer|more)|no\s+(?:more|less)(?:\s+than\s+[\w.]+)?)\s*[.!]?\s*\Z"
)
_PLACED: Final = re.compile(
    rf"(?P<subject>{_WORD}(?:\s+{_WORD}){{0,3}})\s+(?P<modal>(?:on|in|above|before)\s+(?:all|every|each)|at\s+(?:the\s+)?(?:top|bottom|end|start)\s+of)\s+(?P<rest>[^.;:]{{2,60}})\Z"
)
_CASING: Final = re.compile(
    r"(?P<modal>(?:pascal|camel|snake|kebab|title|sentence|upper|lower|screaming|macro)[_\s-]?(?:case|snake)?(?:[_-]case)?)\s+(?:for|in)\s+[a-z]"
)
_STYLE_LABEL: Final = re.compile(
    r"(?:[\w-]+\s+){0,3}(?:style|naming|order|indentation|casing|conventions?|tone)\s*:\s+(?=[^:]*\b(?:in|for|with|first|then|before|after|no|not|never|always|lower|upper|short|plain|present|past|by)\b)"
)
_ORDER_LIST: Final = re.compile(
    r"(?P<verb>group|order|sort|separate|split|list|arrange)\s+(?:imports|includes|exports|fields|methods|properties|attributes|sections|commits|functions|headers|keys|declarations)\s*:\s+[a-z][^:,]*,"
)
_ALWAYS_A: Final = re.compile(
    rf"(?P<subject>(?:all\s+)?{_WORD}(?:\s+{_WORD}){{0,2}}?)\s+(?P<modal>(?:is|are)\s+(?:always|never))\s+(?:an?\s+)?(?P<what>{_WORD}(?:\s+{_WORD})?)"
)
_PLEASE: Final = re.compile(r"[^,:;]{3,40},\s+(?P<modal>please)\b\s*(?:[:.!]|\Z)")
_COMMAND_AND: Final = re.compile(
    rf"(?:for|to|when|before|after|once|if)\s[^,;:]{{2,60}},\s+{CODE}+\s+(?:and(?:\s+then)?|then)\s+(?P<verb>[a-z-]+)\s+(?P<next>[a-z{CODE}]+)"
)
_CONTRAST: Final = re.compile(
    r"(?:,\s*(?:and\s+|but\s+)?(?:not|never|no)\s|\s(?:instead\s+of|rather\s+than)\s)(?P<y>[^;:]{2,50})\Z"
)
_OVER: Final = re.compile(rf"(?P<x>{_WORD}(?:\s{_WORD}){{0,2}})\s(?:over|>(?!=))\s(?P<y>[^,;:.]{{2,50}})\Z")
_OVER_BUT: Final = re.compile(
    r"\bover\s+(?:time|tcp|https?|tls|ssh|udp|the|a|an|ip|web|websockets?|again|all|stdio|grpc|usb|serial|bluetooth|wifi|lunch|dinner|\d)"
)
_DETERMINED: Final = re.compile(
    r"(?:the|an?|this|that|these|those|our|your|their|its|his|her|my|it|they|he|she|i|we|you|there|who|which|what|some|most|many|if|when|as|because|since|see|like|about)\b"
)
_ASIDE: Final = re.compile(r"\s\([^()]{1,60}\)")
_LAYOUT: Final = frozenset("tab space semicolon quote bracket name sentence word".split())
_PEOPLE: Final = re.compile(r"(?:he|she|they|i|we|you|it|my|his|her|their|who|nobody|there|this|that)\b")
_PAST: Final = re.compile(r"\b(?:was|were|had|did|yesterday|ago|last|once)\b")
_SHORT: Final = 10
_CONTRAST_WORDS: Final = 14
_SUBJECT_WORDS: Final = 14
_NEAR: Final = 6
_FEW: Final = 2
_BESIDES: Final = frozenset("be been have had a an the quite on in at".split())


def verdict(sentence: Sentence, at: int) -> list[Finding]:
    """Return at most one rule of this module's kinds; ``at`` is where the sentence's words start."""
    low = sentence.lower
    if _PEOPLE.match(low, at) or _PAST.search(low, at):
        return []
    for judge in (_refusal, _elsewhere, _habit, _labelled, _verbless):
        found = judge(sentence, at)
        if found is not None:
            return [found]
    return []


def _thing(subject: str) -> bool:
    """Return True if one of a subject's first words is a thing of the trade, or something is missing in it ("without …")."""
    words = subject.split()
    if len(words) > _SUBJECT_WORDS:
        return False
    return " without " in f" {subject} " or any(_known(word.strip(",.;:!")) for word in words[:_NEAR])


def _known(word: str) -> bool:
    """Return True for a thing of the trade, singular or plural, and for code."""
    single = word.removesuffix("ies") + "y" if word.endswith("ies") else word.removesuffix("s")
    return CODE in word or not _LAYOUT.isdisjoint((word, single)) or not TECH_NOUNS.isdisjoint((word, single))


def _acts(phrase: str) -> bool:
    """Return True if a word behind the first is a verb: the phrase tells what somebody does."""
    return not PLAIN_VERBS.isdisjoint(phrase.split()[1:])


def _refusal(sentence: Sentence, at: int) -> Finding | None:
    """Return "… will not be merged", "Force pushes are rejected", "… are not yours to make"."""
    low = sentence.lower
    match = _NOT_YOURS.search(low, at)
    if match is None:
        match = _REFUSED.search(low, at)
        if match is not None and not _thing(low[at : match.start()]):
            match = None
    if match is None:
        match = _BOUNCED.search(low, at)
        if match is not None:
            words = low[at : match.start()].split()
            plain = {word.strip(",") for word in words[:_NEAR]}
            closed = "close" in match.group() and not _LACKING.search(low, at, match.start())
            if closed or not (plain & CONTRIBUTIONS or _ON_SIGHT.search(low, match.end())):
                match = None
    if match is None:
        return None
    return finding(
        sentence, Modality.PROHIBITION, match.start("modal"), match.end("modal"), "refused", strong=True
    )


def _elsewhere(sentence: Sentence, at: int) -> Finding | None:
    """Return "… and nowhere else", "… stays out of the notes", and what is welcome under a condition."""
    low = sentence.lower
    match = _ELSE.search(low, at)
    if match is not None:
        return finding(sentence, Modality.OBLIGATION, match.start(), match.end(), "scoped", strong=True)
    match = _ONLY_BY.search(low, at)
    if match is not None and _thing(low[at : match.start()]):
        return finding(
            sentence, Modality.OBLIGATION, match.start("modal"), match.end("modal"), "scoped", strong=True
        )
    match = _ALWAYS_A.match(low, at)
    if match is not None and not _DETERMINED.match(low, at) and _thing(match.group("what")):
        negative = match.group("modal").endswith("never")
        modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
        return finding(sentence, modality, match.start("modal"), match.end("modal"), "scoped", strong=True)
    match = _OUT_OF.search(low, at)
    if match is not None and not _DETERMINED.match(low, at) and _thing(low[at:]):
        return finding(
            sentence, Modality.PROHIBITION, match.start("modal"), match.end("modal"), "scoped", strong=True
        )
    match = _WELCOME.search(low, at)
    if match is not None and len(low[at : match.start()].split()) <= _NEAR and not _DETERMINED.match(low, at):
        return finding(sentence, Modality.PERMISSION, match.start("modal"), match.end("modal"), "scoped")
    return None


def _habit(sentence: Sentence, at: int) -> Finding | None:
    """Return what an agent never or always does ("The agent never pushes")."""
    act = _ACT.match(sentence.lower, at)
    if act is not None and _commits(act, sentence.lower[act.end() :]):
        return finding(
            sentence, Modality.PROHIBITION, act.start("modal"), act.end("modal"), "scoped", strong=True
        )
    match = _HABIT.match(sentence.lower, at)
    if match is None or match.group("agent") not in AGENT_NOUNS or match.group("verb") in _BESIDES:
        return None
    verb = match.group("verb")
    stems = {verb, verb.removesuffix("s"), verb.removesuffix("es"), verb.removesuffix("ies") + "y"}
    if not stems & (PLAIN_VERBS | MOSTLY_VERBS | NOUNISH):
        return None
    negative = match.group("modal") == "never"
    modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
    return finding(sentence, modality, match.start("modal"), match.end("modal"), "scoped", strong=True)


def _commits(act: re.Match[str], rest: str) -> bool:
    """Return True for what things in the plural never do to a thing of the trade ("Views never query the store")."""
    subject = act.group("subject")
    plural = subject.endswith("s") and not subject.endswith("ss") and not _DETERMINED.match(subject)
    return plural and act.group("verb") in TRANSGRESSIONS and _thing(rest)


def _labelled(sentence: Sentence, at: int) -> Finding | None:
    """Return a limit behind a label, a polite order without a verb, and a command that an order follows."""
    low = sentence.lower
    match = _LIMIT_LABEL.match(low, at)
    if match is not None:
        return finding(sentence, Modality.OBLIGATION, at, match.end(), "limit", strong=True)
    match = _ORDER_LIST.match(low, at)
    if match is None:
        match = _STYLE_LABEL.match(low, at)
    if match is not None:
        return finding(sentence, Modality.OBLIGATION, at, match.end(), "label")
    match = _PLEASE.match(low, at)
    if match is not None:
        return finding(sentence, Modality.OBLIGATION, at, match.end("modal"), "label")
    match = _COMMAND_AND.match(low, at)
    if (
        match is not None
        and match.group("verb") in PLAIN_VERBS | MOSTLY_VERBS
        and match.group("next") != "is"
    ):
        return finding(sentence, Modality.OBLIGATION, match.start("verb"), match.end("verb"), "lead_in")
    return None


def _verbless(sentence: Sentence, at: int) -> Finding | None:
    """Return "License header on all new files", "Imports at top of file", "snake_case for columns" and "X, not Y"."""
    low = sentence.lower.split(" (", 1)[0].rstrip(" .!")
    match = _CASING.match(low, at) or _CASING.match(low, low.find(": ", at, at + 30) + 2)
    if match is not None:
        return finding(sentence, Modality.OBLIGATION, at, match.end("modal"), "label")
    words = low[at:].split()
    if FINITE & set(words) or _DETERMINED.match(low, at):
        return None
    if (match := _EVERYWHERE.match(low, at) or _FIRST.match(low, at)) is not None:
        return finding(sentence, Modality.OBLIGATION, at, match.end(), "limit")
    if len(words) <= _SHORT:
        match = _PLACED.match(low, at)
        told = match is not None and _acts(match.group("subject"))
        if match is not None and not told and _thing(match.group("subject")) and _thing(match.group("rest")):
            return finding(sentence, Modality.OBLIGATION, at, match.end("modal"), "limit")
    return _choice(sentence, at)


def _ranks(match: re.Match[str]) -> bool:
    """Return True unless it is a motto: "A > B" is heard of two things of the trade, "A > B > C" of any."""
    x, y = match.group("x"), match.group("y")
    return " > " not in match.group() or " > " in y or (_thing(x) and _thing(y))


def _choice(sentence: Sentence, at: int) -> Finding | None:
    """Return one thing put before another ("`Money.add()` for sums, not the plus sign", "props > context > store")."""
    low = _ASIDE.sub("", sentence.lower.split(" – ", 1)[0].split(" — ", 1)[0]).rstrip(" .!;")
    words = low[at:].split()
    if len(words) > _CONTRAST_WORDS or not _thing(low[at:]):
        return None
    match = _CONTRAST.search(low, at)
    if match is None:
        match = _OVER.match(low, at)
        if match is not None and (_OVER_BUT.search(low, at) or not _ranks(match)):
            match = None
    if (
        match is None
        or words[0].endswith("ing")
        or _acts(low[at : match.start()])
        or low.count(f"{CODE} ") > _FEW
    ):
        return None
    return finding(sentence, Modality.OBLIGATION, at, len(low), "contrast")
