"""The verbs that look into what was not kept, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Param, Whole
from libra.engine.verb import ID_PARAM, NAME, ORIGIN_PARAM, WHO_PARAM, Verb

REASONS = ("no statement", "below the threshold", "noise")

AUDIT_VERBS = (
    Verb(
        "audit",
        "List turns that became no memory, newest first: why, and with which signals of the gate.",
        (
            WHO_PARAM,
            Param("why", Choice(REASONS), "Of this reason only.", None),
            Param("k", Whole(1, 1_000), "How many.", 20),
        ),
        "{refused: [{turn, why, at, g, threshold, …, text}], kept}",
        {"why": "below the threshold", "k": 5},
    ),
    Verb(
        "noise",
        "Say that a memory is noise: it goes to the archive, and what is near it in meaning is not learnt any more.",
        (WHO_PARAM, ID_PARAM, ORIGIN_PARAM),
        "{id, archived, journal_id}; undo takes back each of the two changes",
        {"id": "m_4f1c"},
        changes=True,
    ),
    Verb(
        "lifecycle",
        "List what hosts said of their sessions' lives, newest first: begun, reset, compacted, ended.",
        (
            WHO_PARAM,
            Param("session", NAME, "Of the session with this key only.", None),
            Param("k", Whole(1, 1_000), "How many.", 50),
        ),
        "{entries: [{at, session, hook}]}",
        {"k": 10},
    ),
)
"""In the order of the documentation."""
