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
    "queue": {"embed": 0, "embedded": 100, "gate": 0, "waiting": 0},
    "sources": {"progress": {"busy": False, "bytes_done": 10, "bytes_known": 10}},
    "last_learnt": 1_775_000_000_000,
    "paused": False,
    "paused_until": None,
    "degraded": [],
}

READING = {"progress": {"busy": True, "bytes_done": 42, "bytes_known": 100}}


def labels(status: dict[str, Any]) -> list[str]:
    """Return the menu's texts, separators left out."""
    return [item.label for item in menu(status, zone=UTC).items if item.label]


@pytest.mark.parametrize(
    ("change", "state", "title"),
    [
        ({}, IconState.WATCHING, "Libra: watching"),
        ({"ready": False}, IconState.STARTING, "Libra: starting"),
        (
            {"queue": {"embed": 25, "embedded": 75, "waiting": 30}},
            IconState.WORKING,
            "Libra: working, 75 % done",
        ),
        ({"sources": READING}, IconState.WORKING, "Libra: working, 42 % done"),
        ({"paused": True, "paused_until": "resumed"}, IconState.PAUSED, "Libra: paused until resumed"),
        ({"paused": True, "paused_until": 1_775_000_000_000}, IconState.PAUSED, "Libra: paused until 23:33"),
        ({"degraded": ["embedding: no model"]}, IconState.DEGRADED, "Libra: degraded: embedding: no model"),
        (
            {"degraded": ["embedding: x", "store: read-only"]},
            IconState.ERROR,
            "Libra: error: store: read-only",
        ),
        ({"error": "no answer"}, IconState.ERROR, "Libra: error: no answer"),
    ],
)
def test_each_state_has_its_icon_and_title(change: dict[str, Any], state: IconState, title: str) -> None:
    """What matters most to a person decides icon and tool tip."""
    drawn = menu(WATCHING | change, zone=UTC)
    assert (drawn.icon_state, drawn.title) == (state, title)


def test_degraded_work_tells_both() -> None:
    """A degraded Libra that is working says how far it is too."""
    status = WATCHING | {"degraded": ["embedding: no model"], "sources": READING}
    assert menu(status).title == "Libra: degraded: embedding: no model (working, 42 % done)"


def test_progress_is_never_a_hundred_while_something_waits() -> None:
    """Work that is not finished is not shown as finished."""
    for queue in (
        {"embed": 1, "embedded": 100_000, "waiting": 1},
        {"embed": 0, "embedded": 100_000, "waiting": 3},
    ):
        assert menu(WATCHING | {"queue": queue}).title.endswith("99 % done")
    assert menu(WATCHING | {"queue": {"embed": 5, "embedded": 0, "waiting": 5}}).title.endswith(" 0 % done")


def test_all_lines_in_order() -> None:
    """The menu of a Libra that watches, top to bottom."""
    assert labels(WATCHING) == [
        "Watching",
        "Learnt last: 2026-03-31 23:33",
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


def test_long_reasons_are_cut_to_one_line() -> None:
    """A menu line stays short and has no line breaks."""
    line = labels(WATCHING | {"degraded": ["word \n" * 100]})[0]
    assert line.endswith("word…")
    assert "\n" not in line
    assert len(line) <= len("Degraded: ") + 80


def test_nothing_learnt_yet() -> None:
    """A new Libra says so."""
    assert "Nothing learnt yet" in labels(WATCHING | {"last_learnt": None})


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
    paused=st.none() | st.just("resumed") | st.integers(0, 2**42),
    degraded=st.lists(st.text(max_size=120) | st.just("store: full"), max_size=3),
    numbers=st.tuples(*[st.none() | st.integers(-5, 10**9)] * 5),
    busy=st.booleans(),
)
def test_any_status_gives_a_quit_line_and_a_state(
    *, ready: bool, paused: int | str | None, degraded: list[str], numbers: tuple[int | None, ...], busy: bool
) -> None:
    """Whatever the numbers say, the person can always quit, and the percentage stays in its range."""
    embed, embedded, waiting, done, known = numbers
    drawn = menu(
        {
            "ready": ready,
            "paused": paused is not None,
            "paused_until": paused,
            "degraded": degraded,
            "queue": {"embed": embed, "embedded": embedded, "waiting": waiting},
            "sources": {"progress": {"busy": busy, "bytes_done": done, "bytes_known": known}},
            "last_learnt": embed if embed is not None and embed >= 0 else None,
        },
        zone=UTC,
    )
    assert drawn.items[-1] == Item("Quit", Action.QUIT)
    assert drawn.title.startswith("Libra: ")
    if drawn.icon_state is IconState.WORKING:
        assert 0 <= int(drawn.title.split()[2]) <= 99
