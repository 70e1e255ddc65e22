"""The tools, read off the verbs' declarations: one table says which verbs agents get, under which names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from libra.engine.keeping_verbs import MANY_PARAMS
from libra.engine.verbs import VERBS, Verb
from libra.mcp.protocol import Json


def _whole(result: Any) -> str:
    """Return a result as compact JSON without what is empty."""
    return json.dumps(_lean(result), ensure_ascii=False, separators=(",", ":"))


def _lean(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lean(v) for k, v in value.items() if v not in (None, {}, [], "")}
    return [_lean(v) for v in value] if isinstance(value, list) else value


_OF_A_HIT = ("id", "kind", "type", "text", "score", "ts", "role", "speaker", "source")


def _hits(result: Any) -> str:
    """Return hits with what an agent can use: the words, where they are from, how near they are."""
    hits = [{name: hit.get(name) for name in _OF_A_HIT} for hit in result.get("hits", ())]
    if not hits:
        return "Nothing found."
    return _whole({"hits": hits, "degraded": result.get("degraded")})


def _context(result: Any) -> str:
    return (
        result.get("text") or f"Nothing to add ({result.get('skipped_reason', 'nothing fits the question')})."
    )


_OF_STATUS = ("ok", "ready", "version", "counts", "queue", "model", "last_learnt", "paused", "degraded")


def _status(result: Any) -> str:
    return _whole({name: result.get(name) for name in _OF_STATUS})


@dataclass(frozen=True, slots=True)
class Tool:
    """A verb as agents see it.

    Attributes:
        verb: The verb that it calls.
        doc: What it is for, from an agent's point of view; None for the verb's own words.
        hidden: Parameters that agents do not get.
        fixed: Parameters that every call has.
        optional: Defaults of parameters that the verb itself requires.
        reads: True if it changes nothing.
        destroys: True if what it changes cannot be brought back.
        show: Makes the text of a result.
    """

    verb: str
    doc: str | None = None
    hidden: frozenset[str] = frozenset()
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    optional: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    reads: bool = False
    destroys: bool = False
    show: Callable[[Any], str] = _whole

    @property
    def declaration(self) -> Verb:
        """The verb's own declaration."""
        return VERBS[self.verb]

    def takes_who(self) -> bool:
        """Return True if the verb wants to know who asks."""
        return any(p.name == "who" for p in self.declaration.params)

    def described(self, name: str) -> Json:
        """Return the entry of ``tools/list``."""
        hints: Json = {"readOnlyHint": self.reads, "openWorldHint": False}
        if not self.reads:
            hints |= {"destructiveHint": self.destroys, "idempotentHint": True}
        return {
            "name": name,
            "title": name.replace("_", " ").capitalize(),
            "description": self.doc or self.declaration.doc,
            "inputSchema": self._schema(),
            "annotations": hints,
        }

    def _schema(self) -> Json:
        schema = self.declaration.schema()
        away = self.hidden | {"who"} | self.fixed.keys()
        schema["properties"] = {k: v for k, v in schema["properties"].items() if k not in away}
        for name, default in self.optional.items():
            schema["properties"][name]["default"] = default
        required = [n for n in schema.pop("required", ()) if n not in self.optional and n not in away]
        return {**schema, "required": required} if required else schema

    def params(self, arguments: Json, who: Json) -> Json:
        """Return the verb's parameters for a call; hidden ones are dropped as if they were not there."""
        away = self.hidden | {"who"}
        given = {k: v for k, v in arguments.items() if k not in away}
        out = {**self.optional, **given, **self.fixed}
        return {**out, "who": who} if self.takes_who() else out


_AGENT = MappingProxyType({"origin": "agent"})

