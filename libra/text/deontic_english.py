"""English deontic forms: which sentences bind a reader, and which only sound like it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import CODE, Finding, Sentence, finding
from libra.text.deontic_imperative import imperative_at, skip_adverbs, word_at
from libra.text.deontic_norms import norms
from libra.text.deontic_person import identity, second_person
from libra.text.deontic_phrases import phrases
from libra.text.deontic_scoped import TECHNICAL as _TECHNICAL
from libra.text.deontic_scoped import scoped
from libra.text.deontic_verbs import (
    AGENT_NOUNS,
    MOSTLY_VERBS,
    NEVER_IMPERATIVE,
    NOUNISH,
    PLAIN_VERBS,
    TECH_NOUNS,
)
from libra.text.deontic_verdicts import verdict

_LEAD: Final = re.compile(
    r"(?:[\s\"'“”‘(>#•·*+–—-]|\[(?![ x]\]))*(?:(?:(?:\d{1,3}|[a-z])[.)]|step \d{1,2}[:.]?|\(\d{1,2}\))\s+|\[[ x]?\]\s*|\[![a-z]{3,12}\]\s*|[^\w\s\ue000(\[`\"'“]+\s*)*"
)
_QUESTION: Final = re.compile(r"[?？][\"'”’)\]*_\s]*\Z")
_REPORTED: Final = re.compile(
    r"\b(?:said|says|(?<!unless )(?<!if )(?<!when )(?<!until )told|wrote|argued|argues|explains|insisted|insists|replied|announced|quips|quipped|mentions)\b"
    r"|\b(?:states|reads)\s+(?:that|:|\ue000)|\b(?:notes|claims|writes|asks|asked|thinks|believes|recalls|warned|warns|noted|complains|complained|claimed|suggested|suggests|explained|stated|mentioned|recalled|believed|thought)"
    r"\s+(?:that|how|why|if|whether|when|what|we|you|he|she|they|it|:|\ue000)"
    r"|\b(?:read|reads|inscription|motto|saying|quote)\b[^,;.]{0,20}:"
)
_SAYING: Final = re.compile(r"as (?:the saying goes|they say|\w+ (?:puts|put|says) it)\b")
_ACCORDING: Final = re.compile(
    r"\b(?:according to|in the words of|as per)\s+(?:(?:the|a|an|my|our|his|her|their|some|one|most)\s+(?:[\w-]+\s+)?)?"
    r"(?:vendor|author|customer|client|manager|boss|experts?|analysts?|article|study|survey|press|legend|him|her|them|critics?|auditors?|consultants?|lawyers?|supplier|provider|newspaper|blog|book)s?\b"
)
_NARRATIVE: Final = re.compile(
    r"\b(?:once upon|in the (?:old |ancient )?(?:tale|story|legend|novel|film|movie|book|dream|poem|song|myth)|yesterday|last (?:night|week|month|year|summer|winter)"
    r"|years? ago|back then|the story (?:of|goes|begins|says|tells|ends)|the (?:tale|legend|prophecy|old king|hero))\b"
)
_NEGATIVE: Final = re.compile(
    r"(?:(?:please|also|and|but|so|just|then|or|instead|again|[a-z]{3,20}ly),?\s+)?"
    r"(?P<neg>(?:do\s+not|don't|dont|do\s+n't)(?:\s+(?:ever|just|also|simply|blindly))?|never(?:\s+ever)?|avoid|refrain\s+from|stop|"
    r"under\s+no\s+(?:circumstances?|conditions?)|at\s+no\s+(?:point|time))\b(?P<gap>,?\s+)(?P<next>[\w\ue000][\w\ue000'-]*)?"
)
_NEVER_BUT: Final = frozenset(
    "before had has have having was were is are did does again mind been will would could so say a an the in one there once i he she it they we you".split()
)
_PAST_STATE: Final = re.compile(
    r"(?!need\b|embed\b|feed\b|shed\b|seed\b|speed\b|exceed\b|proceed\b|succeed\b|bleed\b|breed\b|heed\b|weed\b|wed\b)\w+ed"
)
"""After "never": what has not been, no order ("Never released.")."""
_DONT_BUT: Final = frozenset(
    "need know have worry get-me want like see understand belong mind seem believe".split()
)
_ALWAYS_BUT: Final = frozenset("a an the been has had was were is are there and or but on in".split())
_LEADIN: Final = re.compile(
    r"(?:and\s+|but\s+|also,?\s+|so\s+|only\s+|even\s+|immediately\s+|right\s+|just\s+|especially\s+)?"
    r"(?:if|when|whenever|once|while|before|after|unless|until|for|in|on|at|with|without|to|during|where|wherever|as|by|because|since|given"
    r"|from|under|inside|within|upon|except|instead|rather|regarding|throughout|across|between|every|any|each|whether|assuming|provided|depending|prior|whichever|whatever|however|whoever|like|unlike|beyond|outside|through|via|following|using|based|between|any\s?time|every\s?time|each time)\b"
)
_CONDITION: Final = re.compile(r"(?:if|when|whenever|before|after|once|unless|while|to|for|in case)\b")
_OPENING: Final = frozenset(
    """otherwise instead generally ideally finally lastly first firstly second secondly third next then also additionally furthermore moreover if so not
    by default in general please remember again thus therefore hence when possible where as needed necessary afterwards meanwhile similarly likewise
    conversely however specifically importantly crucially always never only note and but at minimum most all times to summarize overall after that
    before this for example simply put on failure success error short""".split()
)
_BREAK: Final = re.compile(
    r"(?P<mark>[;,(—]|–(?!\w)|(?<!\w)–|(?<!:):(?![:/])|\s-{1,2}\s|\.\s|\b(?:and\s+then|then|but|so)\s+(?=(?:do\s+not|don't|never|always|use|make\s+sure|ensure|run|check|keep|add|write|avoid|prefer|read|treat|verify|update|ask|put)\b))\s*"
)
_GERUND: Final = re.compile(r"\s(?P<verb>prefer|avoid|favor|consider|stop)\s+[a-z-]{3,20}ing\b")
_UNPUNCTUATED: Final = re.compile(
    r"\s(?P<verb>do not|don't|never|always|make sure|ensure|use|check|tell|run|ask|stop|pause|avoid|keep|read|refer|escalate|bypass|call|add|update|create|write|prefer)"
    r"\s+(?:the|a|an|all|any|them|it|me|that|your|every|to|up|for|this|no|first|\ue000)"
)
_TELLS: Final = re.compile(r"(?<![,;:.(])\s(?:do|does|did)(?:\s+not|n't)\s")
"""Somebody does not …: what a following ", do not …" goes on telling."""
_PLACE_ORDER: Final = re.compile(
    rf"(?:in|inside|within|under|on|during|for)\s+(?:the\s+|all\s+|any\s+|your\s+|our\s+)?(?P<place>[\w{CODE}-]+(?:\s+[\w{CODE}-]+){{0,2}}?)\s+(?P<firm>always|only|never|do\s+not|don't)\s+(?P<verb>[a-z-]+)\b"
)
_VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+\S*\Z|\d{4}-\d\d(?:-\d\d)?\Z|\[[\d.]+\]\Z")
"""A label of a changelog: what follows tells what was done."""
_NOT_BEFORE: Final = frozenset(
    "to you we i they will can not must should and or could would that which users who he she it does did cannot can't don't won't never may might ll".split()
)
_COMMAND_LABEL: Final = re.compile(rf"[{CODE}/$=<>\\]|\A\s*[a-z0-9:_.-]+\s*\Z")
_ARTICLE: Final = re.compile(r"(?:the|this|a|an|it|he|she|they|his|her|its|their|our|my)\s")
_FORBIDS: Final = re.compile(
    r"(?:please\s+)?(?:do\s+not|don't|never|avoid|forbidden|prohibited|not\s+allowed|bad|wrong|incorrect|anti-?pattern)"
)
"""Labels after which an imperative names what is not to be done."""
_TITLE_LABEL: Final = re.compile(
    r"(?:purpose|goals?|description|function|objectives?|responsibilit(?:y|ies)|mission|what|why|summary|overview|examples?|e\.g|i\.e|title|names?|inputs?|outputs?|returns|features?|usage|commands?|roles?|source|used for|use cases?|benefits?|motivation|optional|context|background|effect|result|bad|good|wrong|right|correct|incorrect|todo|fixme|before|after)\Z"
)
_PLACES: Final = frozenset(
    "in inside on at as via to before after with outside from by into within under through for".split()
)
_VERBS: Final = (PLAIN_VERBS | MOSTLY_VERBS) - frozenset(["pas", "proces", "acces", "asses"])
_MOST: Final = 40
"""Breaks of one sentence that are looked at."""
_LABEL_WORDS: Final = 6
_FIRM_STARTS: Final = ("always ", "use ", "prefer ", "keep ", "only ", "must ", "ensure ", "make sure ")


def find(sentence: Sentence) -> list[Finding]:
    """Return the English forms of one sentence."""
    low = sentence.lower
    if _QUESTION.search(low) or not any("a" <= ch <= "z" for ch in low):
        return []
    lead = _LEAD.match(low)
    at = lead.end() if lead else 0
    if _NARRATIVE.search(low) or _SAYING.match(low, at) or ("according" in low and _ACCORDING.search(low)):
        return []
    reported = _REPORTED.search(low, at)
    if reported and not _is_instruction(sentence, at, reported.start()):
        return []
    out: list[Finding] = []
    _clauses(sentence, at, out)
    if not out:
        _in_place(sentence, at, out)
    out += identity(sentence, at)
    out += phrases(sentence, at, imperative=bool(out))
    out += second_person(sentence, at)
    out += scoped(sentence)
    if not out:
        out += norms(sentence, at) or verdict(sentence, at)
    return out


def _is_instruction(sentence: Sentence, at: int, reported: int) -> bool:
    """Return True if the sentence starts as an instruction, so that "says" belongs to its object."""
    low = sentence.lower
    if reported <= at:
        return True
    return (
        imperative_at(sentence.text, low, at) is not None
        or negative_at(low, at)
        or low.startswith(("if ", "when ", "whenever ", "you must", "you should", "always "), at)
    )


def _clauses(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Try each clause start: of the sentence, after a lead-in, after a label, after a semicolon or dash."""
    low = sentence.lower
    opened = _clause(sentence, at, "imperative", out)
    lead_in = not opened and _LEADIN.match(low, at) is not None
    first = True
    for mark in islice(_BREAK.finditer(low, at), _MOST):
        lead_in = lead_in or (
            mark.group("mark").strip() == ";" and _CONDITION.match(low, mark.end()) is not None
        )
        if _may_start(sentence, at, mark, lead_in=lead_in, opened=opened, first=first):
            _clause(sentence, mark.end(), _FORMS.get(mark.group("mark").strip(), "imperative"), out)
        first = False
    if lead_in and not out and _CONDITION.match(low, at):
        _unpunctuated(sentence, at, out)


