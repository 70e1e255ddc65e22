"""Many sessions that speak at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from libra.engine.core import Engine
from libra.ground.records import Who
from tests.engine.conftest import user

SESSIONS = 200
TURNS = 5


def test_sessions_that_are_appended_at_once(engine: Engine) -> None:
    """Two hundred agents say five things each in the same moment: each keeps its own, in its order, and none is refused."""

    def say(number: int) -> int:
        turns = [user(f"agent {number} says line {n}", 1000 + n, f"a{number}-{n}") for n in range(TURNS)]
        accepted: int = engine.ingest(who=Who(user="me", session=f"s{number}"), turns=turns)["accepted"]
        return accepted

    with ThreadPoolExecutor(32) as pool:
        assert sum(pool.map(say, range(SESSIONS))) == SESSIONS * TURNS
    for number in (0, 77, SESSIONS - 1):
        told = engine.assemble(who=Who(user="me", session=f"s{number}"), query="ok", budget_tokens=1000)[
            "text"
        ]
        places = [told.index(f"agent {number} says line {n}") for n in range(TURNS)]
        assert places == sorted(places)
