"""Secrets whose format is certain: keys with a prefix, PEM blocks, card numbers that pass Luhn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from libra.text.literals import matches, places
from libra.text.scripts import lower


def mark(kind: str) -> str:
    """Return what stands in the place of a secret."""
    return f"[redacted:{kind}]"


@dataclass(frozen=True, slots=True)
class Format:
    """A certain format.

    Attributes:
        kind: What it is called in the mark.
        starts: With one of these every match begins (lower case where the pattern ignores case).
        pattern: The group ``v``, or else the whole match, is the secret.
        folded: True if the pattern ignores case.
        needs: Without one of these in the text (lower case) nothing is looked for.
        back: How many characters before its start a match begins.
    """

    kind: str
    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    folded: bool = False
    needs: tuple[str, ...] = ()
    back: int = 0

    def matches(self, text: str, low: str) -> Iterator[re.Match[str]]:
        """Return the matches in ``text``, whose lower case is ``low``."""
        if self.needs and not any(word in low for word in self.needs):
            return iter(())
        if not self.starts:
            return self.pattern.finditer(text)
        where = places(low if self.folded else text, self.starts, back=self.back)
        return matches(self.pattern, text, where)


def _row(
    kind: str, starts: str, pattern: str, *, folded: bool = False, needs: str = "", back: int = 0
) -> Format:
    """Return a row of the table of certain formats; starts and needs are lists with blanks between them."""
    compiled = re.compile(pattern, re.IGNORECASE if folded else 0)
    return Format(kind, tuple(starts.split()), compiled, folded, tuple(needs.split()), back)


_B: Final = r"(?<![A-Za-z0-9_])"
_E: Final = r"(?![A-Za-z0-9_-])"

CERTAIN: Final = (
    _row(
        "url_password",
        "://",
        r"://(?:[^\s/:@\"'<>\[\]]{0,120}):(?P<v>[^\s/\"'<>\[\]]{1,200})(?=@[\w.\[${-])",
    ),
    _row(
        "aws_key",
        "AKIA ASIA AGPA AIDA AROA ANPA ANVA",
        _B + r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z2-7]{16}" + _E,
    ),
    _row(
        "github_token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _B + r"(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    _row(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glsoat- glft- glagent-",
        _B + r"gl(?:pat|dt|rt|cbt|ptt|soat|ft|agent)-[A-Za-z0-9_-]{20,128}",
    ),
    _row(
        "slack_token",
        "xox xapp-",
        _B + r"(?:xox[abeoprs](?:\.xox[abeoprs])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250})",
    ),
    _row(
        "slack_webhook",
        "https://hooks.slack",
        r"https://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}",
    ),
    _row(
        "discord_webhook",
        "https://",
        r"https://(?:[a-z]{1,30}\.)?discord(?:app)?\.com/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,120}",
        needs="/api/webhooks/",
    ),
    _row(
        "stripe_key",
        "sk_ rk_ pk_ whsec_",
        _B + r"(?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{20,100})",
    ),
    _row("api_key", "sk-", _B + r"sk-[A-Za-z0-9_-]{15,250}[A-Za-z0-9]"),
    _row(
        "google_key",
        "AIza GOCSPX- ya29.",
        _B + r"(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_-]{20,500})",
    ),
    _row(
        "jwt", "eyJ", _B + r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"
    ),
    _row(
        "signature",
        "api access_token= auth_token= sig x-amz-s",
        r"(?<=[?&])(?:api_?key|access_token|auth_token|apikey|sig|signature|X-Amz-Signature|X-Amz-Security-Token)=(?P<v>[A-Za-z0-9%+/=._~-]{16,2000})",
        folded=True,
        needs="?api ?access ?auth ?sig ?x-amz &api &access &auth &sig &x-amz",
    ),
    _row(
        "azure_key",
        "accountkey= sharedaccesskey= sharedsecretvalue= accesskey=",
        r"(?:AccountKey|SharedAccessKey|SharedSecretValue|AccessKey)=(?P<v>[A-Za-z0-9+/]{40,90}={0,2})",
        folded=True,
    ),
    _row("wireguard_key", "PrivateKey", r"\bPrivateKey\s?=\s?(?P<v>[A-Za-z0-9+/]{43}=)"),
    _row(
        "cookie",
        "set-cookie: cookie:",
        r"\b(?:set-)?cookie:\s{0,4}(?P<v>[^\s=;]{1,80}=[^\s;\"']{8,4000}(?:;\s?[^\s=;]{1,80}=[^\s;\"']{1,4000}){0,30})",
        folded=True,
    ),
    _row(
        "telegram_token",
        "",
        r"(?<![A-Za-z0-9_])\d{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])",
        needs=":aa",
    ),
    _row(
        "bearer",
        "bearer authorization",
        r"(?:\bbearer\s{1,4}|authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer|basic|token|digest|apikey|negotiate)\s{1,4}[\"']?)"
        r"(?P<v>(?=[A-Za-z._~+/-]{0,60}[0-9=+/])[A-Za-z0-9._~+/-]{12,4000}={0,3})",
        folded=True,
    ),
    _row(
        "private_key",
        "Private-Lines:",
        r"Private-Lines: \d{1,4}(?P<v>(?:\r?\n[A-Za-z0-9+/=]{16,80}){1,200})",
    ),
    _row(
        "password",
        "-u --user --proxy-user",
        r"(?:\s-u|\s--user|\s--proxy-user)[ =][\"']?[\w.@+-]{1,80}:(?P<v>[^\s\"']{3,120})",
        needs="curl wget http",
        back=1,
    ),
    _row(
        "password",
        "mysql mariadb",
        r"\b(?:mysql\w{0,8}|mariadb\w{0,8})\b[^\n|;&]{0,60}?\s-p(?P<v>[^\s\"'=-][^\s\"']{2,80})",
    ),
    _row(
        "password",
        "sshpass redis-cli",
        r"\b(?:sshpass\s+-p|redis-cli\b[^\n|;&]{0,120}?\s-a)\s?[\"']?(?P<v>[^\s\"'-][^\s\"']{2,80})",
    ),
    _row(
        "password",
        "key= name=",
        r"(?:key|name)=[\"'][\w.-]{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key)[\"']\s{1,4}value=[\"'](?P<v>[^\"'\n]{3,200})[\"']",
        folded=True,
        needs="value",
    ),
    _row(
        "national_id",
        "",
        r"\d(?<![\w-]\d)(?<!9)\d\d(?<!000)(?<!666)-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])",
        needs="-",
    ),
)

_PEM: Final = re.compile(
    r"-{3,5}\s?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|PGP PRIVATE KEY BLOCK)\s?-{3,5}"
)
_PEM_BODY: Final = re.compile(
    r"(?:[A-Za-z0-9+/=]{16,}|Proc-Type:[^\n]*|DEK-Info:[^\n]*|\\[nr]|[\s>|\"']){1,4000}"
)


def cut_private_keys(text: str, kinds: dict[str, None]) -> str:
    r"""Cut private key blocks, also on one line with ``\n`` escapes and without an end."""
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
        pieces.append(text[at : match.start()] + mark("private_key"))
        kinds.setdefault("private_key", None)
        at = stop
    pieces.append(text[at:])
    return "".join(pieces)


_CARD: Final = re.compile(r"(?<![\w.,/-])[2-6](?:[ -]?\d){12,18}(?![\w-]|[.,]\d)")
_NETWORK: Final = re.compile(
    r"(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|62\d{14,17})\Z"
)
"""Visa, Mastercard, American Express, Discover, JCB, Diners Club, UnionPay."""
_LUHN_DOUBLE: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_CN_ID: Final = re.compile(
    r"(?<![\w-])[1-8]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\w-])"
)
_CN_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")
_IBAN_CHARS: Final = {
    country: int(length)
    for length, countries in (
        pair.split(":")
        for pair in "15:NO 16:BE 18:DK,FI,NL 19:MK,SI 20:AT,BA,EE,LT,LU,XK 21:CH,HR,LI,LV 22:BG,DE,GB,GE,IE,ME,RS 23:AE,GI,IL"
        " 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN 25:PT 26:IS,TR 27:FR,GR,IT,MC,SM 28:AL,AZ,CY,HU,LB,PL 29:BR,EG,QA,UA 30:JO,KW 31:MT".split()
    )
    for country in countries.split(",")
}
"""Characters of an account number by country. Source: the IBAN registry (ISO 13616)."""
_CCCD: Final = re.compile(
    r"(?i:CCCD|CMND|căn cước(?: công dân)?|chứng minh (?:nhân dân|thư))[^\d\n]{0,20}(?P<v>\d{12}|\d{9})(?!\d)"
)
_CCCD_NAMES: Final = ("cccd", "cmnd", "căn cước", "chứng minh")
"""Vietnamese identity numbers have no check digit: only where their name announces one."""


def cut_cards(text: str, kinds: dict[str, None]) -> str:
    """Cut numbers of cards, accounts and persons: each must pass its check digits or be announced by name."""

    def card(match: re.Match[str]) -> str:
        return _swap(match, "card", kinds, _is_card)

    def person(match: re.Match[str]) -> str:
        return _swap(match, "national_id", kinds, _is_cn_id)

    def account(match: re.Match[str]) -> str:
        raw = _iban_of(match.group())
        if not raw:
            return match.group()
        kinds.setdefault("iban", None)
        return mark("iban") + match.group()[len(raw) :]

    def announced(match: re.Match[str]) -> str:
        kinds.setdefault("national_id", None)
        return match.group()[: match.start("v") - match.start()] + mark("national_id")

    return _CARD.sub(card, _CN_ID.sub(person, _IBAN.sub(account, _announced(text, announced))))


def _announced(text: str, swap: Callable[[re.Match[str]], str]) -> str:
    """Return ``text`` with the numbers swapped that their name announces."""
    low = lower(text)
    return _CCCD.sub(swap, text) if any(name in low for name in _CCCD_NAMES) else text


def _swap(match: re.Match[str], kind: str, kinds: dict[str, None], test: Callable[[str], bool]) -> str:
    """Return the mark if the digits pass ``test``, else the match."""
    if not test(match.group()):
        return match.group()
    kinds.setdefault(kind, None)
    return mark(kind)


def _is_card(raw: str) -> bool:
    """Return True for a number of a card network's length and prefix with a correct Luhn digit."""
    digits = raw.replace(" ", "").replace("-", "")
    if not digits.isascii():
        digits = "".join(str(int(ch)) for ch in digits)
    if len(set(digits)) == 1 or _NETWORK.match(digits) is None:
        return False
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(map(int, odd)) + sum(_LUHN_DOUBLE[int(d)] for d in even)) % 10 == 0


def _is_cn_id(raw: str) -> bool:
    """Return True if the last character is the ISO 7064 check of the first seventeen digits."""
    total = sum(int(d) * w for d, w in zip(raw[:17], _CN_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == raw[-1].upper()


def _iban_of(run: str) -> str:
    """Return the account number at the start of ``run``, or "" if there is none.

    It has its country's length, ends where its word ends, and leaves 1 modulo 97 when its first four characters
    are moved behind the others (ISO 13616).
    """
    length = _IBAN_CHARS.get(run[:2], 0)
    seen = [i for i, ch in enumerate(run) if ch != " "]
    if not length or len(seen) < length:
        return ""
    raw = run[: seen[length - 1] + 1]
    if run[len(raw) : len(raw) + 1].strip():
        return ""
    plain = raw.replace(" ", "")
    return raw if int("".join(str(int(ch, 36)) for ch in plain[4:] + plain[:4])) % 97 == 1 else ""
