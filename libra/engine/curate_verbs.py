"""The verbs that look after memory and learn from its history, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Choice, Flag, ListOf, Number, Param, Parsed, Text, Whole
from libra.engine.verb import ID_PARAM, NAME, ORIGIN_PARAM, SINCE_PARAM, WHO_PARAM, Verb
from libra.ground.records import Scope

_MAX_K = 1_000
_SENTENCE = Text(1, 1_000)
_PART = Text(1, 400)
_KIND = Param(
    "kind", Choice(("related_to", "evolved_from")), "How it hangs together with the other.", "related_to"
)
_TO = Param("to", Text(1, 200), "The other memory's id, or its first eight characters and more.")
_DRY = Param("dry_run", Flag(), "Only say what would be done.", default=False)
_SESSION = Param(
    "session",
    NAME,
    "Its key, or its name within who.host; without one who.session, else the person's last one.",
    None,
)


def _k(default: int) -> Param:
    return Param("k", Whole(1, _MAX_K), "How many.", default)


CURATE_VERBS = (
    Verb(
        "relations",
        "List what hangs together with a record, one hop: who told it, what it replaced, what is about the same, what was related"
        " by hand.",
        (
            WHO_PARAM,
            ID_PARAM,
            Param("kinds", ListOf(Text(1, 40), 20, make=tuple), "These kinds of relations only.", None),
            _k(50),
        ),
        "{id, relations: [{kind, id, of, type?, active, text}], more}",
        {"id": "m_4f1c", "k": 10},
    ),
    Verb(
        "relate",
        "Say that two memories hang together: recall brings one with the other.",
        (WHO_PARAM, ID_PARAM, _TO, _KIND),
        "{id, to, kind, changed, journal_id}",
        {"id": "m_4f1c", "to": "m_90ab"},
        changes=True,
    ),
    Verb(
        "unrelate",
        "Take back that two memories hang together, named in whichever order; changed is false if they did not.",
        (WHO_PARAM, ID_PARAM, _TO, _KIND),
        "{id, to, kind, changed, journal_id}",
        {"id": "m_4f1c", "to": "m_90ab"},
        changes=True,
    ),
    Verb(
        "consolidate",
        "Report memories that say the same or nearly so, and join those that say the same; two that are named are joined in any"
        " case.",
        (
            WHO_PARAM,
            Param("ids", ListOf(Text(1, 200), 2, 2), "Two memories to join, the older stays.", None),
            Param("min_cosine", Number(0.5, 1), "Report pairs that are at least so near.", 0.9),
            _k(50),
            _DRY,
        ),
        "{pairs: [{keep, join, cosine, same, texts[]}], more, same, joined, dry_run}",
        {"dry_run": True},
        changes=True,
    ),
    Verb(
        "prune",
        "Put memories away that are of no use: hardly sure and old, or never of help in a long time. Rules, decisions, and what"
        " has its priority by hand stay.",
        (WHO_PARAM, _DRY),
        "{archived, would_archive?, reasons, ids[], items[], more?, dry_run, journal_id}",
        {"dry_run": True},
        changes=True,
    ),
    Verb(
        "lesson",
        "Keep what went wrong and what helped, so that the next one who meets it need not find out again.",
        (
            WHO_PARAM,
            Param("symptom", _PART, "What was seen, best with the error's own words."),
            Param("fix", _PART, "What helped."),
            Param("cause", _PART, "Why it was so.", None),
            Param("prevention", _PART, "How it does not happen again.", None),
            ORIGIN_PARAM,
        ),
        "{id, outcome, type, text, confidence, priority, …}",
        {
            "symptom": "The build fails with ETIMEDOUT.",
            "cause": "The cache server was moved.",
            "fix": "Set CACHE_URL to the new host.",
            "prevention": "Ask for the host by its name.",
        },
        changes=True,
    ),
    Verb(
        "lessons",
        "Find lessons by a symptom, or list the newest.",
        (WHO_PARAM, Param("query", _SENTENCE, "What is seen.", None), _k(5)),
        "{lessons: [{id, ts, symptom, cause?, fix, prevention?, archived?}]}",
        {"query": "build ETIMEDOUT"},
    ),
    Verb(
        "code_search",
        "Find where a path, a function or an error was spoken of, newest first, with the files that come up beside it.",
        (
            WHO_PARAM,
            Param("path", Text(2, 300), "Part of a path.", None),
            Param("function", Text(2, 100), "Part of a function's or class's name.", None),
            Param("error", Text(2, 200), "Part of an error's code or of its trace.", None),
            SINCE_PARAM,
            _k(20),
        ),
        "{hits: [{…, fits: [{kind, text}]}], files: [{path, records}], truncated}",
        {"path": "src/app.py", "k": 5},
        any_of=("path", "function", "error"),
    ),
    Verb(
        "suggest_capture",
        "Name statements of a session that are not kept though they may be worth it, by the gate's score; remember keeps one.",
        (WHO_PARAM, _SESSION, _k(10)),
        "{session, suggestions: [{turn, type, g, ts, text}], more}",
        {"session": "s1", "k": 5},
    ),
    Verb(
        "missed",
        "Say that a record should have come up for a question: tells where it stands and why, and lets it be found more easily.",
        (WHO_PARAM, ID_PARAM, Param("query", _SENTENCE, "What was asked.")),
        "{id, place, score, why, done: counted|brought back|kept|nothing, memory?, journal_id?}",
        {"id": "m_4f1c", "query": "When does the depot open?"},
        changes=True,
    ),
    Verb(
        "correction_stats",
        "Count how often memories had to be put right within the journal's days: by what was done, by whom, of which type, by day.",
        (WHO_PARAM, SINCE_PARAM),
        "{since, verbs, undone, actors, types, days, wrong_per_100_used, most: [{id, type, changes}]}",
        {},
    ),
    Verb(
        "workflows",
        "Find runs of commands that your sessions repeat: what could be written down or scripted once.",
        (
            WHO_PARAM,
            SINCE_PARAM,
            Param("least", Whole(2, 100), "In at least so many sessions.", 3),
            _k(10),
        ),
        "{workflows: [{steps[], sessions, last, last_session}], read, more}",
        {"least": 2, "k": 5},
    ),
    Verb(
        "keep_session",
        "Keep one memory of what a session was about; told again later, the earlier one is superseded.",
        (WHO_PARAM, _SESSION),
        "{session, id, outcome, text}",
        {"session": "s1"},
        changes=True,
    ),
    Verb(
        "promote_dreams",
        "Keep what an agent's dream diary recalls again and again: entries under headings of dreams whose figures pass the gates,"
        " as the agent's words.",
        (
            WHO_PARAM,
            Param("path", Text(1, 4_096), "The diary's file on this machine.", None),
            Param("text", Text(max_chars=1_000_000), "Its text.", None),
            _DRY,
        ),
        "{promoted, refused, entries: [{line, outcome}], dry_run}",
        {"text": "## Deep sleep\n- The harbour office opens at six. {score=0.8 recall=3 unique=2}\n"},
        any_of=("path", "text"),
        changes=True,
    ),
    Verb(
        "share",
        "Share memories with a project, an agent or everybody, who read them as another's words while they hold; or tell them"
        " on to another user. They change nothing that others have said; undo takes it back.",
        (
            WHO_PARAM,
            Param("ids", ListOf(Text(1, 200), 100, 1), "Which."),
            Param(
                "to",
                Parsed("project:<key>, agent:<name>, global or user:<id>", Scope.parse),
                "Who sees that scope may read them; another user gets a copy.",
            ),
            ORIGIN_PARAM,
        ),
        "{to, shared: [{id, copy, outcome: shared|known|created|forgotten}], changed, journal_id}",
        {"ids": ["m_4f1c"], "to": "project:github.com/example/harbour"},
        changes=True,
    ),
    Verb(
        "unshare",
        "Share memories, and what took their places, with a project, an agent or everybody no longer.",
        (
            WHO_PARAM,
            Param("ids", ListOf(Text(1, 200), 100, 1), "Which."),
            Param(
                "from",
                Parsed("project:<key>, agent:<name> or global", Scope.parse),
                "Which scope.",
                target="of",
            ),
            ORIGIN_PARAM,
        ),
        "{from, unshared, changed, journal_id}",
        {"ids": ["m_4f1c"], "from": "global"},
        changes=True,
    ),
    Verb(
        "shares",
        "List what you share with which scope, and what others share with you.",
        (WHO_PARAM,),
        "{mine: [{id, scope, text}], others: [{id, scope, text}]}",
        {},
    ),
    Verb(
        "reset",
        "Forget everything of one scope for good: a session, a project, or all that is the user's, rules, cards and reminders"
        " with it.",
        (
            WHO_PARAM,
            Param(
                "scope",
                Parsed("session:<key>, project:<key> or user:<id>", Scope.parse),
                "Which scope.",
            ),
            Param("confirm", Whole(0, 2**53), "How many records go; the preview says it.", None),
            ORIGIN_PARAM,
            Param("dry_run", Flag(), "Only say what would be deleted.", default=False),
        ),
        "{scope, forgotten, would_forget?, counts, ids[], items[], more?, dry_run, by_name?}",
        {"scope": "session:s1", "dry_run": True},
        changes=True,
    ),
)
"""In the order of the documentation."""
