"""Times at the edge and in questions: one parser in, one form out, and date expressions in a query."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

_MS: Final = 1000
_SECONDS_LIMIT: Final = 100_000_000_000
"""Numbers below are seconds (5138 AD), above are milliseconds (1973 AD on)."""
_MICRO_LIMIT: Final = 100_000_000_000_000
_NANO_LIMIT: Final = 100_000_000_000_000_000
_LAST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
_ISO: Final = re.compile(
    r"\s*(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*"
    r"(Z|z|UTC|[+-]\d{2}:?\d{2}|[+-]\d{2})?\s*\Z"
)


def parse_ts(value: str | float | None, naive: tzinfo = UTC) -> int | None:
    """Return epoch milliseconds for what a host calls a time, or None if it is none.

    RFC 3339 and its looser forms, dates, and epoch seconds, milliseconds, micro- or nanoseconds as
    numbers or digits. A time without a zone is one of ``naive``: UTC for what hosts write
    (lessons.md C103), the person's own zone for what a person asks (C102).
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        try:
            return _from_number(float(value))
        except OverflowError:  # a whole number of hundreds of digits
            return None
    match = _ISO.match(value)
    if match is None:
        try:
            return _from_number(float(value))
        except ValueError:
            return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    leap = second == 60
    try:
        zone = naive if match.group(8) is None else UTC
        moment = datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=zone)
    except ValueError:
        return None
    millis = int(((match.group(7) or "") + "000")[:3])
    offset = _offset_minutes(match.group(8))
    total = _epoch_ms(moment) + millis + (_MS if leap else 0) - offset * 60 * _MS
    return total if 0 <= total <= _LAST_MS else None


def _from_number(number: float) -> int | None:
    """Return milliseconds for an epoch number of unknown unit."""
    if not math.isfinite(number) or number < 0:
        return None
    if number < _SECONDS_LIMIT:
        number *= _MS
    elif number >= _NANO_LIMIT:
        number /= 1_000_000
    elif number >= _MICRO_LIMIT:
        number /= 1000
    total = int(number)
    return total if total <= _LAST_MS else None


def _offset_minutes(zone: str | None) -> int:
    """Return the minutes east of Greenwich of ``+07:00``, ``+0700`` or ``Z``."""
    if zone is None or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if zone[0] == "-" else minutes


def _epoch_ms(moment: datetime) -> int:
    """Return epoch milliseconds, exact (no floating point)."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def day_bounds(year: int, month: int, day: int, tz: tzinfo) -> tuple[int, int]:
    """Return the first millisecond of a local day and that of the next one (half open).

    Source: lessons.md C102; field case B20.
    """
    first = date(year, month, day)
    return _midnight(first, tz), _midnight(first + timedelta(days=1), tz)


def _midnight(day: date, tz: tzinfo) -> int:
    """Return epoch milliseconds of 00:00 local time."""
    return _epoch_ms(datetime(day.year, day.month, day.day, tzinfo=tz))


def local_day(ts_ms: int, tz: tzinfo) -> date:
    """Return the local calendar day of a moment."""
    return _local(ts_ms, tz).date()


def _local(ts_ms: int, tz: tzinfo) -> datetime:
    """Return the local time of a moment."""
    clamped = min(max(ts_ms, 0), _LAST_MS - 86_400_000)
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=clamped)).astimezone(tz)


def show(ts_ms: int, tz: tzinfo) -> str:
    """Return ``2026-04-12 01:30`` in local time."""
    return _local(ts_ms, tz).strftime("%Y-%m-%d %H:%M")
