"""The menu is a pure function of the status: each state, each line, and what is absent."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.desktop.menu import Action, Desk, IconState, Item, menu, problems

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


TALK = {"key": "claude-code:9", "host": "claude-code", "project": "github.com/dev/harbor", "last_ms": 1}
LEARNT = {
    "ts_ms": 1_775_000_000_000,
    "type": "decision",
    "host": "claude-code",
    "project": "/home/dev/harbor",
}


def labels(status: dict[str, Any], desk: Desk | None = None) -> list[str]:
    """Return the menu's texts, separators left out, a submenu's lines after it."""
    found = []
    for item in menu(status, desk, zone=UTC).items:
        found += [line.label for line in (item, *item.under) if line.label]
    return found


def every(status: dict[str, Any], desk: Desk | None = None) -> list[Item]:
    """Return all lines, those of submenus too."""
    return [line for item in menu(status, desk).items for line in (item, *item.under)]


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
        "Pause",
        "For 15 minutes",
        "For 1 hour",
        "Until resumed",
        "Off the record",
        "Forget the last 10 minutes",
        "Compact now",
        "Open data folder",
        "Quit",
    ]


def test_paused_offers_resume_only() -> None:
    """While paused there is one way on, and no second pause."""
    items = every(WATCHING | {"paused": True})
    assert [item.action for item in items if item.action in {Action.PAUSE, Action.RESUME}] == [Action.RESUME]


def test_pauses_carry_their_seconds() -> None:
    """Fifteen minutes, an hour, and until resumed."""
    assert [i.seconds for i in every(WATCHING) if i.action is Action.PAUSE] == [900, 3600, None]


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
    assert {item.action for item in every({})} >= {
        Action.PAUSE,
        Action.OFF_RECORD,
        Action.COMPACT,
        Action.OPEN_FOLDER,
        Action.QUIT,
    }


def test_one_default_line() -> None:
    """A click on the icon itself has exactly one meaning: the page where there is one, else the folder."""
    for desk, action in ((Desk(), Action.OPEN_FOLDER), (Desk(page=True), Action.OPEN_PAGE)):
        assert [item.action for item in every(WATCHING, desk) if item.default] == [action]


def test_what_was_learnt_is_told_by_kind_and_place() -> None:
    """The person sees that it works and for which agent; who looks over a shoulder reads no memory."""
    told = labels(WATCHING | {"learnt": LEARNT})[1]
    assert told == "Learnt last: decision from claude-code, harbor, 2026-03-31 23:33"


def test_today_and_what_it_saved() -> None:
    """How often agents were given something today, and what the summaries in it stood for."""
    today = {"injections": 14, "tokens": 3210, "saved_tokens": 12_400}
    assert "Today: 14 injections, 3,210 tokens, 12,400 saved" in labels(WATCHING | {"today": today})
    assert "Today: 0 injections" in labels(WATCHING | {"today": {"injections": 0}})


def test_this_project_and_this_session_are_the_ones_in_use() -> None:
    """The project that can be paused and the session that can be forgotten are those of the last words."""
    lines = every(WATCHING | {"talk": TALK})
    assert Item("Project harbor, until resumed", Action.PAUSE, about="github.com/dev/harbor") in lines
    assert (
        Item("Forget this session (claude-code, harbor)", Action.OFF_RECORD, about="claude-code:9") in lines
    )


def test_a_paused_project_is_resumed_by_itself() -> None:
    """It stands in the menu for as long as it lasts, and is not offered a second time."""
    paused = {"talk": TALK, "paused_projects": {"github.com/dev/harbor": 1_775_000_000_000}}
    shown = labels(WATCHING | paused)
    assert "Resume harbor (paused until 23:33)" in shown
    assert "Project harbor, until resumed" not in shown
    both = every(WATCHING | paused | {"paused": True})
    assert [item.about for item in both if item.action is Action.RESUME] == [None, "github.com/dev/harbor"]


def test_agents_and_the_login_are_offered_where_they_can_be() -> None:
    """Connect agents is there while one of them is not; Start at login has its mark, and no line where it cannot be."""
    some = Desk(at_login=True, agents=(("Claude Code", True), ("Codex", False)))
    assert "Connected: Claude Code" in labels(WATCHING, some)
    assert Item("Start at login", Action.AT_LOGIN, checked=True) in every(WATCHING, some)
    assert Item("Connect agents", Action.CONNECT) in every(WATCHING, some)
    whole = Desk(agents=(("Codex", True),))
    assert not {Action.CONNECT, Action.AT_LOGIN} & {item.action for item in every(WATCHING, whole)}
    assert "No agent is connected" in labels(WATCHING, Desk(agents=(("Codex", False),)))


def test_a_problem_is_the_same_while_its_figures_change() -> None:
    """A log that grows from 70 to 71 MB is no second problem."""
    first, second = (problems({"degraded": [f"wal: has grown to {n} MB"], "error": "x"}) for n in (70, 71))
    assert first == second == ("wal: has grown to … MB", "x")


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
