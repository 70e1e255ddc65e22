"""Ingest: durable when answered, each event once, nothing of ours and no secret in it."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.records import Kind, NewTurn, Role, Who
from tests.engine.conftest import ME, assistant, settle, user


def test_turns_are_searchable_once_answered(engine: Engine) -> None:
    """Before any vector is there, words find a turn."""
    answer = engine.ingest(who=ME, turns=[user("The relay drops frames on port 7443.")])
    assert answer["accepted"] == 1
    assert [
        h["id"] for h in engine.search(who=ME, query="relay frames", kinds=frozenset({Kind.TURN}))["hits"]
    ] == answer["ids"]


def test_the_same_event_is_stored_once(engine: Engine) -> None:
    """A repeated id is a duplicate and gives the first one's name."""
    first = engine.ingest(who=ME, turns=[user("one thing", event="e1")])
    again = engine.ingest(who=ME, turns=[user("one thing", event="e1"), user("another", event="e2")])
    assert (again["accepted"], again["duplicates"]) == (1, 1)
    assert again["ids"][0] == first["ids"][0]


def test_equal_words_of_two_events_are_two_turns(engine: Engine) -> None:
    """A caller's own ids tell apart what is said twice."""
    answer = engine.ingest(who=ME, turns=[user("yes", 1000, "e1"), user("yes", 1000, "e2")])
    assert answer["accepted"] == 2


def test_a_request_id_is_carried_out_once(engine: Engine) -> None:
    """A retry after a time-out changes nothing (lessons C24)."""
    first = engine.ingest(who=ME, turns=[user("said without an id")], request_id="r1")
    assert engine.ingest(who=ME, turns=[user("said without an id")], request_id="r1") == first
    assert engine.status()["counts"]["turn"] == 1


def test_own_blocks_are_cut_and_an_empty_rest_is_not_stored(engine: Engine) -> None:
    """What Libra put into a prompt never comes back as somebody's words."""
    block = '<libra-context tier="recall" id="ab12cd34ef56">\n- old news\n</libra-context>\n'
    answer = engine.ingest(who=ME, turns=[user(block), user(block + "thanks, and the port is 99")])
    assert answer["ids"][0] is None
    got = engine.get(who=ME, id=answer["ids"][1])
    assert got["text"] == "thanks, and the port is 99"


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM])
def test_secrets_are_redacted_in_every_role(engine: Engine, role: Role) -> None:
    """No role's turn keeps a secret (lessons C79, C81)."""
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2
    answer = engine.ingest(who=ME, turns=[NewTurn(role, f"use {secret} for the push")])
    got = engine.get(who=ME, id=answer["ids"][0])["text"]
    assert secret not in got
    assert "[redacted:" in got


def test_b24_told_three_times_is_one_memory(engine: Engine) -> None:
    """B24: exactly one active memory with three confirmations and one id."""
    seen = set()
    for number in range(3):
        engine.ingest(
            who=Who(user="me", session=f"s{number}"), turns=[user("My sister Linh lives in Da Nang.")]
        )
        settle(engine)
        hits = engine.search(who=ME, query="sister Linh", kinds=frozenset({Kind.MEMORY}))["hits"]
        assert len(hits) == 1
        seen.add(hits[0]["id"])
    assert len(seen) == 1
    assert engine.get(who=ME, id=seen.pop())["confirmations"] == 3


def test_an_assistant_teaches_no_preference(engine: Engine) -> None:
    """What the agent muses is not what the person likes (lessons C35)."""
    engine.ingest(who=ME, turns=[assistant("I prefer tabs over spaces in every file.")])
    settle(engine)
    assert engine.search(who=ME, query="tabs spaces", kinds=frozenset({Kind.MEMORY}))["hits"] == []


def test_b22_unrelated_facts_do_not_close_each_other(engine: Engine) -> None:
    """B22: B-16 and A-17 are active; A-15 is superseded by A-17 only; the history shows it."""
    day = 86_400_000
    for number, text in enumerate(
        ("Server A runs Postgres 15.", "Server B runs Postgres 16.", "Server A runs Postgres 17.")
    ):
        engine.ingest(who=ME, turns=[user(text, 1_775_000_000_000 + number * day, f"e{number}")])
        settle(engine)
    hits = engine.search(who=ME, query="Postgres server", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert sorted(h["text"] for h in hits) == ["Server A runs Postgres 17.", "Server B runs Postgres 16."]
    newest = next(h["id"] for h in hits if "17" in h["text"])
    past = engine.get(who=ME, id=newest)["history"]
    assert [(p["text"], p["superseded_by"]) for p in past] == [
        ("Server A runs Postgres 15.", newest),
        ("Server A runs Postgres 17.", None),
    ]


def test_history_read_newest_first_ends_the_same(engine: Engine) -> None:
    """A back-fill may bring the older statement after the newer one."""
    day = 86_400_000
    engine.ingest(who=ME, turns=[user("Server A runs Postgres 17.", 1_775_000_000_000 + day, "e2")])
    settle(engine)
    engine.ingest(who=ME, turns=[user("Server A runs Postgres 15.", 1_775_000_000_000, "e1")])
    settle(engine)
    hits = engine.search(who=ME, query="Postgres server", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert [h["text"] for h in hits] == ["Server A runs Postgres 17."]


def test_flush_hands_a_transcript_to_the_readers(engine: Engine) -> None:
    """A hook names the file that its host has just written; without readers that is said, not an error."""
    assert engine.flush() == {"ok": True, "following": False}
    asked: list[str] = []

    def follow(path: str) -> bool:
        asked.append(path)
        return True

    engine.read_with(dict, lambda _s: True, follow)
    assert engine.flush(path="/t/a.jsonl") == {"ok": True, "following": True}
    assert asked == ["/t/a.jsonl"]