_FORMS: Final = {
    ",": "lead_in",
    ":": "label",
    "—": "label",
    "–": "label",
    "-": "label",
    "--": "label",
    "(": "prohibition",
}


def _may_start(
    sentence: Sentence, at: int, mark: re.Match[str], *, lead_in: bool, opened: bool, first: bool
) -> bool:
    """Return True if an instruction may start after this break of the sentence."""
    low = sentence.lower
    sign = mark.group("mark").strip()
    start = mark.end()
    before = low[at : mark.start()]
    negative = negative_at(low, start)
    if sign == ",":
        if negative:
            parallel = _TELLS.search(before) is not None
            return not parallel and (lead_in or opened or _binds_after_comma(sentence, start))
        return (lead_in and not low.startswith(("or ", "and "), start)) or (first and _is_opening(before))
    if sign in (":", "—", "–", "-", "--"):
        return _may_follow(sentence, at, mark, negative=negative)
    if sign == "(" and low.startswith(("keep ", "use ", "prefer ", "ensure "), start):
        return True
    if sign == "(":
        return negative and (opened or _binds_after_comma(sentence, start))
    if sign in ("but", "so"):
        return (
            lead_in
            or opened
            or sentence.text[start : start + 5].isupper()
            or low.startswith(("make sure", "always "), start)
        )
    return True


