"""The verbs, declared once: the socket, the commands, MCP, the JSON schema and the docs are all read off here.

A verb's handler is the engine's method of the same name; it gets the checked parameters as keywords and
returns what JSON can hold. Source: protocol.md, Methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from libra.engine.fields import (
    Choice,
    Flag,
    Free,
    Json,
    ListOf,
    Number,
    Param,
    Parsed,
    Struct,
    Text,
    Time,
    Whole,
    wrong,
)
from libra.engine.host_files import OWN_FILES
from libra.ground.records import Kind, MemoryType, NewTurn, Origin, Role, Scope, Who

DEFAULT_AGENT = "main"
"""Who asks when neither an agent nor a host is named: the person, at the command line."""

MAX_TURNS = 10_000
MAX_K = 1_000
MAX_TOKENS = 10_000_000
MAX_IDS = 10_000
TIERS = ("hard", "soft", "guidance", "tail", "recall")

_ORIGIN_OF_ROLE = {
    Role.USER: Origin.OWNER,
    Role.ASSISTANT: Origin.AGENT,
    Role.TOOL: Origin.TOOL,
    Role.SYSTEM: Origin.EXTERNAL,
}


def _kind(word: str) -> Kind:
    return Kind[word.upper()]


def _turn(found: Json) -> NewTurn:
    if found["origin"] is None:
        found["origin"] = _ORIGIN_OF_ROLE[found["role"]]
    if found["metadata"] is None:
        found["metadata"] = {}
    return NewTurn(**found)


def _who(found: Json) -> Who:
    given: Json = {name: value or None for name, value in found.items()}
    given["user"] = given["user"] or ""
    return Who(**given)


_NAME = Text(max_chars=4_096)
_TOKENS = Whole(0, MAX_TOKENS)

TURN = Struct(
    (
        Param("id", _NAME, "The caller's id of the message; the same id is stored once.", None, "event_id"),
        Param("role", Choice(tuple(Role), Role), "Who spoke."),
        Param("content", Text(), "The words."),
        Param("ts", Time(), "When it was said.", None, "ts_ms"),
        Param("speaker", _NAME, "A name to show.", None),
        Param("tokens", _TOKENS, "The caller's own token count.", None),
        Param("origin", Choice(tuple(Origin), Origin), "Whose words they are; by default the role's.", None),
        Param("metadata", Free(), "Free JSON, kept with the turn.", None),
    ),
    _turn,
)

WHO = Struct(
    (
        Param("user", _NAME, "The person; by default the one who is logged in.", None),
        Param("agent", _NAME, "The agent that asks.", None),
        Param("project", _NAME, "The project's key; by default found from cwd.", None),
        Param("session", _NAME, "The session's key.", None),
        Param("host", _NAME, "The program that the agent runs in.", None),
        Param("cwd", _NAME, "The folder that the agent works in.", None),
    ),
    _who,
)

_DOCUMENT_NAME = Text(1, 4_096)


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that a caller may ask for.

    Attributes:
        name: The method's name on the socket, and the engine's method.
        doc: What it does, in a sentence or two.
        params: What it takes.
        result: The shape of the answer.
        example: Parameters of a call that makes sense.
        any_of: If set, at least one of these has to be given.
        changes: True if it may change what is stored.
    """

    name: str
    doc: str
    params: tuple[Param, ...]
    result: str
    example: Mapping[str, Any]
    any_of: tuple[str, ...] = ()
    changes: bool = False

    def check(self, params: Any, user: str) -> Json:
        """Return the handler's keywords.

        Args:
            params: What the caller sent: an object, or None for nothing.
            user: The person that an absent ``who.user`` stands for.

        Raises:
            InvalidParams: A field is unknown, missing, of a wrong type or out of range; ``where`` is its path.
        """
        found: Json = Struct(self.params).check({} if params is None else params, "")
        if self.any_of and all(found[name] is None for name in self.any_of):
            raise wrong(self.any_of[0], f"one of the fields {', '.join(self.any_of)}")
        if "who" in found:
            found["who"] = _complete(found["who"], user)
        return found

    def schema(self) -> Json:
        """Return the JSON schema of the parameters."""
        return Struct(self.params).schema()


def _complete(who: Who | None, user: str) -> Who | None:
    """Fill in the person and, where nobody is named, the agent ``main``."""
    if who is None:
        return None
    agent = who.agent or (None if who.host else DEFAULT_AGENT)
    return replace(who, user=who.user or user, agent=agent)


