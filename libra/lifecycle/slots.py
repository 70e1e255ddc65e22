"""Subject, slot and value: what a claim is, and how the parts of a matched sentence become one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from libra.lifecycle.kinds import ATTRIBUTES, kind_of

SPEAKER = "user"
"""The subject of "I" and "my"."""
TEAM = "we"
"""The subject of "we", "our", and of "the staging host": what belongs to everybody who works here."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One value in one slot of one subject.

    Attributes:
        subject: Lower case; ``user``, ``we`` or a name ("server a").
        slot: What of the subject is told ("favorite color", "runs postgres", "uses database").
        value: Lower case; empty when only a denial is told.
        single: The slot holds one value at a time, so that another one contradicts it.
        change: The sentence itself says that something changed ("switched", "now", "no longer").
        denied: The value is said not to hold (any more).
        instead_of: The value that it replaces, where the sentence names it.
        head: The words before the value as they were written ("my favourite colour").
    """

    subject: str
    slot: str
    value: str
    single: bool = False
    change: bool = False
    denied: bool = False
    instead_of: str | None = None
    head: str = ""


_I = re.IGNORECASE
_CHANGE = re.compile(
    r"\b(?:actually|now|no longer|any ?more|instead|switched|moved|migrated|changed|upgraded|downgraded|replaced|correction|since"
    r"|renamed|postponed|rescheduled)\b|不再|现在|改成|改为|改用|换成|其实|\b(?:thực ra|bây giờ|không còn|chuyển sang|đổi sang|đổi thành)\b",
    _I,
)
_FILLER = re.compile(
    r"^(?:now|currently|actually|just|still|also|a|an|the|called|named|set to)\s+"
    r"|\s+(?:now|currently|today|yesterday|again|instead|any ?more|for now|at the moment|these days|though|too|rồi|nữa|nhé"
    r"|(?:last|this) (?:week|month|year|night|\w+day)|since \w+|(?:two|three|a few|\d+) \w+ ago)$",
    _I,
)
"""What stands around a value without being part of it."""
_STOP = re.compile(
    r"\s*(?:[,;!?，。；！]|\.(?=\s|$)|\s(?:and|but|because|since|so|which|who|where|while|as|mà|nhưng|vì)\s).*$",
    _I | re.DOTALL,
)
_VERSIONED = re.compile(r"^(?P<thing>[\w+#.-]*[a-z][\w+#-]*(?:\.js)?)\s+v?(?P<version>\d[\w.]*)$", _I)
_QUALIFIED = re.compile(r"^(?P<thing>.+?)\s+(?P<how>(?:for|in|on|with|during|when|at)\s.+)$", _I)
_BRITISH = (("favourite", "favorite"), ("colour", "color"), ("licence", "license"), ("e-mail", "email"))
_MOVES = frozenset(["moved", "moving", "rescheduled", "postponed", "chuyển"])
_TIME = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:tomorrow|noon|midnight|week|month|quarter|morning|evening)\b",
    _I,
)
_CONTRACTED = re.compile(r"(?<=^i)['’](?:m|ve|ll|d)$|(?<=^we)['’](?:re|ve|ll|d)$")
_DENIES = re.compile(r"\b(?:no longer|don['’]t|doesn['’]t|do not|does not|never|not)$")
"""The end of a subject that is none: the pattern took a denial for a part of the name."""
_TRIM = " \t\n\"'`*_“”‘’.:()[]"
_MAX_VALUE_CHARS = 80
_MAX_SUBJECT_WORDS = 6


def normal(text: str) -> str:
    """Return the form in which subjects, slots and values are compared."""
    out = unicodedata.normalize("NFC", text).casefold().strip(_TRIM)
    for british, american in _BRITISH:
        out = out.replace(british, american)
    return " ".join(out.split())


def kin(slot: str) -> tuple[str, str]:
    """Return the first and the last slot, in order, whose statements may close one another with this one.

    What is used stands under the kind of thing and its purpose ("uses ci for builds"), so all uses are kin; any other
    slot has only itself.
    """
    return ("uses", "uses\U0010ffff") if slot == "uses" or slot.startswith("uses ") else (slot, slot)


def read_value(raw: str) -> str:
    """Return a value without what follows it in the sentence and without filler words; empty if none is left."""
    out = normal(_STOP.sub("", raw))
    while (trimmed := _FILLER.sub("", out).strip(_TRIM)) != out:
        out = trimmed
    return out if len(out) <= _MAX_VALUE_CHARS else ""


def read_subject(raw: str) -> str:
    """Return a subject in its compared form; empty if it is a pronoun of something else or too long."""
    out = _CONTRACTED.sub("", normal(raw))
    if _DENIES.search(out):
        return ""
    if out in ("i", "me", "tôi", "mình", "em", "anh", "我"):
        return SPEAKER
    if out in ("we", "us", "the team", "our team", "chúng tôi", "chúng ta", "tụi mình", "我们", "咱们"):
        return TEAM
    if out in (
        "it",
        "that",
        "this",
        "they",
        "he",
        "she",
        "you",
        "there",
        "these",
        "those",
        "nó",
        "它",
        "他",
        "她",
    ):
        return ""
    out = re.sub(r"^(?:the|our)\s+", "", out)
    return out if len(out.split()) <= _MAX_SUBJECT_WORDS else ""


def read_used(subject: str, raw: str, verb: str, *, change: bool) -> Claim | None:
    """Read "uses Postgres 15 for billing": version, kind of thing and qualifier each have their place."""
    thing, how = read_value(raw), ""
    if (qualified := _QUALIFIED.match(thing)) is not None:
        thing, how = read_value(qualified["thing"]), " " + qualified["how"]
    if not thing or not subject:
        return None
    if (versioned := _VERSIONED.match(thing)) is not None:
        return Claim(
            subject, f"{verb} {versioned['thing']}{how}", versioned["version"], single=True, change=change
        )
    kind = kind_of(thing)
    return Claim(subject, f"uses {kind}{how}" if kind else f"uses{how}", thing, change=change)


def read_copula(m: re.Match[str]) -> Claim | None:
    """Read "my favourite colour is blue", "the staging host is zeta-9", "Server A's port is 80"."""
    owner, noun, value = m["owner"] or "", normal(m["noun"]), read_value(m["value"])
    denied = bool(m["neg"])
    if not value or not noun:
        return None
    head = m["head"]
    last = noun.split()[-1]
    single = last in ATTRIBUTES or noun.startswith(("favorite ", "preferred ", "default "))
    if owner.endswith(("'s", "’s")):
        subject = read_subject(owner[:-2])
        return Claim(subject, noun, value, single=single, denied=denied, head=head) if subject else None
    if single:
        subject = SPEAKER if normal(owner) == "my" else TEAM
        return Claim(subject, noun, value, single=True, denied=denied, head=head)
    subject = f"my {noun}" if normal(owner) == "my" else noun
    return Claim(subject, "is", value, denied=denied, head=head)


def read_named(m: re.Match[str]) -> Claim | None:
    """Read "zeta-9 is our staging host" as the staging host's value."""
    noun = read_value(m["noun"])
    if not noun or noun.split()[-1] not in ATTRIBUTES:
        return None
    owner = SPEAKER if normal(m["owner"]) == "my" else TEAM
    return Claim(owner, noun, read_value(m["value"]), single=True, head=f"{m['owner']} {m['noun']}")


