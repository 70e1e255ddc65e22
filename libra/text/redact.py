"""Secrets out of a text before anything is stored: ``[redacted:<kind>]`` stands in their place.

Three nets: formats that are certain (a PEM block, ``ghp_…``), assignments (``password=…`` in code, JSON,
YAML, shells), and prose ("the API key is …"). The last two look at the value as well as at the name, so
that "the password is required" and ``api_key = os.environ["KEY"]`` stay as they are (lessons.md C79).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from libra.text.secretvalues import is_literal, is_strong

_ROUNDS: Final = 4
"""A cut may bring a name and a value together; after this many rounds nothing new was ever found."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets.

    Attributes:
        text: The text with ``[redacted:<kind>]`` where a secret stood.
        kinds: Which kinds were found, distinct, in order.
    """

    text: str
    kinds: tuple[str, ...]


def redact(text: str) -> Redaction:
    """Return ``text`` without secrets. Idempotent, linear in the length of the text."""
    kinds: dict[str, None] = {}
    for _ in range(_ROUNDS):
        before = text
        text = _pem(text, kinds)
        for kind, hint, pattern in _CERTAIN:
            if hint.search(text):
                text = _cut(text, pattern, kind, kinds)
        text = _assignments(text, kinds)
        text = _cards(text, kinds)
        if text == before:
            break
    return Redaction(text, tuple(kinds))


def _mark(kind: str) -> str:
    """Return what stands in the place of a secret."""
    return f"[redacted:{kind}]"


def _cut(text: str, pattern: re.Pattern[str], kind: str, kinds: dict[str, None]) -> str:
    """Replace the group ``v`` (or the whole match) of every match that is no placeholder."""

    def swap(match: re.Match[str]) -> str:
        whole, start, end = match.group(), match.start(), match.end()
        if "v" in match.re.groupindex:
            if not is_literal(match.group("v"), quoted=True):
                return whole
            start, end = match.span("v")
        kinds.setdefault(kind, None)
        return text[match.start() : start] + _mark(kind) + text[end : match.end()]

    return pattern.sub(swap, text)


def _row(kind: str, hint: str, pattern: str, flags: int = 0) -> tuple[str, re.Pattern[str], re.Pattern[str]]:
    """Return a row of the table of certain formats."""
    return kind, re.compile(hint, flags), re.compile(pattern, flags)


_B: Final = r"(?<![A-Za-z0-9_])"
_E: Final = r"(?![A-Za-z0-9_-])"

_CERTAIN: Final = (
    _row("url_password", "://", r"(?<=://)(?:[^\s/:@\"'<>\[\]]{0,120}):(?P<v>[^\s/\"'<>\[\]]{1,200})(?=@[\w.\[${-])"),
    _row("aws_key", "A[KS]IA", _B + r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z2-7]{16}" + _E),
    _row("github_token", "gh[pousr]_|github_pat_", _B + r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    _row("gitlab_token", "gl[a-z]{2,8}-", _B + r"gl(?:pat|dt|rt|cbt|ptt|soat|ft|agent)-[A-Za-z0-9_-]{20,128}"),
    _row("slack_token", "xox|xapp-", _B + r"(?:xox[abeoprs](?:\.xox[abeoprs])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250})"),
    _row("slack_webhook", "hooks.slack", r"https://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}"),
    _row("discord_webhook", "/api/webhooks/", r"https://(?:[a-z]+\.)?discord(?:app)?\.com/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,120}"),
    _row("stripe_key", "[srp]k_|whsec_", _B + r"(?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{20,100})"),
    _row("api_key", "sk-", _B + r"sk-[A-Za-z0-9_-]{15,250}[A-Za-z0-9]"),
    _row("google_key", "AIza|GOCSPX-|ya29", _B + r"(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_-]{20,500})"),
    _row("jwt", "eyJ", _B + r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"),
    _row(
        "token",
        "hf_|npm_|pypi-|dop_v1|doo_v1|SG\\.|shpat_|shpss_|lin_api_|glc_|r8_|dckr_pat_|tskey-|gsk_|xai-|pplx-|nvapi-|sntrys_|figd_|sbp_|rubygems_|AGE-SECRET|vercel_|PMAK-|NRAK-|hvs\\.",
        _B
        + r"(?:hf_[A-Za-z0-9]{30,60}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250}|do[opr]_v1_[a-f0-9]{64}"
        r"|SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}|shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}|lin_api_[A-Za-z0-9]{32,64}"
        r"|glc_[A-Za-z0-9+/=]{32,400}|r8_[A-Za-z0-9]{30,50}|dckr_pat_[A-Za-z0-9_-]{20,64}|tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,80}"
        r"|gsk_[A-Za-z0-9]{40,64}|xai-[A-Za-z0-9]{60,100}|pplx-[A-Za-z0-9]{40,64}|nvapi-[A-Za-z0-9_-]{50,90}|sntrys_[A-Za-z0-9+/=_]{40,400}"
        r"|figd_[A-Za-z0-9_-]{36,64}|sbp_[a-f0-9]{40}|rubygems_[a-f0-9]{48}|AGE-SECRET-KEY-1[A-Z0-9]{58}|vercel_[A-Za-z0-9]{24,64}"
        r"|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|NRAK-[A-Z0-9]{27}|hv[sbr]\.[A-Za-z0-9_-]{24,200})",
    ),
    _row("telegram_token", r"\d:AA", r"(?<![A-Za-z0-9_])\d{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])"),
    _row(
        "bearer",
        "(?i)bearer|basic|authorization",
        r"(?:\bbearer\s{1,4}|authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer|basic|token|digest|apikey|negotiate)\s{1,4}[\"']?)"
        r"(?P<v>(?=[A-Za-z._~+/-]{0,60}[0-9=+/])[A-Za-z0-9._~+/-]{12,4000}={0,3})",
        re.IGNORECASE,
    ),
    _row("private_key", "PuTTY|Private-Lines", r"Private-Lines: \d{1,4}(?P<v>(?:\r?\n[A-Za-z0-9+/=]{16,80}){1,200})"),
    _row("password", r"curl|wget|http", r"(?:\s-u|\s--user|\s--proxy-user)[ =][\"']?[\w.@+-]{1,80}:(?P<v>[^\s\"']{3,120})"),
    _row("password", r"mysql|mariadb|sshpass|redis-cli", r"\b(?:mysql\w{0,8}|mariadb\w{0,8})\b[^\n|;&]{0,200}?\s-p(?P<v>[^\s\"'=-][^\s\"']{2,80})"),
    _row("password", r"sshpass|redis-cli", r"\b(?:sshpass\s+-p|redis-cli\b[^\n|;&]{0,120}?\s-a)\s?[\"']?(?P<v>[^\s\"'-][^\s\"']{2,80})"),
    _row("national_id", r"\d-\d{2}-\d", r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"),
)

_PEM: Final = re.compile(r"-{3,5}\s?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|PGP PRIVATE KEY BLOCK)\s?-{3,5}")
_PEM_BODY: Final = re.compile(r"(?:[A-Za-z0-9+/=]{16,}|Proc-Type:[^\n]*|DEK-Info:[^\n]*|\\[nr]|[\s>|\"']){1,4000}")


def _pem(text: str, kinds: dict[str, None]) -> str:
    """Cut private key blocks, also on one line with ``\\n`` escapes and without an end."""
    if "PRIVATE KEY" not in text:
        return text
    pieces: list[str] = []
    at = 0
    ends = True
    for match in _PEM.finditer(text):
        if match.start() < at:
            continue
        end = text.find("END " + match.group(1), match.end()) if ends else -1
        ends = ends and end >= 0
        if end >= 0:
            stop = end + 4 + len(match.group(1))
            while stop < len(text) and text[stop] in " -" and stop < end + 60:
                stop += 1
        else:
            body = _PEM_BODY.match(text, match.end())
            stop = body.end() if body else match.end()
            while stop > match.end() and text[stop - 1].isspace():
                stop -= 1
        pieces.append(text[at : match.start()] + _mark("private_key"))
        kinds.setdefault("private_key", None)
        at = stop
    pieces.append(text[at:])
    return "".join(pieces)


_PASSWORD: Final = r"pass(?:word|wd|phrase|code)|pwd|mật khẩu|mat khau|密码|密碼|口令|비밀번호|パスワード|contraseña|mot de passe|passwort"
_KEY: Final = (
    r"(?:api|access|secret|private|signing|encryption|auth|master|service|account|shared|storage|app|client|license|deploy|admin|encrypt|webhook)[ _.-]?keys?"
    r"|secret[ _-]?key[ _-]?base|(?:client|app|shared|webhook|signing|jwt|session|cookie|consumer|oauth|api)[ _-]?secret|secret"
    r"|(?:access|auth|api|bearer|refresh|bot|session|id|personal access|deploy|oauth|csrf|security)[ _-]?token|token"
    r"|密钥|金鑰|令牌|khóa api|mã bí mật|credentials?|recovery code|seed phrase|pin code|pin"
)
_NAME: Final = re.compile(rf"(?P<pw>{_PASSWORD})|(?P<key>{_KEY})", re.IGNORECASE)
_GLUE: Final = re.compile(
    r"(?P<quote>\\?[\"'`*]{0,3})(?:\s{0,3}\((?:[^()\n]{0,40})\))?"
    r"(?:(?P<assign>\s{0,8}(?::=|=>|==?|:(?!:)|：)\s{0,8})"
    r"|(?P<xml>>)"
    r"|(?P<prose>\s{1,3}(?:is|was|are|will be|becomes|equals|has been set to|is set to|was set to|is now|is still|set to|changed to|now is|reads|là|la|=|est|es|ist)(?:\s{1,3}(?:now|still|currently|this|just|simply|also|the following))?\s{0,2}:?\s{1,3}|\s{0,2}(?:是|为|為|改成|改为|设为|设置为)\s{0,2}[:：]?\s{0,2})"
    r"|(?P<flag>\s{1,3}(?=[^\s-])))"
)
_VALUE: Final = re.compile(
    r"(?P<q>\\?[\"'`]|“|‘|「|\*\*)(?P<inner>[^\"'`\n“”‘’「」]{1,512}?)(?:\\?[\"'`]|”|’|」|\*\*)(?P<after>[ \t]?[:(\[.]?)"
    r"|(?P<bare>[^\s\"'`<>，。；、）)\],;}|&\\]{1,512}(?:[&|;][^\s\"'`<>，。；、）)\],;}|&=\\]{1,512}(?!\s*=))*)"
)


def _assignments(text: str, kinds: dict[str, None]) -> str:
    """Cut values that a name calls secret: assignments, flags, tags, and sentences."""
    pieces: list[str] = []
    at = 0
    for name in _NAME.finditer(text):
        if name.start() < at:
            continue
        found = _value_after(text, name)
        if found is None:
            continue
        start, end = found
        kind = "password" if name.group("pw") else "secret"
        pieces.append(text[at:start] + _mark(kind))
        kinds.setdefault(kind, None)
        at = end
    if not pieces:
        return text
    pieces.append(text[at:])
    return "".join(pieces)


def _value_after(text: str, name: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of the secret value that ``name`` announces, or None."""
    before = text[name.start() - 1] if name.start() else " "
    ascii_name = name.group()[0].isascii()
    if ascii_name and before.isalpha() and not (name.group()[0].isupper() and before.islower()):
        return None
    end = name.end()
    if ascii_name and text[end : end + 1].isalnum():
        return None
    glue = _GLUE.match(text, end)
    if glue is None:
        return None
    value = _VALUE.match(text, glue.end())
    if value is None:
        return None
    how = glue.lastgroup or ""
    if how == "flag" and before == "-":
        how = "option"
    if value.group("inner") is not None:
        return _quoted(name, how, value)
    return _bare(text, name, how, value, before)


