"""Standing instructions: what a person tells an agent to do from now on, told apart from a request for this moment.

"Always answer in metric units when I ask about distances" holds until it is taken back; "make sure the test
passes" is done when it is done. Only the first is guidance, shown whatever the question is (memory model §6, E*).
Precision comes first: a one-off request that is shown for ever is worse than an instruction that is only recalled.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from libra.lifecycle import forms, standing_forms
from libra.lifecycle.ownwords import own_words
from libra.lifecycle.statement import CUT, MAX_SENTENCES, StatementParams, head_of
from libra.text.needles import Sieve
from libra.text.sentences import sentences

_LONGEST_CHARS: Final = 400
"""Nobody gives an agent a longer rule in one sentence; what is longer is a story or a paste."""
_LEAD: Final = (
    r"^[\s\W_]*(?:(?:please|pls|kindly|and|also|so|but|ok(?:ay)?|hey|note|remember|important|rule|one more thing|by the way|btw|just"
    r"|that said|in general|generally|as a rule|for the record|for me)[\s,:;!—–-]+){0,3}"
)
_NO_ORDER: Final = (
    r"(?!(?:mind|give up|know|knew|known|say never|been|be able|saw|seen|heard|quit|stop|lose|forget|let|doubt|hesitate|underestimate|thought|had|has|have been|would|will|could|did|does|was|were|is|are|nice|good|great|fun"
    r"|happy|glad|welcome|here|there|a|an|the|on|in|at|up|love|loved|wanted|want to|wondered|felt|feel like|looking|trying|open|ready|too|so|one|\w+ed|\w+ing)\b)"
)
_VERB: Final = (
    r"(?:use|do|don['’]t|do not|not|never|always|run|write|ask|keep|call|put|make|add|reply|answer|respond|please|check|include|format|give|show"
    r"|provide|mention|confirm|start|end|begin|explain|cite|list|avoid|stick|speak|talk|address|translate|convert|round|highlight|summari[sz]e|prefer"
    r"|test|commit|leave|limit|warn|tell|remind|suggest|skip|stop|follow|name|return|present|break|ensure|focus|quote|refer|assume|treat|consider|verify)"
)
_ALWAYS: Final = r"(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|henceforth|by default|at all times)"
_EACH: Final = r"(?:whenever|every ?time|each time|any ?time|when(?:ever)?)"
_MINE: Final = r"(?:i|we)(?:['’]m| am|['’]re| are)? (?:ever )?(?:ask|say|mention|request|want|need|share|send|paste|post|talk|bring|discuss|give|tell|type|write|inquire|query|upload|asking|talking)\w*"
_YOURS: Final = r"you (?:\w+ )?(?:answer|reply|respond|write|show|give|explain|suggest|recommend|mention|list|generate|produce|create|edit|change|commit|run|translate|summari[sz]e|use|add|do|are asked|review|refer|cite|make|talk|speak|format|touch|finish)\w*"

_ENGLISH: Final = re.compile(
    "|".join(
        (
            _LEAD + rf"(?:{_ALWAYS},? )?(?:always|never|do not ever|don['’]t ever) {_NO_ORDER}[a-z]",
            _LEAD + rf"{_ALWAYS}\b[^.!?]{{0,80}}?(?:[\s,:](?:please|you|{_VERB}))\b",
            _LEAD + rf"{_VERB}\b[^.!?]{{1,200}}\b{_ALWAYS}\W*$",
            _LEAD + rf"{_EACH} (?:{_MINE}|{_YOURS})\b[^.!?]{{0,160}}?, ?(?:then )?(?:please |you (?:should|must|need to|have to) |always |never |make sure |be sure )?{_VERB}\b",
            _LEAD + r"(?:make sure|be sure|ensure|remember|try)(?: that)?(?: you| to)?(?: to)? (?:always|never|not to ever)\b",
            _LEAD + rf"{_VERB}\b[^.!?]{{1,200}}\b(?:whenever|every ?time|each time|any ?time) (?:{_MINE}|{_YOURS}|there)\b",
            _LEAD + rf"{_VERB}\b[^.!?]{{1,200}}\b(?:when|if) {_MINE} (?:you )?(?:about|for|to|how|what|something|anything|questions?)\b",
            _LEAD + r"(?:do not|don['’]t|never) [^.!?]{2,160}\b(?:unless|without|until) (?:i|we|my|me|asking|being asked|told|confirming|permission)\b",
            _LEAD + r"(?:stop|quit) (?:adding|using|giving|writing|making|saying|apologi[sz]ing|asking|telling|including|suggesting|repeating|calling|putting|showing|explaining)\b",
            _LEAD + rf"(?:as of (?:today|now)|until (?:i|we) (?:say|tell|ask)[^,.!?]{{0,40}}|until further notice|unless (?:i|we) (?:say|tell|ask|request|specify|mention)[^,.!?]{{0,40}}|(?:for|in) (?:all|any|every|each)(?: of)?(?: your| my)?(?: future| later| other)? (?:repl|answer|response|message|commit|question|summar|request)\w*),? (?:please |you |just |only |also )?(?:{_VERB}|assume|stay|leave|call|drop|remain|cc|prefix|append|sign)\b",
            _LEAD + rf"(?:{_VERB}|update|review|back up|bump|push|squash|rebase|lint|format) [^.!?]{{1,120}}\b(?:before|after|on|with|for|in) (?:each|every)(?: single)? (?:commit|push|change|edit|deploy(?:ment)?|release|repl(?:y)|answer|response|message|purchase|file|step|merge|pull request|pr|migration|refactor(?:ing)?|session|task|function|module)\W*$",
            r"^[\s\W_]*(?:each|every|all|any)(?: of)?(?: your| my)? (?:repl(?:y|ies)|answers?|responses?|messages?|summar(?:y|ies)|commits?|code blocks?|explanations?) (?:should|must|shall|needs? to|ha(?:s|ve) to)\b",
            r"\bi (?:need|want|expect|require|['’]d like|would like) you to\b[^.!?]{2,120}\b(?:every ?(?:single )?time|each time|always|from now on|by default|going forward)\W*$",
            r"^[\s\W_]*(?:please,? )?no (?:more )?[^.!?]{2,60}\b(?:from (?:now|here) on(?: out)?|going forward|any ?more|ever again|in (?:the )?future)\b",
            r"\byou (?:should|must|shall|have to|need to|are to) (?:always|never)\b",
            r"\bi(?:['’]d| would)?(?: always| really| generally| just)? (?:want|like|prefer|need|expect) (?:you|your (?:answers?|repl(?:y|ies)|responses?|code|explanations?|summaries)) to (?:always|never)\b",
            r"\bi(?:['’]d| would)?(?: always| much| really| generally| usually)? prefer (?:(?:that |if |when )?you\b|(?:your|the|all|any|short|brief|concise|long|detailed|direct|plain) (?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|explanations?|summaries)\b)",
            r"\bi (?:don['’]t|do not|never) (?:ever )?want you to (?!think|worry|feel|get me wrong)\w+[^.!?]{0,120}\b(?:again|ever|any ?more|unless|without)\b",
        )
    ),
    re.IGNORECASE,
)  # fmt: skip
_CONDITION: Final = re.compile(_LEAD + rf"(?:{_EACH}|wenn|quand|lorsque|cuando|khi) ", re.IGNORECASE)
""""When I ask …" is no question, though it begins like one."""
_STORY: Final = re.compile(
    r"^\s*[\"“„「«]"
    r"|^[\s\W_]*(?:i|we|he|she|they|it|my \w+|our \w+|this|that)(?:['’]\w+)? (?:have |has |had |also |still |will |would |could |can |just )?(?:always|never)\b"
    r"|^[\s\W_]*(?:yes|yeah|sure|thanks|thank you|got it|great|sounds good|will do)\b",
    re.IGNORECASE,
)
"""Somebody is quoted, tells of themselves, or agrees."""
_RULES: Final = (
    _ENGLISH,
    *(tongue.rule for tongue in (*standing_forms.LATIN, standing_forms.JAPANESE, standing_forms.CHINESE)),
)
_READ_CHARS: Final = 20_000
"""As far as :func:`own_words` reads."""


def standing_rules(text: str) -> tuple[str, ...]:
    """Return the sentences of a person's turn that instruct an agent from now on, in order, word for word.

    What the person quotes, pastes, reports or shows as code instructs nobody (lessons.md C37).

    Args:
        text: The turn, stripped and redacted.
    """
    rules = _heard(text)
    if not rules:
        return ()
    found = []
    for sentence in sentences(own_words(text), MAX_SENTENCES):
        said = text[sentence.start : sentence.end].strip()
        if len(said) > _LONGEST_CHARS or not _is_standing(head_of(sentence.text.strip()), rules):
            continue
        found.append(said)
    return tuple(found)


def rules_kept(text: str, rules: tuple[str, ...], params: StatementParams | None = None) -> str:
    """Return what is kept of a turn that holds standing instructions: a short turn whole, of a long one only they.

    Args:
        text: The turn.
        rules: Its instructions, as :func:`standing_rules` gives them; at least one.
        params: Lengths in characters.
    """
    params = params or StatementParams()
    whole = text.strip()
    if len(whole) <= params.verbatim_chars:
        return whole
    kept = rules[0]
    for rule in rules[1:]:
        if len(kept) + len(CUT) + len(rule) > params.longest_chars:
            break
        kept += CUT + rule
    return kept


def _heard(text: str) -> frozenset[re.Pattern[str]]:
    """Return the languages' forms that may be in a text: most texts hold none of their words, and each prompt asks of some thirty."""
    return _sieve().passing(text[:_READ_CHARS])


