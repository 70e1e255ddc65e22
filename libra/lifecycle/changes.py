"""How people say that something holds no longer, or another way: patterns and readers beside those of ``claims``.

"I'm no longer allergic to …", "we dropped X", "the deadline moved to …", "I left Acme". What a person does, is or has
is a slot of its own with the values ``yes`` and ``no``, so that only its own denial closes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from libra.lifecycle.kinds import ATTRIBUTES, kind_of
from libra.lifecycle.slots import (
    SPEAKER,
    TEAM,
    Claim,
    is_time,
    normal,
    read_subject,
    read_used,
    read_value,
    when_or_where,
)

Reader = Callable[[re.Match[str]], Claim | None]

_ME: Final = r"(?P<subject>\bI|\bmy \w+|\b[A-Z][\w-]+)"
_AM: Final = r"(?:['’]m| am|['’]s| is)"
_NOT: Final = r"(?P<neg> not| no longer)?"
_STATES: Final = (
    "vegetarian|vegan|pescatarian|diabetic|pregnant|married|single|engaged|divorced|retired|unemployed|self-employed|coeliac|celiac"
    "|lactose[- ]intolerant|colou?r[- ]?blind|left-handed|gluten-free|asthmatic|a smoker|a student|a member|a freelancer"
)
_DOES: Final = "play|take|ride|eat|drink|study|learn|practi[sc]e|attend|teach|coach|wear|collect|breed|rent|subscribe to|volunteer at"
_ENDS: Final = r"(?:dropped|ditched|abandoned|retired|scrapped|got rid of|moved away from|migrated away from|gave up on|said goodbye to|killed off|phased out)"
_SET: Final = r"(?:raised|lowered|cut|increased|decreased|extended|shortened|reduced|bumped|changed|set|pushed back|pushed|brought forward|adjusted|doubled|renamed|moved|shifted)"
_DATES: Final = frozenset(["deadline", "date", "day", "time", "schedule", "start", "end", "birthday"])
_PLACES: Final = frozenset(["office", "city", "country", "hometown", "location", "doctor", "dentist", "bank"])


def _yes_no(slot: str) -> Reader:
    """Make a reader of something that is so or is not so ("allergic to cats")."""

    def read(m: re.Match[str]) -> Claim | None:
        subject, thing = read_subject(m["subject"]), read_value(m["value"])
        said = "no" if m["neg"] else "yes"
        return Claim(subject, f"{slot} {thing}", said, single=True) if subject and thing else None

    return read


def _stem(verb: str) -> str:
    """Return a verb without its ending, so that "smoke" and "smoking" are one."""
    return re.sub(r"(?:ing|e)\Z", "", verb)


def read_does(m: re.Match[str]) -> Claim | None:
    """Read "I play the violin", "I no longer take the bus to work": the thing is the slot."""
    thing = read_value(m["value"])
    return Claim(SPEAKER, f"does {thing}", "no" if m["neg"] else "yes", single=True) if thing else None


def read_gave_up(m: re.Match[str]) -> Claim | None:
    """Read "I gave up the violin", "I stopped playing the violin", "I quit smoking"."""
    words = read_value(m["value"]).split(maxsplit=1)
    if not words:
        return None
    if words[0].endswith("ing") and len(words) > 1:
        thing = read_value(words[1])
    else:
        thing = _stem(words[0]) if len(words) == 1 and words[0].endswith("ing") else " ".join(words)
    return Claim(SPEAKER, f"does {thing}", "no", single=True, change=True) if thing else None


def read_habit(m: re.Match[str]) -> Claim | None:
    """Read "I smoke", "I don't smoke any more"."""
    return Claim(SPEAKER, f"does {_stem(normal(m['value']))}", "no" if m["neg"] else "yes", single=True)


def read_drives(m: re.Match[str]) -> Claim | None:
    """Read "I drive a Golf", "I don't drive a Polo any more", "I sold the Golf"."""
    subject = read_subject(m["subject"])
    thing = read_value(re.sub(r"^(?:my|our)\s+", "", m["value"], flags=re.IGNORECASE))
    return (
        Claim(subject, "drives", thing, denied=bool(m["neg"]), change=bool(m["neg"]))
        if thing and subject
        else None
    )


def read_left(m: re.Match[str]) -> Claim | None:
    """Read "I left Acme", "I quit my job at Acme"."""
    firm = read_value(
        re.sub(
            r"^(?:my|the) (?:job|position|post|role) (?:at|with|for)\s+", "", m["value"], flags=re.IGNORECASE
        )
    )
    return Claim(SPEAKER, "works at", firm, single=True, change=True, denied=True) if firm else None


def read_dropped(m: re.Match[str]) -> Claim | None:
    """Read "we dropped Notion", "we got rid of Jest for tests"."""
    found = read_used(read_subject(m["subject"]), m["value"], "runs", change=True)
    if found is None:
        return None
    return Claim(found.subject, found.slot, found.value, change=True, denied=True)


def read_set(m: re.Match[str]) -> Claim | None:
    """Read "the budget has been raised to 700 euros", "the office moved to Nantes", "I upgraded my plan to Pro"."""
    if m["verb"] is None:
        return read_own(m)
    owner, noun, value = normal(m["owner"]), normal(m["noun"]), read_value(m["value"])
    if not noun or not value:
        return None
    last = noun.split()[-1]
    moved = "move" in m["verb"].lower() or "shift" in m["verb"].lower()
    single = last in ATTRIBUTES and not (moved and is_time(value) and last not in _DATES)
    if moved and (kind_of(value) is not None or noun.split()[-1] in ("team", "company")):
        return None
    if not single and moved:
        return when_or_where(f"my {noun}" if owner == "my" else noun, value)
    if last in _PLACES and moved and not value[:1].isdigit():
        value = f"in {value}"
    if not single:
        return Claim(f"my {noun}" if owner == "my" else noun, "is", value, change=True)
    return Claim(SPEAKER if owner == "my" else TEAM, noun, value, single=True, change=True)


def read_every(m: re.Match[str]) -> Claim | None:
    """Read "the password rotates every 30 days"."""
    subject, value = read_subject(m["subject"]), read_value(m["value"])
    return Claim(subject, f"{normal(m['verb'])} every", value, single=True) if subject and value else None


def read_own(m: re.Match[str]) -> Claim | None:
    """Read "I upgraded my plan to Pro": what is mine has the new value."""
    if not re.search(
        r"\bI (?:just |finally )?(?:upgraded|downgraded|changed|switched|moved|set|raised) \Z",
        m.string[: m.start("owner")],
    ):
        return None
    noun, value = normal(m["noun"]), read_value(m["value"])
    if not noun or not value or noun.split()[-1] not in ATTRIBUTES:
        return None
    owner = SPEAKER if normal(m["owner"]) == "my" else TEAM
    return Claim(owner, noun, value, single=True, change=True)


def _row(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    return re.compile(pattern, re.IGNORECASE), reader


_LATER: Final = r"(?: any ?more| any longer| now| these days)?"
SET_ROWS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    _row(
        rf"(?:^|[.!?;,:]\s+|\b(?:and|that|but)\s+|\bI (?:just |finally )?(?:upgraded|downgraded|changed|switched|moved|set|raised) )(?P<owner>my|our|the) (?P<noun>[\w-]+(?: [\w-]+){{0,5}}?)"
        rf"(?: (?:has|have|was|were|is|are))?(?: been)?(?: just| now| since| recently)?(?: (?P<verb>{_SET}))? to (?P<value>[^,;]+)",
        read_set,
    ),
)
"""Tried before "switched to": they contain its words."""
ROWS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    _row(
        rf"{_ME}{_AM}{_NOT} (?:still |also |now |really |very |severely )*allergic to (?P<value>.+)",
        _yes_no("allergic to"),
    ),
    _row(
        rf"{_ME}{_AM}{_NOT} (?:still |also |now |currently )*(?P<value>{_STATES}){_LATER}\s*[.!]*$",
        _yes_no("is"),
    ),
    _row(
        rf"\b(?P<subject>I){_AM}{_NOT} (?:still |also |now |currently )*(?P<value>(?:on|in) (?:the |a )?(?:\w+[ -]){{0,2}}(?:shift|rota|team|list|board|committee|choir|band|club|plan|diet|waitlist|waiting list))\b",
        _yes_no("is"),
    ),
    _row(
        rf"\bI (?:(?P<neg>don['’]t|do not|no longer|never) )?(?:still |also |usually |now |always )*(?:{_DOES}) (?:the |a |an |my )?(?P<value>[a-z][^.!?;]{{1,50}})",
        read_does,
    ),
    _row(
        r"\bI(?:['’]ve| have)? (?:just |finally |recently |now )*(?:gave up|given up|quit|stopped|have stopped) (?!using\b|running on\b|by\b|at\b|to\b|here\b|there\b|my job\b)(?P<value>[a-z][^.!?;]{1,50})",
        read_gave_up,
    ),
    _row(
        r"\bI (?:(?P<neg>don['’]t|do not|no longer) )?(?P<value>smoke|vape|gamble|commute)(?: any ?more| any longer)?\s*[.!]*$",
        read_habit,
    ),
    _row(
        r"(?P<subject>\bI|\bmy \w+) (?:(?P<neg>don['’]t|do not|doesn['’]t|does not|no longer) )?(?:still |now )*drives? (?:an? )?(?P<value>[^,;.!?]{2,40})",
        read_drives,
    ),
    _row(
        r"(?P<subject>\bI) (?P<neg>sold|scrapped|crashed|gave away|wrecked) (?:the )?(?P<value>(?:my )?[A-Z\d][\w -]{1,30})",
        read_drives,
    ),
    _row(
        r"\bI(?:['’]ve| have)? (?:just |finally |recently )*(?:left|quit|resigned from) (?P<value>(?:my |the )?(?:job|position|post|role) (?:at|with|for) .+|[A-Z][\w&. -]{1,40})",
        read_left,
    ),
    _row(
        rf"(?P<subject>\b(?:I|we|the team))(?:['’]ve| have)? (?:just |finally |recently |now |completely )*{_ENDS} (?P<value>.+)",
        read_dropped,
    ),
    _row(
        r"(?P<subject>[\w'’./-]+(?: [\w'’./-]+){0,5}?) (?P<verb>rotates?|runs?|renews?|expires?|repeats?|resets?|refreshes|happens?|syncs?) every (?P<value>\d.*)",
        read_every,
    ),
)
