"""The rule doctor: which rules say the same, which contradict each other. Pure, and near linear in the number of rules.

It points at pairs for a person to look at and changes nothing: what the words "commit" and "main" share in two rules is
seen here, what they mean is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from libra.ground.records import Modality
from libra.lifecycle.claims import claim
from libra.lifecycle.slots import Claim
from libra.lifecycle.supersede import contradicts
from libra.text.deontic import scan
from libra.text.headings import against
from libra.text.scripts import cjk_bigrams, fold
from libra.text.stopwords import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
_MOOD = frozenset(
    "always never avoid prefer please must require required forbid forbidden prohibit prohibited allow allowed permit"
    " permitted ensure make sure instead important note rule".split()
)
"""Words that say how firmly something holds, not what."""


class Trouble(StrEnum):
    """What may be wrong with two rules."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class DoctorParams:
    """When two rules are worth a look.

    Attributes:
        same: Share of all their content words that two rules have in common, from which they say the same.
        opposed: Share of the shorter rule's content words in the other, from which opposite rules are about one thing.
        least_words: Content words that two rules must share at least.
        common: A content word that so many rules share leads to no pair.
        most: Pairs that are told of each kind.
    """

    same: float = 0.8
    opposed: float = 0.75
    least_words: int = 2
    common: int = 60
    most: int = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as it stands in a file.

    Attributes:
        text: Its words.
        heading: The titles above it: "Never:" above a list turns its items round.
        place: The scope of its file: two projects' rules never meet in one prompt.
    """

    text: str
    heading: tuple[str, ...]
    place: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Two rules, by their positions in what was handed in."""

    trouble: Trouble
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class _Read:
    words: frozenset[str]
    denies: bool
    wants: bool
    claim: Claim | None


def look(rules: Sequence[Rule], params: DoctorParams | None = None) -> list[Finding]:
    """Return the pairs of rules that may say the same or the opposite, in the order of the first.

    Args:
        rules: The rules, in the order of a prompt.
        params: See :class:`DoctorParams`.
    """
    limits = params or DoctorParams()
    read = [_read(rule) for rule in rules]
    told: dict[Trouble, int] = dict.fromkeys(Trouble, 0)
    out = []
    for first, second in _pairs(read, limits):
        if not _meet(rules[first].place, rules[second].place):
            continue
        trouble = _trouble(read[first], read[second], limits)
        if trouble is not None and told[trouble] < limits.most:
            told[trouble] += 1
            out.append(Finding(trouble, first, second))
    return out


def _read(rule: Rule) -> _Read:
    said = scan(rule.text)
    under = any(against(f"{line.rstrip(':：')}:") is not None for line in rule.heading[-1:])
    kinds = {found.modality for found in said}
    denies = under or kinds == {Modality.PROHIBITION}
    words = (fold(word) for word in _WORD.findall(rule.text))
    kept = {_stem(word) for word in words if len(word) > 1 and word not in STOP_WORDS and word not in _MOOD}
    return _Read(
        frozenset(kept | set(cjk_bigrams(rule.text))),
        denies,
        not denies and Modality.PROHIBITION not in kinds,
        claim(rule.text),
    )


def _stem(word: str) -> str:
    """Return a word without an English plural's s: enough to meet its singular."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word  # noqa: PLR2004 - "bus"


def _pairs(read: Sequence[_Read], limits: DoctorParams) -> Iterator[tuple[int, int]]:
    """Yield the pairs that share a content word that is not too common, each once, in order."""
    holding: dict[str, list[int]] = {}
    for n, one in enumerate(read):
        for word in one.words:
            holding.setdefault(word, []).append(n)
    for n, one in enumerate(read):
        near = {
            other
            for word in one.words
            if len(holding[word]) <= limits.common
            for other in holding[word]
            if other > n
        }
        yield from ((n, other) for other in sorted(near))


def _meet(one: str, other: str) -> bool:
    """Return True if the rules of two scopes may stand in one prompt."""
    kind, other_kind = one.partition(":")[0], other.partition(":")[0]
    return one == other or kind != other_kind


def _trouble(one: _Read, other: _Read, limits: DoctorParams) -> Trouble | None:
    if (
        one.claim
        and other.claim
        and (contradicts(one.claim, other.claim) or contradicts(other.claim, one.claim))
    ):
        return Trouble.CONTRADICTION
    shared = len(one.words & other.words)
    if shared < limits.least_words:
        return None
    if (one.denies and other.wants) or (one.wants and other.denies):
        opposed = shared >= limits.opposed * min(len(one.words), len(other.words))
        return Trouble.CONTRADICTION if opposed else None
    same = one.denies == other.denies and shared >= limits.same * len(one.words | other.words)
    return Trouble.DUPLICATE if same else None
