"""The verbs about history and what became of it, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Flag, ListOf, Param, Text, Whole
from libra.engine.verb import ID_PARAM, TOKENS, WHO_PARAM, Verb
from libra.ground.records import Kind
from libra.text.pattern import MAX_CHARS

_GREPPED = (Kind.TURN, Kind.SUMMARY, Kind.MEMORY, Kind.GUIDANCE, Kind.LORE)

HISTORY_VERBS = (
    Verb(
        "expand",
        "Walk from a summary back to the turns that it covers.",
        (
            WHO_PARAM,
            ID_PARAM,
            Param("depth", Whole(1, 64), "How many levels down.", 3),
            Param("budget_tokens", TOKENS, "At most so many tokens.", None),
        ),
        "{items[], truncated}",
        {"id": "s_90ab", "depth": 2},
    ),
    Verb(
        "describe",
        "Say in about sixty tokens what a summary covers: who, when, names, decisions, rules; without a model.",
        (
            WHO_PARAM,
            ID_PARAM,
            Param("budget_tokens", TOKENS, "At most so many tokens of cue; 60 if it is not given.", None),
        ),
        "{id, kind, cue, turns, tokens, covered_by[], level?, method?, confidence?, align?, cover?, identifiers_kept?,"
        " tokens_in?, refused?}",
        {"id": "s_90ab"},
    ),
    Verb(
        "grep",
        "Find what holds a text to the letter, newest first; with regex an expression, which is never slow.",
        (
            WHO_PARAM,
            Param("pattern", Text(1, MAX_CHARS), "Plain text, or an expression; case does not matter."),
            Param("k", Whole(1, 1_000), "How many hits.", 20),
            Param("regex", Flag(), "The pattern is an expression.", default=False),
            Param(
                "kinds",
                ListOf(
                    Choice(tuple(k.wire for k in _GREPPED), lambda w: Kind[w.upper()]), 20, make=frozenset
                ),
                "These kinds; turns alone if it is not given.",
                None,
            ),
            Param("here", Flag(), "Only in the session of who.session.", default=False),
            Param("budget_tokens", TOKENS, "At most so many tokens of text; 8,000 if it is not given.", None),
        ),
        "{hits[], truncated}; a hit has `at` and `excerpt` too",
        {"pattern": "ETIMEDOUT", "k": 5},
    ),
    Verb(
        "compaction_report",
        "Show what compaction cost: for each session and level tokens against distance and lost identifiers.",
        (WHO_PARAM, Param("k", Whole(1, 1_000), "How many sessions, the most compacted first.", 20)),
        "{sessions: [{session, turns, tokens, covered, purged, guidance, guidance_tokens, abstractive, rejected: {reason:"
        " n}, levels: [{level, nodes, tokens, share, distortion, identifier_loss}]}], more}",
        {"k": 5},
    ),
)
