"""The verbs that a person's own page needs beyond those of agents, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Param, Parsed, Text, Whole
from libra.engine.never import parse_place
from libra.engine.receipt import Place
from libra.engine.verb import ID_PARAM, NAME, WHO_PARAM, Verb

_MAX_K = 1_000
_PLACE_PARAM = Param(
    "place",
    Parsed("project:<key>, agent:<name>, host:<name> or session:<key>", parse_place),
    "Where.",
)

PAGE_VERBS = (
    Verb(
        "timeline",
        "Give the figures that the page draws: memories by the day they were said, the last contexts with their tokens by"
        " tier and their time, and what each agent said and got.",
        (WHO_PARAM, Param("k", Whole(1, _MAX_K), "So many of the last contexts.", 60)),
        "{memories: [{day, type, memories}], contexts[], agents: [{name, sessions, last, contexts, tokens, took_ms}]}",
        {"k": 20},
    ),
    Verb(
        "receipts",
        "List what was put into prompts, newest first, of the last 14 days: for whom, how much, how fast; no words.",
        (
            WHO_PARAM,
            Param("session", NAME, "Of the session with this key only.", None),
            Param("k", Whole(1, _MAX_K), "How many on a page.", 50),
            Param(
                "after",
                Parsed("what the page before has answered as next", Place.parse),
                "The next page.",
                None,
            ),
        ),
        "{items: [{id, at, session, agent, host, project, tokens, budget, took_ms, items, tiers, left_out, degraded}], next?}",
        {"k": 20},
    ),
    Verb(
        "receipt",
        "Show one receipt: each item with its tier, score and words, what was left out and why; and the question and the text"
        " as they were, which are kept in memory only, until something is forgotten or Libra ends.",
        (WHO_PARAM, Param("id", Text(1, 200), "The receipt's id.")),
        "{id, at, …, query?, text?, items: [{id, tier, tokens, score?, text?, source?, why?, outcome?, never?, gone?}],"
        " left_out: [{…, left_out}]}",
        {"id": "5f0c"},
    ),
    Verb(
        "review",
        "List the memories that Libra is least sure of, for a person to confirm, correct or forget: a few a day.",
        (WHO_PARAM, Param("k", Whole(1, 100), "How many a day.", 5)),
        "{items[], done, of}; done: how many were judged today",
        {},
    ),
    Verb(
        "never",
        "Keep a record, and what tells the same, out of the prompts of one project, agent, host or session."
        " It stays, and is found elsewhere.",
        (WHO_PARAM, ID_PARAM, _PLACE_PARAM),
        "{id, place, records}",
        {"id": "m_4f1c", "place": "project:/home/dev/harbor"},
        changes=True,
    ),
    Verb(
        "allow",
        "Take never back.",
        (WHO_PARAM, ID_PARAM, _PLACE_PARAM),
        "{id, place, records}",
        {"id": "m_4f1c", "place": "project:/home/dev/harbor"},
        changes=True,
    ),
    Verb(
        "open_page",
        "Open the port of the local page, on 127.0.0.1 only, and give out a link that opens it once."
        " The port is closed again when nobody looks at the page any more.",
        (),
        "{url, expires_s}",
        {},
    ),
)
