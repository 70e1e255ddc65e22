"""Readers of other memories' exports: what a row says is kept, what it does not say is not made up."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.exchange import notes, recognise, rows, webchats
from libra.exchange.shapes import SHAPES, check

NOON = 1_775_001_600_000

LIBRAVDB = {
    "collection": "user:anna",
    "id": "anna:1",
    "text": "I live in Porto.",
    "metadata": {"role": "user", "ts": NOON},
}
PRO = {
    "id": "u-1", "text": "We deploy on Fridays.", "category": "decision", "scope": "agent:main", "importance": 0.85,
    "timestamp": NOON, "metadata": orjson.dumps({"confidence": 0.7, "source": "manual"}).decode(),
}  # fmt: skip
NOESIS = {
    "id": "n-1", "agentId": "main", "content": "The server runs Debian.", "memoryType": "fact", "priority": 30,
    "expiresAt": 0, "createdAt": NOON, "checksum": "c",
}  # fmt: skip
RABISAI = {
    "table": "memories_peter", "archived": False, "id": "r-1", "content": "Server A runs 15.", "memoryType": "decision",
    "confidence": 0.0, "priority": 0.8, "createdAt": NOON, "expiresAt": 0, "metadata": "{}",
}  # fmt: skip
MEM0 = {
    "id": "m-1",
    "memory": "Lives in Porto",
    "hash": "h",
    "created_at": "2026-04-01T00:00:00Z",
    "agent_id": "helper",
}
CLAUDE_MEM = {
    "table": "observations", "id": 4, "project": "harbor", "type": "decision", "title": "Queue chosen",
    "narrative": "SQLite holds the queue.", "created_at_epoch": NOON,
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "system", "expected"),
    [
        (LIBRAVDB, "libravdb", {"text": "I live in Porto.", "origin": "owner", "ts": NOON, "id": "anna:1"}),
        (
            PRO,
            "memory-lancedb-pro",
            {"type": "decision", "priority": 85, "origin": "owner", "agent": "main", "active": True},
        ),
        (
            NOESIS,
            "noesis",
            {"type": "fact", "priority": 30, "agent": "main", "expires_ms": None, "origin": "agent"},
        ),
        (
            RABISAI,
            "rabisai-memory",
            {
                "text": "Server A runs 15.",
                "type": "decision",
                "priority": 80,
                "agent": "peter",
                "active": False,
                "origin": "agent",
            },
        ),
        (MEM0, "mem0", {"text": "Lives in Porto", "agent": "helper", "origin": "agent", "ts": NOON}),
    ],
)
def test_rows_are_known_and_read(row: dict[str, Any], system: str, expected: dict[str, Any]) -> None:
    """A person need not say whose file it is, and type, priority, time and origin come along."""
    assert recognise.system_of(row) == system
    found = check(next(iter(recognise.records([row], system))))
    assert isinstance(found, dict)
    assert {key: found[key] for key in expected} == expected


def test_claude_mem_rows_are_told_with_their_title() -> None:
    """An observation without its title would not be understood."""
    found = check(rows.claude_mem(CLAUDE_MEM))
    assert isinstance(found, dict)
    assert (found["text"], found["type"], found["project"]) == (
        "Queue chosen\nSQLite holds the queue.",
        "decision",
        "harbor",
    )


def test_what_was_invalidated_is_not_active() -> None:
    """A fact that its own system had replaced does not come back as true."""
    gone = rows.lancedb_pro(PRO | {"metadata": {"invalidated_at": NOON}})
    assert gone is not None
    assert gone["active"] is False


def test_documents_hold_their_rows_in_a_list() -> None:
    """Exports wrap their rows in different ways."""
    assert recognise.rows_of({"version": "1", "memories": [PRO]}) == [PRO]
    assert recognise.rows_of({"results": [MEM0]}) == [MEM0]
    assert recognise.rows_of([NOESIS]) == [NOESIS]
    assert recognise.rows_of("x") == []


def node(key: str, parent: str | None, role: str, text: str, at: float, *children: str) -> dict[str, Any]:
    """Return a node of a ChatGPT conversation."""
    message = {
        "id": key,
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text]},
        "create_time": at,
    }
    return {"id": key, "message": message, "parent": parent, "children": list(children)}


CHATGPT = {
    "conversation_id": "c-1",
    "current_node": "d",
    "mapping": {
        "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
        "a": node("a", "root", "user", "Which queue?", 1.0, "b", "c"),
        "b": node("b", "a", "assistant", "RabbitMQ.", 2.0),
        "c": node("c", "a", "assistant", "SQLite.", 3.0, "d"),
        "d": node("d", "c", "user", "We take SQLite.", 4.0),
    },
}


def test_of_branches_the_one_that_stands_is_taken() -> None:
    """An answer that the person had made again is not what was said."""
    assert recognise.system_of(CHATGPT) == "chatgpt"
    said = [m["text"] for m in recognise.records([CHATGPT], "chatgpt")]
    assert said == ["Which queue?", "SQLite.", "We take SQLite."]
    without = {key: value for key, value in CHATGPT.items() if key != "current_node"}
    assert [m["text"] for m in webchats.chatgpt(without)] == said


def test_a_talk_that_runs_in_a_circle_ends() -> None:
    """A damaged export must not hang the import."""
    nodes = {"a": node("a", "b", "user", "one", 1.0, "b"), "b": node("b", "a", "user", "two", 2.0, "a")}
    assert len(list(webchats.chatgpt({"id": "x", "mapping": nodes, "current_node": "a"}))) == 2
    messages = [
        {"uuid": "a", "parent_message_uuid": "b", "sender": "human", "text": "one"},
        {"uuid": "b", "parent_message_uuid": "a", "sender": "human", "text": "two"},
    ]
    assert len(list(webchats.claude({"uuid": "x", "chat_messages": messages}))) == 2


def test_claude_talks_are_read_with_and_without_branches() -> None:
    """Older exports are a plain list, newer ones name each message's parent."""
    flat = [
        {"uuid": "a", "sender": "human", "text": "Which queue?", "created_at": "2026-04-01T00:00:00Z"},
        {"uuid": "b", "sender": "assistant", "content": [{"type": "text", "text": "SQLite."}]},
    ]
    talk = {"uuid": "t", "chat_messages": flat}
    assert recognise.system_of(talk) == "claude-web"
    assert [(m["role"], m["text"]) for m in webchats.claude(talk)] == [
        ("user", "Which queue?"),
        ("assistant", "SQLite."),
    ]
    branched = [
        {"uuid": "a", "parent_message_uuid": "00", "sender": "human", "text": "Which queue?"},
        {"uuid": "b", "parent_message_uuid": "a", "sender": "assistant", "text": "RabbitMQ."},
        {"uuid": "c", "parent_message_uuid": "a", "sender": "assistant", "text": "SQLite."},
    ]
    assert [m["text"] for m in webchats.claude({"uuid": "t", "chat_messages": branched})] == [
        "Which queue?",
        "SQLite.",
    ]


