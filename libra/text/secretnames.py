"""Secrets that a name announces: ``password=…``, ``"api_key": "…"``, ``--token …``, "the PIN is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from libra.text.literals import places, windows
from libra.text.scripts import lower
from libra.text.secretflood import MOST_NAMES, cut_flood
from libra.text.secretformats import mark
from libra.text.secretvalues import is_literal, is_strong

_PASSWORD: Final = r"pass(?:word|wd|phrase|code)|pwd|pass(?=[\"']?\s{0,2}[:=])|mật khẩu|mat khau|密码|密碼|口令|비밀번호|パスワード|contraseña|mot de passe|passwort|kennwort"  # noqa: S105 - what passwords are called
_KEY: Final = (
    r"(?:api|access|secret|private|signing|encryption|auth|master|service|account|shared|storage|app|client|license|deploy|admin|encrypt|webhook)[ _.-]?keys?"
    r"|secret[ _-]?key[ _-]?base|(?:client|app|shared|webhook|signing|jwt|session|cookie|consumer|oauth|api|otp|totp)[ _-]?secret|secret"
    r"|(?:access|auth|api|bearer|refresh|bot|session|id|personal access|deploy|oauth|csrf|security)[ _-]?token|token"
    r"|密钥|金鑰|令牌|khóa api|mã bí mật|credentials?|recovery code|seed phrase|pin code|pin"
)
_NAME: Final = re.compile(rf"(?P<pw>{_PASSWORD})|(?P<key>{_KEY})")
"""Names, to be looked for in the text in lower case."""
_CORES: Final = (
    *("pass", "pwd", "mật khẩu", "mat khau", "密码", "密碼", "口令", "비밀번호", "パスワード", "contraseña", "kennwort"),
    *("key", "secret", "token", "密钥", "金鑰", "令牌", "khóa api", "mã bí mật", "credential", "recovery code", "seed phrase", "pin"),
)  # fmt: skip
"""Each name holds one of these; what stands before it ("personal access ") and behind it is not longer than the reach."""
_REACH: Final = 24

_GLUE: Final = re.compile(
    r"(?P<quote>\\?[\"'`*]{0,3})(?:\s{0,3}\((?:[^()\n]{0,40})\))?"
    r"(?:(?P<assign>\s{0,8}(?::=|=>|==?|:(?!:)|：)\s{0,8})"
    r"|(?P<xml>>)"
    r"|(?P<prose>\s{1,3}(?:(?:(?:is|was|been|has been|got) )?(?:re)?(?:set|changed|updated|rotated|switched) to|is|was|are|will be|becomes|equals|is now|is still|now is|reads|là|la|=|est|es|ist)"
    r"(?:\s{1,3}(?:now|still|currently|this|just|simply|also|the following))?\s{0,2}:?\s{1,3}|\s{0,2}(?:是|为|為|改成|改为|设为|设置为)\s{0,2}[:：]?\s{0,2})"
    r"|(?P<far>(?:[ \t](?!is\b|are\b|was\b|là\b)[^\W\d_是]{1,14}+){1,5}+[ \t]?(?:[ \t](?:is|was|là|=)\s{1,2}|[:=：]\s{0,2}|是\s?))"
    r"|(?P<flag>[ \t]{1,3}(?=[^\s-])))"
)
_VALUE: Final = re.compile(
    r"(?:(?P<q>\\?[\"'`]|\*\*)(?P<inner>(?:(?!(?P=q))(?:\\.|[^\n\\])){1,400})(?P=q)|[“‘「](?P<curly>[^\n“”‘’「」]{1,400})[”’」])(?P<after>[ \t]?[:(\[.]?)"
    r"|(?P<bare>[^\s\"'`<>，。；、）)\],;}|&\\]{1,300}(?:[&|;][^\s\"'`<>，。；、）)\],;}|&=\\]{1,100}(?!\s*=)){0,4})"
)
_OPENING: Final = ("(", "[", "{")
_OPTION_CHARS: Final = 24
_OPTION: Final = re.compile(r"(?:\A|[\s\"'`\[(])--?[a-z-]{0,16}\Z")
_LONG_VALUE: Final = 80
_PIN_DIGITS: Final = range(4, 9)
_FEWEST_CHARS: Final = 4


def cut_named(text: str, kinds: dict[str, None]) -> tuple[str, str]:
    """Cut values that a name calls secret: assignments, flags, tags, and sentences.

    Returns:
        The text as far as it was judged, and the rest if there were too many names; joined, they are the text.
    """
    pieces: list[str] = []
    at = at_least = 0
    for number, name in enumerate(_names(lower(text))):
        if number == MOST_NAMES:
            rest = max(at, name.start())
            return "".join([*pieces, text[at:rest]]), cut_flood(text[rest:], kinds)
        if name.start() < at_least:
            continue
        found, at_least = _value_after(text, name)
        if found is None:
            continue
        start, end = found
        kind = "password" if name.lastgroup == "pw" else "secret"
        pieces += [text[at:start], mark(kind)]
        kinds.setdefault(kind, None)
        at = at_least = end
    return "".join([*pieces, text[at:]]) if pieces else text, ""


def _names(low: str) -> Iterator[re.Match[str]]:
    """Yield the names in a text in lower case."""
    for start, end in windows(places(low, _CORES), _REACH, _REACH):
        yield from _NAME.finditer(low, start, min(end, len(low)))


def _value_after(text: str, name: re.Match[str]) -> tuple[tuple[int, int] | None, int]:
    """Return the span of the secret value that ``name`` announces, or None, and where to look on.

    A long value that is no secret is not searched for names again: that bounds the work on hostile text.
    """
    start, end = name.span()
    first = text[start]
    if first.isascii():
        before = text[start - 1] if start else " "
        inside = before.isalpha() and not (
            first.isupper() and (before.islower() or text[start:end].isupper())
        )
        if inside or text[end : end + 1].isalnum():
            return None, 0
    glue = _GLUE.match(text, end)
    value = _VALUE.match(text, glue.end()) if glue else None
    if glue is None or value is None:
        return None, 0
    how = glue.lastgroup or ""
    if how == "flag" and _is_option(text, start):
        how = "option"
    reach = value.end() if value.end() - value.start() > _LONG_VALUE else 0
    judge = _bare if value.lastgroup == "bare" else _quoted
    return judge(text, name, how, value), reach


def _quoted(_text: str, name: re.Match[str], how: str, value: re.Match[str]) -> tuple[int, int] | None:
    """Judge a value in quotation marks."""
    group = "inner" if value.group("inner") is not None else "curly"
    inner = value.group(group)
    if value.group("after").strip() == ":":
        return None
    words = inner.split()
    if how in ("flag", "far"):
        secret = is_strong(inner)
    elif len(words) > 1:
        secret = name.group() in ("passphrase", "seed phrase") or (len(words) == 2 and is_strong(inner))
    else:
        secret = is_strong(inner) or (name.lastgroup == "pw" and len(inner) >= _FEWEST_CHARS)
    return value.span(group) if secret and is_literal(inner, quoted=True) else None


def _bare(text: str, name: re.Match[str], how: str, value: re.Match[str]) -> tuple[int, int] | None:
    """Judge a value without quotation marks; what costs little is asked first."""
    raw = value.group("bare")
    trimmed = raw.rstrip("*" if how in ("xml", "option") else "*.,:;")
    if not (is_strong(trimmed) or (how not in ("flag", "far") and _told(text, name, how, value, trimmed))):
        return None
    start = value.start()
    end = start + len(trimmed)
    if text[end : end + 1] in _OPENING or not is_literal(trimmed, quoted=False):
        return None
    return start, end


def _is_option(text: str, at: int) -> bool:
    """Return True if the name at ``at`` ends an option of a command: ``--db-password``."""
    return text.rfind("-", max(0, at - _OPTION_CHARS), at) >= 0 and (
        _OPTION.search(text, max(0, at - _OPTION_CHARS), at) is not None
    )


def _told(text: str, name: re.Match[str], how: str, value: re.Match[str], word: str) -> bool:
    """Return True if a value that does not look like a secret is one by what is said before it."""
    if name.group() in ("pin", "pin code"):
        return word.isdigit() and len(word) in _PIN_DIGITS
    if name.lastgroup != "pw" or len(word) < _FEWEST_CHARS:
        return False
    if how == "assign":
        return _plain_word_is_value(text, name, value, word)
    if how == "option" and word.isupper():
        return False
    return how in ("xml", "option") or word.isdigit()


def _plain_word_is_value(text: str, name: re.Match[str], value: re.Match[str], word: str) -> bool:
    """Return True if a plain word after ``PASSWORD=``, or after ``password: `` alone on its line, is the value."""
    between = text[name.end() : value.start()]
    if between == "=":
        capitals = text[name.start() : name.end()].isupper()
        return capitals or word.isdigit() or re.fullmatch(r"[A-Za-z_]\w*", word) is None
    line_start = text.rfind("\n", max(0, name.start() - 120), name.start()) + 1
    head = text[line_start : name.start()]
    rest = text[value.end() : value.end() + 40].split("\n", 1)[0].strip()
    keyed = ":" in between and re.fullmatch(r"[\s\w.-]{0,40}", head) is not None
    return keyed and not rest and word.islower()
