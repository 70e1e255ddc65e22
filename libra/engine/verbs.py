"""The verbs, declared once: the socket, the commands, MCP, the JSON schema and the docs are all read off here.

A verb's handler is the engine's method of the same name; it gets the checked parameters as keywords and
returns what JSON can hold. Source: protocol.md, Methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from libra.engine.audit_verbs import AUDIT_VERBS
from libra.engine.browse_verbs import BROWSE_VERBS
from libra.engine.canary_verbs import CANARY_VERBS
from libra.engine.curate_verbs import CURATE_VERBS
from libra.engine.desktop_verbs import DESKTOP_VERBS
from libra.engine.fields import Choice, Flag, ListOf, Number, Param, Text, Time, Whole
from libra.engine.history_verbs import HISTORY_VERBS
from libra.engine.host_files import OWN_FILES
from libra.engine.keeping_verbs import KEEPING_VERBS
from libra.engine.ledger_verbs import LEDGER_VERBS
from libra.engine.memory_verbs import MEMORY_VERBS
from libra.engine.moving_verbs import MOVING_VERBS
from libra.engine.page_verbs import PAGE_VERBS
from libra.engine.scrub_verbs import SCRUB_VERBS
from libra.engine.verb import (
    ID_PARAM,
    MAX_TURNS,
    NAME,
    SCOPES_PARAM,
    SINCE_PARAM,
    TOKENS,
    TURN,
    TYPES_PARAM,
    UNTIL_PARAM,
    WHO,
    WHO_PARAM,
    Verb,
    kinds_param,
)  # fmt: skip
from libra.ground.records import Kind

__all__ = ["TURN", "VERBS", "WHO", "Verb"]

MAX_K = 1_000
TIERS = ("hard", "soft", "guidance", "tail", "recall")


_EXPLAIN = Param("explain", Flag(), "Show the parts of each score.", default=False)
_AS_OF = Param("as_of", Time(local=True), "Answer as if it were this time.", None)
_BUDGET = Param("budget_tokens", TOKENS, "At most so many tokens.", None)
_TURN_LIST = ListOf(TURN, MAX_TURNS)
_EXAMPLE_WHO = {"session": "s1", "cwd": "/home/dev/harbor"}

_DOCUMENT_NAME = Text(1, 4_096)

_SEARCH = (
    WHO_PARAM,
    Param("query", Text(), "What to look for."),
    Param("k", Whole(1, MAX_K), "How many hits; a larger k extends the ranking of a smaller one.", 10),
    kinds_param(tuple(Kind)),
    TYPES_PARAM,
    SCOPES_PARAM,
    Param("project", NAME, "Of this project only.", None),
    Param("agent", NAME, "Said to or by this agent only; by default of all that the caller sees.", None),
    SINCE_PARAM,
    UNTIL_PARAM,
    _AS_OF,
    Param("archive", Flag(), "Look in the archive too.", default=False),
    Param("min_score", Number(0, 1), "Only hits with at least this score.", None),
    _EXPLAIN,
)

_ASSEMBLE = (
    WHO_PARAM,
    Param("query", Text(), "What the model is about to be asked."),
    Param("budget_tokens", TOKENS, "At most so many tokens in the answer's text."),
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
    Param(
        "trial", Flag(), "Give each item's words, and keep no receipt: nobody is told this.", default=False
    ),
)

_PROJECT = (
    Param("project", NAME, "In this project only.", None),
    Param("cwd", _DOCUMENT_NAME, "In the project of this folder only.", None),
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
                WHO_PARAM,
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
            WHO_PARAM,
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
        (WHO_PARAM, ID_PARAM),
        "{id, kind, text, scope, ts, source, history[], …}",
        {"id": "m_4f1c"},
    ),
    *BROWSE_VERBS,
    *HISTORY_VERBS,
    Verb(
        "compact",
        "Summarise the older turns of a session. The turns themselves stay.",
        (WHO_PARAM, Param("force", Flag(), "Also below the threshold.", default=False), _BUDGET),
        "{ok, did_compact, reason?, tokens_before, tokens_after, clusters, declined, guidance, summaries[],"
        " abstractive, rejected: {reason: n}, …}",
        {"who": _EXAMPLE_WHO, "force": True},
        changes=True,
    ),
    *MEMORY_VERBS,
    *KEEPING_VERBS,
    *DESKTOP_VERBS,
    *CURATE_VERBS,
    *AUDIT_VERBS,
    *LEDGER_VERBS,
    *MOVING_VERBS,
    *PAGE_VERBS,
    *SCRUB_VERBS,
    *CANARY_VERBS,
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
            *_PROJECT,
        ),
        "{paused_until}",
        {"seconds": 3_600},
        changes=True,
    ),
    Verb(
        "resume",
        "Learn from files again.",
        _PROJECT,
        "{ok, was_paused}",
        {},
        changes=True,
    ),
    Verb("shutdown", "Stop Libra once the running requests are answered.", (), "{ok}", {}, changes=True),
)

VERBS: Mapping[str, Verb] = {verb.name: verb for verb in _DECLARED}
"""Every verb by its name, in the order of the documentation."""