def _quoted(name: re.Match[str], how: str, value: re.Match[str]) -> tuple[int, int] | None:
    """Judge a value in quotation marks."""
    inner = value.group("inner")
    if value.group("after").strip() == ":" or not is_literal(inner, quoted=True):
        return None
    if how == "flag":
        return value.span("inner") if is_strong(inner) else None
    words = inner.split()
    if len(words) > 1:
        phrase = name.group().lower() in ("passphrase", "seed phrase")
        return value.span("inner") if phrase or (len(words) == 2 and is_strong(inner)) else None
    if name.group("pw") and len(inner) >= 4:
        return value.span("inner")
    return value.span("inner") if is_strong(inner) else None


def _bare(
    text: str, name: re.Match[str], how: str, value: re.Match[str], before: str
) -> tuple[int, int] | None:
    """Judge a value without quotation marks."""
    raw = value.group("bare")
    start = value.start("bare")
    trimmed = raw.rstrip(".:*_") if how == "prose" else raw.rstrip("*")
    if how in ("prose", "flag", "assign"):
        trimmed = trimmed.rstrip(".,:;")
    span = start, start + len(trimmed)
    if not trimmed or not is_literal(trimmed, quoted=False):
        return None
    if text[span[1] : span[1] + 1] in ("(", "[", "{"):
        return None
    if is_strong(trimmed):
        return span
    if name.group().lower() in ("pin", "pin code") and how in ("prose", "assign") and trimmed.isdigit():
        return span if 4 <= len(trimmed) <= 8 else None
    if not name.group("pw"):
        return None
    if how == "xml" or how == "option":
        return span if len(trimmed) >= 4 else None
    if how == "assign":
        return span if _plain_word_is_value(text, name, value, trimmed) else None
    return span if how == "prose" and trimmed.isdigit() and len(trimmed) >= 4 else None


