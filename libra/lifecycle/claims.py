"""Find the claim that a statement makes, in English, Chinese and Vietnamese: a table of patterns and readers.

Only statements whose slot is plain are read; everything else is no claim and contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from libra.lifecycle import changes, slots
from libra.lifecycle.slots import Claim
from libra.lifecycle.statement import declarative, head_of
from libra.text.sentences import sentences

Reader = Callable[[re.Match[str]], Claim | None]

_MAX_SENTENCES = 40
RESTATED = " — "
"""Joins the words that a correction is about to the correction itself (``supersede.restate``)."""

_CHANGE = re.compile(
    r"\b(?:actually|now|no longer|any ?more|instead|switched|moved|migrated|changed|upgraded|downgraded|replaced|correction"
    r"|renamed|postponed|rescheduled)\b|不再|现在|改成|改为|改用|换成|其实|\b(?:thực ra|bây giờ|không còn|chuyển sang|đổi sang|đổi thành)\b",
    re.IGNORECASE,
)
_NAME = r"[\w'’./-]+(?:\s[\w'’./-]+){0,5}?"
_WHO = rf"(?P<subject>\b(?:I|we)|{_NAME})"
_START = r"(?:^|[.!?;,:]\s+|\b(?:and|that|but|actually,?|now)\s+)"
_GENITIVE = r"(?! (?:[\w-]+ ){1,5}?(?:is|are|was|were|has|have|had|uses?|runs?|lives?|works?|listens|costs?|starts|ends|needs?|points)\b)"
"""Behind an "'s" that is a verb no other verb follows: "the team's lead is Priya" is about the lead, not about the team."""
_BE = rf"(?:['’]s{_GENITIVE}| is| are| was| were)"
_NOT = r"(?P<neg> not| no longer|n['’]t)?"
_NOW = r"(?:now |currently |still |only |always |also )*"
_VI_US = r"(?P<subject>chúng tôi|chúng ta|tụi mình|tôi|mình)"
_VI_ME = r"(?P<subject>tôi|mình|em)"
_ZH_VALUE = r"(?P<value>[^，。！？,]+?)(?=了?[，。！？,]|了?$)"


def _row(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    return re.compile(pattern, re.IGNORECASE), reader


_ROWS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    # Denials and changes first: they contain the plain forms.
    *changes.SET_ROWS,
    _row(
        rf"{_WHO}(?:['’]ve| have)? (?:no longer|don['’]t|do not|doesn['’]t|does not|stopped|never) "
        r"(?P<verb>using|uses?|running|runs?|living|lives?|deploy(?:s|ing)?|host(?:s|ing)?) (?P<value>.+)",
        slots.read_stopped,
    ),
    _row(
        rf"{_WHO}(?:['’]ve| have| has|['’]re| are| is| was| were)? (?:just |now |recently |finally |been |since )*"
        r"(?P<verb>switched|switching|moved|moving|migrated|migrating|changed|upgraded|downgraded|rescheduled|postponed)"
        rf"(?: (?!from\b|to\b|over\b|back\b)(?P<object>{_NAME}))?(?: over| back)?(?: from (?P<old>.+?))? to (?P<value>.+)",
        slots.read_switched,
    ),
    _row(
        rf"{_WHO}(?:['’]ve| have| has)? replaced (?P<old>.+?) (?:with|by) (?P<value>.+)", slots.read_replaced
    ),
    *changes.ROWS,
    # What a person prefers, and where and as what somebody lives and works.
    _row(
        r"\bI (?:now |always |still |generally |usually |really |much |would |strongly )*prefer (?P<value>.+)",
        slots.read_prefers,
    ),
    _row(
        r"\bI (?:really |just |still |also |now )*(?P<neg>don['’]t |do not |no longer )?(?:really )?"
        r"(?P<verb>like|love|enjoy|hate|dislike|detest) (?!to\b|it\b|this\b|that\b|how\b|when\b|the way\b)(?P<value>.+)",
        slots.read_likes,
    ),
    _row(
        rf"(?P<head>{_WHO} {_NOW}(?:lives?|living|am based|is based) (?:in|at|near)) (?P<value>.+)",
        slots.read_verb("lives in"),
    ),
    _row(rf"(?P<head>{_WHO} {_NOW}works? (?:at|for)) (?P<value>.+)", slots.read_verb("works at")),
    _row(rf"(?P<head>{_WHO} {_NOW}works? as) (?P<value>.+)", slots.read_verb("works as")),
    # Dates, prices, ports, targets.
    _row(
        rf"{_START}(?P<head>(?P<subject>{_NAME}) {_NOW}(?:is|are|starts|begins|happens|takes place|is due|are due|is scheduled for)"
        r" (?:on|at|by|for)) (?P<value>.*\d.*|\w+day\b.*|noon|midnight)",
        slots.read_verb("when"),
    ),
    _row(rf"{_START}(?P<head>(?P<subject>{_NAME}) {_NOW}costs?) (?P<value>.*\d.*)", slots.read_verb("costs")),
    _row(
        rf"{_START}(?P<head>(?P<subject>{_NAME}) {_NOW}(?:listens on|listens at|is on port|runs on port)(?: port)?) (?P<value>.*\d.*)",
        slots.read_verb("port"),
    ),
    _row(
        rf"{_START}(?P<head>(?P<subject>{_NAME}) {_NOW}(?:points to|points at|resolves to)) (?P<value>.+)",
        slots.read_verb("points to"),
    ),
    # Attributes, in three orders, and what is used.
    _row(
        rf"{_START}(?:the )?(?P<noun>\w+(?: \w+)?) of (?P<head>(?P<owner>{_NAME}['’]?s?)) (?:is|are){_NOT} (?P<value>.+)",
        slots.read_of,
    ),
    _row(
        rf"{_START}(?P<head>(?P<owner>my|our|the|{_NAME}['’]s) (?P<noun>[\w-]+(?: [\w-]+){{0,4}}?)){_BE}{_NOT} (?P<value>.+)",
        slots.read_copula,
    ),
    _row(
        rf"{_START}(?P<value>[\w./:-]+(?: [\w./:-]+)?) (?:is|are) (?:now )?(?P<owner>my|our|the) (?P<noun>[\w-]+(?: [\w-]+){{0,3}})",
        slots.read_named,
    ),
    _row(
        rf"{_START}(?P<subject>{_NAME}) {_NOW}(?:deploys? (?:on|to|with)|hosts? (?:\w+ )?(?:on|with|at)|runs? on|uses?|using|runs?|running|codes? in|writes? in) (?P<value>.+)",
        slots.read_uses,
    ),
    # Chinese.
    _row(
        r"(?P<head>(?P<owner>我们?)(?:的)?(?P<noun>最?喜欢的[\u4e00-\u9fff]{1,8}|[\u4e00-\u9fff]{1,8}?))(?:现在)?(?P<neg>不)?"
        rf"(?:是|改成|改为|换成){_ZH_VALUE}",
        slots.read_chinese_copula,
    ),
    _row(rf"(?P<head>(?P<subject>我)(?:现在)?住在){_ZH_VALUE}", slots.read_verb("lives in")),
    _row(
        r"(?P<head>(?P<subject>我)(?:现在)?在)(?P<value>[^，。！？,]+?)(?:工作|上班)",
        slots.read_verb("works at"),
    ),
    _row(
        rf"(?P<subject>我们?|)(?:已经?|现在)*(?:改用|换成|切换到|迁移到|换到)了?\s*{_ZH_VALUE}",
        slots.read_chinese_switch,
    ),
    _row(rf"(?P<subject>我们?)(?:现在|目前|都|一直)*(?:使用|用)的?(?:是)?\s*{_ZH_VALUE}", slots.read_uses),
    # Vietnamese.
    _row(
        r"(?P<head>(?P<noun>\w+(?: \w+){0,4}?) của (?P<owner>tôi|mình|em|chúng tôi|chúng ta))(?: bây giờ| giờ)?(?P<neg> không)?"
        r" là (?P<value>.+)",
        slots.read_vietnamese_copula,
    ),
    _row(
        rf"(?P<head>{_VI_ME} (?:đang |hiện )?(?:sống|ở)(?: ở| tại)?) (?P<value>.+)",
        slots.read_verb("lives in"),
    ),
    _row(
        rf"(?P<head>{_VI_ME} (?:đang |hiện )?làm (?:việc )?(?:ở|tại|cho)) (?P<value>.+)",
        slots.read_verb("works at"),
    ),
    _row(
        rf"{_VI_US}(?: đã| vừa| mới)* (?P<verb>chuyển|đổi)(?P<object>)(?: từ (?P<old>.+?))? (?:sang|qua|thành) (?P<value>.+)",
        slots.read_switched,
    ),
    _row(rf"{_VI_US}(?: đang| hiện)* (?:dùng|sử dụng|chạy) (?P<value>.+)", slots.read_uses),
)


@lru_cache(maxsize=4096)
def claim(text: str) -> Claim | None:
    """Return the first claim that a text makes, or None.

    Questions, hypotheticals and requests make none. A restated correction ("my favourite colour — actually
    it is green") makes the corrected claim.
    """
    for sentence in sentences(text, _MAX_SENTENCES):
        said = head_of(sentence.text)
        if not declarative(said):
            continue
        found = _restated(said) or _first(said)
        if found is not None:
            return found
    return None


def subject_slot(text: str) -> tuple[str, str, str] | None:
    """Return (subject, slot, value) of the claim that a text makes, or None."""
    found = claim(text)
    return (found.subject, found.slot, found.value) if found else None


LEAD = re.compile(
    r"^(?:(?:please|also|and|so|ok|okay|well|fyi|btw|note|remember|keep in mind|don't forget)(?: that|[,:])?\s+)+(?=\S)",
    re.IGNORECASE,
)
"""What introduces a statement without being part of it."""


_MOOD_CHARS = 40
_MOOD = re.compile(
    "(?:\\s*(?:[\U0001f600-\U0001f64f\U0001f910-\U0001f93a\U0001f970-\U0001f97a\U0001f389\U0001f38a\U0001f44d\U0001f44e\u2639\u263a\u2728]"
    "[\U0001f3fb-\U0001f3ff\ufe0f]?|(?<!\\w)(?:[:;]-?[)(DPp]|\\^_?\\^|<3)(?!\\S)))+[\\s.!]*\\Z"
)


def without_mood(text: str) -> str:
    """Return a text without the faces and gestures at its end: they say how it is meant, and nothing of what is stated."""
    at = max(0, len(text) - _MOOD_CHARS)
    found = _MOOD.search(text, at)
    return text[: found.start()] if found and found.start() else text


def _first(said: str) -> Claim | None:
    """Return what the first pattern that fits makes of a sentence."""
    said = without_mood(LEAD.sub("", said))
    for pattern, read in _ROWS:
        if (m := pattern.search(said)) is not None and (found := read(m)) is not None:
            return found if found.change else replace(found, change=bool(_CHANGE.search(said)))
    return None


_CORRECTION = re.compile(
    r"^\s*(?P<mark>(?:no|nope|sorry|oops|wait|hm+|correction|actually|in fact|i meant|i mean|scratch that|my mistake|now"
    r"|thực ra|nhầm|à không|不对|不是|其实|更正)[\s,:，]*)*"
    r"(?P<it>(?:it|that|this|they|he|she|nó|它|他|她)(?:['’]s|['’]re| is| are| was| should be| là)? ?|是|là )?"
    r"(?:now |called |named )?(?P<value>[^,，;.!?。！]{1,60}?)"
    r"(?:,? (?:not|instead of|rather than|and not|chứ không phải(?: là)?) (?P<old>[^,;.!?]{1,60}))?"
    r"(?P<late> (?:now|actually|instead|any ?more|these days))?\s*[.!。！]*\s*$",
    re.IGNORECASE,
)
"""A sentence that gives only a new value: "actually it is green", "no, port 8080", "it's green, not blue"."""


def correction(text: str) -> Claim | None:
    """Return the bare value that a correction gives, as a claim without subject and slot; else None.

    ``instead_of`` is set where the sentence names the old value.
    """
    m = _CORRECTION.match(head_of(text.strip()))
    if m is None or not (m["mark"] or m["old"] or (m["late"] and m["it"])):
        return None
    if not (m["it"] or m["old"] or _short(m["value"])):
        return None
    value = slots.read_value(m["value"])
    if not value or value.split()[-1] in _OPINIONS:
        return None
    return Claim("", "", value, change=True, instead_of=slots.read_value(m["old"]) if m["old"] else None)


_MAX_BARE_WORDS = 3
_OPINIONS = frozenset(
    [
        *(
            "fun",
            "great",
            "nice",
            "fine",
            "good",
            "bad",
            "ok",
            "okay",
            "hard",
            "easy",
            "cool",
            "true",
            "false",
            "right",
            "wrong",
        ),
        *(
            "done",
            "working",
            "broken",
            "fixed",
            "possible",
            "better",
            "worse",
            "amazing",
            "interesting",
            "weird",
            "funny",
            "clear",
        ),
        *(
            "here",
            "there",
            "ready",
            "happening",
            "it",
            "that",
            "this",
            "well",
            "so",
            "thanks",
            "yes",
            "no",
            "not",
        ),
    ]
)
"""Last words of an answer that values or judges something: no new value of a slot."""


def _short(value: str) -> bool:
    """Return True for a value that can stand alone ("port 8080", "Thursday"), not a new statement."""
    words = value.split()
    return 0 < len(words) <= _MAX_BARE_WORDS and not re.match(
        r"(?:i|we|you|it|he|she|they|the|my|our)\b", value, re.IGNORECASE
    )


def _restated(said: str) -> Claim | None:
    """Read the text that ``supersede.restate`` makes."""
    head, dash, rest = said.partition(RESTATED)
    fixed = correction(rest) if dash else None
    if fixed is None:
        return None
    for joined in (f"{head}{link}{fixed.value}" for link in (" ", " is ", "是", " là ")):
        if (base := _first(joined)) is not None:
            return replace(base, change=True, instead_of=fixed.instead_of)
    return None