_ANYBODY = Who(user="")
_WHO = Param("who", WHO, "Who asks; decides what is visible.", _ANYBODY)
_ID = Param("id", Text(1, 200), "The record's id.")
_EXPLAIN = Param("explain", Flag(), "Show the parts of each score.", default=False)
_AS_OF = Param("as_of", Time(local=True), "Answer as if it were this time.", None)
_BUDGET = Param("budget_tokens", _TOKENS, "At most so many tokens.", None)
_TURN_LIST = ListOf(TURN, MAX_TURNS)
_EXAMPLE_WHO = {"session": "s1", "cwd": "/home/dev/harbor"}

_SEARCH = (
    _WHO,
    Param("query", Text(), "What to look for."),
    Param("k", Whole(1, MAX_K), "How many hits; a larger k extends the ranking of a smaller one.", 10),
    Param(
        "kinds", ListOf(Choice(tuple(k.wire for k in Kind), _kind), 20, make=frozenset), "These kinds.", None
    ),
    Param(
        "types", ListOf(Choice(tuple(MemoryType), MemoryType), 50, make=tuple), "These memory types.", None
    ),
    Param(
        "scopes",
        ListOf(Parsed("a scope such as global, user:<id> or project:<id>", Scope.parse), 50, make=tuple),
        "These scopes only.",
        None,
    ),
    Param("since", Time(local=True), "Not older than this.", None),
    Param("until", Time(local=True), "Older than this.", None),
    _AS_OF,
    Param("archive", Flag(), "Look in the archive too.", default=False),
    Param("min_score", Number(0, 1), "Only hits with at least this score.", None),
    _EXPLAIN,
)

_ASSEMBLE = (
    _WHO,
    Param("query", Text(), "What the model is about to be asked."),
    Param("budget_tokens", _TOKENS, "At most so many tokens in the answer's text."),
    Param("messages", _TURN_LIST, "The messages that the host is about to send.", None),
    Param(
        "have",
        ListOf(Choice((*TIERS, OWN_FILES)), len(TIERS) + 1, make=frozenset),
        "Tiers that the host's prompt holds already (named, not repeated); own_files: the rules of those files that"
        " who.host reads itself.",
        frozenset(),
    ),
    Param("deadline_ms", Whole(1, 600_000), "Answer within this time with what is ready.", None),
    _AS_OF,
    _EXPLAIN,
)

_MEMORY_CHARS = 4_000
_WISH = (
    Param(
        "type",
        Choice(tuple(MemoryType), MemoryType),
        "What kind of statement it is; by default found from the text.",
        None,
    ),
    Param("priority", Whole(0, 100), "How much it matters; by default the type's.", None),
    Param("ttl_ms", Whole(0, 10**13), "Keep it for so long; 0 for ever, by default the type's time.", None),
    Param(
        "origin",
        Choice(tuple(Origin), Origin),
        "Whose words they are: by default the agent's where who.host is given, else the person's.",
        None,
    ),
)

