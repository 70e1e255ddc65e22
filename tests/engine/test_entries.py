"""Rules in a prompt: each stands under what its author wrote above it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from libra.assembly.packer import Tier
from libra.assembly.ranker import ScoreParts
from libra.assembly.render import Printed
from libra.engine import instructions
from libra.engine.core import Engine
from libra.engine.entries import Entry, lines, of_directives, of_recall
from libra.ground.records import DocumentText, Kind, NodeTier, Scope, ScopeKind
from libra.store.documents import DirectiveRow
from libra.store.rows import ItemRow
from libra.text.partition import partition

HANOI = ZoneInfo("Asia/Ho_Chi_Minh")

DOC = """# Work

## Never do

- push to main
- skip a test

## Release

Avoid:

- a release on Friday
"""


def rows(text: str) -> list[DirectiveRow]:
    """Return the hard directives of a document as the store would give them."""
    return [
        DirectiveRow(
            n, f"uid{n}", node.text, node.tokens, node.tier, node.kind, "/w/AGENTS.md", node.line_start,
            node.line_end, node.heading, node.modalities, "global", "", degraded=False, document_state="present",
        )
        for n, node in enumerate(partition(text, instructions=True))
        if node.tier is NodeTier.HARD
    ]  # fmt: skip


def test_a_prohibition_above_a_list_is_printed_with_it() -> None:
    """Without its heading, "push to main" would tell an agent to do what its owner forbade."""
    printed = [entry.printed.text for entry in of_directives(rows(DOC), Tier.HARD)]
    assert printed == [
        "AGENTS.md › Work › Never do:\n- push to main",
        "- skip a test",
        "AGENTS.md › Work › Release › Avoid:\n- a release on Friday",
    ]


def recalled(text: str, kind: Kind, *, with_days: bool) -> str:
    """Return how an item that was said at half past midnight in Hanoi is printed."""
    said = int(datetime(2026, 4, 12, 0, 30, tzinfo=HANOI).timestamp() * 1000)
    blank = dict.fromkeys(ItemRow._fields)
    row = ItemRow(
        **{
            **blank,
            "id": 1,
            "uid": "u",
            "kind": kind,
            "text": text,
            "tokens": 9,
            "ts_ms": said,
            "role": "user",
        }
    )
    parts = ScoreParts(*[0.5] * len(ScoreParts._fields))
    entry = of_recall(row, 0.5, parts, HANOI, with_days=with_days, with_minutes=False)
    assert entry.printed.tokens >= 9
    return entry.printed.text


def test_a_question_about_time_is_told_which_day_yesterday_was() -> None:
    """Recalled a month later, "yesterday" would be taken for the day before the answer (lessons C102)."""
    printed = recalled("I flew yesterday, we meet next week.", Kind.TURN, with_days=True)
    assert (
        "I flew yesterday, we meet next week. [yesterday = 2026-04-11; next week = 2026-04-13 – 2026-04-19]"
        in printed
    )


def test_other_lines_stay_as_they_were_said() -> None:
    """Where nobody asks about time the words are verbatim; a summary's words have no single day."""
    assert "[yesterday" not in recalled("I flew yesterday.", Kind.TURN, with_days=False)
    assert "[yesterday" not in recalled("They flew yesterday.", Kind.SUMMARY, with_days=True)


def entry(uid: str, head: str, voice: str, text: str) -> Entry:
    """Return an entry that stands below a day and a name."""
    printed = Printed(f"- {text}", 9.0)
    return Entry(uid, Tier.RECALL, "turn", printed, {}, {}, head=head, voice=voice)


def test_who_spoke_stands_once_above_what_they_said_that_day() -> None:
    """A name on each line would cost a recall one memory in twenty; a line without its day's name would be nobody's."""
    said = [
        entry("a", "2026-04-11", "Linh", "one"),
        entry("b", "2026-04-12", "Linh", "two"),
        entry("c", "2026-04-11", "Tom", "three"),
        entry("d", "2026-04-11", "Linh", "four"),
        entry("e", "", "", "five"),
    ]
    printed = lines([(one, False) for one in said])
    assert printed == [
        "- five", "2026-04-11:", "Linh:", "- one", "- four", "Tom:", "- three", "2026-04-12:", "Linh:", "- two",
    ]  # fmt: skip
    heads = {name: tokens for one in said for name, tokens in one.above}
    assert len(heads) == sum(line.endswith(":") for line in printed)


def test_documents_are_partitioned_anew_when_the_reading_changes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an update that hears more rules, a file that did not change is read again with the new ears."""
    doc = DocumentText(
        "/w/CLAUDE.md", "- Never push to main.\n", "any", Scope(ScopeKind.GLOBAL), instructions=True
    )
    assert engine.document(doc)
    assert not engine.document(doc)
    monkeypatch.setattr(instructions, "READING", instructions.READING + 1)
    assert engine.document(doc)
    assert not engine.document(doc)