@lru_cache(maxsize=1)
def _sieve() -> Sieve:
    return Sieve(_RULES)


def _is_standing(sentence: str, rules: frozenset[re.Pattern[str]]) -> bool:
    """Return True if a sentence is a standing instruction in any of the languages whose forms these are."""
    asks = "?" in sentence or "？" in sentence or _asks(sentence)
    if asks or forms.QUOTED.match(sentence) or _STORY.search(sentence):
        return False
    if _ENGLISH in rules and _ENGLISH.search(sentence):
        return True
    return any(_told(sentence, tongue) for tongue in _tongues(sentence) if tongue.rule in rules)


def _asks(sentence: str) -> bool:
    """Return True for a question without its mark; "when I ask …" is none, though it begins like one."""
    return forms.QUESTION.search(sentence) is not None and not _CONDITION.match(sentence)


def _tongues(sentence: str) -> tuple[standing_forms.Tongue, ...]:
    """Return the languages besides English that a sentence may be in, by its script."""
    if standing_forms.HAN.search(sentence) is None:
        return standing_forms.LATIN
    return (standing_forms.JAPANESE if standing_forms.KANA.search(sentence) else standing_forms.CHINESE,)


def _told(sentence: str, tongue: standing_forms.Tongue) -> bool:
    """Return True if a sentence is a standing instruction in this language, and no tale."""
    return tongue.rule.search(sentence) is not None and tongue.tale.search(sentence) is None
