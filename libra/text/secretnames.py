"""Secrets that a name announces: ``password=…``, ``"api_key": "…"``, ``--token …``, "the PIN is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from libra.text.literals import places, windows
from libra.text.scripts import lower
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
_OPTION: Final = re.compile(r"(?:\A|[\s\"'`\[(])--?[a-z-]{0,16}\Z")
_LONG_VALUE: Final = 80
_PIN_DIGITS: Final = range(4, 9)
_FEWEST_CHARS: Final = 4


def cut_named(text: str, kinds: dict[str, None]) -> str:
    """Cut values that a name calls secret: assignments, flags, tags, and sentences."""
    pieces: list[str] = []
    at = at_least = 0
    for name in _names(lower(text)):
        if name.start() < max(at, at_least):
            continue
        found, reach = _value_after(text, name)
        if found is None:
            at_least = reach
            continue
        start, end = found
        kind = "password" if name.group("pw") else "secret"
        pieces.append(text[at:start] + mark(kind))
        kinds.setdefault(kind, None)
        at = end
    if not pieces:
        return text
    pieces.append(text[at:])
    return "".join(pieces)


def _names(low: str) -> Iterator[re.Match[str]]:
    """Yield the names in a text in lower case."""
    for start, end in windows(places(low, _CORES), _REACH, _REACH):
        yield from _NAME.finditer(low, start, min(end, len(low)))


def _value_after(text: str, name: re.Match[str]) -> tuple[tuple[int, int] | None, int]:
    """Return the span of the secret value that ``name`` announces, or None, and where to look on.

    A long value that is no secret is not searched for names again: that bounds the work on hostile text.
    """
    before = text[name.start() - 1] if name.start() else " "
    end = name.end()
    written = text[name.start() : end]
    if written[0].isascii():
        inside = before.isalpha() and not (written[0].isupper() and (before.islower() or written.isupper()))
        if inside or text[end : end + 1].isalnum():
            return None, 0
    glue = _GLUE.match(text, end)
    value = _VALUE.match(text, glue.end()) if glue else None
    if glue is None or value is None:
        return None, 0
    how = glue.lastgroup or ""
    if how == "flag" and _OPTION.search(text, max(0, name.start() - 24), name.start()):
        how = "option"
    reach = value.end() if value.end() - value.start() > _LONG_VALUE else 0
    if value.group("bare") is None:
        return _quoted(name, how, value), reach
    return _bare(text, name, how, value), reach


def _quoted(name: re.Match[str], how: str, value: re.Match[str]) -> tuple[int, int] | None:
    """Judge a value in quotation marks."""
    group = "inner" if value.group("inner") is not None else "curly"
    inner = value.group(group)
    if value.group("after").strip() == ":" or not is_literal(inner, quoted=True):
        return None
    words = inner.split()
    if how in ("flag", "far"):
        secret = is_strong(inner)
    elif len(words) > 1:
        secret = name.group() in ("passphrase", "seed phrase") or (len(words) == 2 and is_strong(inner))
    else:
        secret = is_strong(inner) or (name.group("pw") is not None and len(inner) >= _FEWEST_CHARS)
    return value.span(group) if secret else None


def _bare(text: str, name: re.Match[str], how: str, value: re.Match[str]) -> tuple[int, int] | None:
    """Judge a value without quotation marks."""
    raw = value.group("bare")
    trimmed = raw.rstrip("*") if how in ("xml", "option") else raw.rstrip("*.,:;")
    start = value.start("bare")
    span = start, start + len(trimmed)
    if not trimmed or text[span[1] : span[1] + 1] in ("(", "[", "{") or not is_literal(trimmed, quoted=False):
        return None
    if is_strong(trimmed):
        return span
    if how in ("flag", "far"):
        return None
    if name.group() in ("pin", "pin code"):
        return span if trimmed.isdigit() and len(trimmed) in _PIN_DIGITS else None
    if not name.group("pw") or len(trimmed) < _FEWEST_CHARS:
        return None
    if how == "assign":
        return span if _plain_word_is_value(text, name, value, trimmed) else None
    if how == "option" and trimmed.isupper():
        return None
    return span if how in ("xml", "option") or trimmed.isdigit() else None


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
