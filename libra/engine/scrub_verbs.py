"""The verbs that take words out of everything, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Flag, Param, Text, Whole
from libra.engine.verb import WHO_PARAM, Verb

SCRUB_VERBS = (
    Verb(
        "scrub",
        "Take words out of everything that Libra has written: records, indexes, vectors, journal, receipts, copies, exports"
        " that it knows of, logs; then look for them in every byte of its files. For the person only.",
        (
            WHO_PARAM,
            Param("text", Text(1, 10_000), "The words, in any case.", None),
            Param("pattern", Text(1, 500), "An expression, as of grep; each match is within a line.", None),
            Param("dry_run", Flag(), "Only say what would be changed.", default=True),
            Param(
                "confirm", Whole(0, 1_000_000_000), "How many values will be changed, if more than 100.", None
            ),
        ),
        "{words, values, found: {column: n}, kinds, ids[], origins[], dry_run, changed: {place: n}, searched, files: [{path,"
        " bytes, hits}], left[], ok}; files and left name those that hold a word, with hits null for one that cannot be read;"
        " origins are the hosts' own files that hold it still",
        {"text": "Tangerine-47", "dry_run": True},
        any_of=("text", "pattern"),
        changes=True,
    ),
)
"""In the order of the documentation."""
