"""Statements that are true for a while only: a version, a port, a state, and what is said to be impossible.

Remembered without their date they are recalled as present truth long after they have changed (lessons.md C34), or
keep an agent from a thing that has become possible (C42). Data for seven languages, and its readers.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from libra.text.filepaths import EXTENSIONS
from libra.text.sentences import sentences


class VolatileKind(StrEnum):
    """What about a statement will change without anybody saying so."""

    VERSION = "version"
    PORT = "port"
    """A port or an address on a network."""
    STATUS = "status"
    """How something is or works at present."""
    IMPOSSIBLE = "impossible"
    """What does not exist, is not supported or cannot be done yet."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


_NUMBER: Final = r"v?\d{1,4}(?:\.\d{1,5}){0,3}(?:[-.]?(?:rc|beta|alpha)\.?\d{0,3})?(?![\w/:-]|\.\d)"
_SOFTWARE: Final = (
    r"(?:android|angular|bun|cuda|debian|deno|django|docker|dotnet|elasticsearch|fedora|firefox|flask|gcc|go|golang|gradle|ios|java|jdk|k8s"
    r"|kafka|kotlin|kubernetes|laravel|linux|macos|mariadb|mongo(?:db)?|mysql|next(?:\.?js)?|nginx|node(?:\.?js)?|npm|php|pnpm|postgres(?:ql)?"
    r"|python|pytorch|rails|react|redis|ruby|rust|spring(?: boot)?|sqlite|svelte|swift|tailwind|terraform|typescript|ubuntu|vite|vue|windows"
    r"|xcode|yarn)"
)

