"""The verbs that show what is kept without a question, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Flag, Param, Parsed, Whole
from libra.engine.paging import After, Sort
from libra.engine.verb import (
    NAME,
    SCOPES_PARAM,
    SINCE_PARAM,
    TOKENS,
    TYPES_PARAM,
    UNTIL_PARAM,
    WHO_PARAM,
    Verb,
    kinds_param,
)  # fmt: skip
from libra.ground.records import Kind

_MAX_K = 1_000
_SESSION = Param(
    "session",
    NAME,
    "Its key, or its name within who.host; without one who.session, else the person's last one.",
    None,
)

BROWSE_VERBS = (
    Verb(
        "list",
        "List what is kept, page by page: memories, or the kinds asked for.",
        (
            WHO_PARAM,
            kinds_param(tuple(Kind), "These kinds; memories if it is not given."),
            TYPES_PARAM,
            SCOPES_PARAM,
            Param("project", NAME, "Of this project only.", None),
            Param("agent", NAME, "Said to or by this agent only.", None),
            SINCE_PARAM,
            UNTIL_PARAM,
            Param("archive", Flag(), "The archive too.", default=False),
            Param(
                "sort",
                Choice(tuple(Sort), Sort),
                "In which order; the last two for memories only.",
                Sort.NEWEST,
            ),
            Param("k", Whole(1, _MAX_K), "How many on a page.", 20),
            Param(
                "after",
                Parsed("what the page before has answered as next", After.parse),
                "The next page.",
                None,
            ),
        ),
        "{items[], next?}; an item of kind memory has `confidence`, `priority`, `confirmations`, `expires`, `pinned` and"
        " `superseded` too",
        {"types": ["decision"], "sort": "priority", "k": 20},
    ),
    Verb(
        "recent",
        "List the memories that were learnt last, whenever they were said.",
        (WHO_PARAM, Param("k", Whole(1, _MAX_K), "How many.", 20)),
        "{items[]}",
        {"k": 10},
    ),
    Verb(
        "stats",
        "Count what is kept and what became of it: by kind, type, scope, project, agent and state; and how often it helped.",
        (WHO_PARAM,),
        "{kinds, types, scopes, projects, agents, states, tokens, confirmations, corrections, objections, recalls: {used,"
        " unused, memories}, sizes}; corrections within the 30 days of the journal",
        {},
    ),
    Verb(
        "recap",
        "Say what a session was about: a line of facts, its rules, what was learnt in it, and its summaries.",
        (
            WHO_PARAM,
            _SESSION,
            Param("budget_tokens", TOKENS, "At most so many tokens; the line is there in any case.", 1_000),
        ),
        "{session, turns, read?, start, end, episodes, cue, items[], tokens, truncated}; read: of a long session so many turns",
        {"session": "s1", "budget_tokens": 500},
    ),
    Verb(
        "episodes",
        "List stretches of talk without a pause of half an hour, newest first: of a session, or of all since a time.",
        (WHO_PARAM, _SESSION, SINCE_PARAM, Param("k", Whole(1, _MAX_K), "How many.", 20)),
        "{episodes: [{session, start, end, turns, first, last, about[], names[], decisions}], more}",
        {"since": "2026-04-01", "k": 5},
    ),
)
"""In the order of the documentation."""
