"""The machine's time zone: days that a person asks about, times that are shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo


class SystemZone(tzinfo):
    """The machine's time zone with its daylight saving, as the C library knows it.

    Python's zone data base is not there on Windows, and a fixed offset would be wrong half of the year.
    """

    def fromutc(self, dt: datetime) -> datetime:
        """Return the local time of a UTC time whose tzinfo is this zone."""
        offset = _offset(dt.replace(tzinfo=UTC))
        local = dt.replace(tzinfo=None) + offset
        # In the hour that comes twice, the plain reading is the first turn: another offset means the second.
        return local.replace(tzinfo=self, fold=int(_offset(local) != offset))

    def utcoffset(self, dt: datetime | None) -> timedelta:
        """Return the offset of a local time."""
        return _offset((dt or datetime.now(UTC)).replace(tzinfo=None))

    def dst(self, _dt: datetime | None) -> timedelta | None:
        """Return None: the C library does not tell by how much."""
        return None

    def tzname(self, dt: datetime | None) -> str:
        """Return the offset as text."""
        minutes = round(self.utcoffset(dt).total_seconds() / 60)
        return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _offset(moment: datetime) -> timedelta:
    """Return the machine's offset from UTC at a moment; a naive one is local time."""
    try:
        return moment.astimezone().utcoffset() or timedelta(0)
    except (OverflowError, OSError, ValueError):
        return timedelta(0)
