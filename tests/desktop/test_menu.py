"""The menu is a pure function of the status: each state, each line, and what is absent."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.desktop.menu import Action, IconState, Item, menu

WATCHING: dict[str, Any] = {
    "ready": True,
    "counts": {"memory": 1204, "session": 87},
    "queue": {"pending": 0, "total": 0},
    "last_learnt": {"text": "We deploy on Thursdays only."},
    "paused": False,
    "degraded": [],
}


def labels(status: dict[str, Any]) -> list[str]:
    """Return the menu's texts, separators left out."""
    return [item.label for item in menu(status, zone=UTC).items if item.label]


@pytest.mark.parametrize(
    ("change", "state", "title"),
    [
        ({}, IconState.WATCHING, "Libra: watching"),
        ({"ready": False}, IconState.STARTING, "Libra: starting"),
        ({"queue": {"pending": 25, "total": 100}}, IconState.WORKING, "Libra: working, 75 % done"),
        ({"paused": True, "paused_until": None}, IconState.PAUSED, "Libra: paused until resumed"),
        ({"paused": True, "paused_until": 1_775_000_000_000}, IconState.PAUSED, "Libra: paused until 23:33"),
        ({"degraded": ["embedding"]}, IconState.DEGRADED, "Libra: degraded: embedding"),
        ({"degraded": ["embedding", "disk_full"]}, IconState.ERROR, "Libra: error: disk full"),
        ({"error": "no answer"}, IconState.ERROR, "Libra: error: no answer"),
    ],
)
def test_each_state_has_its_icon_and_title(change: dict[str, Any], state: IconState, title: str) -> None:
    """What matters most to a person decides icon and tool tip."""
    drawn = menu(WATCHING | change, zone=UTC)
    assert (drawn.icon_state, drawn.title) == (state, title)


def test_degraded_work_tells_both() -> None:
    """A degraded Libra that is working says how far it is too."""
    status = WATCHING | {"degraded": ["embedding"], "queue": {"pending": 1, "total": 2}}
    assert menu(status).title == "Libra: degraded: embedding (working, 50 % done)"


def test_progress_is_never_a_hundred_while_something_waits() -> None:
    """Work that is not finished is not shown as finished."""
    assert menu(WATCHING | {"queue": {"pending": 1, "total": 100_000}}).title.endswith("99 % done")
    assert menu(WATCHING | {"queue": {"pending": 5, "total": 0}}).title.endswith("0 % done")


def test_all_lines_in_order() -> None:
    """The menu of a Libra that watches, top to bottom."""
    assert labels(WATCHING) == [
        "Watching",
        "Learnt last: We deploy on Thursdays only.",
        "1,204 memories, 87 sessions",
        "Pause for 15 minutes",
        "Pause for 1 hour",
        "Pause until resumed",
        "Compact now",
        "Open data folder",
        "Quit",
    ]


def test_paused_offers_resume_only() -> None:
    """While paused there is one way on, and no second pause."""
    items = menu(WATCHING | {"paused": True}).items
    assert [item.action for item in items if item.action in {Action.PAUSE, Action.RESUME}] == [Action.RESUME]


def test_pauses_carry_their_seconds() -> None:
    """Fifteen minutes, an hour, and until resumed."""
    assert [i.seconds for i in menu(WATCHING).items if i.action is Action.PAUSE] == [900, 3600, None]


def test_long_statements_are_cut_to_one_line() -> None:
    """A menu line stays short and has no line breaks."""
    line = labels(WATCHING | {"last_learnt": {"text": "word \n" * 100}})[1]
    assert line.endswith("word…")
    assert "\n" not in line
    assert len(line) <= len("Learnt last: ") + 60


def test_counts_agree_with_their_nouns() -> None:
    """One memory, one session."""
    assert "1 memory, 1 session" in labels(WATCHING | {"counts": {"memory": 1, "session": 1}})


def test_an_empty_status_still_gives_a_menu() -> None:
    """Nothing known yet: starting, and every command is there."""
    drawn = menu({})
    assert drawn.icon_state is IconState.STARTING
    assert {item.action for item in drawn.items} >= {
        Action.PAUSE,
        Action.COMPACT,
        Action.OPEN_FOLDER,
        Action.QUIT,
    }


def test_one_default_line() -> None:
    """A click on the icon itself has exactly one meaning."""
    assert sum(item.default for item in menu(WATCHING).items) == 1


@given(
    ready=st.booleans(),
    paused=st.booleans(),
    degraded=st.lists(st.sampled_from(["embedding", "disk_full", "a_b"]), max_size=3),
    pending=st.integers(-5, 10**6),
    total=st.integers(-5, 10**6),
    text=st.text(max_size=200),
)
def test_any_status_gives_a_quit_line_and_a_state(
    ready: bool,  # noqa: FBT001
    paused: bool,  # noqa: FBT001
    degraded: list[str],
    pending: int,
    total: int,
    text: str,
) -> None:
    """Whatever the numbers say, the person can always quit, and the percentage stays in its range."""
    drawn = menu(
        {
            "ready": ready,
            "paused": paused,
            "degraded": degraded,
            "queue": {"pending": pending, "total": total},
            "last_learnt": {"text": text},
        }
    )
    assert drawn.items[-1] == Item("Quit", Action.QUIT)
    assert drawn.title.startswith("Libra: ")
    if drawn.icon_state is IconState.WORKING:
        assert 0 <= int(drawn.title.split()[2]) <= 99
