"""A summary's cue: about sixty tokens of fixed facts on what it covers, made without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeVar

from libra.compaction.candidates import speaker_words
from libra.compaction.fidelity import exact_terms
from libra.compaction.lexical import content_words
from libra.compaction.turns import ClusterTurn
from libra.ground.records import Role
from libra.text.dates import show
from libra.text.deontic import modalities
from libra.text.tokens import estimate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CueParams:
    """Size of a cue, and how many turns are read for it. Source: reference-systems.md 2.1b, Summary cue."""

    tokens: int = 60
    anchors: int = 8
    words: int = 6
    most_read: int = 160


_DECIDED = re.compile(
    r"\b(?:decided|agreed|chose|settled on|going with|switched to|moved to|resolved|fixed)\b|决定|改用|解决了|\b(?:quyết định|chốt)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cue:
    """What a summary covers.

    Attributes:
        turns: How many turns (or lower summaries).
        by_speaker: Turns by who spoke, most first.
        first_ms, last_ms: Times of the first and the last, epoch ms; None if unknown.
        anchors: Exact terms, the most frequent first.
        about: Content words, the most frequent first.
        decisions, rules: Turns in which something was decided, and turns with a rule in them; 0 where not all were read.
    """

    turns: int
    by_speaker: tuple[tuple[str, int], ...]
    first_ms: int | None
    last_ms: int | None
    anchors: tuple[str, ...]
    about: tuple[str, ...]
    decisions: int
    rules: int

    def text(self, zone: tzinfo, params: CueParams | None = None) -> str:
        """Return the cue as one line of at most ``params.tokens`` tokens.

        Exact terms give way first, then content words, then whole facts from the end on.
        """
        params = params or CueParams()
        anchors, about = list(self.anchors), list(self.about)
        parts = self._parts(zone, anchors, about)
        while parts and estimate("; ".join(parts)) > params.tokens:
            if anchors or about:
                (anchors or about).pop()
                parts = self._parts(zone, anchors, about)
            else:
                parts.pop()
        return "; ".join(parts)

    def _parts(self, zone: tzinfo, anchors: Sequence[str], about: Sequence[str]) -> list[str]:
        speakers = ", ".join(f"{name} {n}" for name, n in self.by_speaker)
        parts = [f"{self.turns} turns ({speakers})" if speakers else f"{self.turns} turns"]
        if self.first_ms is not None and self.last_ms is not None:
            parts.append(f"{show(self.first_ms, zone)} to {show(self.last_ms, zone)}")
        parts += [f"about: {', '.join(about)}"] if about else []
        parts += [f"names: {', '.join(anchors)}"] if anchors else []
        parts += [f"decisions: {self.decisions}"] if self.decisions else []
        parts += [f"rules: {self.rules}"] if self.rules else []
        return parts


_EDGE = 8
"""Of a long stretch the first and the last turns are read in any case."""


def spread(things: Sequence[T], most: int) -> list[T]:
    """Return these things in their order; of more than ``most`` the first, the last, and an even choice between them."""
    if len(things) <= most:
        return list(things)
    edge = min(_EDGE, most // 3)
    middle, room = len(things) - 2 * edge, most - 2 * edge
    chosen = (things[edge + middle * n // room] for n in range(room))
    return [*things[:edge], *chosen, *(things[-edge:] if edge else ())]


def cue(turns: Sequence[ClusterTurn], params: CueParams | None = None, *, part: bool = False) -> Cue:
    """Return the cue of turns in time order; of very many an even choice is read, a millisecond each.

    Args:
        turns: What is told of.
        params: Size of the cue.
        part: These are such a choice already: decisions and rules are not counted, since that would count too few.
    """
    params = params or CueParams()
    every, turns = turns, spread(turns, params.most_read)
    whole = len(every) == len(turns) and not part
    times = [turn.ts_ms for turn in every if turn.ts_ms is not None]
    said = [turn for turn in turns if turn.role is not Role.TOOL]
    names = Counter(
        name for turn in turns for name in exact_terms(turn.text) if any(c.isalpha() for c in name)
    )
    bare = speaker_words(turns)
    named = {word for name in names for word in content_words(name)}
    words = Counter(
        word for turn in said for word in dict.fromkeys(content_words(turn.text, bare)) if word not in named
    )
    speakers = Counter(turn.label for turn in every if turn.label)
    return Cue(
        turns=len(every),
        by_speaker=tuple(speakers.most_common()),
        first_ms=min(times, default=None),
        last_ms=max(times, default=None),
        anchors=tuple(name for name, _ in _ranked(names)[: params.anchors]),
        about=tuple(word for word, _ in _ranked(words)[: params.words]),
        decisions=sum(_DECIDED.search(turn.text) is not None for turn in said) if whole else 0,
        rules=sum(bool(modalities(turn.text)) for turn in said) if whole else 0,
    )


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return entries by count, those of equal count by their first appearance."""
    order = {name: k for k, name in enumerate(counts)}
    return sorted(counts.items(), key=lambda c: (-c[1], order[c[0]]))
