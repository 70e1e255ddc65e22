"""The verbs that the desktop adds, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Flag, Param, Whole
from libra.engine.verb import NAME, WHO_PARAM, Verb

LAST = "last"
"""Names the session in which something was said last."""
DEFAULT_MINUTES = 10
_MOST_MINUTES = 24 * 60

DESKTOP_VERBS = (
    Verb(
        "off_record",
        "Forget what was said in the last minutes, or in one session: it leaves tombstones, and what of it is read later is"
        " not learnt. What was known before stays.",
        (
            WHO_PARAM,
            Param(
                "minutes",
                Whole(1, _MOST_MINUTES),
                f"The last so many minutes; {DEFAULT_MINUTES} if no session is named.",
                None,
            ),
            Param(
                "session",
                NAME,
                f"All of this session so far: its key, its name within who.host, or {LAST} for the one in use.",
                None,
            ),
            Param("dry_run", Flag(), "Only say what would be forgotten.", default=False),
        ),
        "{forgotten, would_forget?, counts: {kind: n}, ids[], items[], more?, dry_run, since, until, session?}",
        {"minutes": 10, "dry_run": True},
        changes=True,
    ),
)
"""In the order of the documentation."""
