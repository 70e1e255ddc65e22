"""The verbs about how long and how much memories count, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Flag, ListOf, Param, Text, Time, Whole
from libra.engine.verb import ID_PARAM, NAME, ORIGIN_PARAM, SCOPES_PARAM, TYPES_PARAM, WHO_PARAM, Verb

MAX_IDS = 10_000
_MOST_DAYS = 36_500

IDS_PARAM = Param("ids", ListOf(Text(1, 200), MAX_IDS), "Several records.", None)
MANY_PARAMS = (
    TYPES_PARAM,
    SCOPES_PARAM,
    Param("project", NAME, "Of this project only.", None),
    Param("session", NAME, "Said in this session only: its key, or its name within who.host.", None),
    Param("before", Time(local=True), "Older than this.", None, "until"),
    Param("after", Time(local=True), "Not older than this.", None, "since"),
    Param("query", Text(1), "Everything visible that holds these words.", None),
)
"""What may be said of records to choose them."""

_KEPT = "{id, priority, priority_by, expires, ttl_by, pinned, changed, journal_id}"

KEEPING_VERBS = (
    Verb(
        "set_priority",
        "Say how much a memory matters; without a priority it is the type's again.",
        (WHO_PARAM, ID_PARAM, Param("priority", Whole(0, 100), "How much.", None), ORIGIN_PARAM),
        _KEPT,
        {"id": "m_4f1c", "priority": 90},
        changes=True,
    ),
    Verb(
        "pin",
        "Keep a memory before all others and for good: priority 100, no expiry.",
        (WHO_PARAM, ID_PARAM, ORIGIN_PARAM),
        _KEPT,
        {"id": "m_4f1c"},
        changes=True,
    ),
    Verb(
        "unpin",
        "Give a pinned memory the priority and the time back that it had before; others stay as they are.",
        (WHO_PARAM, ID_PARAM, ORIGIN_PARAM),
        _KEPT,
        {"id": "m_4f1c"},
        changes=True,
    ),
    Verb(
        "extend",
        "Keep a memory for so many days from now on; without days for good.",
        (WHO_PARAM, ID_PARAM, Param("days", Whole(1, _MOST_DAYS), "How many days.", None), ORIGIN_PARAM),
        _KEPT,
        {"id": "m_4f1c", "days": 30},
        changes=True,
    ),
    Verb(
        "archive",
        "Put memories away: nothing recalls them any more, search finds them with archive. What is said of them narrows"
        " the choice; ids add to it.",
        (
            WHO_PARAM,
            IDS_PARAM,
            *MANY_PARAMS,
            Param("dry_run", Flag(), "Only say what would be put away.", default=False),
            ORIGIN_PARAM,
        ),
        "{archived, would_archive?, ids[], items[], more?, dry_run, journal_id}; the first 100 of ids and items",
        {"types": ["todo"], "before": "2026-01-01", "dry_run": True},
        any_of=("ids", *(p.name for p in MANY_PARAMS)),
        changes=True,
    ),
    Verb(
        "unarchive",
        "Bring memories back from the archive; what had expired gets its type's time anew.",
        (WHO_PARAM, Param("ids", ListOf(Text(1, 200), MAX_IDS, 1), "Which."), ORIGIN_PARAM),
        "{unarchived, ids[], items[], more?, journal_id}; the first 100 of ids and items",
        {"ids": ["m_4f1c"]},
        changes=True,
    ),
)
"""In the order of the documentation."""
