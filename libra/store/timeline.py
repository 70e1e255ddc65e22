"""Figures over time, for drawings: what is kept by the day it was said, and what agents did."""

from __future__ import annotations

from typing import NamedTuple

from libra.ground.records import Kind
from libra.store.sql import Reader
from libra.store.visibility import Visible, select

_DAY_MS = 86_400_000


class Day(NamedTuple):
    """Memories of one type that were said on one day, and still hold."""

    day: int
    type: str
    memories: int


class Actor(NamedTuple):
    """What was heard of one agent or host."""

    name: str
    sessions: int
    last_ms: int | None


class Fed(NamedTuple):
    """What was put into one agent's or host's prompts since a time; ``took_ms`` is the mean."""

    name: str
    contexts: int
    tokens: int
    took_ms: float | None
    last_ms: int


def memories_by_day(s: Reader, visible: Visible, offset_ms: int) -> list[Day]:
    """Return the active memories in view by day and type, ascending.

    Args:
        s: The state.
        visible: The caller's view.
        offset_ms: What the person's clock is ahead of UTC; ``day`` counts from 1970 by it.
    """
    sql, values = select(
        f"(item.ts_ms + :offset) / {_DAY_MS}, coalesce(item.type, 'fact'), count(*)", visible,
        where=f"item.kind = {int(Kind.MEMORY)} AND item.active = 1", tail="GROUP BY 1, 2 ORDER BY 1, 2",
        bindings={"offset": offset_ms},
    )  # fmt: skip
    return [Day(*row) for row in s.rows(sql, values)]


def actors(s: Reader, user: str) -> list[Actor]:
    """Return by host, or agent where no host is known, how many sessions a user had, the last one first."""
    found = s.rows(
        "SELECT coalesce(host, agent, '?'), count(*), max(last_ms) FROM session WHERE user = ? GROUP BY 1 ORDER BY 3 DESC, 1",
        (user,),
    )
    return [Actor(*row) for row in found]


def fed(s: Reader, user: str, since_ms: int) -> list[Fed]:
    """Return by host, or agent where no host is known, what was put into prompts since a time, most first."""
    found = s.rows(
        "SELECT coalesce(host, agent, '?'), count(*), sum(tokens), avg(took_ms), max(created_ms) FROM receipt"
        " WHERE user = ? AND created_ms >= ? GROUP BY 1 ORDER BY 2 DESC, 1",
        (user, since_ms),
    )
    return [Fed(*row) for row in found]
