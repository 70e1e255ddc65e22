"""A session of LibraVDB's own client, call by call, as it was recorded from the real plugin 1.4.4 (hosts.md §4.3)."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.core import Engine
from libra.ground.errors import Conflict, InvalidParams
from libra.ground.records import DocumentText, Scope, ScopeKind, Who
from libra.rpc.methods import Methods
from tests.engine.conftest import settle

NS = "session-key:agent:main:main"
Json = dict[str, Any]


@pytest.fixture
def call(engine: Engine) -> Methods:
    """Return the socket's methods over a running engine."""
    methods = Methods("me")
    methods.attach(engine)
    return methods


def after_turn(call: Methods, number: int, role: str, text: str, ts: int) -> None:
    """Do what the client does for one message."""
    meta = {"role": role, "ts": ts, "userId": NS, "sessionId": "S", "type": "turn", "stability_weight": None}
    assert call(
        "insert_session_turn",
        {"sessionId": "S", "id": f"S:after-turn:{number}", "text": text, "metadata": meta},
    ) == {"ok": True}
    if role == "user":
        both = {"id": f"{NS}:after-turn:{number}", "text": text, "metadata": meta}
        assert call("insert_text", {"collection": f"turns:{NS}", **both}) == {"ok": True}
        gate = call("gating_scalar", {"userId": NS, "text": text})
        wanted = "g t h r d inputFreq memSaturation p a dtech gconv gtech".split()
        assert all(isinstance(gate[name], float) for name in wanted)
        assert call("insert_text", {"collection": f"user:{NS}", **both, "score": 1}) == {"ok": True}


def results(answer: Json) -> list[Json]:
    """Return the hits, after checking what the client relies on."""
    assert isinstance(answer["results"], list)
    for hit in answer["results"]:
        assert 0.0 <= hit["score"] <= 1.0
        assert isinstance(hit["metadata"], dict)
        assert hit["metadata"]["collection"]
    return list(answer["results"])


def test_a_sessions_life(call: Methods, engine: Engine) -> None:
    """Health, collections, turns, recall in another session, compaction, hints: each answer is what the client reads."""
    health = call("health", {})
    assert health["ok"] is True
    assert health["message"]
    assert call("ensure_collections", {"collections": ["session:S", "what:ever"]}) == {"ok": True}
    after_turn(call, 0, "user", "We decided that the relay listens on port 7443.", 1_772_000_000_000)
    after_turn(call, 1, "assistant", "Noted: port 7443.", 1_772_000_001_000)
    # The host hands the last answer in again under a new index.
    after_turn(call, 2, "assistant", "Noted: port 7443.", 1_772_000_009_000)
    settle(engine)
    assert engine.status()["counts"]["turn"] == 2
    listed = results(call("list_by_meta", {"collection": "session:S", "key": "sessionId", "value": "S"}))
    assert [(h["id"], h["metadata"]["role"]) for h in listed] == [
        ("S:after-turn:0", "user"),
        ("S:after-turn:1", "assistant"),
    ]
    assert listed[0]["metadata"]["ts"] == 1_772_000_000_000
    found = results(
        call(
            "search_text",
            {"collection": "session:S", "text": "relay port", "k": 8, "excludeIds": ["S:after-turn:1"]},
        )
    )
    assert [h["id"] for h in found] == ["S:after-turn:0"]
    assert found[0]["score"] >= 0.2
    assert results(call("search_text", {"collection": "session:other", "text": "relay port", "k": 8})) == []
    durable = results(call("search_text", {"collection": f"user:{NS}", "text": "relay port", "k": 4}))
    assert [h["text"] for h in durable] == ["We decided that the relay listens on port 7443."]
    assert durable[0]["score"] >= 0.35
    many = {
        "collections": ["session:S", f"user:{NS}", "global", "elevated:user:x"],
        "text": "relay port",
        "k": 2,
    }
    merged = results(call("search_text_collections", many))
    assert len(merged) == 2
    assert merged[0]["score"] >= merged[1]["score"]
    assert len(results(call("query_raw_session", {"sessionId": "S", "text": "relay port", "k": 8}))) == 2
    assert call("bump_access_counts", {"updates": []}) == {"ok": True}
    assert (
        call("compact_session", {"sessionId": "S", "force": True, "continuityMinTurns": 4})["didCompact"]
        is False
    )
    assert call("session_lifecycle_hint", {"hook": "session_end", "sessionId": "S"})["hook"] == "session_end"
    assert len(results(call("list_lifecycle_journal", {"limit": 5}))) == 1
    assert call("flush", {})["ok"] is True
    assert {"turnCount", "memoryCount", "gatingThreshold"} <= call("status", {}).keys()


