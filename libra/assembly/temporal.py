"""Whether and how to recall: adaptive retrieval and questions about time (memory model §5)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from libra.assembly.items import Item
from libra.ground.records import Role
from libra.text.noise import NoiseKind, noise
from libra.text.scripts import has_cjk
from libra.text.terms import parse_query

_ALWAYS = re.compile(
    r"\b(?:remember|recall|last time|previously|earlier|before|we (?:decided|agreed|said)|again)\b"
    r"|上次|之前|以前|记得|記得|说过|說過|nhớ|lần trước|trước đây|hôm trước",
    re.IGNORECASE,
)
_SHORT_CHARS = 15
_SHORT_CJK_CHARS = 6

_SKIPPED_NOISE = {
    NoiseKind.EMPTY: "empty query",
    NoiseKind.GREETING: "greeting",
    NoiseKind.CONFIRMATION: "confirmation",
    NoiseKind.EMOJI: "no words",
    NoiseKind.HEARTBEAT: "heartbeat",
    NoiseKind.SLASH_COMMAND: "slash command",
}


def asks_again(query: str) -> bool:
    """Say whether the person asks for what was said before: "remember", "last time", "again"."""
    return _ALWAYS.search(query) is not None


def skip_reason(query: str) -> str | None:
    """Return why nothing should be recalled for this query, or None if recall should run.

    Args:
        query: The person's own words (envelopes already stripped).
    """
    text = query.strip()
    # Noise first: it is a whole turn of known words, so "hi again" asks for nothing although it says "again".
    kind = noise(text, Role.USER)
    if kind in _SKIPPED_NOISE:
        return _SKIPPED_NOISE[kind]
    if _ALWAYS.search(text):
        return None
    limit = _SHORT_CJK_CHARS if has_cjk(text) else _SHORT_CHARS
    asked = parse_query(text)
    if len(text) < limit and not (asked.words or asked.identifiers or asked.phrases or asked.side):
        return "short query without content words"
    return None


def in_windows(items: Sequence[Item], windows: Sequence[tuple[int, int]]) -> list[bool]:
    """Return for each item whether its time lies in one of the half-open windows (epoch ms)."""
    return [any(start <= item.ts_ms < end for start, end in windows) for item in items]


def cover_slots(
    ranked: Sequence[int], items: Sequence[Item], windows: Sequence[tuple[int, int]]
) -> list[int]:
    """Reorder so that each time slot of the question is covered before any slot gets a second item.

    Args:
        ranked: Indexes into ``items``, best first.
        items: The pool.
        windows: The question's slots, half-open, epoch ms.

    Returns:
        A permutation of ``ranked``; unchanged when there is no slot.
    """
    if not windows:
        return list(ranked)
    lead: list[int] = []
    for start, end in windows:
        first = next((i for i in ranked if i not in lead and start <= items[i].ts_ms < end), None)
        if first is not None:
            lead.append(first)
    taken = set(lead)
    return lead + [i for i in ranked if i not in taken]
