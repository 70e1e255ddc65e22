"""The verbs about rules, cards and standing intents, declared once: see :mod:`libra.engine.verbs`."""

from __future__ import annotations

from libra.engine.fields import Flag, Free, ListOf, Param, Text, Whole
from libra.engine.verb import ORIGIN_PARAM, WHO_PARAM, Verb

_SHORT = Text(1, 200)
_WORDS = ListOf(Text(1, 200), 50, make=tuple)
_SENTENCE = Text(1, 500)
_LONG = Text(max_chars=1_000_000)
_NAME = Param("name", _SHORT, "Its name, or the beginning of it.")
_NEW_NAME = Param("name", _SHORT, "What to call it; by default a short word made of what it says.", None)
_ROW = "version, created, changed, journal_id"

LEDGER_VERBS = (
    Verb(
        "rule_set",
        "Set a rule by hand: it stands in every prompt, and replies can be held against its words.",
        (
            WHO_PARAM,
            Param("text", _SENTENCE, "The rule, as an agent should read it."),
            _NEW_NAME,
            Param("keywords", _WORDS, "Words and phrases that no reply may have, as whole words.", ()),
            Param("reply", _SENTENCE, "What to say instead of such a reply.", None),
            ORIGIN_PARAM,
        ),
        f"{{name, text, keywords[], reply, {_ROW}}}",
        {"text": "Never tell prices.", "name": "prices", "keywords": ["price list", "EUR"]},
        changes=True,
    ),
    Verb(
        "rule_get",
        "Show one rule that was set by hand.",
        (WHO_PARAM, _NAME),
        "{name, text, keywords[], reply, version, created, changed}",
        {"name": "prices"},
    ),
    Verb(
        "rule_list",
        "List the rules that were set by hand; those of instruction files stand in their files.",
        (WHO_PARAM,),
        "{rules[], most}",
        {},
    ),
    Verb(
        "rule_check",
        "Hold a reply against the words that no reply may have: which rules it breaks, and what to say instead.",
        (WHO_PARAM, Param("text", _LONG, "The reply.")),
        "{ok, broken: [{name, keywords[], reply}], reply}",
        {"text": "That is 12 EUR."},
    ),
    Verb(
        "rule_delete",
        "Take a rule away that was set by hand; undo brings it back.",
        (WHO_PARAM, _NAME, ORIGIN_PARAM),
        "{name, journal_id}",
        {"name": "prices"},
        changes=True,
    ),
    Verb(
        "card_update",
        "Write on a person's card, a new one if there is none of that name: fields are added or changed, null takes one away.",
        (
            WHO_PARAM,
            Param("name", _SHORT, "Whose card."),
            Param("fields", Free(), "Facts by their names, such as role or time_zone."),
            Param("aliases", _WORDS, "Other names under which the person speaks.", None),
            Param(
                "main",
                Flag(),
                "It is the user's own card, in every prompt; by default the one under the user's name.",
                None,
            ),
            ORIGIN_PARAM,
        ),
        f"{{name, fields, by, aliases[], main, {_ROW}}}",
        {"name": "Sam Rivers", "fields": {"role": "harbour master", "time_zone": "Europe/Oslo"}},
        changes=True,
    ),
    Verb(
        "card_get",
        "Show a person's card, by the name, its beginning, or an alias; without a name the user's own.",
        (WHO_PARAM, Param("name", _SHORT, "Whose card.", None)),
        "{name, fields, by, aliases[], main, version, created, changed}",
        {"name": "Sam"},
    ),
    Verb(
        "card_list",
        "List the cards of people.",
        (WHO_PARAM, Param("prefix", _SHORT, "Only names and aliases that begin so.", None)),
        "{cards[]}",
        {"prefix": "Sa"},
    ),
    Verb(
        "card_delete",
        "Take a person's card away; undo brings it back.",
        (WHO_PARAM, _NAME, ORIGIN_PARAM),
        "{name, journal_id}",
        {"name": "Sam Rivers"},
        changes=True,
    ),
    Verb(
        "intent_set",
        "Be reminded when something comes up: the words are looked for in what is asked, whole.",
        (
            WHO_PARAM,
            Param("when", _WORDS, "Words and phrases; any of them brings it up."),
            Param("remind", _SENTENCE, "What to be reminded of."),
            _NEW_NAME,
            Param("times", Whole(1, 1_000), "So often; by default the setting intents.times.", None),
            Param("cooldown_hours", Whole(0, 8_760), "Silent for so long after a reminder.", None),
            Param("days", Whole(1, 36_500), "Waits for its words for so long.", None),
        ),
        f"{{name, when[], remind, state, times, fired, last, cooldown_ms, expires, done, {_ROW}}}",
        {"when": ["release", "deploy"], "remind": "Bump the version in the docs.", "name": "docs"},
        changes=True,
    ),
    Verb(
        "intent_list",
        "List the reminders that wait for their words: armed, or resting after the last time.",
        (WHO_PARAM, Param("every", Flag(), "Those that are done, used up or expired, too.", default=False)),
        "{intents[]}",
        {"every": True},
    ),
    Verb(
        "intent_done",
        "Say that a reminder is done with: it stays, and reminds no more.",
        (WHO_PARAM, _NAME),
        "{name, when[], remind, state, …, journal_id}",
        {"name": "docs"},
        changes=True,
    ),
    Verb(
        "intent_delete",
        "Take a reminder away; undo brings it back.",
        (WHO_PARAM, _NAME),
        "{name, journal_id}",
        {"name": "docs"},
        changes=True,
    ),
)
"""In the order of the documentation."""
