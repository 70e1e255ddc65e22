"""Authored documents → hard, soft, lore: total, exclusive, deterministic (memory model §3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from libra.ground.records import Modality, Node, NodeTier
from libra.text.blocks import Block, BlockKind
from libra.text.deontic import Finding, is_strong, scan
from libra.text.markdown import blocks
from libra.text.tokens import estimate

_LIST_MARK: Final = re.compile(r"\A\s{0,3}(?:[-+*]|\d{1,9}[.)])[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Classified:
    """What the lexer says of a bare paragraph.

    Attributes:
        promoted: It binds, forbids or permits: it leaves the lore.
        tier: hard for a list item and for what leaves no choice, soft for other instructions, else lore.
        modalities: Distinct, in order of appearance.
        spans: Code point spans of the forms.
    """

    promoted: bool
    tier: NodeTier
    modalities: tuple[Modality, ...]
    spans: tuple[tuple[int, int], ...]


def classify(paragraph: str) -> Classified:
    """Classify one paragraph or sentence on its own, without a document around it."""
    findings = scan(paragraph)
    if not findings:
        return Classified(promoted=False, tier=NodeTier.LORE, modalities=(), spans=())
    hard = is_strong(findings) or _LIST_MARK.match(paragraph) is not None
    return Classified(
        promoted=True,
        tier=NodeTier.HARD if hard else NodeTier.SOFT,
        modalities=_modalities(findings),
        spans=tuple((finding.start, finding.end) for finding in findings),
    )


def partition(doc_text: str, *, instructions: bool) -> list[Node]:
    """Cut a Markdown document into its leaves, each in exactly one tier.

    Args:
        doc_text: The document's text; spans are bytes of its UTF-8 form.
        instructions: False for watched notes, where everything is lore.

    Source: memory-model.md §3 (iota).
    """
    return [_node(block, instructions=instructions) for block in blocks(doc_text)]


def _node(block: Block, *, instructions: bool) -> Node:
    """Return the node of a leaf."""
    quiet = block.kind in (BlockKind.CODE, BlockKind.TABLE, BlockKind.HTML, BlockKind.FRONT_MATTER)
    found = () if quiet or not instructions else _modalities(scan(block.text))
    return Node(
        tier=_tier(block.kind, promoted=bool(found)) if instructions else NodeTier.LORE,
        kind=block.kind.value,
        text=block.text,
        start=block.start,
        end=block.end,
        line_start=block.line_start,
        line_end=block.line_end,
        heading=block.heading,
        tokens=estimate(block.text),
        modalities=found,
    )


def _tier(kind: BlockKind, *, promoted: bool) -> NodeTier:
    """Return iota(n) of an instruction document's leaf."""
    if kind in (BlockKind.LIST_ITEM, BlockKind.FRONT_MATTER):
        return NodeTier.HARD
    if kind is BlockKind.QUOTE or (kind is BlockKind.PARAGRAPH and promoted):
        return NodeTier.SOFT
    return NodeTier.LORE


def _modalities(findings: tuple[Finding, ...]) -> tuple[Modality, ...]:
    """Return the distinct modalities in order."""
    return tuple(dict.fromkeys(finding.modality for finding in findings))


def degrade(nodes: Sequence[Node], limit_tokens: int) -> tuple[list[Node], bool]:
    """Return the nodes as they are loaded when the hard ones may take ``limit_tokens``, and whether they changed.

    Within the limit nothing changes. Over it, list items with a deontic form and front matter stay hard and the
    other list items step down to soft, in source order; no node is dropped or cut, so the result may still be
    over the limit, which the caller reports.

    Source: memory-model.md §3 (degraded load).
    """
    if sum(node.tokens for node in nodes if node.tier is NodeTier.HARD) <= limit_tokens:
        return list(nodes), False
    out = [
        replace(node, tier=NodeTier.SOFT)
        if node.tier is NodeTier.HARD and node.kind == BlockKind.LIST_ITEM.value and not node.modalities
        else node
        for node in nodes
    ]
    return out, True
