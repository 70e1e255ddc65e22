"""The verbs that take words out of everything, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Flag, Free, Param, Text, Whole
from libra.engine.verb import WHO_PARAM, Verb

_TASK = "{name, started, done, of}; status lists as tasks what is not done yet"

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
    Verb(
        "rehearse",
        "Try changed settings on the last real sessions, on a copy: what would newly be in their prompts or be learnt, what would"
        " not any more, what it would cost. Nothing is changed; set_setting does that. For the person only.",
        (
            WHO_PARAM,
            Param("set", Free(), "The settings to try: {key: value}.", target="changes"),
            Param("sessions", Whole(1, 1_000), "How many of the last sessions.", 5),
            Param("prompts", Whole(1, 1_000), "At most so many of their newest prompts.", 50),
        ),
        "{prompts, sessions, changed_prompts, appear: [{id, kind, text, prompts}], vanish[], learnt[], not_learnt[], tokens:"
        " {before, after}, ms: {before, after}, reach: {key: to what a change applies}, nothing_to_see[]}",
        {"set": {"rank.floor": 0.4}, "sessions": 2},
    ),
    Verb(
        "mirror",
        "Bring the Markdown files of mirror.folder and the memories into step, now: changed words are an update, a deleted item"
        " goes to the archive, a new one is remembered; where both sides have changed, both are kept.",
        (),
        "{folder, updated[], archived[], added[], conflicts: [{id, here, there}], refused, files}",
        {},
        changes=True,
    ),
    Verb(
        "reapply",
        "Take the present settings to what is stored, in the background: the gate's weights and threshold, noise, types and"
        " times, how sure a memory begins, what says the same. What would not be kept now goes to the archive, what was"
        " refused is judged again; a person's own word stays. undo takes each back.",
        (),
        _TASK,
        {},
        changes=True,
    ),
    Verb(
        "vacuum",
        "Give unused room back to the disk, in the background; with whole at once, by writing the file anew (nothing is stored"
        " meanwhile).",
        (Param("whole", Flag(), "Write the whole file anew.", default=False),),
        _TASK,
        {},
        changes=True,
    ),
    Verb(
        "reindex",
        "Build the full-text indexes again and look over vectors and links, in the background; searches go on with the old ones.",
        (Param("dry_run", Flag(), "Only count what is missing or too much.", default=False),),
        "{faults: {without_vector, bad_vectors, failed, bits, without_words, stray_words, stray_side}, name?, started?, done?,"
        " of?}",
        {"dry_run": True},
        changes=True,
    ),
    Verb(
        "reembed",
        "Make all vectors anew, in the background; with a model, with that one from now on. Searches go on meanwhile.",
        (Param("model", Text(1, 4_096), "A profile's name, or the folder of a model.", None),),
        _TASK,
        {},
        changes=True,
    ),
)
"""In the order of the documentation."""
