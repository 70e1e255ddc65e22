"""Other memories' exported rows into statements: LibraVDB, memory-lancedb-pro and memory-lancedb, Noesis, rabisai-memory, mem0, claude-mem.

Each reader takes one parsed row and returns a record of :mod:`libra.exchange.shapes`, or None for a row that holds nothing.
Whose words a row holds is what the row itself says; where it says nothing they are an agent's, and make no rule.
Source: reference-systems.md §2.1–2.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from libra.ground.records import MemoryType, Origin
from libra.text.dates import parse_ts

Json = dict[str, Any]
Reader = Callable[[Json], Json | None]

_HUNDRED: Final = 100

_PRO_TYPES: Final[Mapping[str, MemoryType]] = {
    "preference": MemoryType.PREFERENCE, "fact": MemoryType.FACT, "decision": MemoryType.DECISION,
    "entity": MemoryType.ENTITY, "reflection": MemoryType.CONTEXT, "other": MemoryType.FACT,
}  # fmt: skip
"""Categories of memory-lancedb and memory-lancedb-pro."""
_SMART_TYPES: Final[Mapping[str, MemoryType]] = {
    "profile": MemoryType.IDENTITY, "preferences": MemoryType.PREFERENCE, "entities": MemoryType.ENTITY,
    "events": MemoryType.FACT, "cases": MemoryType.FACT, "patterns": MemoryType.FACT,
}  # fmt: skip
"""Its six finer categories, in ``metadata.memory_category``: what was extracted wins over how it was first filed."""
_NOESIS_TYPES: Final[Mapping[str, MemoryType]] = {
    "fact": MemoryType.FACT, "decision": MemoryType.DECISION, "preference": MemoryType.PREFERENCE,
    "context": MemoryType.CONTEXT, "session": MemoryType.SESSION,
}  # fmt: skip
_RABISAI_TYPES: Final[Mapping[str, MemoryType]] = {
    kind.value: kind
    for kind in (
        MemoryType.FACT, MemoryType.PREFERENCE, MemoryType.TODO, MemoryType.CONTEXT, MemoryType.DECISION, MemoryType.INSTRUCTION,
    )
}  # fmt: skip
_RABISAI_GONE: Final = frozenset({"archived", "superseded", "deleted"})
_CLAUDE_MEM_TYPES: Final[Mapping[str, MemoryType]] = {"decision": MemoryType.DECISION}


def text_of(value: Any) -> str:
    """Return a text, or nothing for anything else."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> float | None:
    """Return a finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < float("inf") else None


def when(value: Any) -> int | None:
    """Return epoch milliseconds of what a system calls a time, or None."""
    return parse_ts(value) if isinstance(value, str | int | float) else None


def name(value: Any) -> str | None:
    """Return an id or a name as text, or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def within(value: Any) -> Json:
    """Return an object that is there itself or as JSON in a text; an empty one for anything else."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return value if isinstance(value, dict) else {}


def _statement(system: str, text: str, **fields: Any) -> Json | None:
    if not text.strip():
        return None
    known = {key: value for key, value in fields.items() if value is not None}
    return {"kind": "statement", "system": system, "text": text.strip(), **known}


def _typed(types: Mapping[str, MemoryType], *words: Any) -> str | None:
    found = (types.get(word) for word in words if isinstance(word, str))
    return next((kind.value for kind in found if kind is not None), None)


def _scoped(scope: Any) -> dict[str, str | None]:
    """Return the agent or project of a scope such as ``agent:main``."""
    kind, _, what = text_of(scope).partition(":")
    return (
        {"agent": what or None} if kind == "agent" else {"project": what or None} if kind == "project" else {}
    )


def libravdb(row: Json) -> Json | None:
    """Read a line of ``export_memory``: ``{collection, id, text, metadata}``."""
    meta = within(row.get("metadata", row.get("metadata_json", row.get("meta"))))
    person = meta.get("role") == "user"
    return _statement(
        "libravdb", text_of(row.get("text")), id=name(row.get("id")), ts=when(meta.get("ts")),
        origin=(Origin.OWNER if person else Origin.AGENT).value, agent=name(meta.get("agentId")),
    )  # fmt: skip


def lancedb_pro(row: Json) -> Json | None:
    """Read a memory of memory-lancedb-pro, or of the smaller memory-lancedb: the same row with fewer fields."""
    meta = within(row.get("metadata"))
    importance = number(row.get("importance"))
    confidence = number(meta.get("confidence"))
    gone = (
        meta.get("state") == "archived"
        or bool(when(meta.get("invalidated_at")))
        or bool(name(meta.get("superseded_by")))
    )
    return _statement(
        "memory-lancedb-pro", text_of(row.get("text")) or text_of(meta.get("l2_content")), id=name(row.get("id")),
        ts=when(row.get("timestamp", row.get("createdAt"))),
        type=_typed(_SMART_TYPES, meta.get("memory_category")) or _typed(_PRO_TYPES, row.get("category")),
        priority=None if importance is None else round(min(max(importance, 0.0), 1.0) * _HUNDRED),
        confidence=None if confidence is None else min(max(confidence, 0.0), 1.0),
        origin=(Origin.OWNER if meta.get("source") == "manual" else Origin.AGENT).value,
        active=not gone, **_scoped(row.get("scope")),
    )  # fmt: skip


def noesis(row: Json) -> Json | None:
    """Read an entry of ``noesis_export`` or a row of its tables; ``expiresAt`` 0 is for ever."""
    priority = number(row.get("priority"))
    return _statement(
        "noesis", text_of(row.get("content")) or text_of(row.get("chunk")), id=name(row.get("id")),
        ts=when(row.get("createdAt")), type=_typed(_NOESIS_TYPES, row.get("memoryType")),
        priority=None if priority is None else round(min(max(priority, 0.0), float(_HUNDRED))),
        expires_ms=when(row.get("expiresAt")) if row.get("expiresAt") else None,
        agent=name(row.get("agentId")), active=not row.get("archived"),
    )  # fmt: skip


_RABISAI_TABLE: Final = "memories_"


def is_rabisai(row: Json) -> bool:
    """Say whether a row is of a table of rabisai-memory: one for each agent, named after it, with a confidence."""
    table = text_of(row.get("table"))
    return table.startswith(_RABISAI_TABLE) and not row.get("archived") and "confidence" in row


def rabisai(row: Json) -> Json | None:
    """Read a row of rabisai-memory's table ``memories_<agentId>``.

    Its columns are published nowhere, only what they hold (reference-systems.md §2.4): words, one of six types, confidence,
    priority, times. So each is looked for under the names that its kind has. A confidence of 0 is what it gives to a memory
    that another one supersedes; it keeps relations in a file of its own, which is not read.
    """
    meta = within(row.get("metadata"))
    known = {**meta, **{key: value for key, value in row.items() if value is not None}}
    confidence, priority = number(known.get("confidence")), number(known.get("priority"))
    agent = text_of(row.get("table")).removeprefix(_RABISAI_TABLE)
    gone = (
        confidence == 0
        or text_of(known.get("status")) in _RABISAI_GONE
        or bool(_first(known, "superseded_by", "supersededBy", "archived_at", "archivedAt"))
    )
    if priority is not None and 0 < priority <= 1:
        priority *= _HUNDRED
    return _statement(
        "rabisai-memory", next((t for n in ("text", "content", "fact", "memory") if (t := text_of(known.get(n)))), ""),
        id=name(row.get("id")), ts=when(_first(known, "created_at", "createdAt", "timestamp")),
        type=_typed(_RABISAI_TYPES, *(known.get(n) for n in ("type", "memory_type", "memoryType", "category"))),
        priority=None if priority is None else round(min(max(priority, 0.0), float(_HUNDRED))),
        confidence=None if confidence is None else min(max(confidence, 0.0), 1.0),
        expires_ms=when(_first(known, "expires_at", "expiresAt")),
        agent=agent or name(_first(known, "agent_id", "agentId", "namespace")), active=not gone,
    )  # fmt: skip


def _first(row: Json, *names: str) -> Any:
    """Return the first of these members that says something."""
    return next((row[n] for n in names if row.get(n)), None)


def mem0(row: Json) -> Json | None:
    """Read a memory of mem0: a model's wording of what was said, so never the person's own word."""
    return _statement(
        "mem0", text_of(row.get("memory")) or text_of(row.get("data")), id=name(row.get("id")),
        ts=when(row.get("created_at")), expires_ms=when(row.get("expiration_date")), agent=name(row.get("agent_id")),
    )  # fmt: skip


def claude_mem(row: Json) -> Json | None:
    """Read a row of claude-mem's ``observations`` or ``session_summaries``; ``table`` says which."""
    table = text_of(row.get("table"))
    shown = {
        "ts": when(row.get("created_at_epoch", row.get("created_at"))),
        "project": name(row.get("project")),
    }
    if table == "session_summaries":
        parts = [
            text_of(row.get(part)).strip()
            for part in ("request", "learned", "completed", "next_steps", "notes")
        ]
        kind = MemoryType.SESSION.value
    else:
        told = text_of(row.get("narrative")).strip() or text_of(row.get("text")).strip()
        parts = [text_of(row.get("title")).strip(), told or text_of(row.get("subtitle")).strip()]
        kind = _typed(_CLAUDE_MEM_TYPES, row.get("type")) or MemoryType.FACT.value
    return _statement(
        "claude-mem", "\n".join(dict.fromkeys(part for part in parts if part)), id=f"{table}:{row.get('id')}", type=kind, **shown
    )  # fmt: skip


READERS: Final[Mapping[str, Reader]] = {
    "libravdb": libravdb,
    "memory-lancedb-pro": lancedb_pro,
    "noesis": noesis,
    "rabisai-memory": rabisai,
    "mem0": mem0,
    "claude-mem": claude_mem,
}
