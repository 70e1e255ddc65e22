"""When a new statement closes an old one: same subject, same slot, other value (memory model §4).

Unrelated facts never close each other: both sides must be claims of one subject and one slot, and where a
slot may hold several values at once (the databases that a team uses) the new statement must say that
something changed (lessons.md C92; field case B22).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from libra.lifecycle.claims import RESTATED, claim, correction
from libra.lifecycle.slots import Claim

__all__ = ["Dated", "Place", "Settled", "contradicts", "interrupted", "place", "resolve", "restate", "settle"]

_PURPOSE = re.compile(r" (?:for|in|on|with|during|when|at) .+\Z")
_NUMBER = re.compile(r"\d")


def contradicts(new: Claim, old: Claim) -> bool:
    """Return True if ``new`` closes ``old``.

    Args:
        new: The later statement.
        old: The earlier one.
    """
    if new.subject != old.subject or not new.subject:
        return False
    if new.slot != old.slot:
        return _ends_use(new, old)
    if new.denied or old.denied:
        return new.denied != old.denied and new.value == old.value
    if new.value == old.value:
        return False
    if new.instead_of is not None and new.slot.startswith("uses"):
        return new.instead_of == old.value
    if new.single and old.single:
        return True
    if new.slot == "uses":
        return False
    return new.change and (new.slot.startswith("uses ") or _shape(new.value) == _shape(old.value))


def _ends_use(new: Claim, old: Claim) -> bool:
    """Return True if a use is ended that is told under another slot: of another kind of thing, or for a purpose.

    "We use Jenkins for builds" is closed by "we switched from Jenkins to Buildkite", which names no purpose, or by one
    that names the same; a purpose of its own leaves other uses as they are.
    """
    if not (new.slot.startswith("uses") and old.slot.startswith("uses")):
        return False
    purpose = _purpose(new.slot)
    if purpose and purpose != _purpose(old.slot):
        return False
    if new.denied or old.denied:
        return new.denied and not old.denied and new.value == old.value
    return new.instead_of is not None and new.instead_of == old.value


def _purpose(slot: str) -> str:
    """Return what a thing is used for ("for builds"), or an empty text."""
    found = _PURPOSE.search(slot)
    return found.group().strip() if found else ""


def _shape(value: str) -> str:
    """Return a coarse kind of value; only values of one kind stand in for each other without a known slot."""
    if _NUMBER.search(value):
        return "number"
    return "word" if len(value.split()) == 1 else "phrase"


def resolve(fixed: Claim, earlier: Sequence[Claim]) -> Claim | None:
    """Return the full claim of a bare correction ("actually it is green"), or None.

    It is about the newest earlier claim that it can be about: the one whose value it names as the old one,
    else the newest with a single value of the same kind.

    Args:
        fixed: What ``claims.correction`` gave.
        earlier: Claims of the same conversation, newest first.
    """
    for old in earlier:
        if old.denied or not old.head or old.value == fixed.value:
            continue
        if fixed.instead_of is not None:
            if fixed.instead_of == old.value:
                return replace(old, value=fixed.value, change=True, instead_of=fixed.instead_of)
        elif old.single and bool(_NUMBER.search(old.value)) == bool(_NUMBER.search(fixed.value)):
            return replace(old, value=fixed.value, change=True)
    return None


def restate(text: str, about: Claim) -> str:
    """Return a correction that can be understood alone: the words that it is about, then it, both verbatim."""
    return f"{about.head}{RESTATED}{text.strip()}"


@dataclass(frozen=True, slots=True)
class Settled:
    """What a new statement does to what is known.

    Attributes:
        text: The text to keep: the statement, or a correction with the words that it is about.
        claim: Its claim, if it makes one; ``subject`` and ``slot`` are what the store looks up.
        closes: Indexes into the known texts that it supersedes.
        about: Index of the known text that a bare correction is about, else None; its type is kept.
    """

    text: str
    claim: Claim | None
    closes: tuple[int, ...] = ()
    about: int | None = None


def settle(text: str, known: Sequence[str]) -> Settled:
    """Work out what a new statement says and which known statements it supersedes.

    Args:
        text: The new statement.
        known: Active memories of the same person, newest first: those of the claim's subject and slot, and
            the latest few of the conversation, for bare corrections.
    """
    olds = [claim(k) for k in known]
    made = claim(text)
    about: int | None = None
    if made is None and (fixed := correction(text)) is not None:
        made = resolve(fixed, [c for c in olds if c is not None])
        if made is not None:
            about = next(i for i, c in enumerate(olds) if c is not None and _same_slot(c, made))
            text = restate(text, made)
    if made is None:
        return Settled(text, None)
    closes = tuple(i for i, old in enumerate(olds) if old is not None and contradicts(made, old))
    return Settled(text, made, closes, about)


@dataclass(frozen=True, slots=True)
class Dated:
    """What was told of a slot before: its claim, when it was told first, and when its successor was, if it has one."""

    claim: Claim | None
    from_ms: int
    to_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands among what was told of its slot.

    Attributes:
        closes: Indexes of what held when it was told, and does no longer.
        closed_by: Index of what was told next and closes it in its turn; None if it holds.
    """

    closes: tuple[int, ...] = ()
    closed_by: int | None = None


def place(new: Claim, at_ms: int, line: Sequence[Dated]) -> Place:
    """Work out which statements of its slot a statement closes and which one closes it, in whatever order they are read.

    History is read newest first: what is older than its own successor closes what was before it, and is closed at
    once. A fact that was true in two periods has two places.

    Args:
        new: The statement.
        at_ms: When it was told.
        line: What was told of the slot, each by its own time, superseded or not.
    """
    before = tuple(
        i
        for i, old in enumerate(line)
        if old.claim is not None
        and old.from_ms <= at_ms
        and (old.to_ms is None or old.to_ms > at_ms)
        and contradicts(new, old.claim)
    )
    after = [
        (told.from_ms, i)
        for i, told in enumerate(line)
        if told.claim is not None and told.from_ms > at_ms and contradicts(told.claim, new)
    ]
    return Place(before, min(after)[1] if after else None)


def interrupted(new: Claim, at_ms: int, start_ms: int, line: Sequence[Dated]) -> bool:
    """Return True if something else held between a telling and the later start of a memory that says the same."""
    return any(
        told.claim is not None and at_ms < told.from_ms < start_ms and contradicts(told.claim, new)
        for told in line
    )


def _same_slot(a: Claim, b: Claim) -> bool:
    return (a.subject, a.slot) == (b.subject, b.slot)
