"""What the gRPC generation's client calls, as it was read from Hermes's provider 0.7.0, without the wire (hosts.md §4.5)."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.core import Engine
from libra.engine.libravdb_kernel import LibraVdbKernel
from libra.ground.records import Cursor, NewTurn, Origin, Role, SessionRef, SourceBatch
from tests.conftest import FixedClock
from tests.engine.conftest import settle

FACT = "We decided that the relay listens on port 7443."
Json = dict[str, Any]


@pytest.fixture
def call(engine: Engine) -> LibraVdbKernel:
    """Return the methods over a running engine."""
    return LibraVdbKernel(engine, "me")


def say(call: LibraVdbKernel, role: str, text: str, session: str = "S", **more: Any) -> int:
    """Hand one message in; return how many were kept."""
    message = {"role": role, "content": text}
    answer = call("ingest_message_kernel", {"sessionId": session, "userId": "u", "message": message, **more})
    assert answer["ok"] is True
    return int(answer["ingested"])


def stored(call: LibraVdbKernel, session: str = "S") -> list[tuple[str, str]]:
    """Return role and text of a session's turns."""
    found = call("list_by_meta", {"collection": f"session:{session}", "key": "sessionId", "value": session})
    return [(hit["metadata"]["role"], hit["text"]) for hit in found["results"]]


def test_turns_are_kept_and_found_in_another_session(call: LibraVdbKernel, engine: Engine) -> None:
    """What Hermes's user decided yesterday would be unknown today, or be cut away by the client for its score."""
    assert call("bootstrap_session_kernel", {"sessionId": "S"})["ok"] is True
    assert say(call, "user", FACT) == 1
    assert say(call, "assistant", "Noted: port 7443.") == 1
    settle(engine)
    asked = {"collections": ["session:T", "user:u", "global"], "text": "On which port does the relay listen?"}
    hits = call("search_text_collections", {**asked, "k": 8})["results"]
    cut = call("status", {})["gatingThreshold"]
    assert any(FACT in hit["text"] and hit["score"] >= cut for hit in hits)
    context = call(
        "assemble_context_internal", {"sessionId": "T", "prompt": asked["text"], "tokenBudget": 8192}
    )
    assert FACT in context["systemPromptAddition"]
    assert 0 < context["estimatedTokens"] <= 2048
    assert call("health", {})["ok"] is True


@pytest.mark.parametrize("secret", ["", " The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH."])
def test_a_message_that_comes_again_is_kept_once(call: LibraVdbKernel, secret: str) -> None:
    """A retry, or the same turn from the provider and from the context engine, would fill the memory twice."""
    first = FACT + secret
    assert say(call, "user", first) == 1
    assert say(call, "user", first) == 0
    talk = [{"role": "user", "content": first}, {"role": "assistant", "content": "Noted."}]
    for _ in range(2):
        assert call("after_turn_kernel", {"sessionId": "S", "messages": talk})["ok"] is True
    assert [role for role, _ in stored(call)] == ["user", "assistant"]
    assert secret == "" or secret not in stored(call)[0][1]


def test_saying_yes_twice_is_two_turns_of_a_conversation(call: LibraVdbKernel) -> None:
    """In a whole conversation a short answer that was given twice would be lost."""
    talk = [
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": "Shall I go on?"},
        {"role": "user", "content": "yes"},
    ]
    cursor = {"lastProcessedIndex": 3}
    answer = call("after_turn_kernel", {"sessionId": "S", "messages": talk, "cursor": cursor})
    assert answer["cursor"] == cursor
    assert [text for _, text in stored(call)] == ["yes", "Shall I go on?", "yes"]


def test_the_same_words_much_later_are_a_new_turn(call: LibraVdbKernel, clock: FixedClock) -> None:
    """A long session would swallow every answer that was ever given before, or slow down with each turn."""
    assert say(call, "user", "yes") == 1
    for n in range(20):
        clock.advance(1_000)
        assert say(call, "user", f"The relay number {n} is up.") == 1
    assert say(call, "user", "yes") == 1
    assert [text for _, text in stored(call)].count("yes") == 2


def test_a_heartbeat_says_nothing(call: LibraVdbKernel) -> None:
    """A host's own "are you there" would become what a person said."""
    assert say(call, "user", "HEARTBEAT", isHeartbeat=True) == 0
    assert say(call, "user", "  ") == 0
    talk = [{"role": "user", "content": "HEARTBEAT"}]
    call("after_turn_kernel", {"sessionId": "S", "messages": talk, "isHeartbeat": True})
    assert stored(call) == []


def test_what_was_said_before_is_no_remark(call: LibraVdbKernel) -> None:
    """Before the host shortens a conversation its last messages come again in one piece, which would be kept twice."""
    say(call, "user", FACT)
    say(call, "assistant", "Noted: port 7443.")
    assert say(call, "system", f"{FACT}\n---\nNoted: port") == 0
    assert say(call, "system", "[subagent:tester]\nThe relay's tests pass.") == 1
    assert [role for role, _ in stored(call)] == ["user", "assistant", "system"]


def test_the_agents_own_memory_is_marked_as_the_agents(call: LibraVdbKernel, engine: Engine) -> None:
    """What the agent noted would pass for the person's word, or be lost."""
    assert say(call, "memory", "[memory]\nThe relay's certificates are renewed in March.") == 1
    assert say(call, "memory", "[deleted] target=memory") == 0
    settle(engine)
    hits = engine.search(query="When are certificates renewed?")["hits"]
    kept = next(hit for hit in hits if "certificates" in hit["text"])
    assert kept["text"].startswith("The relay's")
    assert kept["source"]["origin"] == Origin.AGENT.value


def test_a_session_that_libra_reads_itself_is_left_to_its_reader(
    call: LibraVdbKernel, engine: Engine
) -> None:
    """Turns of Hermes's own database would be there twice."""
    turn = NewTurn(Role.USER, FACT, 1_772_000_000_000, "7", Origin.OWNER)
    ref = SessionRef(key="hermes:S", user="me", host="hermes")
    cursor = Cursor(path="state.db", host="hermes", form="rows")
    engine.take(SourceBatch(session=ref, turns=[turn], cursor=cursor))
    assert say(call, "assistant", "Noted: port 7443.") == 0
    assert stored(call) == [("user", FACT)]


def test_the_other_shapes(call: LibraVdbKernel, engine: Engine) -> None:
    """The listings of this generation hold ids, messages and texts where the older one had hits."""
    say(call, "user", FACT)
    settle(engine)
    found = call("query_raw_session", {"sessionId": "S", "text": "relay port", "k": 4})["messages"]
    assert [(m["role"], m["content"]) for m in found] == [("user", FACT)]
    assert call("list_collection", {"collection": "session:S"})["ids"] == [found[0]["id"]]
    assert call("list_by_meta", {"key": "type", "value": "user_card"}) == {"results": []}
    call("session_lifecycle_hint", {"hook": "session_end", "sessionId": "S"})
    assert "session_end" in call("list_lifecycle_journal", {"sessionId": "S"})["entries"][0]
    assert call("status", {})["lifecycleHintCount"] == 1
