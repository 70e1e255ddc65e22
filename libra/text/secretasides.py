"""Secrets that no "… is" announces: "use … as the API key", "log in with admin / …", "the safe opens with 4711".

The value stands before its name, behind a login, or behind a lock. A word has to look like a secret by itself, and
figures have to open something: "the shop opens at 1830" and "use utf8mb4 as the charset" stay as they are. Each pattern
is bounded and tried only where one of its fixed words stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import Final

from libra.text.literals import matches, places, windows
from libra.text.scripts import lower
from libra.text.secretformats import mark
from libra.text.secretvalues import is_literal, is_strong

_NAME: Final = (
    r"(?:(?:api|access|secret|licen[cs]e|signing|encryption|auth|bearer|bot|refresh)[ -]?(?:key|token)|token|passwords?|pass(?:phrase|code|wd)|passwort|kennwort|api[- ]?schlüssel"
    r"|mot de passe|clé (?:api|secrète)|contraseña|clave(?: api| secreta)?|mật khẩu|khóa api|pw)(?!\w)"
)
_CODE_NAME: Final = r"(?:pin(?:[- ]?code)?|(?:door|gate|alarm|safe|garage|entry|unlock|lock|access)[- ]?code|combination|(?:tür|tor|zugangs|alarm)code)(?!\w)"
_LOCK: Final = (
    r"(?:(?:safe|gate|door|garage|locker|phone|vault|padlock|lock|lockbox|box|suitcase|tablet|laptop|bike|keypad|entrance|building|alarm|card|shed|office|house|flat|cabinet"
    r"|tresor|tor|tür|haustür|schloss|handy|haus|koffer|büro|coffre|porte|portail|immeuble|cadenas|entrée|bureau|alarme|téléphone|carte"
    r"|caja(?: fuerte)?|puerta|portal|candado|edificio|garaje|alarma|móvil|oficina|tarjeta)(?!\w))"
)
_WORD_VALUE: Final = r"[\"'`“„«]?(?P<v>[^\s\"'`“”„«»<>]{6,200})[\"'`”“»]?"
_FIGURES: Final = r"(?P<pin>\d{4,8})(?![\w:/-]|[.,]\d)"
_THE: Final = r"(?:(?:the|your|my|our|this|a|an|der|die|das|dein|mein|unser|le|la|l['’]|mon|ma|ton|el|mi|tu|nuestra|nuestro)\s?){0,2}"

_ROWS: Final[tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]] = tuple(
    (tuple(starts), re.compile(pattern, re.IGNORECASE))
    for starts, pattern in (
        (
            ("pick ", "choose ", "put ", "wähle ", "choisis ", "elige ", "use ", "take ", "try ", "nimm ", "nutze ", "verwende ", "benutze ", "utilise", "prends ", "usa ", "pon ", "dùng ", "lấy "),
            rf"(?:use|take|try|pick|choose|put|nimm|wähle|choisis|elige|nutze|verwende|benutze|utilise[zr]?|prends|usa|pon|dùng|lấy)\s{_WORD_VALUE}\s(?:as|for|als|für|comme|pour|como|para|làm)\s{_THE}(?:[\w-]{{1,16}}\s){{0,2}}?(?:{_NAME}|{_CODE_NAME})",
        ),
        (("用",), r"用\s?(?P<v>[!-~]{6,200})\s?(?:作为|当作|当|做)\s?\S{0,4}?(?:密码|口令|密钥|令牌)"),
        (
            ("ssh ", "telnet ", "log", "sign", "melde", "anmeld", "einlogg", "connect", "entra", "inicia", "accede", "credential", "zugangsdaten", "identifiants", "credenciales"),
            r"(?:ssh|telnet|(?:log|sign)(?:ged|ging)?\s?(?:in|into|on)(?:to)?|login|melde\sdich|anmelden|einloggen|connecte[sz]?(?:-(?:toi|vous))?|entra|inicia\ssesión|accede|credentials?|zugangsdaten|identifiants|credenciales)"
            r"(?:\s[\w.'’-]{1,30}){0,5}?(?:\s(?:with|as|using|is|are|mit|als|avec|con|como|en|sind|sont|son)|\s?[:=])\s(?P<user>[\w.@+-]{2,40})(?:\s?[/|:]\s?|,?\s(?:and|und|et|y|with|mit|avec|con)\s)"
            + _WORD_VALUE,
        ),
        (
            ("set ", "change ", "reset ", "update ", "make ", "rotate ", "ändere ", "setz", "stell", "änder", "cambia ", "pon ", "mets ", "đổi "),
            rf"(?:set|change|reset|update|make|rotate|änder[en]?|setze?|stelle?|cambia|pon|mets|đổi)\s(?:[\w'’-]{{1,20}}\s){{0,4}}?{_NAME}(?:\s[\w-]{{1,16}}){{0,2}}?\s(?:(?:to|auf|zu|à|en|a|thành)\s)?:?{_WORD_VALUE}",
        ),
        (
            ("set ", "change ", "reset ", "make ", "ändere ", "setz", "stell", "cambia ", "pon ", "mets "),
            rf"(?:set|change|reset|make|ändere|setze?|stelle?|cambia|pon|mets)\s(?:[\w'’-]{{1,20}}\s){{0,4}}?{_CODE_NAME}\s(?:(?:to|auf|à|en|a)\s)?{_FIGURES}",
        ),
        (
            ("safe", "gate", "door", "garage", "lock", "phone", "vault", "pad", "box", "suitcase", "tablet", "laptop", "bike", "tresor", "tor ", "tür", "schloss", "handy", "coffre", "port", "cadenas", "caja", "puerta", "candado", "móvil", "alarm"),
            rf"{_LOCK}\s(?:opens?|unlocks?|is\sopened|is\sunlocked|disarms?|geht|öffnet(?:\ssich)?|s['’]ouvre|se\sabre|abre)\s(?:with|using|by|mit|avec|con)\s{_THE}(?:code\s|pin\s|zahl\s|numéro\s|número\s)?{_FIGURES}",
        ),
        (
            ("enter ", "punch in ", "type ", "key in ", "dial ", "gib ", "tape", "marca ", "compose "),
            rf"(?:enter|punch\sin|type(?:\sin)?|key\sin|dial|gib|tape[zr]?|marca|compose[zr]?)\s{_THE}{_FIGURES}[^.!?\n]{{0,30}}?(?<!\w){_LOCK}",
        ),
        (
            ("for the ", "at the ", "für ", "pour ", "para "),
            rf"(?:for|at|für|pour|para)\s{_THE}{_LOCK},?\s(?:enter|punch\sin|type(?:\sin)?|key\sin|dial|use|press|gib|tape[zr]?|marca|it['’]?s)\s{_THE}{_FIGURES}",
        ),
        (
            ("unlock", "door", "gate", "alarm", "garage", "safe", "entr", "lock", "bike", "locker", "tür", "tor", "haus", "zugang", "keypad"),
            rf"(?:unlock|door|gate|alarm|garage|safe|entry|entrance|lock|bike\slock|locker|keypad|tür|tor|haus|zugangs)[- ]?(?:code|combo|combination|pin)(?:['’]s|\sis)?\s{_FIGURES}",
        ),
        (("门", "保险", "手机", "支付", "银行", "解锁"), r"(?:门锁|门禁|保险箱|保险柜|手机|支付|银行卡|解锁)(?:密码|码)\s?[:：]?\s?(?P<pin>\d{4,8})(?!\d)"),
        (
            ("clave ", "code ", "código ", "combination ", "combo ", "kombination ", "combinaison "),
            rf"(?:code|código|clave|combination|combo|kombination|combinaison)\s(?:of|for|to|de|du|des|del|von|für|zum|vom)\s?{_THE}{_LOCK}[^.!?\n\d]{{0,3}}?\s?(?:is|est|es|ist|lautet|c['’]est|[:=])\s{_FIGURES}",
        ),
        (
            ("user", "benutzer", "utilisateur", "usuario"),
            rf"(?:user(?:name)?|benutzer(?:name)?|utilisateur|usuario)\s[\w@.+-]{{2,40}}\s?[,;/]\s?(?:pass|pw|pwd|password|passwort|mdp|clave)\s{_WORD_VALUE}",
        ),
        (
            ("safe", "gate", "door", "garage", "lock", "vault", "pad", "box", "alarm", "keypad", "tresor", "tür"),
            rf"{_LOCK}[^.!?\n\d]{{1,40}}?(?<!\w)(?:enter|type(?:\sin)?|key\sin|punch\sin|dial)\s{_FIGURES}",
        ),
        (("gib ", "tipp "), rf"(?:gib|tipp)\s[^.!?\n\d]{{0,30}}?(?<!\w){_LOCK}\s{_FIGURES}\sein(?!\w)"),
        (("登录", "登陆"), r"(?:登录|登陆)[^\n!-~]{0,8}\s?(?P<user>[\w@.-]{2,30})\s?(?:和|/|，|,)\s?(?P<v>[!-~]{6,200})"),
        (("鍵", "金庫", "玄関", "ドア", "ロッカー"), r"(?:鍵|金庫|玄関|ドア|ロッカー)の(?:番号|暗証番号|コード)は\s?(?P<pin>\d{4,8})(?!\d)"),
    )
)  # fmt: skip
_BEHIND: Final[tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]] = (
    (
        (" works as ", " serves as ", " is the ", " is our ", " is my ", " is your ", " ist das ", " ist unser", " ist mein", " est le ", " est mon ", " es la ", " es mi ", " là mật"),
        re.compile(rf"\s(?:is|works\sas|serves\sas|ist|est|es|là)\s{_THE}(?:[\w-]{{1,16}}\s){{0,3}}?(?:{_NAME}|(?P<code>{_CODE_NAME}))", re.IGNORECASE),
    ),
    (("をパスワード", " をパスワード", "是密码", "是我的密码"), re.compile(r"\s?(?:をパスワード|是(?:我的|我们的)?密码)")),
)  # fmt: skip
"""What stands behind a value that comes first: "… is the wifi password"."""
_FIGURE_ROWS: Final = tuple(row for row in _ROWS if "pin" in row[1].groupindex)
_WORD_ROWS: Final = tuple(row for row in _ROWS if "v" in row[1].groupindex)
_LONGEST: Final = 200
_MOST_PLACES: Final = 8_000
"""Places of fixed words that are looked at in one text; a megabyte of talk has fewer near a value."""
_EDGE: Final = ".,;:!?)]}\"'`”“»*"
_OPENS: Final = "\"'`“„«([*"
_SIGN: Final = re.compile(r"[A-Za-z][-_.]?(?:\d|[!@#$%^&*+=~|](?=\S))|[\d!@#$%^&*+=~|][-_.]?[A-Za-z]")
"""In each word that looks like a secret by itself."""
_FIGURE: Final = re.compile(r"\d{4}")
_BEFORE: Final = 200
_AFTER: Final = 170
"""How far before and behind a value its words may stand."""
_GAP: Final = "\n\0\n"
"""Between two stretches: no pattern goes over it."""
_PIN_DIGITS: Final = range(4, 9)


def cut_asides(text: str, kinds: dict[str, None]) -> str:
    """Cut the secrets of this module. Linear: each pattern is bounded from a fixed word on."""
    spans: set[tuple[int, int, str]] = set()
    for sign, rows, behind in ((_FIGURE, _FIGURE_ROWS, ()), (_SIGN, _WORD_ROWS, _BEHIND)):
        near, at, back = _gather(text, sign)
        low = lower(near)
        found = [
            span
            for read, table in ((_told, rows), (_before, behind))
            for starts, pattern in table
            for match in matches(pattern, near, places(low, starts)[:_MOST_PLACES])
            for span in read(match)
        ]
        for start, end, kind in found:
            moved = back[bisect_right(at, start) - 1] - at[bisect_right(at, start) - 1]
            spans.add((start + moved, end + moved, kind))
    return _without(text, sorted(spans), kinds) if spans else text


def _gather(text: str, sign: re.Pattern[str]) -> tuple[str, list[int], list[int]]:
    """Return the stretches of a text around what could be a value as one text, and where each begins in it and in the text.

    Ordinary talk has few words with signs or figures in them, so that nearly all of it is never looked at.
    """
    found = [match.start() for match in islice(sign.finditer(text), len(text) // _BEFORE + 1)]
    if len(found) * _BEFORE > len(text):
        return text, [0], [0]
    pieces: list[str] = []
    at: list[int] = []
    back: list[int] = []
    length = 0
    for start, end in windows(found, _BEFORE, _AFTER):
        at.append(length)
        back.append(start)
        pieces.append(text[start : min(end, len(text))])
        length += len(pieces[-1]) + len(_GAP)
    return _GAP.join(pieces), at or [0], back or [0]


def _told(match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the span and the kind of the secret that a match holds, if it is one."""
    groups = match.groupdict()
    if groups.get("pin"):
        yield (*match.span("pin"), "pin")
    elif groups.get("v"):
        value = match.group("v").rstrip(_EDGE)
        if is_strong(value) and is_literal(value, quoted=False):
            yield match.start("v"), match.start("v") + len(value), "password"


def _before(match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the span and the kind of the word right before a match, if it is a secret."""
    head = match.string[max(0, match.start() - _LONGEST) : match.start()]
    words = head.split()
    if not words or head[-1:].isspace():
        return
    word = words[-1]
    bare = word.lstrip(_OPENS)
    value = bare.rstrip(_EDGE)
    start = match.start() - len(bare)
    figures = value.isdigit() and len(value) in _PIN_DIGITS and bool(match.groupdict().get("code"))
    if figures or (is_strong(value) and is_literal(value, quoted=False)):
        yield start, start + len(value), "pin" if figures else "password"


def _without(text: str, spans: list[tuple[int, int, str]], kinds: dict[str, None]) -> str:
    """Return the text with marks in place of the spans (sorted); of overlapping ones the first counts."""
    pieces: list[str] = []
    at = 0
    for start, end, kind in spans:
        if start < at:
            continue
        kinds.setdefault(kind, None)
        pieces += [text[at:start], mark(kind)]
        at = end
    return "".join([*pieces, text[at:]])
