"""The verbs that show what is kept without a question, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Flag, Param, Parsed, Whole
from libra.engine.paging import After, Sort
from libra.engine.verb import (
    NAME,
    SCOPES_PARAM,
    SINCE_PARAM,
    TYPES_PARAM,
    UNTIL_PARAM,
    WHO_PARAM,
    Verb,
    kinds_param,
)  # fmt: skip
from libra.ground.records import Kind

_MAX_K = 1_000

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
)
"""In the order of the documentation."""
