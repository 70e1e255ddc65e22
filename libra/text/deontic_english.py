"""English deontic forms: which sentences bind a reader, and which only sound like it."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import CODE, Finding, Sentence
from libra.text.deontic_scoped import scoped
from libra.text.deontic_verbs import (
    DOUBTFUL_VERBS,
    FINITE,
    NEVER_IMPERATIVE,
    OBJECT_STARTS,
    PLAIN_VERBS,
    RHETORICAL_VERBS,
    VERB_FOLLOWERS,
)

_LEAD: Final = re.compile(r"[\s\"'“”‘(\[>#•·*+–—-]*(?:(?:\d{1,3}|[a-z])[.)]\s+|\[[ x]?\]\s*|(?:[^\w\s\ue000(\[`\"'“]+\s*))*")
_WORD: Final = re.compile(rf"[\w{CODE}][\w{CODE}'/.-]*")
_QUESTION: Final = re.compile(r"[?？][\"'”’)\]*_\s]*\Z")
_REPORTED: Final = re.compile(
    r"\b(?:said|says|told|wrote|writes|asked|asks|argued|argues|claims|claimed|suggested|explained|explains|states|stated|notes|noted"
    r"|mentioned|mentions|recalls|recalled|believes|believed|thinks|thought|reads|insisted|insists|warned|replied|announced|quips|quipped)\b"
    r"(?!\s+(?:so|no|nothing)\b)|\bread:"
)
_REPORT_VERBS_AT_START: Final = re.compile(r"\A[\s\"'(*-]*(?:notes|states|reads)\b")
_NARRATIVE: Final = re.compile(
    r"\b(?:once upon|in the (?:old )?(?:tale|story|legend|novel|film|movie|book|dream)|yesterday|last (?:night|week|month|year|summer|winter)"
    r"|years? ago|back then|the story|the tale|the legend)\b"
)
_ADVERB: Final = (
    r"(?:always|also|just|simply|please|kindly|carefully|strictly|explicitly|only|still|then|instead|generally|usually|typically"
    r"|ideally|immediately|proactively|actively|silently|first|next|finally|lastly|secondly|thirdly|otherwise|additionally|furthermore|and|but|so|or|now|again"
    r"|[a-z]{3,20}ly)"
)
_ADVERBS: Final = re.compile(rf"(?:{_ADVERB},?\s+){{0,3}}")
_NEGATIVE: Final = re.compile(
    r"(?:please\s+|also\s+|and\s+|but\s+|so\s+|just\s+|then\s+|or\s+|[a-z]{3,20}ly,?\s+)?(?P<neg>(?:do\s+not|don't|dont|do\s+n't)(?:\s+(?:ever|just|also|simply))?|never(?:\s+ever)?|avoid|refrain\s+from|stop|"
    r"under\s+no\s+circumstances?|at\s+no\s+(?:point|time))\b(?P<gap>,?\s+)(?P<next>[\w\ue000][\w\ue000'-]*)?"
)
_NEVER_BUT: Final = frozenset(
    "before had has have having was were is are did does again mind been will would could so say a an the in in-the-history one there".split()
)
_ALWAYS_BUT: Final = frozenset("a an the been has had was were is are there and or but".split())
_LEADIN: Final = re.compile(
    r"(?:and\s+|but\s+|also,?\s+|so\s+)?(?:if|when|whenever|once|while|before|after|unless|until|for|in|on|at|with|without|to|during|where|wherever|as|by|because|since|given"
    r"|from|under|inside|within|upon|except|instead|rather|regarding|throughout|across|between|every|any|each|whether|even|only|assuming|provided|in case|depending|prior)\b"
)
_CONDITION: Final = re.compile(r"(?:if|when|whenever|before|after|once|unless|while|to)\b")
_SECOND: Final = re.compile(
    r"\b(?P<you>you|u|we|y'all)(?:\s+(?:and\s+i|all|both|guys|really|always|also|still|only|just|probably|generally|then|therefore|absolutely|definitely)){0,2}\s+"
    r"(?P<modal>must|shall|should|ought\s+to|may|can't|cannot|can\s+not|mustn't|shouldn't|need\s+to|have\s+to|are\s+(?:strictly\s+)?(?:required|expected|obliged|forbidden|prohibited|not\s+allowed|not\s+permitted|allowed|permitted|never|free|responsible|to|not\s+to|always\s+to|only)"
    r"|'re\s+(?:required|expected|not\s+allowed|not\s+to|to|never)|(?:will|do)\s+(?:not|never)|won't|always|never|don't)\b"
    r"(?P<mid>\s+(?:not|never|always|only|also|first|ever|be|to|still|either|at\s+least|probably|ideally))*\s*(?P<verb>[\w\ue000'-]*)"
)
_SUBORDINATE: Final = re.compile(
    r"(?:\b(?:if|when|whether|what|which|how|that|because|where|why|who|whom|than|as|unless|until|though|although|whatever|everything|anything|all|things?|files?|one|time|times|way|reason|tools?|steps?|places?|code|information|context|commands?|only)\s+)\Z"
)
_PERFECT: Final = frozenset(["have", "have-been", "been", "be-wondering"])
_STRONG_MODAL: Final = re.compile(r"must|shall|cannot|can't|can\s+not|required|forbid|forbidden|prohibited|never|always|not\s+allowed|not\s+permitted|mustn't")
_IDENTITY: Final = re.compile(
    r"you(?:\s+are|'re)\s+(?:now\s+)?(?P<next>(?:a|an|the|not\s+(?:a|an|the|just)|my|our|one\s+of|responsible|an?\s+expert|[a-z-]+))(?P<rest>\b[^.]*)"
)
_IDENTITY_BUT: Final = re.compile(
    r"(?:\w+ing|done|here|ready|welcome|right|wrong|probably|likely|already|about|all|now|still|also|most|sure|able|going|looking|free|in|on|at|asked|given|seeing|viewing|set|up|stuck|lucky|good|unsure|not\s+sure|finished|interested|new|familiar|unfamiliar|using|happy|kidding|aware|done|curious|so|lost|late|just|worried|tired|confused|blocked)\Z"
)
_ACT_AS: Final = re.compile(r"(?:act|behave|respond|speak|write|think|operate|serve|function|work|talk)\s+(?:as|like)\b")
_YOU_DO: Final = re.compile(r"(?:first|then|next|finally|afterwards|now),?\s+you\s+(?P<verb>[a-z-]+)\b")
_MAKE_SURE: Final = re.compile(
    r"(?:(?P<b>\A[\W_]*|[,;:.(]\s*|\b(?:and|but|just|then|please|also|or|so|always)\s+))(?:make\s+(?:absolutely\s+)?(?:sure|certain)|be\s+sure|ensure(?=\s+(?:that|the|all|you|your|any|every|each|it|no|proper)))\b"
)
_LABEL: Final = re.compile(
    r"(?P<label>important|critical|crucial|mandatory|required|requirement|requirements|rule|rules|hard rule|golden rule|policy|constraint|constraints|must|never|always|do|don't|forbidden|prohibited|invariant|guideline|guidelines|convention|directive|instruction|default|non-negotiable|warning|caution|must not|do not|very important|key rule|core rule|principle|priority|reminder|remember)"
    r"(?:\s*\((?:[^()\n]{1,40})\)|\s+#?\d{1,3})?!?\s*(?::|—|–|\s-\s)\s*(?P<rest>\S.*)"
)
_WEAK_LABELS: Final = frozenset(["default", "warning", "caution", "principle", "priority", "reminder", "requirement", "requirements", "rules", "guidelines", "constraints", "remember", "do"])
_BARE_VALUE: Final = re.compile(rf"[\s{CODE}\d.,%/:\"'()-]*(?:true|false|none|null|yes|no|on|off|[a-z]{{1,12}})?[\s.{CODE}]*\Z")
_NO: Final = re.compile(r"(?:absolutely\s+|strictly\s+)?no\s+(?P<np>[\w\ue000][^.!?;:]{1,80})")
_NO_BUT: Final = re.compile(
    r"(?:one|idea|problem|problems|longer|wonder|matter|need|doubt|such|known|further|worries|way|thanks|results?|changes?|more\s+than|issues?|errors?|warnings?|response|luck|reason|surprise|question|less|fewer|strings|bs|big|other|user|files?\s+found|data|documentation\s+needed)\b"
)
_NO_DESCRIPTIVE: Final = re.compile(r"\b(?:is|are|was|were|has|have|will|can|needed|required|found|available|exists?|yet|necessary|left|known|configured|specified|detected|available|provided|supported|remains?|here|involved)\b")
_BAN: Final = re.compile(
    r"(?:\b(?:is|are|remains?|be)\s+|\A|,\s*|[-–—:]\s*)?(?:strictly\s+|absolutely\s+|explicitly\s+|always\s+|never\s+)?(?P<ban>forbidden|prohibited|not\s+allowed|not\s+permitted|never\s+allowed|disallowed|banned|off[\s-]limits|mandatory|required|not\s+acceptable|unacceptable|non-negotiable|discouraged|not\s+optional|compulsory)(?=\s*(?:[.!,;:)]|\Z|\s(?:for|in|on|at|before|when|unless|by|across|during|everywhere|without|here|until|after|and|to|within|even|from|under|outside|inside)\b))"
)
_IMPORTANT: Final = re.compile(
    r"\bit(?:'s|\s+is)\s+(?:very\s+|absolutely\s+|extremely\s+|your\s+)?(?:important|essential|critical|imperative|crucial|vital|mandatory|forbidden|required|necessary|responsibility|job|duty)\s+(?:to|that|you)\b"
    r"|\b(?:i|we)\s+(?:want|need|expect|would\s+like|require|ask)\s+you\s+to\b|\bi'd\s+like\s+you\s+to\b|\byour\s+(?:job|task|goal|mission|role|responsibility|duty|objective|purpose|primary\s+\w+|main\s+\w+)\s+is\s+(?:to|not)\b"
    r"|\bmake\s+it\s+a\s+(?:point|habit|rule)\b|\bha(?:s|ve)\s+(?:the|a|an)\s+(?:\w+\s+)?(?:mandate|duty|obligation)\s+to\b"
)
_WE: Final = re.compile(
    r"\bwe\s+(?P<neg>do\s+not|don't|never|always|only|prefer|avoid|require)\s+(?P<verb>[\w\ue000'-]+)"
)
_WE_VERBS: Final = frozenset(
    "use allow accept want commit merge push mock test write add ship permit tolerate depend import rely skip hardcode hard-code do break log store track deploy release run call expose introduce rebase squash amend modify touch edit change delete remove send share mix follow keep prefer avoid target".split()
)
_STRUCTURED: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s*(?:(?:->|=>|→)\s*\S|:\s*\S*?_?(?:ONLY|Only|only|NEVER|Never|never|ALWAYS|Always|always|FORBIDDEN|Forbidden|REQUIRED|Required)\b)")
_XNOTY: Final = re.compile(r"(?P<x>[^,;:]{2,60}),\s*(?:and\s+)?(?:not|never)\s+(?P<y>[^,;:]{2,60})\Z")
_ONLY_IF: Final = re.compile(r"\bonly\s+(?:if|when|after|once)\b")
_COMMAND_LABEL: Final = re.compile(rf"[{CODE}/$=<>]|\A\s*[a-z0-9:_.-]+\s*\Z")
_TITLE_LABELS: Final = re.compile(
    r"(?:purpose|goal|description|function|objective|responsibility|mission|what|why|summary|overview|examples?|e\.g|title|name|input|output|returns|features?|usage|command|role|source|used for|use case|benefit)\Z"
)
_CLAUSE_BREAK: Final = re.compile(r"(?P<mark>[;:,(—–]|\s-{1,2}\s|\.\s|->|→|\b(?:but|and\s+then|then|so|and|or)\s+(?=(?:do\s+not|don't|never|always|use|make\s+sure|ensure|must)\b))\s*")


def find(sentence: Sentence) -> list[Finding]:
    """Return the English forms of one sentence."""
    low = sentence.lower
    if _QUESTION.search(low) or not any("a" <= ch <= "z" for ch in low):
        return []
    body = _LEAD.match(low)
    at = body.end() if body else 0
    reported = _REPORTED.search(low)
    if reported and not _is_instruction_start(low, at, reported.start()):
        return []
    out: list[Finding] = []
    quiet = _NARRATIVE.search(low) is not None
    if not quiet:
        _clauses(sentence, at, out)
        _identity(sentence, at, out)
        _phrases(sentence, at, out)
    _second_person(sentence, at, out, quiet=quiet)
    out += scoped(sentence, quiet=quiet)
    return out


def _is_instruction_start(low: str, at: int, reported: int) -> bool:
    """Return True if the sentence starts as an instruction, so that "says" belongs to its object."""
    if reported <= at:
        return True
    return _imperative(low, low, at) is not None or _NEGATIVE.match(low, at) is not None or low.startswith(("if ", "when "), at)


def _word(low: str, at: int) -> tuple[str, int]:
    """Return the word at ``at`` (white space skipped) and where it ends."""
    while at < len(low) and low[at] in " \t":
        at += 1
    match = _WORD.match(low, at)
    return (match.group().rstrip("."), match.end()) if match else ("", at)


def _imperative(text: str, low: str, at: int) -> str | None:
    """Return the verb if a bare imperative starts at ``at``, else None."""
    adverbs = _ADVERBS.match(low, at)
    start = adverbs.end() if adverbs else at
    word, end = _word(low, start)
    if start > at and word in ("is", "are", "was", "has", ""):
        return None
    if word == "be" or (word == "not" and False):
        following, _ = _word(low, end)
        return "be" if following and following not in ("that", "it", "they", "he", "she") else None
    if word in NEVER_IMPERATIVE or (word not in PLAIN_VERBS and word not in DOUBTFUL_VERBS):
        return None
    return word if _takes_object(text, low, word, end) else None


def _takes_object(text: str, low: str, word: str, end: int) -> bool:
    """Return True if what follows the verb shows that it is one."""
    rest = low[end : end + 200]
    stripped = rest.lstrip()
    if not stripped or stripped[0] in ".!":
        return word in PLAIN_VERBS and word not in DOUBTFUL_VERBS
    if stripped[0] in ":–—=" or rest.startswith(("-", "/", "(", "'s")) or stripped.startswith(("- ", "-> ", "→")):
        return False
    following, after = _word(low, end)
    if following in ("of", "vs", "is", "are", "was", "were", "has", "case", "cases"):
        return False
    if stripped[0] == ",":
        return word in PLAIN_VERBS and word not in DOUBTFUL_VERBS
    if word not in DOUBTFUL_VERBS:
        return not _caption(low, end)
    if following in OBJECT_STARTS or following.startswith(CODE):
        return not _caption(low, end) and not _finite_near(low, after, 6 if following.startswith(CODE) else 0)
    if following in VERB_FOLLOWERS or (following.endswith("ly") and len(following) > 4):
        return not _finite_near(low, after, 8) and following != "by"
    if following in ("for", "to", "by", ""):
        return False
    second = text[end:].lstrip()[:1]
    if second.isupper() and following not in OBJECT_STARTS and not low.rstrip().endswith("."):
        return False
    if _finite_near(low, after, 8) or _caption(low, end):
        return False
    return low.rstrip().endswith((".", "!")) or len(low[end:].split()) >= 3


def _caption(low: str, end: int) -> bool:
    """Return True for a short line that only announces what follows ("Run tests:")."""
    rest = low[end:].rstrip()
    return rest.endswith(":") and len(rest.split()) <= 3


def _finite_near(low: str, at: int, words: int) -> bool:
    """Return True if a finite verb stands within so many words, in the same clause."""
    for _ in range(words):
        if low[at : at + 1] in (",", ";", ":", ".", "(", "—", "–"):
            return False
        word, end = _word(low, at)
        if not word or word in ("that", "which", "if", "when", "who", "because", "where", "what", "before", "after", "and", "unless", "until", "while", "so"):
            return False
        if word in FINITE:
            return True
        at = end
    return False


def _clauses(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Try each clause start: sentence start, after a lead-in, after a label, after a semicolon or dash."""
    text, low = sentence.text, sentence.lower
    if _clause(sentence, at, "imperative", out):
        pass
    lead_in = _LEADIN.match(low, at) is not None
    first = True
    for mark in _CLAUSE_BREAK.finditer(low, at):
        sign = mark.group("mark").strip()
        start = mark.end()
        if sign == ",":
            if _negative_at(low, start):
                _clause(sentence, start, "prohibition", out)
            elif lead_in or first and _is_short_adverb(low[at : mark.start()]):
                _clause(sentence, start, "lead_in", out)
        elif sign == ":":
            label = text[at : mark.start()]
            if _label_ok(label):
                _clause(sentence, start, "label", out)
        elif sign in ("—", "–", "-", "--"):
            if CODE not in low[at : mark.start()] and (_negative_at(low, start) or _strong_start(low, start)):
                _clause(sentence, start, "label", out)
        elif sign == "(":
            if _negative_at(low, start):
                _clause(sentence, start, "prohibition", out)
        else:
            _clause(sentence, start, "imperative", out)
        first = False
    if lead_in and not out and _CONDITION.match(low, at):
        _unpunctuated(sentence, at, out)


