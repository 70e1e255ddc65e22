"""Secrets told in a sentence, in the languages of people: "my password is …", "the PIN for the alarm is 4711".

The value decides together with the name: a strong value goes behind any name, figures behind what is a PIN or a
password, and a plain word only where somebody tells their own password ("my password is sunflower"), since "the
password is wrong" is a sentence like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from libra.text.literals import matches, places
from libra.text.scripts import lower
from libra.text.secretflood import MOST_NAMES, cut_flood
from libra.text.secretformats import mark
from libra.text.secretvalues import is_literal, is_strong

_PW: Final = r"pass(?:word|phrase|code)|passwort|kennwort|mot de passe|contraseña|mật khẩu|pw"
_PIN: Final = (
    r"pin(?:[- ]?(?:code|number|nummer))?|mã pin|code pin|código pin|geheimzahl|(?:alarm|door|gate|safe|garage|entry|entrance|lock|unlock|security|verification|locker)[- ]?codes?"
    r"|code(?= (?:for|to|of) (?:the|my|our) )|(?:tür|alarm|zugangs)code|code (?:de la porte|d['’]entrée|de l['’]alarme)|código (?:de la alarma|de acceso|de la puerta)|mã (?:cửa|khóa|mở khóa)"
)
_KEY: Final = r"api[- ]?(?:key|schlüssel|token)|clé (?:api|secrète)|clave (?:api|secreta)|llave api|khóa (?:api|bí mật)|zugangstoken|jeton d['’]accès"
_SPACED: Final = re.compile(
    rf"(?<![\w])(?:(?P<pw>{_PW})|(?P<pin>{_PIN})|(?P<key>{_KEY}))(?!\w)"
    r"(?P<of>(?:\s(?!is\b|ist\b|est\b|es\b|là\b)[^\W\d_]{1,16}+){0,5})"
    r"(?:\s(?:is|was|ist|war|heißt|lautet|lautete|est|es|era|là|=)(?:\s(?:now|jetzt|maintenant|ahora|bây giờ))?:?\s{1,2}|\s?:\s{1,2})"
    r"(?P<v>[^\s\"'`<>]{4,200})(?P<after>\s|\Z)",
    re.IGNORECASE,
)
_SPACED_STARTS: Final = (
    *("pass", "kennwort", "mot de passe", "contraseña", "mật khẩu", "pw", "pin", "mã ", "code", "código", "geheimzahl", "alarm"),
    *("door", "gate", "safe", "garage", "entry", "entrance", "lock", "unlock", "security", "verification", "tür", "zugang"),
    *("api", "clé ", "clave ", "llave api", "khóa ", "jeton d"),
)  # fmt: skip
_CJK_STARTS: Final = tuple(
    "密码 密碼 口令 パスワード 비밀번호 pin 暗証番号 验证码 api 密钥 令牌 トークン".split()
)
_MINE: Final = re.compile(
    r"\b(?:my|our|mein|unser|mon|notre|mi|nuestr)[a-z]{0,2}\s(?:[\w-]{1,20}\s){0,2}\Z", re.IGNORECASE
)
_BEFORE_CHARS: Final = 50
_MOST_PLACES: Final = 3 * MOST_NAMES
"""Most places where a name may begin are another word, and cost less than a name."""
_CJK: Final = re.compile(
    r"(?:(?P<pw>密码|密碼|口令|パスワード|비밀번호)|(?P<pin>PIN码?|暗証番号|验证码)|(?P<key>API ?(?:密钥|キー|키)|密钥|令牌|トークン))"
    r"[^\s，。、,.:：!-~是为為は는]{0,8}?\s?(?:已?经?改成了?|改为|设成了?|设为|是|为|為|は|が|는|은|이|：|:)\s{0,2}(?P<v>[!-~]{4,200})",
    re.IGNORECASE,
)
_OF_MINE: Final = re.compile(r"\scủa\s(?:tôi|mình|em|anh|chị)\Z", re.IGNORECASE)
_EDGE: Final = ".,;:!?)]}"
_DIGITS: Final = range(4, 13)
_WORD_CHARS: Final = 5
_SAYS_HOW: Final = re.compile(
    r"(?i)\w+(?:ed|ing|able|ible|ful|less|ous|ish|ive|ent|ant|ly|en|ig|lich|isch|los|bar|iert|tet|é|ée|eux|euse|if|ile|ado|ada|ido|ida|oso|osa)\Z"
)
"""How a password is rather than what it is: endings of adjectives and participles in four languages."""
_HOW: Final = frozenset(
    """
    wrong right weak strong short long gone fine good bad simple easy hard secret safe old new same different terrible stupid silly
    great awful perfect okay lame strange weird empty funny awesome private public unique obvious random clear known correct none
    falsch richtig kurz lang alt neu schwach stark sicher unsicher gleich leer anders schlecht einfach schwer korrekt
    court courte long longue faible forte simple perdu perdue sûr nouveau vieux toujours différent
    corta larga débil fuerte nueva vieja segura simple igual mala buena fácil difícil siempre
    written always never still probably somewhere nowhere everywhere already actually mostly about under where which there their
    """.split()
)


def cut_told(text: str, kinds: dict[str, None]) -> str:
    """Cut the secrets that are told in sentences. Linear: each pattern is bounded from a fixed name on."""
    for pattern, starts in ((_SPACED, _SPACED_STARTS), (_CJK, _CJK_STARTS)):
        where = places(lower(text), starts)
        rest = where[_MOST_PLACES] if len(where) > _MOST_PLACES else len(text)
        judged = _cut(text[:rest], matches(pattern, text[:rest], where[:_MOST_PLACES]), kinds)
        text = judged + cut_flood(text[rest:], kinds) if rest < len(text) else judged
    return text


def _cut(text: str, found: Iterable[re.Match[str]], kinds: dict[str, None]) -> str:
    pieces: list[str] = []
    at = 0
    for match in found:
        value = match.group("v").rstrip(_EDGE)
        if not _is_told(match, value):
            continue
        kind = "password" if match.group("pw") else "pin" if match.group("pin") else "secret"
        kinds.setdefault(kind, None)
        pieces += [text[at : match.start("v")], mark(kind)]
        at = match.start("v") + len(value)
    return "".join([*pieces, text[at:]])


def _is_told(match: re.Match[str], value: str) -> bool:
    """Return True if the value is a secret behind this name."""
    if len(value) < min(_DIGITS) or not is_literal(value, quoted=False):
        return False
    if value.isdigit():
        return match.group("key") is None and len(value) in _DIGITS
    if match.group("pin"):
        return False
    if is_strong(value):
        return True
    if match.group("pw") is None or not value.isalpha() or len(value) < _WORD_CHARS:
        return False
    if match.re is _CJK:
        return value.isascii()
    before = match.string[max(0, match.start() - _BEFORE_CHARS) : match.start()]
    if not (_MINE.search(before) or _OF_MINE.search(match.group("of"))):
        return False
    ends = match.group("v") != value or match.end("v") == len(match.string) or match.group("after") == "\n"
    return ends and value.lower() not in _HOW and _SAYS_HOW.match(value) is None
