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


APART = (
    ("My sister lives in Da Nang.", "My brother lives in Hue.", "My sister works as a nurse."),
    ("Our API uses Redis 6.", "Our API uses Postgres 15.", "Our shop uses Redis 7."),
    ("The backup runs at 02:00.", "The report runs at 03:00."),
    (
        "Project Harbor uses Python 3.11.",
        "Project Anchor uses Python 3.12.",
        "Project Harbor uses Postgres 16.",
    ),
    (
        "The web team's deploy day is Friday.",
        "The data team's deploy day is Monday.",
        "The web team's lead is Priya.",
    ),
    ("Server B chạy Postgres 16.", "Server A chạy Postgres 17."),
    ("服务器B使用Postgres 16。", "服务器A使用Postgres 17。"),
    ("Le serveur B utilise Postgres 16.", "Le serveur A utilise Postgres 17."),
    ("El servidor B usa Postgres 16.", "El servidor A usa Postgres 17."),
)
CHANGED = (
    ("My sister lives in Da Nang.", "My brother lives in Hue.", "My sister lives in Hanoi."),
    ("Our API uses Redis 6.", "Our API uses Postgres 15.", "Our API uses Redis 7."),
    ("Project Harbor uses Python 3.11.", "Project Anchor uses Python 3.12.", "Project Harbor uses Python 3.13."),
    ("The web team's deploy day is Friday.", "The data team's deploy day is Monday.", "The web team's deploy day is Thursday."),
)  # fmt: skip


def active(running: Running, user: str, said: tuple[str, ...]) -> set[str]:
    """Ask for each to be kept, so that no threshold decides; return what is an active memory."""
    for text in said:
        running.call("remember", who={"user": user, "session": "told"}, text=text)
    running.drain()
    who = {"user": user, "session": "later"}
    return {
        hit["text"]
        for query in said
        for hit in running.call("search", who=who, query=query, kinds=["memory"], k=50)["hits"]
    }


def test_nothing_unrelated_is_closed(running: Running) -> None:
    """Another subject, another slot of the same subject, in several languages: all stay."""
    running.start()
    for number, said in enumerate(APART):
        assert active(running, f"a{number}", said) == set(said)


def test_the_same_slot_of_the_same_subject_is_closed(running: Running) -> None:
    """Of three facts the first is superseded by the third, and the one between is not touched."""
    running.start()
    for number, said in enumerate(CHANGED):
        assert active(running, f"c{number}", said) == set(said[1:])
