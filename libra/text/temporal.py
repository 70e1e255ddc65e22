"""Times that a question asks about: calendar expressions resolved in the person's zone (memory model §5, Temporal)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from functools import lru_cache
from typing import Final

from libra.text.dates import day_bounds, local_day
from libra.text.scripts import has_cjk
from libra.text.timeforms import MORE, Span


@dataclass(frozen=True, slots=True)
class TimeAsk:
    """What a question says about time.

    Attributes:
        is_temporal: It asks when, how long, or about a stretch of time: dates belong into the answer.
        windows: The stretches it names, half open, epoch ms, in order of mention, without repetition.
        by_the_clock: It asks for hours or minutes: the day alone does not answer it.
    """

    is_temporal: bool
    windows: tuple[tuple[int, int], ...]
    by_the_clock: bool = False


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAYS: Final = {
    name: n
    for n, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
_NUMBERS: Final = {
    w: n
    for n, w in enumerate(
        (
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        )
    )
} | {"a": 1, "an": 1, "a couple of": 2, "few": 3, "a few": 3}
_NUMBER: Final = r"\d{1,3}|a couple of|a few|few|" + "|".join(
    w for w in _NUMBERS if " " not in w and w != "few"
)
_UNIT_DAYS: Final = {"day": 1, "week": 7, "fortnight": 14}
_MOST_WINDOWS: Final = 8

_ASKS: Final = re.compile(
    r"\b(?:when|how long|what (?:day|date|time|year|month)|which (?:day|date|week|month|year)|since|before|after|first time"
    r"|last time|how many (?:days|weeks|months|years)|until|between|most recent(?:ly)?|latest|earlier|recently|how often)\b"
    r"|什么时候|何时|几号|哪天|多久|多长时间|以来|之前|之后|最近|いつ|何日|khi nào|bao giờ|ngày nào|bao lâu|trước khi|sau khi|gần đây"
    r"|\b(?:wann|wie lange|seit|an welchem tag|zuletzt|quand|combien de temps|depuis|dernière fois|cuándo|cuánto tiempo|desde|última vez)\b",
    re.IGNORECASE,
)


def _day(day: date) -> Span:
    return day, day + timedelta(days=1)


def _month(year: int, month: int) -> Span | None:
    if not (1 <= month <= 12 and 1970 <= year <= 9998):
        return None
    first = date(year, month, 1)
    return first, first + timedelta(days=calendar.monthrange(year, month)[1])


def _year(year: int) -> Span | None:
    return (date(year, 1, 1), date(year + 1, 1, 1)) if 1970 <= year <= 9998 else None


def _exact(year: int, month: int, day: int) -> Span | None:
    try:
        return _day(date(year, month, day)) if 1970 <= year <= 9998 else None
    except ValueError:
        return None


def _week_of(day: date) -> Span:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=7)


def _shift_month(today: date, back: int) -> Span | None:
    index = today.year * 12 + today.month - 1 - back
    return _month(index // 12, index % 12 + 1)


def _latest_year(today: date, month: int, day: int = 1) -> int:
    """Return the year of the last such day that is not in the future: "in May" is the last May."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1


def _iso(m: re.Match[str], _today: date) -> Span | None:
    return _exact(int(m[1]), int(m[2]), int(m[3]))


def _day_month(m: re.Match[str], today: date) -> Span | None:
    day, month = int(m["d"]), _MONTHS[m["m"].lower()]
    year = int(m["y"]) if m["y"] else _latest_year(today, month, day)
    return _exact(year, month, day)


def _named_month(m: re.Match[str], today: date) -> Span | None:
    month = _MONTHS[m["m"].lower()]
    return _month(int(m["y"]) if m["y"] else _latest_year(today, month), month)


def _ago(m: re.Match[str], today: date) -> Span | None:
    word = " ".join(m["n"].lower().split())
    count = int(word) if word.isdecimal() else _NUMBERS[word]
    unit = m["unit"].lower()
    if unit == "day":
        return _day(today - timedelta(days=count))
    if unit in _UNIT_DAYS:
        return _week_of(today - timedelta(days=_UNIT_DAYS[unit] * count))
    return _shift_month(today, count) if unit == "month" else _year(today.year - count)


def _past(m: re.Match[str], today: date) -> Span | None:
    """The last n units, today included."""
    word = " ".join((m["n"] or "1").lower().split())
    count = int(word) if word.isdecimal() else _NUMBERS[word]
    days = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}[m["unit"].lower()] * count
    return today - timedelta(days=days), today + timedelta(days=1)


