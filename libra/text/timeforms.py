"""Relative dates in seven languages: rows of words, and how far they lie from the day on which they are said.

"yesterday", "vor zwei Wochen", "下周五", "tuần sau": each row gives a span of days for the speaker's own day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

Span = tuple[date, date]
"""First day and the day after the last."""
Row = tuple[re.Pattern[str], Callable[[re.Match[str], date], "Span | None"]]

_NUMBER_WORDS: Final = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer einen un une una uno một 一",
            "two couple zwei deux dos hai 二 两",
            "three few drei trois tres ba 三",
            "four vier quatre cuatro bốn 四",
            "five fünf cinq cinco năm 五",
            "six sechs seis sáu 六",
            "seven sieben sept siete bảy 七",
            "eight acht huit ocho tám 八",
            "nine neun neuf nueve chín 九",
            "ten zehn dix diez mười 十",
            "eleven elf onze once",
            "twelve zwölf douze doce",
        ),
        1,
    )
    for word in words.split()
}
_N: Final = (
    r"(?P<n>\d{1,3}|"
    + "|".join(
        sorted((w for w in _NUMBER_WORDS if w.isalpha() and ord(w[0]) < 0x3000), key=len, reverse=True)
    )
    + ")"
)
_N_CJK: Final = r"(?P<n>\d{1,3}|[一二两三四五六七八九十])"
_UNITS: Final = {
    "day": "day days tag tage tagen jour jours día días ngày 天 日",
    "week": "week weeks woche wochen semaine semaines semana semanas tuần 周 星期 个星期 週間 礼拜",
    "month": "month months monat monate monaten mois mes meses tháng 月 个月 か月 ヶ月 カ月",
    "year": "year years jahr jahre jahren an ans année années año años năm 年",
}
_UNIT_OF: Final = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_U: Final = (
    r"(?P<u>" + "|".join(sorted((w for w in _UNIT_OF if ord(w[0]) < 0x3000), key=len, reverse=True)) + r")"
)
_U_CJK: Final = r"(?P<u>个星期|星期|週間|个月|か月|ヶ月|カ月|礼拜|天|日|周|年)"
_WEEKDAYS: Final = {
    word: day
    for day, words in enumerate(
        (
            "monday montag lundi lunes 一 月 hai",
            "tuesday dienstag mardi martes 二 火 ba",
            "wednesday mittwoch mercredi miércoles 三 水 tư",
            "thursday donnerstag jeudi jueves 四 木 năm",
            "friday freitag vendredi viernes 五 金 sáu",
            "saturday samstag samedi sábado 六 土 bảy",
            "sunday sonntag dimanche domingo 日 天 nhật",
        )
    )
    for word in words.split()
}
_W: Final = (
    r"(?P<w>" + "|".join(w for w in _WEEKDAYS if len(w) > 4 and w.isalpha()) + r"|lundi|mardi|jeudi|lunes)"
)


def day_span(day: date) -> Span:
    """Return one day."""
    return day, day + timedelta(days=1)


def week_span(day: date) -> Span:
    """Return the week of a day, Monday first."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=7)