_TABLE: Mapping[str, Tool] = {
    "memory_search": Tool(
        "search",
        "Search everything that was said or decided before, in all sessions and by all agents on this machine, and the"
        " notes. Use it before asking the person for something that they may have told already.",
        frozenset({"explain", "as_of", "scopes"}),
        reads=True,
        show=_hits,
    ),
    "memory_get": Tool(
        "get", "Show one record in full, with its history and the turns that it came from.", reads=True
    ),
    "memory_store": Tool(
        "remember",
        "Keep a fact, decision or piece of context that will matter in later sessions. Write one sentence that is"
        " understandable by itself. What is known already is not stored twice; secrets are taken out.",
        fixed=_AGENT,
    ),
    "memory_update": Tool(
        "update", "Change a memory that an agent stored; the earlier words stay in its history.", fixed=_AGENT
    ),
    "memory_forget": Tool(
        "forget",
        "Delete records for good, by their ids, because the person asks for it. dry_run shows what would go.",
        frozenset({"kinds", "confirm", *(p.name for p in MANY_PARAMS)}),
        destroys=True,
    ),
    "memory_status": Tool(
        "status", "Say what the memory holds and whether anything is wrong with it.", reads=True, show=_status
    ),
    "context_assemble": Tool(
        "assemble",
        "Build the context for a task within a token budget: rules, recent turns, and what was said before that fits.",
        frozenset({"messages", "have", "deadline_ms", "as_of", "explain", "trial"}),
        optional=MappingProxyType({"budget_tokens": 2_000}),
        reads=True,
        show=_context,
    ),
    "memory_expand": Tool("expand", reads=True),
    "memory_describe": Tool("describe", reads=True),
    "memory_grep": Tool("grep", reads=True),
    "memory_explain": Tool("explain", reads=True),
    "memory_list": Tool("list", hidden=frozenset({"scopes"}), reads=True),
    "memory_recent": Tool("recent", reads=True),
    "memory_stats": Tool("stats", reads=True),
    "memory_recap": Tool("recap", reads=True),
    "memory_episodes": Tool("episodes", reads=True),
    "memory_set_priority": Tool("set_priority", fixed=_AGENT),
    "memory_pin": Tool("pin", fixed=_AGENT),
    "memory_unpin": Tool("unpin", fixed=_AGENT),
    "memory_extend": Tool("extend", fixed=_AGENT),
    "memory_archive": Tool("archive", hidden=frozenset({"scopes"}), fixed=_AGENT),
    "memory_unarchive": Tool("unarchive", fixed=_AGENT),
    "memory_relations": Tool("relations", reads=True),
    "memory_relate": Tool("relate"),
    "memory_consolidate": Tool(
        "consolidate",
        hidden=frozenset({"ids", "dry_run"}),
        fixed=MappingProxyType({"dry_run": True}),
        reads=True,
    ),
    "lesson_store": Tool("lesson", fixed=_AGENT),
    "lesson_search": Tool("lessons", reads=True),
    "code_search": Tool("code_search", reads=True),
    "memory_suggest_capture": Tool("suggest_capture", reads=True),
    "memory_missed": Tool("missed"),
    "memory_correction_stats": Tool("correction_stats", reads=True),
    "memory_workflows": Tool("workflows", reads=True),
    "memory_keep_session": Tool("keep_session"),
    "memory_audit": Tool("audit", reads=True),
    "rule_list": Tool("rule_list", reads=True),
    "rule_check": Tool("rule_check", reads=True),
    "card_update": Tool("card_update", fixed=_AGENT),
    "card_get": Tool("card_get", reads=True),
    "card_list": Tool("card_list", reads=True),
    "intent_set": Tool("intent_set"),
    "intent_list": Tool("intent_list", reads=True),
    "intent_done": Tool("intent_done"),
}

TOOLS: Mapping[str, Tool] = MappingProxyType({n: t for n, t in _TABLE.items() if t.verb in VERBS})
"""Every tool by its name. Names fit what model APIs take: ``^[a-zA-Z0-9_-]{1,64}$`` (hosts.md §5)."""

SHORT: tuple[str, ...] = (
    "memory_search", "memory_get", "memory_store", "memory_update", "memory_forget", "memory_status", "context_assemble",
)  # fmt: skip
"""What is listed unless all are asked for: a long list costs an agent thousands of tokens in every prompt, and hosts hide the
tools of a server with many behind a search. The others can be called all the same."""


def listed(*, everything: bool) -> list[Json]:
    """Return the entries of ``tools/list``."""
    return [tool.described(name) for name, tool in TOOLS.items() if everything or name in SHORT]
