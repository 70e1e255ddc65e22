"""The verbs that move memory in, out and into copies, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from enum import StrEnum

from libra.engine.fields import Choice, Flag, Free, ListOf, Param, Text, Whole
from libra.engine.verb import WHO_PARAM, Verb


class Step(StrEnum):
    """How far an import goes."""

    CHECK = "check"
    """Only the shapes of the records."""
    DRY_RUN = "dry_run"
    """Everything, and then nothing of it is kept."""
    RUN = "run"
    VERIFY = "verify"
    """As a dry run: sound if everything is known, word for word, or was kept out for a reason."""


MAX_RECORDS = 1_000
_EVERYBODY = Param(
    "everybody", Flag(), "All users and scopes; for the person only, not for an agent.", default=False
)

MOVING_VERBS = (
    Verb(
        "export",
        "Give out what is kept, a page of records at a time: sessions, turns, summaries, memories, guidance and how they hang"
        " together. Without receipts and documents, which are made or read again, and without vectors, unless they are asked for.",
        (
            WHO_PARAM,
            Param(
                "after", Text(1, 20_000), "The next of the last answer; from the beginning without it.", None
            ),
            Param("limit", Whole(1, MAX_RECORDS), "At most so many records.", 500),
            _EVERYBODY,
            Param(
                "to", Text(1, 4_096), "The file that the caller writes them to, so that scrub finds it.", None
            ),
            Param("vectors", Flag(), "With the vectors: only the same model can use them.", default=False),
        ),
        "{records[], next, counts?: {kind: n}}",
        {"limit": 100},
    ),
    Verb(
        "import_records",
        "Take in records of an export, or statements and messages of another system: known ones once, secrets taken out,"
        " forgotten ones kept out.",
        (
            WHO_PARAM,
            Param("records", ListOf(Free(), MAX_RECORDS), "The records, in the order of the export."),
            Param(
                "step",
                Choice(tuple(Step), Step),
                "Look at their shapes, try, do it, or check afterwards.",
                Step.RUN,
            ),
            _EVERYBODY,
        ),
        "{step, ok, records, new, known, differs, forgotten, refused, unlinked, invalid, cleaned, kinds, faults[]}",
        {
            "records": [
                {"kind": "statement", "system": "notes", "id": "n-1", "text": "We deploy on Fridays."}
            ],
            "step": "dry_run",
        },
        changes=True,
    ),
    Verb(
        "backup",
        "Copy the database while it is in use: packed, checked, the oldest copies of the same label let go.",
        (
            Param(
                "label",
                Text(1, 40),
                "A word for its name; copies of one label are counted together.",
                "manual",
            ),
        ),
        "{name, path, made, verified, label, bytes, db_bytes, schema, counts, clean_ms}",
        {"label": "before-move"},
        changes=True,
    ),
    Verb(
        "backups",
        "List the copies of the database, the newest first. To go back to one, stop Libra and run `libra restore`.",
        (),
        "{folder, backups: [{name, made, verified, label, bytes, db_bytes, schema, counts, clean_ms}]}",
        {},
    ),
)
"""In the order of the documentation."""