_DECLARED = (
    Verb(
        "health",
        "Say whether Libra is there and ready.",
        (),
        "{ok, ready, version, schema, message, degraded[]}",
        {},
    ),
    Verb(
        "status",
        "Say what is stored, what is being done, with which model, and what is wrong.",
        (
            replace(
                _WHO,
                default=None,
                doc="Accepted from any caller; counts are of everything, since they are no content.",
            ),
        ),
        "{ok, counts, queue, sources, model, sizes, last_learnt, last_injected, paused, degraded[], …}",
        {},
    ),
    Verb(
        "ingest",
        "Store turns of a session. They are durable when the answer comes; memories are made of them later.",
        (
            _WHO,
            Param("turns", _TURN_LIST, "The turns, in order."),
            Param("request_id", Text(1, 200), "The same request_id is carried out once.", None),
        ),
        "{accepted, duplicates, ids[]}",
        {"who": _EXAMPLE_WHO, "turns": [{"id": "m-17", "role": "user", "content": "We deploy on Fridays."}]},
        changes=True,
    ),
    Verb(
        "drain",
        "Wait until the background work (vectors, memories) is done.",
        (Param("timeout_ms", Whole(0, 600_000), "Wait no longer than this.", 30_000),),
        "{pending}",
        {"timeout_ms": 10_000},
    ),
    Verb(
        "flush",
        "Read what a host has just written, now and whenever it changes; everything stored is durable already.",
        (Param("path", _DOCUMENT_NAME, "The transcript that the host writes.", None),),
        "{ok, following}",
        {"path": "/home/dev/.claude/projects/-home-dev-harbor/7c0f2b9a.jsonl"},
        changes=True,
    ),
    Verb(
        "assemble",
        "Build the memory part of a prompt within a token budget.",
        _ASSEMBLE,
        "{text, stable, volatile, tokens, budget_tokens, items[], receipt_id, skipped_reason?, degraded[]}",
        {"who": _EXAMPLE_WHO, "query": "When do we deploy?", "budget_tokens": 2_000},
    ),
    Verb(
        "search",
        "Find turns, summaries, memories and notes.",
        _SEARCH,
        "{hits[], degraded[]}",
        {"query": "deploy day", "k": 5, "kinds": ["memory", "turn"]},
    ),
    Verb(
        "get",
        "Show one record with its history.",
        (_WHO, _ID),
        "{id, kind, text, scope, ts, source, history[], …}",
        {"id": "m_4f1c"},
    ),
    Verb(
        "expand",
        "Walk from a summary back to the turns that it covers.",
        (_WHO, _ID, Param("depth", Whole(1, 64), "How many levels down.", 3), _BUDGET),
        "{items[], truncated}",
        {"id": "s_90ab", "depth": 2},
    ),
    Verb(
        "compact",
        "Summarise the older turns of a session. The turns themselves stay.",
        (_WHO, Param("force", Flag(), "Also below the threshold.", default=False), _BUDGET),
        "{ok, did_compact, reason?, tokens_before, tokens_after, clusters, declined, guidance, summaries[], …}",
        {"who": _EXAMPLE_WHO, "force": True},
        changes=True,
    ),
    Verb(
        "remember",
        "Keep a statement: known ones are confirmed, contradicted ones superseded, secrets taken out.",
        (_WHO, Param("text", Text(1, _MEMORY_CHARS), "The statement, understandable by itself."), *_WISH),
        "{id, outcome: created|confirmed|merged|known|forgotten, type, text, confidence, priority, superseded[],"
        " against[], redacted[]}",
        {"text": "We deploy on Fridays."},
        changes=True,
    ),
    Verb(
        "update",
        "Change a memory: other words become its successor, the earlier ones stay in its history.",
        (_WHO, _ID, Param("text", Text(1, _MEMORY_CHARS), "Its new words.", None), *_WISH),
        "{id, type, text, confidence, priority, superseded[], redacted[]}",
        {"id": "m_4f1c", "text": "We deploy on Thursdays."},
        any_of=("text", "type", "priority", "ttl_ms"),
        changes=True,
    ),
    Verb(
        "forget",
        "Delete records for good, with their vectors and index entries; they are not learnt again.",
        (
            _WHO,
            Param("id", Text(1, 200), "One record.", None),
            Param("ids", ListOf(Text(1, 200), MAX_IDS), "Several records.", None),
            Param("query", Text(1), "Everything visible that holds these words.", None),
            Param("dry_run", Flag(), "Only say what would be deleted.", default=False),
        ),
        "{forgotten, ids[], dry_run}",
        {"query": "my old address", "dry_run": True},
        any_of=("id", "ids", "query"),
        changes=True,
    ),
    Verb(
        "classify",
        "Say of bare paragraphs whether they are rules.",
        (Param("texts", ListOf(Text(), MAX_TURNS), "The paragraphs."),),
        "[{promoted, tier, modalities[], spans[]}]",
        {"texts": ["Never commit to main.", "The harbor was built in 1901."]},
    ),
    Verb(
        "partition",
        "Cut an instruction file into hard rules, soft rules and lore.",
        (
            Param("path", _DOCUMENT_NAME, "A file on this machine.", None),
            Param("name", _DOCUMENT_NAME, "The file's name, if its text is given.", None),
            Param("text", Text(), "The file's text.", None),
        ),
        "{nodes: [{tier, kind, text, lines, heading, tokens, modalities}], tokens: {hard, soft, lore}, degraded[]}",
        {"name": "CLAUDE.md", "text": "- Run the tests before you commit.\n"},
        any_of=("path", "text"),
    ),
    Verb(
        "summarize",
        "Summarise turns that are handed in; nothing is stored.",
        (Param("turns", ListOf(TURN, MAX_TURNS, 1), "The turns, in order."), _BUDGET),
        "{text, method, align, cover, confidence, identifiers_kept, tokens_in, tokens_out}",
        {"turns": [{"role": "user", "content": "The build fails in src/app.py:12."}]},
    ),
    Verb(
        "pause",
        "Stop learning from files, for a while or until resumed. Questions are still answered.",
        (
            Param("seconds", Whole(1, 31_536_000), "For so long.", None),
            Param("project", _NAME, "In this project only.", None),
        ),
        "{paused_until}",
        {"seconds": 3_600},
        changes=True,
    ),
    Verb(
        "resume",
        "Learn from files again.",
        (Param("project", _NAME, "In this project only.", None),),
        "{ok}",
        {},
        changes=True,
    ),
    Verb("shutdown", "Stop Libra once the running requests are answered.", (), "{ok}", {}, changes=True),
)

VERBS: Mapping[str, Verb] = {verb.name: verb for verb in _DECLARED}
"""Every verb by its name, in the order of the documentation."""
