"""B22: a fact closes only an older one about the same thing; unrelated facts stay."""

from __future__ import annotations

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]

DAYS = (
    ("2026-04-10T09:00:00Z", "Server A runs Postgres 15."),
    ("2026-04-11T09:00:00Z", "Server B runs Postgres 16."),
    ("2026-04-12T09:00:00Z", "Server A runs Postgres 17."),
)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_only_the_same_server_is_superseded(running: Running, order: tuple[int, ...]) -> None:
    """A-17 closes A-15 and nothing else, also when history is read newest first."""
    running.start()
    for place in order:
        ts, text = DAYS[place]
        turn = {"id": f"d{place}", "role": "user", "content": text, "ts": ts}
        running.call("ingest", who={"session": f"day-{place}"}, turns=[turn])
        running.drain()
    found = {hit["text"]: hit for hit in running.search("Postgres", kinds=["memory"], k=10, archive=True)}
    records = {text: running.call("get", id=hit["id"]) for text, hit in found.items()}
    assert {text for text, record in records.items() if record["active"]} == {DAYS[1][1], DAYS[2][1]}
    history = records[DAYS[0][1]]["history"]
    assert [past["text"] for past in history] == [DAYS[0][1], DAYS[2][1]]
    assert history[0]["superseded_by"] == found[DAYS[2][1]]["id"]
    assert len(records) == 3