_UNPUNCTUATED: Final = re.compile(
    r"\s(?P<verb>do not|don't|never|always|make sure|ensure|use|check|tell|run|ask|stop|pause|avoid|keep|read|refer|escalate|bypass|call|add|update)\s+(?:the|a|an|all|any|them|it|me|that|your|every|to|up|for|this|no|first|\ue000)"
)


def _unpunctuated(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Find the instruction after a condition that was typed without a comma."""
    low = sentence.lower
    match = _UNPUNCTUATED.search(low, at + 8)
    if match is None:
        return
    before = low[: match.start()].rsplit(" ", 1)[-1]
    if before in ("to", "you", "we", "i", "they", "will", "can", "not", "must", "should", "and", "or", "could", "would", "that", "which", "users", "who"):
        return
    negative = match.group("verb") in ("do not", "don't", "never", "avoid")
    modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
    out.append(_finding(sentence, modality, match.start("verb"), match.end(), "lead_in", strong=negative))


def _is_short_adverb(text: str) -> bool:
    """Return True for an opening of at most three words ("By default", "Otherwise")."""
    return len(text.split()) <= 3


def _label_ok(label: str) -> bool:
    """Return True if a label before a colon may be followed by an instruction."""
    words = label.split()
    plain = label.strip().lower()
    return 0 < len(words) <= 6 and not _COMMAND_LABEL.search(label) and not _TITLE_LABELS.search(plain)


def _strong_start(low: str, at: int) -> bool:
    """Return True for openings that are instructions even after a dash."""
    return low.startswith(("always ", "use ", "prefer ", "keep ", "only ", "must ", "ensure "), at)


def _negative_at(low: str, at: int) -> bool:
    """Return True if a negative imperative starts here."""
    match = _NEGATIVE.match(low, at)
    if match is None:
        return False
    word = match.group("neg")
    following = match.group("next") or ""
    if word.startswith("never"):
        return following not in _NEVER_BUT and bool(following)
    if word == "stop":
        return following.endswith("ing")
    return bool(following)


def _clause(sentence: Sentence, at: int, form: str, out: list[Finding]) -> bool:
    """Add what an imperative at ``at`` says; return True if there is one."""
    text, low = sentence.text, sentence.lower
    if _negative_at(low, at):
        match = _NEGATIVE.match(low, at)
        if match:
            strong = match.group("neg") not in ("avoid", "stop") and not match.group("neg").startswith("refrain")
            out.append(_finding(sentence, Modality.PROHIBITION, match.start("neg"), match.end("neg"), "prohibition", strong=strong))
            return True
    verb = _imperative(text, low, at)
    if verb is None:
        word, end = _word(low, at)
        following, _ = _word(low, end)
        if word in ("always", "only") and following and following not in _ALWAYS_BUT and low[end : end + 1] == " " and (following in PLAIN_VERBS or following in DOUBTFUL_VERBS or (word == "always" and following.endswith("ly"))):
            out.append(_finding(sentence, Modality.OBLIGATION, at, end, form, strong=True))
            return True
        return False
    adverbs = _ADVERBS.match(low, at)
    lead = low[at : adverbs.end() if adverbs else at]
    strong = "always" in lead or lead.startswith("only")
    out.append(_finding(sentence, Modality.OBLIGATION, at, at + len(lead) + len(verb), form, strong=strong))
    return True


def _identity(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Add identity forms: "You are …", "Act as …", "First, you look …"."""
    low = sentence.lower
    match = _IDENTITY.match(low, at)
    if match and not _IDENTITY_BUT.match(match.group("next")):
        out.append(_finding(sentence, Modality.OBLIGATION, at, match.end("next"), "identity"))
    steps = _YOU_DO.match(low, at)
    if steps and steps.group("verb") in PLAIN_VERBS:
        out.append(_finding(sentence, Modality.OBLIGATION, at, steps.end(), "second_person"))


def _second_person(sentence: Sentence, at: int, out: list[Finding], *, quiet: bool) -> None:
    """Add "you must …" and "we must …" unless they are rhetoric, narrative or subordinate."""
    low = sentence.lower
    for match in _SECOND.finditer(low, at):
        modal = re.sub(r"\s+", " ", match.group("modal"))
        verb = match.group("verb")
        middle = match.group("mid") or ""
        if quiet or _is_talk(match.group("you"), modal, middle, verb, low, match):
            continue
        before = low[at : match.start()]
        strong = _STRONG_MODAL.search(modal + middle) is not None
        if _SUBORDINATE.search(before) or (not strong and before and not re.search(r"[,;:(—–.]\s*\Z|\b(?:and|but|so|then|also|please)\s+\Z|-\s+\Z", before)):
            continue
        negative = re.search(r"\bnot\b|n't|never|cannot|forbid|prohibit", modal + middle) is not None
        if modal in ("may", "are allowed", "are permitted", "are free") and not negative:
            modality = Modality.PERMISSION
        else:
            modality = Modality.PROHIBITION if negative else Modality.OBLIGATION
        out.append(_finding(sentence, modality, match.start(), match.end("modal"), "second_person", strong=strong))


def _is_talk(you: str, modal: str, middle: str, verb: str, low: str, match: re.Match[str]) -> bool:
    """Return True for "you must be wondering", "you should have seen", "you can never tell", "we will not"."""
    after = low[match.end() : match.end() + 40].split()
    if verb in RHETORICAL_VERBS or verb == "have" or (verb == "be" or " be" in middle) and (verb.endswith("ing") or verb in ("tired", "hungry", "joking", "mistaken", "new", "familiar", "aware", "able")):
        return modal != "are expected"
    if not verb and not after:
        return True
    if you != "you" and modal in ("may", "are to", "will not", "will never", "won't", "don't", "do not", "never", "always", "can't", "cannot", "can not", "do never", "are always to", "are only"):
        return True
    if modal == "may":
        return verb in ("be", "need", "find", "get", "notice", "see", "want", "encounter", "run", "experience", "already", "also", "know", "remember", "even", "well", "ask-yourself", "think", "come", "end")
    if modal in ("don't", "do not", "won't", "will not", "do never"):
        return True
    if modal in ("always", "never"):
        return verb not in PLAIN_VERBS and verb not in DOUBTFUL_VERBS
    if modal in ("can't", "cannot", "can not"):
        return verb in ("tell", "imagine", "believe", "help", "know", "see", "wait", "beat", "miss", "always", "find", "get", "go")
    if modal == "are responsible":
        return False
    if modal in ("are to", "'re to"):
        return verb == ""
    if modal in ("should",) and verb in ("see", "get", "find", "now", "end", "notice", "receive", "already", "be"):
        return verb != "be" or after[:1] in (["able"], ["fine"], ["good"], ["familiar"])
    if modal in ("need to", "have to") and verb in ("know", "worry", "be"):
        return verb != "be"
    return False


def _phrases(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Add the forms that are phrases: make sure, labels, no X, forbidden, X not Y, our own habits."""
    low = sentence.lower
    for match in _MAKE_SURE.finditer(low, at):
        out.append(_finding(sentence, Modality.OBLIGATION, match.start() + len(match.group("b") or ""), match.end(), "imperative"))
    for match in _IMPORTANT.finditer(low, at):
        if not re.search(r"\b(?:if|when|that|why|where)\s+\Z", low[: match.start()]):
            out.append(_finding(sentence, Modality.OBLIGATION, match.start(), match.end(), "required"))
    _label(sentence, at, out)
    _no(sentence, at, out)
    for match in _WE.finditer(low, at):
        if match.group("verb") in _WE_VERBS and not _SUBORDINATE.search(low[at : match.start()]):
            negative = match.group("neg") not in ("always", "only", "prefer", "require")
            out.append(_finding(sentence, Modality.PROHIBITION if negative else Modality.OBLIGATION, match.start(), match.end(), "habit", strong=negative))
    structured = _STRUCTURED.search(sentence.text)
    if structured:
        out.append(_finding(sentence, Modality.OBLIGATION, structured.start(), structured.end(), "label", strong=True))
    _contrast(sentence, at, out)


def _label(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Add label rules ("Default: …", "IMPORTANT: …")."""
    match = _LABEL.match(sentence.lower, at)
    if match is None:
        return
    label = match.group("label")
    rest = match.group("rest")
    if label in _WEAK_LABELS and (_BARE_VALUE.match(rest) or label in ("warning", "caution", "requirement", "requirements", "priority", "remember", "reminder", "do", "rules", "guidelines", "constraints")):
        return
    negative = label in ("never", "don't", "forbidden", "prohibited", "must not", "do not")
    out.append(_finding(sentence, Modality.PROHIBITION if negative else Modality.OBLIGATION, at, match.end("label"), "label", strong=label not in _WEAK_LABELS))


def _no(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Add verbless prohibitions ("No unnecessary copies.")."""
    match = _NO.match(sentence.lower, at)
    if match is None:
        return
    phrase = match.group("np")
    if len(phrase.split()) > 9 or _NO_BUT.match(phrase) or _NO_DESCRIPTIVE.search(phrase):
        return
    if sentence.lower[match.end() : match.end() + 1] == ":" and len(sentence.lower[match.end() :]) < 3:
        return
    out.append(_finding(sentence, Modality.PROHIBITION, at, match.end(), "prohibition", strong=True))


def _contrast(sentence: Sentence, at: int, out: list[Finding]) -> None:
    """Add "X, not Y" without a finite verb ("Tabs, not spaces")."""
    if out:
        return
    low = sentence.lower.rstrip(" .!")
    match = _XNOTY.match(low, at)
    if match is None or len(low.split()) > 12:
        return
    words = match.group("x").split()
    if words[0] in ("a", "an", "the", "it", "this", "that", "they", "he", "she", "i") or FINITE & set(low.split()):
        return
    out.append(_finding(sentence, Modality.OBLIGATION, at, match.end(), "contrast"))


def _finding(
    sentence: Sentence, modality: Modality, start: int, end: int, form: str, *, strong: bool = False
) -> Finding:
    """Return a finding at its place in the whole text."""
    return Finding(modality, sentence.start + start, sentence.start + end, form, strong)
