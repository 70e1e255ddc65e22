"""The verbs about single memories, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Flag, Param, Text, Time, Whole
from libra.engine.keeping_verbs import IDS_PARAM, MANY_PARAMS
from libra.engine.verb import ID_PARAM, ORIGIN_PARAM, WHO_PARAM, Verb, kinds_param
from libra.ground.records import Kind, MemoryType

FORGETTABLE = (Kind.TURN, Kind.MEMORY, Kind.SUMMARY, Kind.GUIDANCE)
"""Kinds of records that go on request; what stands in a document goes with it."""
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
    ORIGIN_PARAM,
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
        "{id, type, text, confidence, priority, superseded[], redacted[], changed, journal_id}",
        {"id": "m_4f1c", "text": "We deploy on Thursdays."},
        any_of=("text", "type", "priority", "ttl_ms"),
        changes=True,
    ),
    Verb(
        "confirm",
        "Say that a memory is right: it is sure from now on and does not expire.",
        (WHO_PARAM, ID_PARAM, ORIGIN_PARAM),
        "{id, confidence, confirmations, expires, journal_id}",
        {"id": "m_4f1c"},
        changes=True,
    ),
    Verb(
        "correct",
        "Put what is right in the place of a memory, in the person's own words; the earlier ones stay in its history.",
        (WHO_PARAM, ID_PARAM, Param("text", Text(1, _MEMORY_CHARS), "What is right."), ORIGIN_PARAM),
        "{id, type, text, confidence, priority, superseded[], redacted[], changed, journal_id}",
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
        "Take back a change of memories within 30 days: supersede, merge, join, archive, confirm, correct, update, doubt,"
        " set_priority, pin, unpin, extend, unarchive, share, unshare, and what was set down by name.",
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
        "Delete records for good, with their vectors and index entries; they are not learnt again. What is said of them"
        " narrows the choice; ids add to it.",
        (
            WHO_PARAM,
            Param("id", Text(1, 200), "One record.", None),
            IDS_PARAM,
            kinds_param(FORGETTABLE),
            *MANY_PARAMS,
            Param("dry_run", Flag(), "Only say what would be deleted.", default=False),
            Param(
                "confirm", Whole(1, 2**53), "How many records go; needed where that is more than 100.", None
            ),
        ),
        "{forgotten, would_forget?, counts: {kind: n}, ids[], items[], more?, dry_run}; the first 100 of ids and items",
        {"query": "my old address", "dry_run": True},
        any_of=("id", "ids", "kinds", *(p.name for p in MANY_PARAMS)),
        changes=True,
    ),
)
"""In the order of the documentation."""