def read_verb(slot: str) -> Callable[[re.Match[str]], Claim | None]:
    """Make a reader of ``subject … value`` for a verb that has one value at a time."""

    def read(m: re.Match[str]) -> Claim | None:
        subject, value = read_subject(m["subject"]), read_value(m["value"])
        return Claim(subject, slot, value, single=True, head=m["head"]) if subject and value else None

    return read


def read_uses(m: re.Match[str]) -> Claim | None:
    """Read "we use Postgres", "Server A runs Postgres 15"."""
    found = read_used(read_subject(m["subject"]), m["value"], "runs", change=False)
    if found is None:
        return None
    old = re.search(r"\b(?:instead of|rather than|not)\s+(?P<old>[\w.+#-]+)", m["value"], _I)
    return replace(found, instead_of=normal(old["old"])) if old else found


def read_switched(m: re.Match[str]) -> Claim | None:
    """Read "we switched (from Postgres) to SQLite", "we upgraded Server A to Postgres 17", "I moved to Hue"."""
    subject, old, value = read_subject(m["subject"]), read_value(m["old"] or ""), read_value(m["value"])
    if m["object"]:
        subject = read_subject(m["object"])
    found = read_used(subject, value, "runs", change=True)
    if found is None:
        return None
    if found.slot == "uses":
        if old and (kind := kind_of(old)) is not None:
            found = replace(found, slot=f"uses {kind}")
        elif not m["object"] and m["verb"].lower() in _MOVES and not (old and subject == TEAM):
            found = when_or_where(subject, value)
    return replace(found, instead_of=old or None)


