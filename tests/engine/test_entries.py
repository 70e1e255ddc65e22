"""Rules in a prompt: each stands under what its author wrote above it."""

from __future__ import annotations

from libra.assembly.packer import Tier
from libra.engine.entries import of_directives
from libra.ground.records import NodeTier
from libra.store.documents import DirectiveRow
from libra.text.partition import partition

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