_VERSION: Final = _any(
    rf"\b(?:version|release|build|ver\.|phiên bản|versión|バージョン)\s{{0,2}}(?:(?:is|was|are|number|now|at|là|es|est|ist|hiện hành|hiện tại|mới nhất|actual|actuelle|:|=)\s+){{0,3}}{_NUMBER}",
    rf"(?:版本|バージョン)(?:号)?(?:是|为|は|:|：)?\s{{0,2}}{_NUMBER}",
    r"(?<![\w.,$€£:/-])v\d{1,4}(?:\.\d{1,5}){1,3}(?![\w/]|\.\d)",
    r"(?<![\w.,$€£:/-])(?!\d{1,2}\.\d{1,2}\.(?:19|20)?\d\d\b)\d{1,4}\.\d{1,5}\.\d{1,5}(?:-[a-z]{1,10}\.?\d{0,4})?(?![\w/]|\.\d)",
    rf"\b{_SOFTWARE}\s{{1,2}}(?:version\s)?{_NUMBER}(?!\s?(?:times|people|years?|days?|hours?|minutes?|users?|files?|lines?|%))",
)
_PORT: Final = _any(
    r"\b(?:ports?|cổng|puerto)\b(?:\s(?:is|number|now|là|của|máy|thử|es|est|ist|de|del|du|la|le)){0,6}\s{0,2}[:=#]?\s{0,2}\d{2,5}\b",
    r"(?:端口|ポート)(?:号|番号)?(?:是|为|は|:|：)?\s{0,2}\d{2,5}",
    r"\b(?:listen(?:s|ing)?|serves?|bound|exposed|lauscht|écoute|escucha)\b[^.!?\n]{0,30}?(?:on|at|auf|sur|en)\s:?\d{2,5}\b",
    rf"(?<![\w./])(?!\S{{0,80}}\.(?:{EXTENSIONS}):\d)(?:localhost|[a-z]\w{{0,20}}-\w{{0,20}}\d|[a-z][\w-]{{0,40}}(?:\.[a-z][\w-]{{1,40}}){{1,4}}|(?:\d{{1,3}}\.){{3}}\d{{1,3}}):\d{{2,5}}(?![\w:])",
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)",
)
_NOW: Final = r"(?:currently|right now|at the moment|for now|for the time being|as of (?:now|today)|at present|these days|temporarily|still|now|again)"
_STATES: Final = (
    r"(?:up(?! (?:early|late|to|for))|down|offline|online|red|green|amber|broken|failing|passing|flaky|stuck|blocked|degraded|unavailable|unreachable|unhealthy|healthy"
    r"|deployed|undeployed|disabled|enabled|paused|frozen|merged|unmerged|pending|in (?:review|progress|staging|beta|maintenance)|out of (?:office|stock|order"
    r"|memory|disk)|on (?:leave|holiday|vacation|hold|sick leave)|full(?! of)|empty|closed(?! on)|reopened|running|stopped|restarting|rolled back|wip|done|finished"
    r"|half[- ]?done|\d{1,3}(?:\.\d)? ?% (?:full|done|complete|used)|crashing|hanging)"
)
_STATUS: Final = _any(
    rf"\b(?:is|are|['’]s|['’]re|has been|have been|remains?|stays?|back)\s(?:{_NOW}\s)?(?:not\s|all\s)?{_STATES}(?!\w)",
    r"\b(?:status|state|zustand|estado|état|trạng thái)\b\s?(?:is|of|:|=|ist|es|est|là)\s",
    r"\b(?:build|pipeline|ci|tests?|deploy(?:ment)?|job|server|service|cluster|queue|node|site|api|vpn|wi-?fi)\s(?:currently\s|still\s|now\s)?"
    r"(?:fails?|passes|crash(?:es|ed)|hangs|flaps|times out)\b(?:\s(?:on|in|at|again|now|currently)\b|\.?\s*$)",
    r"\b(?:currently|right now|at the moment|for the time being|as of (?:now|today)|at present|temporarily|for now)\b",
    r"(?:目前|现在|当前|暂时|此刻|眼下)(?!是时候)|(?:宕机|挂了|离线|在线|已上线|正在运行|已停止|维护中|失败了)",
    r"(?<!\w)(?:hiện tại|hiện giờ|hiện nay|lúc này|tạm thời|đang (?:chạy|hỏng|lỗi|tắt|bật|bảo trì|chờ|ngừng)|(?:bị|đã) (?:sập|hỏng|tắt|chết))(?!\w)",
    r"\b(?:derzeit|zurzeit|momentan|im moment|gerade|vorläufig|aktuell)\b|\b(?:ist|sind) (?:ausgefallen|offline|online|kaputt|rot|grün|blockiert|gesperrt|voll|im urlaub)\b",
    r"\b(?:actuellement|en ce moment|pour l['’]instant|pour le moment|à l['’]heure actuelle|provisoirement)\b|\b(?:est|sont) (?:en panne|hors ligne|en ligne|cassée?s?|bloquée?s?|en vacances)\b",
    r"\b(?:actualmente|ahora mismo|de momento|por ahora|por el momento|temporalmente)\b|\b(?:está|están) (?:caíd[oa]s?|rot[oa]s?|fuera de línea|en línea|bloquead[oa]s?|de vacaciones|en marcha|parad[oa]s?)\b",
    r"(?:現在|今のところ|いまのところ|当面|一時的に)|(?:落ちて|止まって|動いて|壊れて|停止して|失敗して)い(?:る|ます)|メンテナンス中|休暇中",
)
_IMPOSSIBLE: Final = _any(
    r"\b(?:is|are|was)(?: not|n['’]?t|n['’]?t yet| not yet| still not| currently not)\s(?:(?:yet|currently|even|really|officially|at all)\s)?"
    r"(?:possible|supported|available|implemented|allowed|feasible|doable|exposed|documented|compatible)\b",
    r"\b(?:is|are) (?:impossible|unsupported|unavailable|unimplemented)\b|\bno (?:way|option|api|support|method|flag|setting|command|endpoint) (?:to|for|exists)\b"
    r"|\bthere(?:['’]s| is| are|['’]re) (?:currently |still )?no (?:way|option|api|support|method|flag|setting|command|endpoint|plugin|integration)\b",
    r"\b(?!i\b|we\b|you\b|he\b|she\b|they\b)[\w.'’-]+ (?:does ?n['’o]?t|do ?n['’o]?t|does not|do not) (?:\w+ )?(?:support|exist|expose|offer|implement|provide|allow|handle|accept|work)\b",
    r"\b(?:the |this |that |our |its |my )?(?!i\b|we\b|you\b|he\b|she\b|they\b)[\w.'’-]+ (?:can ?not|can['’]t) (?:yet |currently |be )?(?:handle|do|be|run|read|parse|stream|export|import|connect|support|load|render|used?|done|configured|changed"
    r"|disabled|enabled|automated|combined|undone)\b",
    r"\byou (?:can ?not|can['’]t) (?:yet |currently )?(?:use|run|call|set|change|disable|enable|export|import|stream|combine|configure)\b",
    r"(?:不支持|不可能|无法|没有办法|还不能|尚未支持|尚不支持|还没(?:有)?(?:支持|实现)|不可用|做不到)",
    r"(?<!\w)(?:không (?:hỗ trợ|thể (?:dùng|chạy|làm được|thực hiện)|khả thi|tồn tại|khả dụng)|chưa (?:hỗ trợ|có cách|thể|dùng được)|không có cách)(?!\w)",
    r"\b(?:(?:ist|sind|war) (?:noch |derzeit |leider )?nicht (?:möglich|verfügbar|unterstützt|implementiert|vorgesehen|erlaubt)|wird (?:noch |derzeit )?nicht unterstützt|unterstützt (?:noch )?(?:kein\w{0,2}|nicht)|(?:geht|funktioniert) (?:noch )?nicht)\b",
    r"\b(?:n['’]est (?:pas|plus)(?: encore)? (?:possible|disponible|pris en charge|supportée?|implémentée?|autorisée?)|ne (?:prend|gère|supporte) pas|ne fonctionne pas|il n['’]y a pas (?:de moyen|d['’]api|d['’]option)|impossible (?:de|d['’]))",
    r"\b(?:no (?:es|está) (?:posible|disponible|soportad[oa]|implementad[oa]|permitid[oa])|no (?:soporta|admite|funciona|existe|permite)|no hay (?:forma|manera|opción|api)|es imposible|todavía no (?:se puede|funciona|existe))\b",
    r"(?:できない|できません|不可能|(?:対応|サポート)(?:して|されて)いない|(?:対応|サポート)(?:して|されて)いません|未対応|非対応|まだ(?:ない|ありません)|使えない|使えません)",
)
_IMPOSSIBLE_WORDS: Final = frozenset(
    b"possible supported available implemented allowed feasible doable exposed documented compatible"
    b" impossible unsupported unavailable unimplemented"
    b" way option api support method flag setting command endpoint plugin integration"
    b" nicht kein keine keinen keiner keinem keines"
    b" pas plus"
    b" posible disponible soportado soportada implementado implementada permitido permitida soporta admite funciona existe permite hay imposible".split()
)
_STATUS_WORDS: Final = frozenset(
    b"up down offline online red green amber broken failing passing flaky stuck blocked degraded unavailable unreachable"
    b" unhealthy healthy deployed undeployed disabled enabled paused frozen merged unmerged pending review progress staging beta"
    b" maintenance office stock order memory disk leave holiday vacation hold sick full empty closed reopened running stopped"
    b" restarting rolled wip done finished complete used crashing hanging"
    b" status state zustand estado fail fails passes crashes crashed hangs flaps times"
    b" currently moment being today present temporarily"
    b" derzeit zurzeit momentan gerade aktuell ausgefallen kaputt rot blockiert gesperrt voll urlaub"
    b" actuellement instant heure provisoirement panne ligne vacances"
    b" actualmente ahora momento temporalmente".split()
)
_VERSION_WORDS: Final = frozenset(
    b"version release build ver android angular bun cuda debian deno django docker dotnet elasticsearch fedora firefox flask gcc go"
    b" golang gradle ios java jdk k kafka kotlin kubernetes laravel linux macos mariadb mongo mongodb mysql next nextjs nginx node nodejs npm"
    b" php pnpm postgres postgresql python pytorch rails react redis ruby rust spring sqlite svelte swift tailwind terraform typescript"
    b" ubuntu vite vue windows xcode yarn".split()
)
_PORT_WORDS: Final = frozenset(
    b"port ports puerto listen listens listening serve serves bound exposed lauscht escucha".split()
)
_NEGATIONS: Final = ("cannot", "can not", "can't", "don", "do n", "doesn", "does n")
_NOWS: Final = ("right now", "for now", "of now")
_LETTERS: Final = bytes(c if chr(c) in string.ascii_lowercase else 32 for c in range(256))
_FIGURES: Final = bytes(48 if chr(c) in string.digits else c for c in range(256))
"""Tables for :meth:`bytes.translate`, which reads a text in less than a microsecond; an expression takes ten."""
_TYPOGRAPHY: Final = str.maketrans("’‘“”–—…", "''\"\"--.")
"""Signs that plain English is full of; any other sign beyond ASCII has the patterns tried."""