def is_time(value: str) -> bool:
    """Return True for a value that says when."""
    return _TIME.search(value) is not None


def when_or_where(subject: str, value: str) -> Claim:
    """Return what "moved to" says: another time, else another place."""
    slot = "when" if is_time(value) else "lives in"
    return Claim(subject, slot, value, single=True, change=True)


def read_replaced(m: re.Match[str]) -> Claim | None:
    """Read "we replaced Postgres with SQLite"."""
    found = read_used(read_subject(m["subject"]), m["value"], "runs", change=True)
    return replace(found, instead_of=read_value(m["old"])) if found else None


def read_stopped(m: re.Match[str]) -> Claim | None:
    """Read "we no longer use Redis", "I don't live in Hue any more"."""
    subject, verb = read_subject(m["subject"]), m["verb"].lower()
    if verb in ("live", "lives", "living"):
        value = read_value(re.sub(r"^(?:in|at)\s+", "", m["value"]))
        return (
            Claim(subject, "lives in", value, single=True, change=True, denied=True)
            if subject and value
            else None
        )
    value = re.sub(r"^(?:on|to|with|at)\s+", "", m["value"])
    found = read_used(subject, value, "runs", change=True)
    return replace(found, denied=True) if found else None


def read_likes(m: re.Match[str]) -> Claim | None:
    """Read "I love coriander" and "I don't like coriander any more" as one slot with two values."""
    thing = read_value(m["value"])
    negative = bool(m["neg"]) or m["verb"].lower() in ("hate", "dislike", "detest", "ghét", "讨厌")
    return Claim(SPEAKER, f"likes {thing}", "no" if negative else "yes", single=True) if thing else None


def read_prefers(m: re.Match[str]) -> Claim | None:
    """Read "I prefer tabs (over spaces)": the kind, else the pair itself, is the slot."""
    both = re.split(r"\s+(?:over|to|rather than|instead of|hơn)\s+", m["value"], maxsplit=1)
    thing, other = read_value(both[0]), read_value(both[1]) if len(both) > 1 else ""
    if not thing:
        return None
    kind = kind_of(thing) or kind_of(other)
    slot = f"prefers {kind}" if kind else f"prefers {' / '.join(sorted((thing, other)))}" if other else ""
    return Claim(SPEAKER, slot, thing, single=True, instead_of=other or None) if slot else None


def read_of(m: re.Match[str]) -> Claim | None:
    """Read "the port of Server A is 7443"."""
    noun, value, subject = normal(m["noun"]), read_value(m["value"]), read_subject(m["owner"])
    if not subject or not value or noun.split()[-1] not in ATTRIBUTES:
        return None
    return Claim(subject, noun, value, single=True, denied=bool(m["neg"]), head=m["head"])


def read_chinese_copula(m: re.Match[str]) -> Claim | None:
    """Read "我最喜欢的颜色是蓝色"."""
    value = read_value(m["value"])
    subject = SPEAKER if m["owner"] == "我" else TEAM
    return (
        Claim(subject, m["noun"], value, single=True, denied=bool(m["neg"]), head=m["head"])
        if value
        else None
    )


def read_vietnamese_copula(m: re.Match[str]) -> Claim | None:
    """Read "màu yêu thích của tôi là xanh"."""
    value = read_value(m["value"])
    return (
        Claim(
            read_subject(m["owner"]),
            normal(m["noun"]),
            value,
            single=True,
            denied=bool(m["neg"]),
            head=m["head"],
        )
        if value
        else None
    )


def read_chinese_switch(m: re.Match[str]) -> Claim | None:
    """Read "我们改用 SQLite 了"; without a subject the team is meant."""
    return read_used(read_subject(m["subject"] or "我们"), m["value"], "runs", change=True)
