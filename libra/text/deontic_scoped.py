"""English rules about things: "All endpoints must …", "No file may …", "X is forbidden"."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_collocations import TRANSGRESSIONS
from libra.text.deontic_forms import CODE, Finding, Sentence, finding
from libra.text.deontic_subject import PARTICIPLE, PARTICIPLES, QUANTIFIER, head_of, subject_of
from libra.text.deontic_verbs import AGENT_NOUNS, TECH_NOUNS

_MODAL: Final = re.compile(
    r"\b(?P<modal>must|shall|should|may|cannot|can\s+not|can't|can\s+only|mustn't|shouldn't|needs?\s+(?=an?\s|at\s+least|its\s+own|to\b)(?:to\b)?|ha(?:s|ve)\s+to|ought\s+to"
    r"|(?:is|are)\s+(?:to|not\s+to|(?:strictly\s+|always\s+|only\s+|never\s+)?(?:allowed|permitted|required|expected|supposed|obliged)\s+to|not\s+(?:allowed|permitted|supposed)\s+to|never\s+to))\b"
    r"(?P<mid>(?:\s+(?:not|never|always|only|also|still|ideally|be)\b){0,4})\s*(?P<verb>[\w\ue000'-]*)"
)
_STATE: Final = re.compile(
    r"\b(?:is|are)\s+(?:strictly\s+|absolutely\s+|explicitly\s+|always\s+|completely\s+|highly\s+|strongly\s+)?"
    r"(?P<state>forbidden|prohibited|not\s+allowed|not\s+permitted|never\s+allowed|disallowed|banned|off[\s-]limits|mandatory|required|not\s+acceptable|unacceptable"
    r"|non-negotiable|discouraged|not\s+optional|compulsory|preferred|recommended|encouraged|not\s+tolerated)\b(?!\s+(?:to|by(?!\s+default))\b)"
)
_VERBLESS: Final = re.compile(
    r"(?P<state>forbidden|prohibited|not\s+allowed|not\s+permitted|disallowed|off[\s-]limits|mandatory|required|non-negotiable)"
    r"(?=\s*(?:[.!;]|\Z|\s(?:for|in|on|at|before|when|unless|everywhere|across|during|until|after)\b))"
)
_HINT: Final = re.compile(
    r"\b(?:must|shall|should|may|can|can't|cannot|need|needs|ha(?:s|ve)\s+to|ought|(?:is|are)\s+(?:to|not|strictly|always|only|never|allowed|permitted|required|expected|supposed|obliged"
    r"|absolutely|explicitly|completely|highly|strongly)|forbidden|prohibited|permitted|allowed|disallowed|banned|off[\s-]limits|mandatory|require[sd]?|acceptable|unacceptable|non-negotiable"
    r"|discouraged|optional|compulsory|preferred|recommended|encouraged|tolerated|belongs?|mustn't|shouldn't)\b"
)
_KNOWN: Final = re.compile(r"[^a-z\ue000]*known\s+(?:issues?|bugs?|limitations?|problems?|quirks?)\b")
"""What follows tells of a fault, whatever "must" be done about it."""
"""A cheap first look; what it does not find, nothing below finds."""
_MOST: Final = 12
_BELONGS: Final = re.compile(r"\bbelongs?\s+(?:in|inside|under|at|on|next\s+to)\b")
_SHOUTED_NOT: Final = re.compile(r"\b(?:must|should|shall|may|MUST|SHOULD|SHALL|MAY)\s+(?:NEVER|NOT)\b")
_SHOUTED: Final = re.compile(r"\b(?:REQUIRES?|REQUIRED|MANDATORY|FORBIDDEN|PROHIBITED)\b")
_CONDITIONAL: Final = re.compile(r"\b(?:if|until|unless|whether|while|because|since)\s[^,;:.]*\Z")
"""Before a state: it is a condition or a reason, not a rule ("Until a review is required, …")."""
_FEW: Final = 4
_GERUND: Final = 5
_DETERMINER: Final = re.compile(r"(?:the|a|an|this|that|these|those|your|our|their|its|his|her|my)\s+")
_PRONOUN: Final = frozenset(
    [
        "it",
        "they",
        "this",
        "these",
        "that",
        "those",
        "there",
        "he",
        "she",
        "i",
        "you",
        "we",
        "who",
        "which",
        "what",
        "u",
        "one",
        "someone",
        "people",
    ]
)
TECHNICAL: Final = re.compile(
    rf"{CODE}|[\w-]+\.(?:md|py|ts|js|go|rs|json|yaml|yml|toml|sh)\b|\b\w+_\w+\b|\b(?:code|tests?|commit|build|api|pr|repo|ci|lint|schema|function|module|type|file|files|agent|user|config|imports?|functions?|modules?|data|secrets?|logic|layer|database|components?|docs|branch|main|production)\b"
)
_ELIDED: Final = re.compile(r"(?:\A[^a-z\ue000]*|:\s*)\Z")
"""Before a modal without a subject: "Must be signed", "Criteria: must be public"."""
_HAPPENS: Final = re.compile(r"\s*(?:in|on|at|through|via|before|after|only|inside|outside)\b")
_EPISTEMIC: Final = re.compile(
    r"(?:fine|enough|good|ok|okay|easy|familiar|straightforward|obvious|clear\s+by|able|ready|noted|said)\b"
)
_AIMS: Final = frozenset(
    "job goal goals purpose aim aims idea plan point role task intent intention challenge trick".split()
)
"""Of these "is to" tells what somebody is after ("The agent's job is to …"), unless they are yours."""
_ALWAYS_SO: Final = re.compile(
    r"\b(?:whenever|at\s+all\s+times|unless|even\s+when|at\s+every|in\s+every|on\s+every|regardless)\b"
)
_LEADS: Final = re.compile(r"[^a-z\ue000]*(?:if|when|whenever|once|where)\b")
_IDIOM: Final = re.compile(r"\s*to\s+be\s+(?:believed|understood|enjoyed|appreciated)\b")
"""After "must be seen", "must be heard": praise."""
_SHOULD_BUT: Final = frozenset(
    [
        "work",
        "now",
        "see",
        "look",
        "take",
        "help",
        "arrive",
        "appear",
        "happen",
        "give",
        "sound",
        "suffice",
        "feel",
        "probably",
        "already",
        "know",
    ]
)


def scoped(sentence: Sentence) -> list[Finding]:
    """Return the third-person rules of a sentence."""
    out: list[Finding] = []
    low = sentence.lower
    if _HINT.search(low) is None or _KNOWN.match(low):
        return out
    for match in islice(_MODAL.finditer(low), _MOST):
        rule = _rule(sentence, match)
        if rule:
            out.append(rule)
    out += _states(sentence)
    for match in _BELONGS.finditer(low):
        if TECHNICAL.search(low):
            out.append(finding(sentence, Modality.OBLIGATION, match.start(), match.end(), "scoped"))
    for match in _SHOUTED_NOT.finditer(sentence.text) if not out else ():
        out.append(finding(sentence, Modality.PROHIBITION, match.start(), match.end(), "scoped", strong=True))
    for match in _SHOUTED.finditer(sentence.text):
        out.append(finding(sentence, Modality.OBLIGATION, match.start(), match.end(), "scoped", strong=True))
    return out


def _rule(sentence: Sentence, match: re.Match[str]) -> Finding | None:
    """Judge one modal with its subject."""
    low = sentence.lower
    subject = subject_of(low, match.start())
    modal = re.sub(r"\s+", " ", match.group("modal"))
    middle = match.group("mid")
    verb = match.group("verb")
    words = subject.split()
    shouted = sentence.text[match.start() : match.end("modal")].split()[0].isupper()
    if (
        not words
        and modal in ("must", "shall", "should")
        and verb
        and (shouted or _ELIDED.search(low[: match.start()]))
    ):
        negative = re.search(r"not|never", middle) is not None
        return finding(
            sentence,
            Modality.PROHIBITION if negative else Modality.OBLIGATION,
            match.start(),
            match.end("modal"),
            "scoped",
            strong=modal != "should" or negative,
        )
    if words and words[0] == "no" and "need" in modal:
        return None
    if words and words[-1] in _AIMS and words[0] != "your" and re.match(r"(?:is|are) (?:not )?to", modal):
        return None
    if (
        not words
        or not verb
        or verb == "been"
        or (verb == "have" and _is_guess(words, modal, low[match.end() :]))
    ):
        return None
    negative = bool(re.search(r"\bnot\b|never|n't|cannot", modal + middle)) or words[0] in (
        "no",
        "none",
        "nobody",
        "nothing",
        "neither",
    )
    strength = "must" if re.match(r"must|shall|needs? to|ha|(?:is|are)", modal) else modal
    bound = shouted and words[0] not in ("i", "he", "she")
    if not (bound or (strength == "must" and _resumes(subject, low[: match.start()]))) and not _binds(
        subject, words, strength, modal, negative, verb, middle, low[match.end() :]
    ):
        return None
    if (strength == "may" and not negative) or (
        re.search(r"\b(?:allowed|permitted) to", modal) and not negative
    ):
        modality = Modality.PERMISSION
    else:
        modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
    strong = (
        modal.startswith(("must", "shall", "has to", "have to"))
        or negative
        or "always" in middle
        or "required" in modal
    )
    start = sentence.start + match.start()
    return Finding(modality, start, sentence.start + match.end("modal"), "scoped", strong)


def _is_guess(words: list[str], modal: str, rest: str) -> bool:
    """Return True for "it must have been raining"; "all APIs must have docstrings" is a rule."""
    after = rest.split()
    if words[-1] in _PRONOUN or not after or after[0].endswith("ed") or after[0] in PARTICIPLES:
        return True
    return modal == "should" and after[0].endswith("en")


def _binds(  # noqa: PLR0911 - a list of judgements, one a line
    subject: str,
    words: list[str],
    strength: str,
    modal: str,
    negative: bool,  # noqa: FBT001 - one of the parts of the clause, in its order
    verb: str,
    middle: str,
    rest: str,
) -> bool:
    """Return True if subject and modal together make a rule."""
    head = head_of(subject)
    quantified = QUANTIFIER.match(subject) is not None
    agent = head in AGENT_NOUNS
    if words[-1] in ("that", "which", "who", "what", "you", "we", "i", "he", "she") or words[0] in (
        "you",
        "we",
        "i",
        "he",
        "she",
        "there",
        "who",
        "what",
        "which",
    ):
        return False
    if strength == "may" or modal in ("cannot", "can not", "can't", "can only"):
        return (
            (quantified and negative)
            or (agent and (negative or strength == "may" or "only" in modal + middle))
            or (strength == "may" and "only" in middle and head in TECH_NOUNS)
            or (strength == "may" and _forbids(subject, words, middle, verb))
        )
    technical = (
        head in TECH_NOUNS
        or head.rstrip("s") in TECH_NOUNS
        or CODE in subject
        or TECHNICAL.search(subject) is not None
    )
    plural = head.endswith("s") and not head.endswith(("ss", "us", "is")) and not _DETERMINER.match(subject)
    if strength in ("should", "shouldn't", "ought to"):
        if (
            (verb in _SHOULD_BUT and not (verb == "happen" and _HAPPENS.match(rest)))
            or _EPISTEMIC.match((verb if verb != "be" else "") + rest.lstrip())
            or ("be" in middle.split() and _EPISTEMIC.match(verb))
        ):
            return False
        if words[0] in _PRONOUN:
            return False
        return quantified or technical or plural or agent
    if _IDIOM.match(rest):
        return False
    if words[0] in _PRONOUN and not quantified:
        return (
            len(words) == 1
            and words[0] in ("it", "they", "this", "these")
            and (
                ("be" in middle.split() and PARTICIPLE.fullmatch(verb) is not None and verb != "been")
                or negative
                or "always" in middle
            )
        )
    if modal in ("need", "needs"):
        return quantified
    if "required" in modal:
        return quantified or agent or (plural and technical)
    if modal.startswith(("need", "ha", "is to", "are to")):
        return technical or quantified or agent
    return (
        quantified
        or technical
        or plural
        or agent
        or ("be" in middle.split() and PARTICIPLE.fullmatch(verb) is not None)
        or TECHNICAL.search(rest) is not None
        or "always" in middle
        or "never" in middle
        or (len(words[0]) > _GERUND and words[0].endswith("ing"))
        or _ALWAYS_SO.search(rest) is not None
    )


def _resumes(subject: str, opening: str) -> bool:
    """Return True for "If parameters are needed, they must …": the pronoun takes up a thing of the trade."""
    if subject not in ("it", "they") or _LEADS.match(opening) is None:
        return False
    return any(word in TECH_NOUNS or word.rstrip("s,") in TECH_NOUNS for word in opening.split())


def _forbids(subject: str, words: list[str], middle: str, verb: str) -> bool:
    """Return True for "may not" or "may never" before an act that a thing of the trade could commit."""
    if words[0] in ("some", "many", "most", "other") or words[-1] in _PRONOUN:
        return False
    if "never" in middle:
        return "be" not in middle.split() and verb not in ("be", "have", "know", "happen", "get", "see")
    plural = words[-1].endswith("s") and _DETERMINER.match(subject) is None
    return plural and "not" in middle and verb in TRANSGRESSIONS and len(words) <= _FEW


def _states(sentence: Sentence) -> list[Finding]:
    """Return "X is forbidden" and the verbless "Type hints required for all code"."""
    low = sentence.lower
    out: list[Finding] = []
    for match in _STATE.finditer(low):
        subject = subject_of(low, match.start())
        if _CONDITIONAL.search(low, 0, match.start()):
            continue
        if not subject or subject.split()[-1] in ("that", "which", "who", "what"):
            continue
        out.append(_state(sentence, match))
    if not out:
        bare = _VERBLESS.search(low)
        if (
            bare is not None
            and 1 <= len(low[: bare.start()].split()) <= 6
            and not re.search(
                r"[,:;(]|\b(?:is|are|was|were|not|if|as|when|no|the|points|than|be)\b|\d",
                low[: bare.start()],
            )
        ):
            out.append(_state(sentence, bare))
    return out


def _state(sentence: Sentence, match: re.Match[str]) -> Finding:
    """Return the finding of a state word."""
    state = match.group("state")
    soft = state in ("preferred", "recommended", "encouraged", "discouraged")
    permits = state.startswith(
        (
            "mandatory",
            "required",
            "compulsory",
            "non-neg",
            "not optional",
            "preferred",
            "recommended",
            "encouraged",
        )
    )
    modality = Modality.OBLIGATION if permits else Modality.PROHIBITION
    return Finding(
        modality,
        sentence.start + match.start("state"),
        sentence.start + match.end("state"),
        "required",
        not soft,
    )