@dataclass(frozen=True, slots=True)
class _Sort:
    """How one kind is known.

    Attributes:
        kind: What it is.
        pattern: What tells of it in a sentence.
        words: In a text of ASCII letters one of them stands wherever the pattern matches,
        phrases: or one of these,
        figures: or, where this is True, figures with a point between them or a colon before; then a digit always does.
    """

    kind: VolatileKind
    pattern: re.Pattern[str]
    words: frozenset[bytes]
    phrases: tuple[str, ...] = ()
    figures: bool = False


_TABLE: Final = (
    _Sort(VolatileKind.IMPOSSIBLE, _IMPOSSIBLE, _IMPOSSIBLE_WORDS, _NEGATIONS),
    _Sort(VolatileKind.VERSION, _VERSION, _VERSION_WORDS, figures=True),
    _Sort(VolatileKind.PORT, _PORT, _PORT_WORDS, figures=True),
    _Sort(VolatileKind.STATUS, _STATUS, _STATUS_WORDS, _NOWS),
)
_LASTING: Final = _any(
    r"\b(?:always|never|from now on|by default|must|whenever)\b",
    r"(?:总是|永远|以后|必须|いつも|必ず|絶対に)",
    r"(?<!\w)(?:luôn|từ nay|từ giờ|phải)(?!\w)|\b(?:immer|niemals|nie|toujours|jamais|siempre|nunca)\b",
)
"""A rule holds whatever figures it names: "always use port 7443" is no state of affairs."""
_CHARS: Final = 4000
"""What is looked at of a text: a memory's text is shorter, and it bounds the time (lessons.md C67)."""
_SENTENCE_CHARS: Final = 600


