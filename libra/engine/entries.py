"""What may stand in a prompt: each thing printed once, with what the answer says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import lru_cache
from typing import Any

from libra.assembly import render
from libra.assembly.packer import Tier
from libra.assembly.ranker import ScoreParts
from libra.assembly.render import Printed
from libra.engine.provenance import is_quoted, said_by, volatile_since
from libra.engine.search import source
from libra.engine.tail import TailTurn
from libra.ground.records import Kind, NodeTier
from libra.lifecycle.statement import CUT
from libra.store.documents import DirectiveRow
from libra.store.rows import ItemRow
from libra.text.dates import local_day, show
from libra.text.temporal import resolved
from libra.text.tokens import estimate

_LORE = Kind.LORE
_SAID = frozenset({Kind.TURN, Kind.MEMORY})
_QUARTER_MS = 15 * 60 * 1000
_EXCERPT_TOKENS = 160
"""An over-long item may be shown this short when it does not fit whole (lessons C10)."""


@dataclass(slots=True)
class Entry:
    """One thing that may be shown.

    Attributes:
        uid, tier, kind: What it is.
        printed: As it would stand in its block.
        about: Its source, for the answer.
        why: Why it is there, for the answer.
        score: Of recalled items and guidance.
        short: A shorter form, of over-long items.
        begins: For the tail: a bundle may be cut before it.
        surprise: For the tail: how little it is like the other turns, where the policy asks for it.
        parts: Of recalled items: what the score is made of; ``why`` gets it where it is shown.
        head: Of recalled items: what stands once above all of the same day or note.
        voice: Of recalled items: who spoke, named once above all that they said on that day.
    """

    uid: str
    tier: Tier
    kind: str
    printed: Printed
    about: dict[str, Any]
    why: dict[str, Any]
    score: float | None = None
    short: Printed | None = None
    begins: bool = True
    surprise: float = 0.0
    parts: ScoreParts | None = None
    head: str = ""
    voice: str = ""

    @property
    def above(self) -> tuple[tuple[str, float], ...]:
        """What stands above it and above others, outermost first: a name of each, and its tokens."""
        return _above(self.head, self.voice) if self.head or self.voice else ()


@lru_cache(maxsize=1024)
def _above(head: str, voice: str) -> tuple[tuple[str, float], ...]:
    day = ((head, render.heading(head).cost),) if head else ()
    return (*day, (f"{head}\n{voice}", render.heading(voice).cost)) if voice else day


def of_directives(rows: Iterable[DirectiveRow], tier: Tier) -> Iterator[Entry]:
    """Yield the rules of one tier in their order, each run of one file and heading under its head."""
    wanted = NodeTier.HARD if tier is Tier.HARD else NodeTier.SOFT
    above = ""
    for row in rows:
        if row.tier is not wanted:
            continue
        head = " › ".join(dict.fromkeys([file_name(row.path), *row.heading])) + ":"
        under = "" if head == above else head
        printed = render.rule(row.text, row.tokens, under, verbatim=row.block == "front_matter")
        above = head
        about = {"path": row.path, "line": row.line_start, "line_end": row.line_end}
        why = {"reason": f"authored {row.tier.value} rule", "heading": list(row.heading)}
        yield Entry(row.uid, tier, "directive", printed, about, why)


def file_name(path: str) -> str:
    """Return what a person calls the file: its name, with the folder for notes that are called by a date."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(parts[-2:] if parts[-1][:1].isdigit() else parts[-1:])


def of_tail(turn: TailTurn) -> Entry:
    """Return the entry of a recent turn."""
    printed, short = _forms(turn.text, turn.tokens, turn.speaker or turn.role)
    why = {"reason": "recent turn"}
    return Entry(turn.uid, Tier.TAIL, "turn", printed, turn.source, why, short=short, begins=turn.begins)


