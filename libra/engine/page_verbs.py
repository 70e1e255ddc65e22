"""The verbs that a person's own page needs beyond those of agents, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from libra.engine.fields import Choice, Flag, Json, ListOf, Param, Parsed, Text, Whole, wrong
from libra.engine.page_places import ReceiptPlace, TalkPlace, parse_place
from libra.engine.verb import ID_PARAM, NAME, WHO_PARAM, Verb

_MAX_K = 1_000
_MAX_TURNS = 1_000_000
_MOST_TEXTS = 1_000


@dataclass(frozen=True, slots=True)
class SettingValue:
    """What a key of the settings file may hold."""

    expected: str = "true or false, a number, a text, or a list of texts"

    def check(self, value: Any, where: str) -> Any:
        """Return the value."""
        if isinstance(value, list):
            return ListOf(Text(), _MOST_TEXTS).check(value, where)
        if not isinstance(value, bool | int | float | str) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise wrong(where, self.expected, value)
        return value

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": ["boolean", "number", "string", "array"], "items": {"type": "string"}}


_PLACE_PARAM = Param(
    "place",
    Parsed("project:<key>, agent:<name>, host:<name> or session:<key>", parse_place),
    "Where.",
)

_EVERYWHERE = Param(
    "everywhere", Flag(), "Of all projects and agents, not of the caller's alone.", default=False
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
                Parsed("what the page before has answered as next", ReceiptPlace.parse),
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
        "rulebook",
        "Show the instruction files line by line: what became hard, soft or lore, with tokens; and what the rule doctor sees:"
        " rules that say the same or the opposite, files over their budget, long rules, files that cannot be read.",
        (
            WHO_PARAM,
            _EVERYWHERE,
            Param(
                "show",
                Choice(("documents", "findings")),
                "Only the files, or only what the doctor sees.",
                None,
            ),
        ),
        "{documents: [{path, host, scope, state, since, changed, tokens: {hard, soft, lore}, degraded, nodes[]}],"
        " findings: [{kind, rules[]?, path?, tokens?}], limit_tokens}",
        {"everywhere": True},
    ),
    Verb(
        "rules_history",
        "List what became of the lines of instruction files and when, the newest first: added, removed, worded otherwise, hard or"
        " soft or lore instead of another; and of whole files. Words that were forgotten or scrubbed are left out.",
        (
            WHO_PARAM,
            Param("path", Text(1, 4_096), "Of this file only.", None),
            _EVERYWHERE,
            Param("k", Whole(1, _MAX_K), "How many on a page.", 100),
            Param("after", Whole(1, 2**53), "What the page before has answered as next.", None),
        ),
        "{items: [{id, at, what: added|removed|changed|became|read|gone|back, path, scope, rule?, lines?, tier?, was?, since?,"
        " text?, before?}], next?}; rule: the line's id, for forget",
        {"everywhere": True, "k": 20},
    ),
    Verb(
        "sessions",
        "List the sessions, the one in which something was said last first, with what is in each.",
        (
            WHO_PARAM,
            Param("k", Whole(1, _MAX_K), "How many on a page.", 50),
            Param(
                "after",
                Parsed("what the page before has answered as next", TalkPlace.parse),
                "The next page.",
                None,
            ),
        ),
        "{items: [{key, host, agent, project, cwd, kind, parent, first, last, gone, turns, tokens, covered, summaries, memories}],"
        " next?}",
        {"k": 20},
    ),
    Verb(
        "session",
        "Show one session: its turns, page by page, and the graph of summaries over them.",
        (
            WHO_PARAM,
            Param("session", Text(1, 4_096), "Its key, or its name within who.host."),
            Param("first", Whole(0, _MAX_TURNS), "The first turn to show, counted from 0.", 0),
            Param("k", Whole(1, _MAX_K), "How many turns.", 200),
            Param(
                "turn",
                Text(1, 200),
                "The page on which the turn with this id stands, whatever first says.",
                None,
            ),
        ),
        "{session, turns[], first, of, nodes: [{id, level, text, tokens, tokens_in, children[], …}]}",
        {"session": "s1"},
    ),
    Verb(
        "settings",
        "List every key of the settings file with its value, default, bounds and effect.",
        (),
        "{file, sections: [{name, doc, keys: [{key, value, default, kind, optional, least?, most?, unit?, choices?, effect}]}],"
        " waiting[]}; kind own: changed in the file alone; waiting: keys that differ from what this Libra was started with",
        {},
    ),
    Verb(
        "set_setting",
        "Set a key of the settings file; without a value it has its default again. It is checked first, and holds from the next"
        " start on.",
        (
            Param("key", Text(1, 200), "Its full name, such as assemble.tail."),
            Param("value", SettingValue(), "Its value.", None),
        ),
        "{key, value, restart, reach}; reach: to what it applies",
        {"key": "assemble.tail", "value": 0.4},
        changes=True,
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
        "{id, place, records, changed}",
        {"id": "m_4f1c", "place": "project:/home/dev/harbor"},
        changes=True,
    ),
    Verb(
        "allow",
        "Take never back.",
        (WHO_PARAM, ID_PARAM, _PLACE_PARAM),
        "{id, place, records, changed}",
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