def volatile_kind(text: str) -> VolatileKind | None:
    """Return what about a statement changes soon, or None for one that may last.

    The first kind of the table that any sentence shows wins, what is impossible before the others.

    Args:
        text: A memory's text; only its first 4,000 characters are read.

    Source: lessons.md C34, C42.
    """
    head = text[:_CHARS]
    likely = _likely(head)
    if not likely:
        return None
    heads = [s.text[:_SENTENCE_CHARS] for s in sentences(head)]
    for sort in likely:
        if any(sort.pattern.search(h) and not _LASTING.search(h) for h in heads):
            return sort.kind
    return None


def _likely(text: str) -> Sequence[_Sort]:
    """Return the kinds whose patterns could match: recall asks this of a hundred texts, and most tell of none."""
    low = text.lower()
    if not low.isascii():
        low = low.translate(_TYPOGRAPHY)
        if not low.isascii():
            return _TABLE
    plain = low.encode("ascii")
    words = set(plain.translate(_LETTERS).split())
    zeros = plain.translate(_FIGURES)
    digit = b"0" in zeros
    figures = b"0.0" in zeros or b":0" in zeros
    out = []
    for sort in _TABLE:
        told = not words.isdisjoint(sort.words)
        if sort.figures:
            told = digit and (told or figures)
        elif not told:
            for phrase in sort.phrases:  # any() takes twice as long
                if phrase in low:
                    told = True
        if told:
            out.append(sort)
    return out


def is_volatile(text: str) -> bool:
    """Return True if a statement tells of a version, port or state, or that something is impossible.

    Meant for facts, context and entities: a decision or a rule lasts although it names a version.

    Source: lessons.md C34, C42.
    """
    return volatile_kind(text) is not None


def says_impossible(text: str) -> bool:
    """Return True if a statement says that something cannot be done, does not exist or is not supported.

    Such a statement gets a short life and its date, whatever its type.

    Source: lessons.md C42.
    """
    return volatile_kind(text) is VolatileKind.IMPOSSIBLE
