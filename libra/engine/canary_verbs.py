"""The verb by which Libra looks over itself: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.verb import Verb

CANARY_VERBS = (
    Verb(
        "self_check",
        "Look over all that is derived from what was said and mend it, then send a made-up turn the whole way, from a file to a"
        " prompt, and take it out again.",
        (),
        "{faults: {without_vector, bad_vectors, failed, bits, without_words, stray_words, stray_side}, mended, canary: {ok, ts,"
        " step, reason}}; faults are counted before they are mended; step names what the turn did not get through",
        {},
        changes=True,
    ),
)