def _relative(m: re.Match[str], today: date) -> Span | None:
    which, unit = m["which"].lower(), m["unit"].lower()
    back = {"last": 1, "previous": 1, "this": 0, "current": 0, "next": -1}[which]
    if unit == "week":
        return _week_of(today - timedelta(days=7 * back))
    if unit == "weekend":
        saturday = _week_of(today - timedelta(days=7 * back))[0] + timedelta(days=5)
        return saturday, saturday + timedelta(days=2)
    if unit == "month":
        return _shift_month(today, back)
    if unit == "year":
        return _year(today.year - back)
    away = (today.weekday() - _WEEKDAYS[unit]) % 7
    if which == "next":
        return _day(today + timedelta(days=7 - away))
    return _day(today - timedelta(days=away or (7 if which != "this" else 0)))


def _weekday(m: re.Match[str], today: date) -> Span | None:
    return _day(today - timedelta(days=(today.weekday() - _WEEKDAYS[m[1].lower()]) % 7 or 7))


def _chinese_day(m: re.Match[str], today: date) -> Span | None:
    month, day = int(m["m"]), int(m["d"])
    return _exact(int(m["y"]) if m["y"] else _latest_year(today, month, day), month, day)


def _vietnamese_day(m: re.Match[str], today: date) -> Span | None:
    month, day = int(m["m"]), int(m["d"])
    return _exact(int(m["y"]) if m["y"] else _latest_year(today, month, day), month, day)


def _fixed(pick: Callable[[date], Span | None]) -> Callable[[re.Match[str], date], Span | None]:
    return lambda _match, today: pick(today)


Reader = Callable[[re.Match[str], date], "Span | None"]
_YEAR_TAIL: Final = r"(?:,?\s+(?P<y>(?:19|20)\d\d))?"