def test_bullets_are_statements() -> None:
    """Each item is one thing; a short one is told with its heading, code is left alone."""
    text = "# Build\n- use pnpm\n* [x] The release goes out on Fridays at noon.\n```\n- not this\n```\n1. third of all the items\nprose\n"
    found = list(notes.bullets(text, "memory/2026-04-01.md"))
    assert [r["text"] for r in found] == [
        "Build: use pnpm",
        "The release goes out on Fridays at noon.",
        "third of all the items",
    ]
    assert {r["ts"] for r in found} == {NOON}
    assert all(isinstance(check(r), dict) for r in found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from([
            "id", "uuid", "text", "metadata", "memory", "content", "mapping", "chat_messages", "message", "author", "role",
            "parts", "sender", "parent", "children", "create_time", "created_at", "timestamp", "importance", "expiresAt",
            "priority", "scope", "kind", "current_node", "parent_message_uuid", "ts", "category", "conversation_id",
        ]),
        inner,
        max_size=6,
    ),
    max_leaves=20,
)  # fmt: skip


@given(row=VALUES)
def test_no_shape_of_a_row_raises(row: Any) -> None:
    """A file of another program may hold anything: it is left out, the import goes on, and nothing unchecked comes of it."""
    for system in recognise.SYSTEMS:
        if system != "memory-md":
            for record in recognise.records([row], system):
                assert isinstance(check(record), dict | str)
    recognise.system_of(row)
    recognise.rows_of(row)


@given(
    record=st.fixed_dictionaries(
        {"kind": st.sampled_from(sorted(SHAPES))}, optional={"text": VALUES, "id": VALUES, "ts": VALUES}
    )
)
def test_what_passes_the_check_has_every_field(record: dict[str, Any]) -> None:
    """The store never meets a record with a field that is not there."""
    found = check(record)
    if isinstance(found, dict):
        assert set(found) == {"kind", *SHAPES[record["kind"]]}