def _may_follow(sentence: Sentence, at: int, mark: re.Match[str], *, negative: bool) -> bool:
    """Return True if an instruction may start after this colon or dash."""
    low = sentence.lower
    sign, start = mark.group("mark").strip(), mark.end()
    before = low[at : mark.start()]
    if _VERSION.match(low[: mark.start()].strip(" \t-*•+[]()")):
        return False
    if sign == ":":
        if _FORBIDS.fullmatch(before.strip()):
            return False
        firm = low.startswith(("always ", "never ", "make sure ", "only "), start)
        return negative or firm or _is_label(sentence.text[at : mark.start()])
    if negative and known_negative(low, start):
        return True
    spoken = sign in ("—", "–") and word_at(sentence.text, start)[0] in PLAIN_VERBS | MOSTLY_VERBS
    return CODE not in before and (negative or spoken or low.startswith(_FIRM_STARTS, start))


def _binds_after_comma(sentence: Sentence, start: int) -> bool:
    """Return True if a negative after a comma is an order, not an afterthought ("…, never as a basis")."""
    match = _NEGATIVE.match(sentence.lower, start)
    if match is None:
        return False
    following = match.group("next") or ""
    if match.group("neg").startswith("never") and following in _PLACES:
        return _TECHNICAL.search(sentence.lower) is not None
    if sentence.text[match.start("neg") : match.end("neg")].isupper():
        return True
    known = following in PLAIN_VERBS or following in MOSTLY_VERBS or following in NOUNISH
    return following.startswith(CODE) or (known and following not in NEVER_IMPERATIVE)


