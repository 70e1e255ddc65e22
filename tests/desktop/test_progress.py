"""The progress bar: files, per cent, turns and time to go, on one line."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest

from libra.desktop.progress import Bar, clock, done, line


@dataclass(frozen=True, slots=True)
class State:
    """A state of the reading."""

    files_done: int = 3
    files_known: int = 12
    turns: int = 1_234
    bytes_done: int = 250
    bytes_known: int = 1_000
    eta_s: float | None = 75.0
    busy: bool = True
    stalled: bool = False


def test_the_line_says_all_that_a_person_wants_to_know() -> None:
    """Per cent, files, turns and the time to go."""
    text = line(State())
    for words in ("25%", "3/12 files", "1,234 turns", "1:15 left"):
        assert words in text
    assert text.count("█") == 6


def test_unknown_and_stalled_are_said() -> None:
    """No time to go is better than a wrong one; a standstill has its word; nothing known is no division by zero."""
    assert "left" not in line(State(eta_s=None))
    assert "stalled" in line(State(stalled=True))
    assert "0%" in line(State(bytes_done=0, bytes_known=0))
    assert "100%" in line(State(bytes_done=5, bytes_known=3))


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (75, "1:15"), (3_661, "1:01:01"), (-3, "0:00")]
)
def test_durations(seconds: float, text: str) -> None:
    """Minutes and seconds, hours where there are some."""
    assert clock(seconds) == text


def test_the_bar_stays_on_its_line_and_ends_it() -> None:
    """Each drawing returns to the line's start; the last one ends it; nothing is drawn before there is work."""
    stream = io.StringIO()
    bar = Bar(stream)
    idle = State(busy=False)
    bar.show(idle)
    assert stream.getvalue() == ""
    bar.show(State())
    bar.show(State(bytes_done=900))
    assert stream.getvalue().count("\r") == 2
    assert "\n" not in stream.getvalue()
    bar.show(idle)
    bar.show(idle)
    assert stream.getvalue().count("\n") == 1
    assert done(idle) in stream.getvalue()
