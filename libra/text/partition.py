"""Authored documents → hard, soft, lore: total, exclusive, deterministic (memory model §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from libra.ground.records import Modality, Node, NodeTier
from libra.text.blocks import Block, BlockKind
from libra.text.deontic import Finding, is_strong, scan
from libra.text.headings import Topic, against, topic
from libra.text.markdown import blocks
from libra.text.tokens import estimate

READING: Final = 3
"""Raised with every change of what counts as a rule: documents that were stored before are then partitioned anew."""
_LINE_CHARS: Final = 240
"""A line above a list is a heading of it up to this length; the longest of 34 real files was 166."""
_MOST_JUDGED: Final = 2_000
"""Leaves whose words the lexer reads; the longest of 34 real instruction files had 148. Farther down only the form counts."""
_QUIET: Final = frozenset({BlockKind.CODE, BlockKind.TABLE, BlockKind.HTML, BlockKind.FRONT_MATTER})
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

    A line that forbids what the list under it names ("**Never:**") becomes the last of that list's headings, or
    the items would say the opposite of what was written.

    Source: memory-model.md §3 (iota).
    """
    return list(_nodes(blocks(doc_text), instructions=instructions))


def _nodes(leaves: Sequence[Block], *, instructions: bool) -> Iterator[Node]:
    """Yield the nodes of the leaves, the items of a list with the forbidding line right above it as a heading."""
    above: str | None = None
    for number, block in enumerate(leaves):
        judged = number < _MOST_JUDGED and block.kind not in _QUIET
        announces = judged and block.kind is BlockKind.PARAGRAPH
        read = judged and (instructions or (announces and _is_lead(block.text)))
        found = _modalities(scan(block.text)) if read else ()
        if block.kind is BlockKind.LIST_ITEM:
            leaf = replace(block, heading=(*block.heading, above)) if above else block
        else:
            leaf = block
            above = _forbidding(block.text, found) if announces else None
        yield _node(leaf, found if instructions else (), instructions=instructions)


def _forbidding(text: str, found: Sequence[Modality]) -> str | None:
    """Return the line if what it announces is forbidden: by its first words, or by a prohibition in it."""
    words = against(text)
    if words is None and Modality.PROHIBITION in found and _is_lead(text):
        return " ".join(text.split()).strip("*_ :：")
    return words


def _is_lead(text: str) -> bool:
    """Return True for a line that announces what follows."""
    return len(text) <= _LINE_CHARS and text.rstrip("*_ ")[-1:] in (":", "：")


def _node(block: Block, found: tuple[Modality, ...], *, instructions: bool) -> Node:
    """Return the node of a leaf in which the lexer found ``found``."""
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


@dataclass(frozen=True, slots=True)
class Load:
    """How the hard nodes of a document compare with what is reserved for them.

    Attributes:
        hard_tokens: Of all hard nodes, as authored.
        kept_tokens: Of those that stay hard; it may still exceed the limit, as nothing with a form steps down.
        limit_tokens: What is reserved.
        stepped: List items that stepped down, by what their heading says, in the order of stepping down.
    """

    hard_tokens: int
    kept_tokens: int
    limit_tokens: int
    stepped: tuple[tuple[Topic, int], ...] = ()

    @property
    def degraded(self) -> bool:
        """Return True if there was more than is reserved."""
        return self.hard_tokens > self.limit_tokens


def degrade(nodes: Sequence[Node], limit_tokens: int) -> tuple[list[Node], Load]:
    """Return the nodes as they are loaded when the hard ones may take ``limit_tokens``, and what had to change.

    Within the limit nothing changes. Over it, list items without a deontic form step down to soft until the rest
    fits: first those under headings of lore (contacts, changelog, glossary), then those under headings that say
    neither, last those under headings of rules; each group in source order. What has a form, and front matter,
    stays hard. No node is dropped or cut.

    Source: memory-model.md §3 (degraded load).
    """
    hard = sum(node.tokens for node in nodes if node.tier is NodeTier.HARD)
    left = hard
    out = list(nodes)
    stepped: dict[Topic, int] = {}
    order = sorted((topic(node.heading), n) for n, node in enumerate(nodes) if _may_step_down(node))
    for subject, n in order:
        if left <= limit_tokens:
            break
        out[n] = replace(nodes[n], tier=NodeTier.SOFT)
        left -= nodes[n].tokens
        stepped[subject] = stepped.get(subject, 0) + 1
    return out, Load(hard, left, limit_tokens, tuple(stepped.items()))


def _may_step_down(node: Node) -> bool:
    """Return True for a list item that neither obliges nor forbids nor permits."""
    return node.tier is NodeTier.HARD and node.kind == BlockKind.LIST_ITEM.value and not node.modalities
