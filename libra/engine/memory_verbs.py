"""The verbs about single memories, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Flag, ListOf, Param, Text, Time, Whole
from libra.engine.verb import ID_PARAM, WHO_PARAM, Verb
from libra.ground.records import MemoryType, Origin

MAX_IDS = 10_000
_MEMORY_CHARS = 4_000
_ORIGIN = Param(
    "origin",
    Choice(tuple(Origin), Origin),
    "Whose words they are: by default the agent's where who.host is given, else the person's.",
    None,
)
_WISH = (
    Param(
        "type",
        Choice(tuple(MemoryType), MemoryType),
        "What kind of statement it is; by default found from the text.",
        None,
    ),
    Param("priority", Whole(0, 100), "How much it matters; by default the type's.", None),
    Param("ttl_ms", Whole(0, 10**13), "Keep it for so long; 0 for ever, by default the type's time.", None),
    _ORIGIN,
)

MEMORY_VERBS = (
    Verb(
        "remember",
        "Keep a statement: known ones are confirmed, contradicted ones superseded, secrets taken out.",
        (
            WHO_PARAM,
            Param("text", Text(1, _MEMORY_CHARS), "The statement, understandable by itself."),
            *_WISH,
        ),
        "{id, outcome: created|confirmed|merged|known|forgotten, type, text, confidence, priority, superseded[],"
        " against[], redacted[]}",
        {"text": "We deploy on Fridays."},
        changes=True,
    ),
    Verb(
        "update",
        "Change a memory: other words become its successor, the earlier ones stay in its history.",
        (WHO_PARAM, ID_PARAM, Param("text", Text(1, _MEMORY_CHARS), "Its new words.", None), *_WISH),
        "{id, type, text, confidence, priority, superseded[], redacted[]}",
        {"id": "m_4f1c", "text": "We deploy on Thursdays."},
        any_of=("text", "type", "priority", "ttl_ms"),
        changes=True,
    ),
    Verb(
        "confirm",
        "Say that a memory is right: it is sure from now on and does not expire.",
        (WHO_PARAM, ID_PARAM, _ORIGIN),
        "{id, confidence, confirmations, expires, journal_id}",
        {"id": "m_4f1c"},
        changes=True,
    ),
    Verb(
        "correct",
        "Put what is right in the place of a memory, in the person's own words; the earlier ones stay in its history.",
        (WHO_PARAM, ID_PARAM, Param("text", Text(1, _MEMORY_CHARS), "What is right."), _ORIGIN),
        "{id, type, text, confidence, priority, superseded[], redacted[]}",
        {"id": "m_4f1c", "text": "We deploy on Thursdays."},
        changes=True,
    ),
    Verb(
        "explain",
        "Say everything about a record: why it is kept, how sure it is, who told it, what it replaced, where it was used.",
        (WHO_PARAM, ID_PARAM),
        "{id, kind, text, source, episode, gate, confidence, tellings[], relations[], history[], uses[], journal[], …}",
        {"id": "m_4f1c"},
    ),
    Verb(
        "undo",
        "Take back a change of memories within 30 days: supersede, merge, join, archive, confirm, correct, update, doubt.",
        (
            WHO_PARAM,
            Param("journal_id", Whole(1, 2**53), "The change's number in the journal.", None),
            Param("last", Flag(), "The newest change that still stands, expiry left aside.", None),
        ),
        "{undone, verb, ids[]}",
        {"last": True},
        any_of=("journal_id", "last"),
        changes=True,
    ),
    Verb(
        "journal",
        "List what was changed of memories, newest first: by whom, which, and how.",
        (
            WHO_PARAM,
            Param("limit", Whole(1, 1_000), "How many entries.", 20),
            Param("since", Time(local=True), "Not older than this.", None),
        ),
        "{entries: [{id, at, verb, actor, items[], made[], undone}]}",
        {"limit": 5},
    ),
    Verb(
        "calibrate",
        "Show how well the gate's score foretells use, and the threshold that follows from it.",
        (),
        "{labels, needed, causes, curve: [{from, to, chance, labels}], threshold, default_threshold, calibrated}",
        {},
    ),
    Verb(
        "forget",
        "Delete records for good, with their vectors and index entries; they are not learnt again.",
        (
            WHO_PARAM,
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
)
"""In the order of the documentation."""