def of_guidance(row: ItemRow, cosine: float, zone: tzinfo) -> Entry:
    """Return the entry of a standing instruction."""
    day = _day(row.ts_ms // _QUARTER_MS, zone)
    # The block says that it was the user; only another name is worth its tokens.
    who = row.speaker if row.speaker is not None and row.speaker.lower() != "user" else ""
    printed = render.spoken(row.text, row.tokens, who, day)
    why = {"reason": "standing instruction", "cosine": round(cosine, 4)}
    return Entry(row.uid, Tier.GUIDANCE, "guidance", printed, source(row), why, cosine)


def of_recall(
    row: ItemRow,
    score: float,
    parts: ScoreParts,
    zone: tzinfo,
    *,
    with_days: bool,
    with_minutes: bool,
    reader: str | None = None,
    told: ItemRow | None = None,
) -> Entry:
    """Return the entry of a recalled item.

    Args:
        row: The item.
        score: Its rank, in [0, 1].
        parts: What the score is made of.
        zone: The person's, for its date.
        with_days: The question is about time: what its relative dates meant is said.
        with_minutes: It is about hours or minutes.
        reader: The agent that will read it; only another one's name is worth its tokens (lessons C33).
        told: The turn that a memory was taken from: shown whole where the budget allows, the memory where it does not.
    """
    voice = ""
    if row.kind is _LORE and row.source_path is not None:
        # A note is known by its file and headings; the day on which it was read says nothing.
        head = " › ".join(dict.fromkeys([file_name(row.source_path), *row.heading]))
        printed, short = _forms(row.text, row.tokens, "")
    else:
        day = _day(row.ts_ms // _QUARTER_MS, zone)
        head, when = ("", show(row.ts_ms, zone)) if with_minutes else (day, "")
        if volatile_since(row) is not None:
            when = f"as of {when or 'then'}"
        who = said_by(row)
        if not with_minutes and not is_quoted(row):
            who, voice = "", who
        agent = row.agent if row.agent is not None and row.agent != reader else ""
        days = zone if with_days else None
        printed, short = _forms(*_with_days(row, days), who, when, agent)
        if told is not None and _is_cut_from(row.text, told.text):
            printed, short = render.spoken(*_with_days(told, days), who, when, agent), printed
    kind = row.kind.wire
    why = {"reason": f"recalled {row.type or kind}"}
    return Entry(
        row.uid, Tier.RECALL, kind, printed, source(row), why, score, short, parts=parts, head=head, voice=voice
    )  # fmt: skip


def _is_cut_from(memory: str, turn: str) -> bool:
    """Say whether a memory's words all stand in its turn, which says more."""
    return len(memory) < len(turn) and all(part in turn for part in memory.split(CUT))


def lines(entries: Sequence[tuple[Entry, bool]]) -> list[str]:
    """Return what a block prints: each entry, in its shorter form where that is said; what has a head below it.

    What has none comes first; then each head stands where its best entry would, and below it who spoke, in the same order.
    """
    below: dict[str, dict[str, list[str]]] = {"": {}}
    for entry, shortened in entries:
        form = (entry.short or entry.printed) if shortened else entry.printed
        below.setdefault(entry.head, {"": []}).setdefault(entry.voice, []).append(form.text)
    printed: list[str] = []
    for head, voices in below.items():
        printed += [render.heading(head).text] if head else []
        for voice, texts in voices.items():
            printed += [render.heading(voice).text, *texts] if voice else texts
    return printed


_DAY_TOKENS = 11
"""What ``[yesterday = 2026-04-11]`` costs beside its words, upper-leaning."""


def _with_days(row: ItemRow, zone: tzinfo | None) -> tuple[str, int]:
    """Return an item's text and tokens; with a zone, behind it the days that its relative dates meant when it was said.

    "I flew yesterday" becomes "I flew yesterday [yesterday = 2026-04-11]": who reads it later cannot know (lessons
    C102). The words themselves stay verbatim.
    """
    if zone is None or row.kind not in _SAID:
        return row.text, row.tokens
    meant: dict[str, int] = {}
    for found in resolved(row.text, row.ts_ms, zone):
        first, last = local_day(found.start_ms, zone), local_day(found.end_ms - 1, zone)
        days = first.isoformat() if first == last else f"{first.isoformat()} – {last.isoformat()}"
        words = row.text[found.start : found.end]
        meant.setdefault(f"{words} = {days}", estimate(words) + _DAY_TOKENS * (1 if first == last else 2))
    if not meant:
        return row.text, row.tokens
    return f"{row.text} [{'; '.join(meant)}]", row.tokens + sum(meant.values())


def _forms(
    text: str, tokens: int, who: str, when: str = "", where: str = ""
) -> tuple[Printed, Printed | None]:
    """Return the printed form of a spoken item, and a shorter one of an over-long item."""
    printed = render.spoken(text, tokens, who, when, where)
    if tokens <= _EXCERPT_TOKENS:
        return printed, None
    return printed, render.spoken(*render.shorten(text, tokens, _EXCERPT_TOKENS), who, when, where)


@lru_cache(maxsize=4096)
def _day(quarter: int, zone: tzinfo) -> str:
    """Return the local day of a quarter of an hour: every zone's offset is a whole number of them."""
    return local_day(quarter * _QUARTER_MS, zone).isoformat()
