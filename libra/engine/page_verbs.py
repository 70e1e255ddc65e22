"""The verbs that a person's own page needs beyond those of agents, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.verb import Verb

PAGE_VERBS = (
    Verb(
        "open_page",
        "Open the port of the local page, on 127.0.0.1 only, and give out a link that opens it once."
        " The port is closed again when nobody looks at the page any more.",
        (),
        "{url, expires_s}",
        {},
    ),
)