def month_span(today: date, ahead: int) -> Span:
    """Return the month that lies so many months ahead, negative for back."""
    index = today.year * 12 + today.month - 1 + ahead
    first = date(index // 12, index % 12 + 1, 1)
    return first, date((index + 1) // 12, (index + 1) % 12 + 1, 1)


def unit_span(today: date, unit: str, ahead: int) -> Span:
    """Return the day, week, month or year that lies so many units ahead, negative for back."""
    if unit == "day":
        return day_span(today + timedelta(days=ahead))
    if unit == "week":
        return week_span(today + timedelta(days=7 * ahead))
    if unit == "month":
        return month_span(today, ahead)
    return date(today.year + ahead, 1, 1), date(today.year + ahead + 1, 1, 1)


def _row(pattern: str, reader: Callable[[re.Match[str], date], Span | None]) -> Row:
    return re.compile(pattern, re.IGNORECASE), reader


def _days(pattern: str, offset: int) -> Row:
    return _row(pattern, lambda _m, today: day_span(today + timedelta(days=offset)))


def _units(pattern: str, unit: str, ahead: int) -> Row:
    return _row(pattern, lambda _m, today: unit_span(today, unit, ahead))


def _counted(pattern: str, sign: int) -> Row:
    def read(match: re.Match[str], today: date) -> Span | None:
        word = match["n"].lower()
        count = int(word) if word.isdecimal() else _NUMBER_WORDS[word]
        return unit_span(today, _UNIT_OF[match["u"].lower()], sign * count)

    return _row(pattern, read)


def _weekday(pattern: str, sign: int) -> Row:
    """A weekday before (-1) or after (1) the day on which it is said."""

    def read(match: re.Match[str], today: date) -> Span | None:
        away = (_WEEKDAYS[match["w"].lower()] - today.weekday()) % 7
        return day_span(today + timedelta(days=(away or 7) if sign > 0 else away - 7))

    return _row(pattern, read)


def _weekday_of(pattern: str, weeks: int) -> Row:
    """A weekday of the week that lies so many weeks ahead ("下周五", "thứ sáu tuần trước")."""

    def read(match: re.Match[str], today: date) -> Span | None:
        monday = week_span(today + timedelta(days=7 * weeks))[0]
        return day_span(monday + timedelta(days=_WEEKDAYS[match["w"].lower()]))

    return _row(pattern, read)


_ZH_W: Final = r"(?:周|星期|礼拜)(?P<w>[一二三四五六日天])"
_JA_W: Final = r"の?(?P<w>[月火水木金土日])曜日?"

MORE: Final[tuple[Row, ...]] = (
    _weekday_of(r"上个?" + _ZH_W, -1),
    _weekday_of(r"下个?" + _ZH_W, 1),
    _weekday_of(r"先週" + _JA_W, -1),
    _weekday_of(r"来週" + _JA_W, 1),
    _weekday_of(r"\bthứ (?P<w>hai|ba|tư|năm|sáu|bảy) tuần (?:trước|rồi)\b", -1),
    _weekday_of(r"\bthứ (?P<w>hai|ba|tư|năm|sáu|bảy) tuần (?:sau|tới)\b", 1),
    _weekday(r"\bthứ (?P<w>hai|ba|tư|năm|sáu|bảy) tới\b", 1),
    _weekday(rf"\b(?:letzten|vergangenen|vorigen|el pasado) {_W}\b", -1),
    _weekday(rf"\b(?:nächsten|kommenden|el próximo) {_W}\b", 1),
    _weekday(rf"\b{_W} (?:dernier|pasado)\b", -1),
    _weekday(rf"\b{_W} (?:prochain|que viene)\b", 1),
    _counted(rf"\b(?:in|dans|dentro de|en) (?:about |etwa |environ |unos? )?(?:a )?{_N} (?:of )?{_U}\b", 1),
    _counted(rf"\b{_N} {_U} (?:from now|from today|nữa|tới)\b", 1),
    _counted(rf"\b(?:vor|il y a|hace)(?: etwa| environ| unos| unas)? {_N} {_U}\b", -1),
    _counted(rf"\b{_N} {_U} trước\b", -1),
    _counted(rf"\b{_N} {_U} sau\b", 1),
    _counted(rf"{_N_CJK}{_U_CJK}(?:以)?前", -1),
    _counted(rf"{_N_CJK}{_U_CJK}(?:之|以)?[后後]", 1),
    _days(r"大前天", -3),
    _days(r"大后天", 3),
    _days(r"\bvorgestern\b|\bavant-hier\b|\banteayer\b|\bantier\b|一昨日|おととい", -2),
    _days(r"\bthe night before last\b", -2),
    _days(r"\blast night\b|\bgestern\b|(?<!-)\bhier\b(?! (?:ist|war|im|in|und|der|die|das)\b)|\bayer\b|\banoche\b|昨夜|ゆうべ|きのう", -1),
    _days(r"\bheute\b|\baujourd['’]hui\b|\bhoy\b|きょう|(?:chiều|trưa) nay|tối nay", 0),
    _days(r"\bübermorgen\b|\baprès-demain\b|\bpasado mañana\b|\b(?:the )?day after tomorrow\b|后天|後天|明後日|あさって|\bngày (?:kia|mốt)\b", 2),
    _days(r"(?<!heute )(?<!guten )(?<!gestern )(?<!am )(?-i:\bmorgen\b)|(?<!après-)\bdemain\b|(?<!la )(?<!esta )(?<!pasado )(?<!de )\bmañana\b|明日|あした|\b(?:sáng|trưa|chiều|tối|đêm) mai\b", 1),
    _units(r"\b(?:letzte|vergangene|vorige)[nr]? woche\b|\bla semaine (?:dernière|passée)\b|\bla semana pasada\b|先週", "week", -1),
    _units(r"\bdiese[nr]? woche\b|\bcette semaine\b|\besta semana\b|今週", "week", 0),
    _units(r"\b(?:nächste|kommende)[nr]? woche\b|\bla semaine prochaine\b|\bla (?:próxima semana|semana (?:próxima|que viene))\b|来週|下个?(?:星期|周|礼拜)(?![一二三四五六日天])|\btuần (?:sau|tới)\b", "week", 1),
    _units(r"\b(?:letzten|vergangenen|vorigen) monat\b|\ble mois dernier\b|\bel mes pasado\b|先月", "month", -1),
    _units(r"\bdiesen monat\b|\bce mois-ci\b|\beste mes\b|今月", "month", 0),
    _units(r"\b(?:nächsten|kommenden) monat\b|\ble mois prochain\b|\bel (?:próximo mes|mes (?:próximo|que viene))\b|来月|下个?月|\btháng (?:sau|tới)\b", "month", 1),
    _units(r"\b(?:letztes|vergangenes|voriges) jahr\b|\bl['’](?:an|année) derni(?:er|ère)\b|\bel año pasado\b|昨年", "year", -1),
    _units(r"\b(?:nächstes|kommendes) jahr\b|\bl['’](?:an|année) prochaine?\b|\bel (?:próximo año|año (?:próximo|que viene))\b|来年|明年|\bnăm (?:sau|tới)\b", "year", 1),
)  # fmt: skip
"""What English, Chinese and Vietnamese questions have in ``temporal`` is not repeated here."""