def known_negative(low: str, start: int) -> bool:
    """Return True for a negative order whose verb is in the tables ("`x` is a script - do not replace it")."""
    match = _NEGATIVE.match(low, start)
    following = match.group("next") if match else None
    return following in PLAIN_VERBS or following in MOSTLY_VERBS


def _is_opening(text: str) -> bool:
    """Return True for a short opening of adverbs ("By default", "Otherwise")."""
    words = text.split()
    return 0 < len(words) <= 3 and all(
        word in _OPENING or (word.endswith("ly") and len(word) > 4) for word in words
    )


def _is_label(label: str) -> bool:
    """Return True if a label before a colon may be followed by an instruction."""
    words = label.split()
    plain = label.strip().lower()
    return (
        0 < len(words) <= _LABEL_WORDS
        and not _COMMAND_LABEL.search(label)
        and not _ARTICLE.match(plain)
        and not _TITLE_LABEL.search(plain)
    )


def _in_place(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Find the firm order behind a place that was typed without a comma ("In tests do not use …")."""
    match = _PLACE_ORDER.match(sentence.lower, at)
    if match is None:
        return
    words = match.group("place").split()
    known = match.group("verb") in PLAIN_VERBS | MOSTLY_VERBS
    thing = words[-1].rstrip("s") in TECH_NOUNS and words[-1] not in AGENT_NOUNS
    if known and (len(words) == 1 or thing or words[-1].startswith(CODE)):
        negative = match.group("firm") not in ("always", "only")
        modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
        out.append(
            finding(sentence, modality, match.start("firm"), match.end("verb"), "lead_in", strong=True)
        )


def _unpunctuated(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Find the instruction after a condition that was typed without a comma."""
    low = sentence.lower
    if "," in low:
        return
    for match in (*_UNPUNCTUATED.finditer(low, at + 8), *_GERUND.finditer(low, at + 8)):
        before = low[: match.start()].rsplit(" ", 1)[-1]
        negative = match.group("verb") in ("do not", "don't", "never", "avoid")
        if before in _NOT_BEFORE or (
            negative and before not in ("but", "and", "then", "just", "so", "please")
        ):
            continue
        modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
        out.append(
            finding(sentence, modality, match.start("verb"), match.end("verb"), "lead_in", strong=negative)
        )
        return


def negative_at(low: str, at: int) -> bool:
    """Return True if a negative imperative starts at ``at``."""
    match = _NEGATIVE.match(low, at)
    if match is None:
        return False
    kind = match.group("neg")
    following = match.group("next") or ""
    if kind.startswith("never"):
        told = _PAST_STATE.fullmatch(following) or (following.endswith("s") and following[:-1] in _VERBS)
        return bool(following) and following not in _NEVER_BUT and not told
    if kind == "stop":
        return following.endswith("ing")
    if kind.startswith("do"):
        return bool(following) and following not in _DONT_BUT
    return bool(following)


def _clause(sentence: Sentence, at: int, form: str, out: list[Finding]) -> bool:
    """Add what an imperative at ``at`` says; return True if there is one."""
    low = sentence.lower
    if negative_at(low, at):
        match = _NEGATIVE.match(low, at)
        if match:
            strong = not match.group("neg").startswith(("avoid", "stop", "refrain"))
            out.append(
                finding(
                    sentence,
                    Modality.PROHIBITION,
                    match.start("neg"),
                    match.end("neg"),
                    "prohibition",
                    strong=strong,
                )
            )
            return True
    verb = imperative_at(sentence.text, low, at, opens=form == "imperative")
    start = skip_adverbs(low, at)
    lead = low[at:start].split()
    strong = "always" in lead or "only" in lead[:1]
    if verb is None and strong and _adverb_alone(low, start, lead):
        verb = ""
    if verb is None or (form == "label" and low[start + len(verb) : start + len(verb) + 1] == ","):
        return False
    out.append(
        finding(sentence, Modality.OBLIGATION, at, max(start + len(verb), at + 1), form, strong=strong)
    )
    return True


def _adverb_alone(low: str, at: int, lead: list[str]) -> bool:
    """Return True for "Always … <verb>" where the verb is one that may be a noun elsewhere."""
    following, end = word_at(low, at)
    if not following or following in _ALWAYS_BUT or low[at - 1 : at] != " " or low[end : end + 1] == "-":
        return False
    known = (
        following in PLAIN_VERBS
        or following in MOSTLY_VERBS
        or (following in NOUNISH and lead[-1] == "always")
    )
    return known and following not in NEVER_IMPERATIVE
