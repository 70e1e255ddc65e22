"""Web chats as their services export them: ChatGPT's and Claude's ``conversations.json`` into messages.

Of a talk with branches (a message that was edited, an answer that was made again) the branch that the person saw last is
taken. Whatever is not as expected is left out; no shape of a file raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from libra.exchange.rows import name, text_of, when
from libra.ground.records import Role

Json = dict[str, Any]

_ROLES: Final = {
    "user": Role.USER, "human": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.TOOL,
}  # fmt: skip
_SPOKEN: Final = frozenset({Role.USER, Role.ASSISTANT})
"""What tools and the service itself said is no part of the talk."""


def chatgpt(talk: Json) -> Iterator[Json]:
    """Yield the messages of one conversation: from ``current_node`` up to the root, then in the order they were said."""
    nodes = talk.get("mapping")
    key = name(talk.get("conversation_id")) or name(talk.get("id"))
    if not isinstance(nodes, dict) or key is None:
        return
    for message in _branch(nodes, talk.get("current_node")):
        author = message.get("author")
        role = _ROLES.get(text_of(author.get("role"))) if isinstance(author, dict) else None
        content = message.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        said = "\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
        meta = message.get("metadata")
        hidden = isinstance(meta, dict) and bool(meta.get("is_visually_hidden_from_conversation"))
        if role in _SPOKEN and said.strip() and not hidden:
            yield _message("chatgpt", key, message, role, said, message.get("create_time"))


def _branch(nodes: Json, leaf: Any) -> list[Json]:
    """Return the messages from the root to a leaf; each node once, whatever the links say."""
    if not isinstance(leaf, str) or leaf not in nodes:
        leaf = _last_leaf(nodes)
    found: list[Json] = []
    seen: set[str] = set()
    while isinstance(leaf, str) and leaf not in seen:
        seen.add(leaf)
        node = nodes.get(leaf)
        if not isinstance(node, dict):
            break
        if isinstance(node.get("message"), dict):
            found.append(node["message"])
        leaf = node.get("parent")
    return found[::-1]


def _last_leaf(nodes: Json) -> str | None:
    """Return the node without children whose message is the newest: an export that names no current one."""
    leaves = [key for key, node in nodes.items() if isinstance(node, dict) and not node.get("children")]

    def made(key: str) -> int:
        message = nodes[key].get("message")
        return (when(message.get("create_time")) or 0) if isinstance(message, dict) else 0

    return max(leaves, key=made, default=None)


def claude(talk: Json) -> Iterator[Json]:
    """Yield the messages of one conversation: from the newest message up by its parents, or all where none are named."""
    key, messages = name(talk.get("uuid")), talk.get("chat_messages")
    if key is None or not isinstance(messages, list):
        return
    for message in _answered(
        [m for m in messages if isinstance(m, dict)], talk.get("current_leaf_message_uuid")
    ):
        role = _ROLES.get(text_of(message.get("sender")))
        said = text_of(message.get("text")) or _blocks(message.get("content"))
        if role in _SPOKEN and said.strip():
            yield _message("claude-web", key, message, role, said, message.get("created_at"))


def _answered(messages: list[Json], leaf: Any) -> list[Json]:
    by_id = {m["uuid"]: m for m in messages if isinstance(m.get("uuid"), str)}
    if not any(
        isinstance(m.get("parent_message_uuid"), str) and m["parent_message_uuid"] in by_id for m in messages
    ):
        return messages
    here = leaf if isinstance(leaf, str) and leaf in by_id else messages[-1].get("uuid")
    found: list[Json] = []
    while isinstance(here, str) and here in by_id:
        message = by_id.pop(here)
        found.append(message)
        here = message.get("parent_message_uuid")
    return found[::-1]


def _blocks(content: Any) -> str:
    if not isinstance(content, list):
        return ""
    return "\n".join(
        text_of(b.get("text")) for b in content if isinstance(b, dict) and b.get("type") == "text"
    )


def _message(system: str, session: str, message: Json, role: Role, said: str, at: Any) -> Json:
    record: Json = {
        "kind": "message",
        "system": system,
        "session": session,
        "role": role.value,
        "text": said.strip(),
    }
    uid, ts = name(message.get("id")) or name(message.get("uuid")), when(at)
    return record | ({"id": uid} if uid else {}) | ({"ts": ts} if ts is not None else {})
