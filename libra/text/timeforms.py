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
            "thirteen dreizehn treize trece",
            "fourteen vierzehn quatorze catorce",
            "fifteen fünfzehn quinze quince",
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


def _weekday_far(pattern: str, weeks: int) -> Row:
    """A weekday and so many weeks beyond the nearest one ("Friday after next", "Friday before last")."""

    def read(match: re.Match[str], today: date) -> Span | None:
        away = (_WEEKDAYS[match["w"].lower()] - today.weekday()) % 7
        nearest = (away or 7) if weeks > 0 else away - 7
        return day_span(today + timedelta(days=nearest + 7 * weeks))

    return _row(pattern, read)


def _weekdays_ago(pattern: str) -> Row:
    """The last but so many of a weekday ("two Fridays ago")."""

    def read(match: re.Match[str], today: date) -> Span | None:
        word = match["n"].lower()
        count = int(word) if word.isdecimal() else _NUMBER_WORDS[word]
        away = (_WEEKDAYS[match["w"].lower()] - today.weekday()) % 7 - 7
        return day_span(today + timedelta(days=away - 7 * (count - 1)))

    return _row(pattern, read)


def _short_weekday(pattern: str) -> Row:
    """A weekday by its short name ("last Tues", "next Wed")."""

    def read(match: re.Match[str], today: date) -> Span | None:
        away = (_SHORT_WEEKDAYS[match["w"].lower()[:3]] - today.weekday()) % 7
        return day_span(today + timedelta(days=(away or 7) if match["which"].lower() == "next" else away - 7))

    return _row(pattern, read)


_SHORT_WEEKDAYS: Final = {name: day for day, name in enumerate("mon tue wed thu fri sat sun".split())}


def _weekend(pattern: str, weeks: int) -> Row:
    """Saturday and Sunday of the week that lies so many weeks ahead."""

    def read(_match: re.Match[str], today: date) -> Span | None:
        saturday = week_span(today + timedelta(days=7 * weeks))[0] + timedelta(days=5)
        return saturday, saturday + timedelta(days=2)

    return _row(pattern, read)


def _quarter(pattern: str, ahead: int) -> Row:
    """The quarter of the year that lies so many ahead."""

    def read(_match: re.Match[str], today: date) -> Span | None:
        first = month_span(today, 3 * ahead - (today.month - 1) % 3)[0]
        return first, month_span(first, 2)[1]

    return _row(pattern, read)


def _day_count(pattern: str) -> Row:
    """Whole days told in hours ("48 hours ago")."""
    return _row(pattern, lambda match, today: day_span(today - timedelta(days=int(match["n"]) // 24)))


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
    _weekday_of(rf"\b{_W}(?: of| in)? (?:last|the previous) week\b", -1),
    _weekday_of(rf"\blast week(?:['’]s|,| on)? {_W}\b", -1),
    _weekday_of(rf"\b{_W}(?: of| in)? next week\b", 1),
    _weekday_of(rf"\bnext week(?:['’]s|,| on)? {_W}\b", 1),
    _weekday_of(rf"\b(?:letzte|vorige|vergangene)[nr]? woche(?: am)? {_W}\b", -1),
    _weekday_of(rf"\b(?:nächste|kommende)[nr]? woche(?: am)? {_W}\b", 1),
    _weekday_of(rf"\b{_W} (?:letzte|vorige|vergangene)[nr]? woche\b", -1),
    _weekday_of(rf"\b{_W} (?:nächste|kommende)[nr]? woche\b", 1),
    _weekday_of(rf"\b{_W} de la (?:semaine (?:dernière|passée)|semana pasada)\b", -1),
    _weekday_of(rf"\b{_W} de la (?:semaine prochaine|semana que viene|próxima semana)\b", 1),
    _weekday(rf"\b(?:this )?coming {_W}\b", 1),
    _weekday_far(rf"\b{_W} after next\b", 1),
    _weekday_far(rf"\b{_W} before last\b", -1),
    _weekdays_ago(rf"\b(?P<n>two|three|four|2|3|4) {_W}s ago\b"),
    _short_weekday(r"\b(?P<which>last|next) (?P<w>mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b"),
    _days(r"\b(?:a|one) week from tomorrow\b", 8),
    _days(r"\b(?:a|one) week from today\b|\b(?:heute|morgen) in einer woche\b", 7),
    _days(r"\b(?:a|one) week ago today\b|\bheute vor einer woche\b", -7),
    _days(r"\b(?:a|one) week ago yesterday\b", -8),
    _units(r"\bin a fortnight\b", "week", 2),
    _weekend(r"\bweekend before last\b|\bvorletztes wochenende\b", -2),
    _weekend(r"\b(?:letztes|vergangenes|voriges) wochenende\b|\bweek-?end (?:dernier|passé)\b|\bfin de semana pasado\b|先週末|上个?周末|\bcuối tuần (?:trước|rồi)\b", -1),
    _weekend(r"\bdieses wochenende\b|\bce week-?end\b|\beste fin de semana\b|今週末|这个?周末|\bcuối tuần này\b", 0),
    _weekend(r"\b(?:nächstes|kommendes) wochenende\b|\bweek-?end prochain\b|\bpróximo fin de semana\b|\bfin de semana que viene\b|来週末|下个?周末|\bcuối tuần (?:sau|tới)\b", 1),
    _quarter(r"\b(?:last|previous) quarter\b(?! of)|\b(?:letztes|voriges) quartal\b|\ble trimestre dernier\b|\bel trimestre pasado\b|上个?季度", -1),
    _quarter(r"\bthis quarter\b(?! of)|\bdieses quartal\b|\bce trimestre\b|\beste trimestre\b|本季度|这个?季度", 0),
    _quarter(r"\bnext quarter\b(?! of)|\bnächstes quartal\b|\ble trimestre prochain\b|\bel próximo trimestre\b|下个?季度", 1),
    _units(r"\bhalf a year ago\b|\bvor einem halben jahr\b|\bhace medio año\b|半年(?:以|之)?前|\bnửa năm trước\b", "month", -6),
    _units(r"\bin half a year\b|\bin einem halben jahr\b|\bdentro de medio año\b|半年[后後]", "month", 6),
    _day_count(r"\b(?P<n>24|48|72|96) hours ago\b"),
    _counted(rf"\b{_N} {_U} back\b(?! (?:home|at|in|to|on|from|there|then))", -1),
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
    _days(r"\b(?:ce (?:matin|soir)|cet après-midi)\b|\besta (?:mañana|tarde|noche)\b|今朝|今夜|今晩|今早|今晚", 0),
    _days(r"\by(?:ester)?day night\b|\byday\b", -1),
    _days(r"\b(?:tmrw|tmrow|tmr|tmw|2morrow|2moro)\b", 1),
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