def test_the_transcripts_reader_and_the_client_share_a_session(call: Methods, engine: Engine) -> None:
    """What the client hands in is in the session that Libra's own reader of OpenClaw knows."""
    after_turn(call, 0, "user", "The staging host is quay-2.", 1_772_000_000_000)
    who = Who(user="me", host="openclaw", session="S")
    hits = engine.search(who=who, query="staging host")["hits"]
    assert hits[0]["source"]["session"] == "openclaw:S"


def test_rules_of_other_files_are_authored(call: Methods, engine: Engine) -> None:
    """The client injects rules that OpenClaw does not read itself, and no workspace file twice."""
    scope = Scope(ScopeKind.USER, "me")
    engine.document(
        DocumentText("/c/CLAUDE.md", "- Never push to main.\n", "claude-code", scope, instructions=True)
    )
    engine.document(
        DocumentText("/w/AGENTS.md", "- Always answer in French.\n", "openclaw", scope, instructions=True)
    )
    hard = results(call("list_collection", {"collection": "authored:hard"}))
    assert [h["text"] for h in hard] == ["Never push to main."]
    assert hard[0]["metadata"]["authored"] is True
    assert hard[0]["metadata"]["tier"] == 1
    assert hard[0]["metadata"]["token_estimate"] > 0
    assert call("list_collection", {"collection": "authored:variant"}) == {"results": []}


def test_documents_diaries_and_exports(call: Methods, engine: Engine) -> None:
    """Its markdown and dream features work: documents come and go, diary entries are kept as the agent's."""
    doc = {"sourceDoc": "/n/notes.md", "text": "# Notes\n\nThe mole lamp is green.\n", "coreDoc": False}
    assert call("ingest_markdown_document", doc) == {"ok": True}
    settle(engine)
    assert results(call("search_text", {"collection": "authored:variant", "text": "mole lamp", "k": 4}))
    assert call("delete_authored_document", {"sourceDoc": "/n/notes.md"}) == {"ok": True}
    entries = [{"text": "The loader reads the file twice.", "score": 0.9}, {"text": ""}]
    assert call("promote_dream_entries", {"userId": NS, "entries": entries}) == {"promoted": 1, "rejected": 1}
    (record,) = call("export_memory", {})["records"]
    assert record.keys() == {"collection", "id", "text", "metadata"}
    listed = results(call("list_collection", {"collection": f"user:{NS}"}))
    assert call("delete", {"collection": "user:x", "id": listed[0]["id"]}) == {"ok": True}
    assert call("delete_batch", {"collection": "user:x", "ids": ["nothing", listed[0]["id"]]}) == {"ok": True}
    assert call("export_memory", {}) == {"records": []}


def test_everything_is_not_one_clients_to_delete(call: Methods) -> None:
    """A plugin's "flush" must not empty the memory of every other agent."""
    with pytest.raises(InvalidParams):
        call("flush_namespace", {})
    with pytest.raises(Conflict, match="forget"):
        call("flush_namespace", {"userId": NS})


def test_what_is_missing_is_named(call: Methods) -> None:
    """A call without its collection is an error with a message, which the client needs to reject it."""
    with pytest.raises(InvalidParams, match="collection"):
        call("search_text", {"text": "x"})
    with pytest.raises(InvalidParams, match="sourceDoc"):
        call("delete_authored_document", {"sourceDoc": ""})
