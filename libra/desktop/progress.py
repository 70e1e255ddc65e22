"""The progress bar of the first reading of history, on a terminal (lessons.md C108)."""

from __future__ import annotations

import shutil
from typing import IO, Protocol

_BAR_COLUMNS = 24
_LEAST_COLUMNS = 20
_MINUTE_S = 60
_HOUR_S = 3600


class Reading(Protocol):
    """What the bar shows: :class:`libra.sources.progress.Progress` has it."""

    @property
    def files_done(self) -> int:
        """Files read to their end."""
        ...

    @property
    def files_known(self) -> int:
        """Files that are known."""
        ...

    @property
    def turns(self) -> int:
        """Turns taken."""
        ...

    @property
    def bytes_done(self) -> int:
        """Bytes read."""
        ...

    @property
    def bytes_known(self) -> int:
        """Bytes to read, the read ones among them."""
        ...

    @property
    def eta_s(self) -> float | None:
        """Seconds to go."""
        ...

    @property
    def busy(self) -> bool:
        """Whether something is left to read."""
        ...

    @property
    def stalled(self) -> bool:
        """Whether nothing moves."""
        ...


class Bar:
    """Draws on one line of a terminal, again and again; ends the line when the reading is done.

    Args:
        stream: The terminal.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._drawn = False

    def show(self, progress: Reading) -> None:
        """Draw a state; a state that is not busy ends the bar."""
        if not progress.busy and not self._drawn:
            return
        columns = max(shutil.get_terminal_size().columns - 1, _LEAST_COLUMNS)
        text = line(progress)[:columns] if progress.busy else done(progress)[:columns]
        # Erase to the end of the line, since the text before may have been longer.
        self._stream.write(f"\r{text}\x1b[K" + ("" if progress.busy else "\n"))
        self._stream.flush()
        self._drawn = progress.busy


def line(progress: Reading) -> str:
    """Return the bar with files, per cent, turns and the time to go."""
    share = progress.bytes_done / progress.bytes_known if progress.bytes_known else 0.0
    share = min(max(share, 0.0), 1.0)
    full = round(share * _BAR_COLUMNS)
    left = (
        "stalled" if progress.stalled else "" if progress.eta_s is None else f"{clock(progress.eta_s)} left"
    )
    parts = [
        f"reading history {'█' * full}{'░' * (_BAR_COLUMNS - full)} {share:4.0%}",
        f"{progress.files_done:,}/{progress.files_known:,} files",
        f"{progress.turns:,} turns",
        left,
    ]
    return "  ".join(part for part in parts if part)


def done(progress: Reading) -> str:
    """Return the line that stays."""
    return f"history is read: {progress.files_known:,} files, {progress.turns:,} turns"


def clock(seconds: float) -> str:
    """Return a duration as ``m:ss`` or ``h:mm:ss``."""
    whole = max(round(seconds), 0)
    hours, minutes, rest = whole // _HOUR_S, whole % _HOUR_S // _MINUTE_S, whole % _MINUTE_S
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