def _plain_word_is_value(text: str, name: re.Match[str], value: re.Match[str], word: str) -> bool:
    """Return True if a plain word after ``PASSWORD=`` or ``password: `` alone on its line is the value."""
    if len(word) < 4:
        return False
    between = text[name.end() : value.start()]
    line_start = text.rfind("\n", max(0, name.start() - 120), name.start()) + 1
    head = text[line_start : name.start()]
    line_end = text.find("\n", value.end(), value.end() + 2)
    alone = line_end >= 0 or not text[value.end() : value.end() + 1].strip()
    rest = text[value.end() : value.end() + 40].split("\n", 1)[0].strip()
    if between == "=":
        return name.group().isupper() or word.isdigit() or (not re.fullmatch(r"[A-Za-z_]\w*", word))
    return alone and not rest and re.fullmatch(r"[\s\w.-]{0,40}", head) is not None and word.islower() and ":" in between


_CARD: Final = re.compile(r"(?<![\w.,:/-])[2-6](?:[ -]?\d){12,18}(?![\w-]|[.,]\d)")
_LUHN_DOUBLE: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_CN_ID: Final = re.compile(r"(?<![\w-])[1-8]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\w-])")
_CN_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _cards(text: str, kinds: dict[str, None]) -> str:
    """Cut card numbers that pass Luhn and Chinese identity numbers whose check digit fits."""

    def card(match: re.Match[str]) -> str:
        return _swap(match, "card", kinds, _is_card)

    def person(match: re.Match[str]) -> str:
        return _swap(match, "national_id", kinds, _is_cn_id)

    return _CARD.sub(card, _CN_ID.sub(person, text))


def _swap(match: re.Match[str], kind: str, kinds: dict[str, None], test: Callable[[str], bool]) -> str:
    """Return the mark if the digits pass ``test``, else the match."""
    if not test(match.group()):
        return match.group()
    kinds.setdefault(kind, None)
    return _mark(kind)


def _is_card(raw: str) -> bool:
    """Return True for a number of a card network's length and prefix with a correct Luhn digit."""
    digits = [int(ch) for ch in raw if ch.isdigit()]
    lengths = {"3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "6": (16, 17, 18, 19), "2": (16,)}
    if len(digits) not in lengths[str(digits[0])] or len(set(digits)) < 3:
        return False
    odd = digits[-1::-2]
    even = [_LUHN_DOUBLE[d] for d in digits[-2::-2]]
    return (sum(odd) + sum(even)) % 10 == 0


def _is_cn_id(raw: str) -> bool:
    """Return True if the last character is the ISO 7064 check of the first seventeen digits."""
    total = sum(int(d) * w for d, w in zip(raw[:17], _CN_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == raw[-1].upper()