def _row(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    return re.compile(pattern, re.IGNORECASE), reader


_FORMS: Final = (
    _row(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)", _iso),
    _row(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{_MONTH})\b\.?{_YEAR_TAIL}", _day_month),
    _row(rf"\b(?P<m>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]){_YEAR_TAIL}", _day_month),
    _row(rf"\b(?:in|of|during|since|until|by|last|this)\s+(?:early\s+|late\s+|mid-?)?(?P<m>{_MONTH})\b\.?{_YEAR_TAIL}", _named_month),
    _row(rf"\b(?P<m>{_MONTH})\.?,?\s+(?P<y>(?:19|20)\d\d)\b", _named_month),
    _row(r"\b(?:in|during|of|since)\s+((?:19|20)\d\d)\b(?!-)", lambda m, _t: _year(int(m[1]))),
    _row(rf"\b(?P<n>{_NUMBER})\s+(?P<unit>day|week|fortnight|month|year)s?\s+ago\b", _ago),
    _row(rf"\b(?:in |over |within |during )?the (?:last|past)\s+(?:(?P<n>{_NUMBER})\s+)?(?P<unit>day|week|fortnight|month|year)s\b", _past),
    _row(
        r"\b(?P<which>last|previous|this|current|next)\s+(?P<unit>weekend|week|month|year|"
        + "|".join(_WEEKDAYS) + r")\b",
        _relative,
    ),
    _row(r"\bon\s+(" + "|".join(_WEEKDAYS) + r")\b", _weekday),
    _row(r"\b(?:the )?day before yesterday\b|前天|hôm kia", _fixed(lambda t: _day(t - timedelta(days=2)))),
    _row(r"(?<!before )\byesterday\b|昨天|昨日|昨晚|hôm qua|tối qua", _fixed(lambda t: _day(t - timedelta(days=1)))),
    _row(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今天|今日|hôm nay|sáng nay", _fixed(_day)),
    _row(r"\btomorrow\b|明天|ngày mai", _fixed(lambda t: _day(t + timedelta(days=1)))),
    _row(r"上(?:个)?(?:星期|周|礼拜)|tuần trước", _fixed(lambda t: _week_of(t - timedelta(days=7)))),
    _row(r"这(?:个)?(?:星期|周|礼拜)|本周|tuần này", _fixed(_week_of)),
    _row(r"上个?月|tháng trước", _fixed(lambda t: _shift_month(t, 1))),
    _row(r"这个?月|本月|tháng này", _fixed(lambda t: _shift_month(t, 0))),
    _row(r"去年|năm ngoái", _fixed(lambda t: _year(t.year - 1))),
    _row(r"今年|năm nay", _fixed(lambda t: _year(t.year))),
    _row(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]", _chinese_day),
    _row(r"\bngày (?P<d>\d{1,2})(?: tháng |/)(?P<m>\d{1,2})(?:(?: năm |/)(?P<y>\d{4}))?", _vietnamese_day),
)  # fmt: skip
_RELATIVE_FROM: Final = next(i for i, (_, reader) in enumerate(_FORMS) if reader is _ago)
_RELATIVE: Final = (
    *MORE,
    *(row for row in _FORMS[_RELATIVE_FROM:] if row[1] not in (_weekday, _chinese_day, _vietnamese_day)),
)
"""Forms that mean nothing without the day on which they were said."""
_THIS_WEEKDAY: Final = re.compile(rf"this\s+(?:{'|'.join(_WEEKDAYS)})\Z", re.IGNORECASE)
_MOST_CHARS: Final = 2000


@dataclass(frozen=True, slots=True)
class Resolved:
    """A relative date in a text and the days it means.

    Attributes:
        start, end: Where it stands, code point offsets.
        start_ms, end_ms: The days, half open, epoch ms.
    """

    start: int
    end: int
    start_ms: int
    end_ms: int


_TELLING: Final = (
    *tuple(
        "day week month year night morrow morning afternoon evening ago tag woche monat jahr gestern heute morgen mittwoch abend semaine mois année l'an l’an jour hier demain lundi mardi mercredi jeudi vendredi samedi dimanche semana mes año día dia ayer hoy mañana anoche anteayer antier lunes martes miércoles jueves viernes sábado domingo nay qua mai kia ngày tuần tháng năm thứ chủ nhật quarter quartal trimestre hour matin soir midi tarde noche tue wed thu fri tmr tmw 2mor".split()
    ),
    " sat",
    " sun",
    " mon",
)
"""One of these stands in every relative date that is not written in Chinese or Japanese characters."""


def _may_date(text: str) -> bool:
    low = text.lower()
    return any(word in low for word in _TELLING) or has_cjk(low)


def resolved(text: str, ts_ms: int, zone: tzinfo) -> list[Resolved]:
    """Return the relative dates of a turn ("yesterday", "下周五") with the days they meant when it was said.

    Args:
        text: A turn; only its first 2,000 characters are read.
        ts_ms: When it was said, epoch ms.
        zone: The person's: at half past midnight "yesterday" is the day that has just ended there (lessons.md C102).

    Returns:
        In order of place, without overlaps; the longest form that begins first wins.
    """
    head = text[:_MOST_CHARS]
    # The forms of all languages take a millisecond a turn; most turns hold none of their words.
    return list(_resolved(head, ts_ms, zone)) if _may_date(head) else []


@lru_cache(maxsize=4_096)
def _resolved(head: str, ts_ms: int, zone: tzinfo) -> tuple[Resolved, ...]:
    """What is recalled once is recalled again."""
    today = local_day(ts_ms, zone)
    hits = [(m.start(), -m.end(), m, reader) for pattern, reader in _RELATIVE for m in pattern.finditer(head)]
    out: list[Resolved] = []
    for start, minus_end, match, reader in sorted(hits, key=lambda hit: hit[:2]):
        if (out and start < out[-1].end) or _THIS_WEEKDAY.match(match.group()):
            continue
        span = _safe(reader, match, today)
        if span is not None:
            out.append(Resolved(start, -minus_end, *_bounds(span, zone)))
    return tuple(out)


_CLOCK: Final = re.compile(
    r"\b(?:what time|o['’]clock|hours?|minutes?|\d{1,2}:\d\d|tonight|this (?:morning|afternoon|evening)|mấy giờ|phút"
    r"|uhr|stunden?|minuten?|heures?|horas?|minutos?)\b|几点|幾點|小时|小時|分钟|分鐘|何時|何分|時間",
    re.IGNORECASE,
)


def temporal(query: str, now_ms: int, tz: tzinfo) -> TimeAsk:
    """Return what a question says about time; days are the person's own (lessons.md C102).

    A month or day without a year is the last one that is not in the future.

    Args:
        query: The question; only its first 2,000 characters are read.
        now_ms: The present, epoch ms.
        tz: The person's time zone.
    """
    text = query[:_MOST_CHARS]
    today = local_day(now_ms, tz)
    spans: list[tuple[int, Span]] = []
    taken: list[tuple[int, int]] = []
    for pattern, reader in (*_FORMS[:_RELATIVE_FROM], *MORE, *_FORMS[_RELATIVE_FROM:]):
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            span = _safe(reader, match, today)
            if span is not None:
                taken.append(match.span())
                spans.append((match.start(), span))
    windows = dict.fromkeys(_bounds(span, tz) for _, span in sorted(spans, key=lambda s: s[0]))
    asks = bool(windows) or _ASKS.search(text) is not None
    return TimeAsk(asks, tuple(windows)[:_MOST_WINDOWS], _CLOCK.search(text) is not None)


def _safe(reader: Reader, match: re.Match[str], today: date) -> Span | None:
    """Return the span, or None for one that the calendar cannot hold."""
    try:
        return reader(match, today)
    except (OverflowError, ValueError):
        return None


def _bounds(span: Span, tz: tzinfo) -> tuple[int, int]:
    first, after = span
    last = after - timedelta(days=1)
    return day_bounds(first.year, first.month, first.day, tz)[0], day_bounds(
        last.year, last.month, last.day, tz
    )[1]
