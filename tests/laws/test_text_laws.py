"""Laws of the text package as properties (memory model §3, §4, §7)."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from libra.ground.records import NodeTier
from libra.text import marks
from libra.text.partition import classify, degrade, partition
from libra.text.redact import redact

_LINES = st.sampled_from(
    [
        "# Heading",
        "## Second",
        "- an item",
        "  - nested",
        "1. one",
        "> quoted",
        "",
        "plain words here",
        "You must test it.",
        "```",
        "| a | b |",
        "|---|---|",
        "    code",
        "***",
        "约定：不要推送",
        "\ttab",
        "* [x] done",
    ]
)
_DOCS = st.lists(_LINES | st.text(alphabet="ab-*>#`| \t1.", max_size=12), max_size=25).map("\n".join)


@given(_DOCS)
def test_the_partition_is_total_and_exclusive(text: str) -> None:
    """Spans are in order and apart; between them stand only blanks, headings, rules and list or quote marks."""
    raw = text.encode()
    at = 0
    for node in partition(text, instructions=True):
        assert at <= node.start <= node.end <= len(raw)
        assert _no_content(raw[at : node.start].decode())
        assert 1 <= node.line_start <= node.line_end <= text.count("\n") + 1
        at = node.end
    assert _no_content(raw[at:].decode())


def _no_content(between: str) -> bool:
    """Return whether what stands between leaves is context: a heading's line, a rule, an empty mark, blanks."""
    for line in between.splitlines():
        bare = line.strip()
        if bare.startswith("#") or not re.search(r"[^\W_]", bare):
            continue
        # A heading of the underlined form: its words stand above the rule.
        if re.search(r"\n\s*(?:=+|-+)\s*(?:\n|\Z)", between[between.index(line) :]):
            continue
        if re.fullmatch(r"(?:[-*+>|\s]|\d+[.)])+", bare):
            continue
        return False
    return True


@given(_DOCS)
def test_the_partition_is_deterministic(text: str) -> None:
    """The same text gives the same nodes; as a note all of them are lore."""
    assert partition(text, instructions=True) == partition(text, instructions=True)
    assert all(n.tier is NodeTier.LORE for n in partition(text, instructions=False))


@given(_DOCS, st.integers(0, 200))
def test_a_degraded_load_loses_nothing(text: str, limit: int) -> None:
    """Steps down keep every node, in order, and make none harder."""
    nodes = partition(text, instructions=True)
    fewer, _ = degrade(nodes, limit)
    assert [(n.text, n.start) for n in fewer] == [(n.text, n.start) for n in nodes]
    order = (NodeTier.HARD, NodeTier.SOFT, NodeTier.LORE)
    assert all(order.index(a.tier) >= order.index(b.tier) for a, b in zip(fewer, nodes, strict=True))


@given(st.text(max_size=300))
def test_redaction_is_idempotent(text: str) -> None:
    """What was redacted holds nothing to redact."""
    once = redact(text).text
    assert redact(once).text == once


@given(st.text(max_size=200), st.text(max_size=80))
def test_wrapping_and_stripping_leaves_the_rest(body: str, words: str) -> None:
    """A block of ours around any content is cut whole; no mark of ours is left."""
    block = f"{marks.open_mark('recall', 'ab12cd34ef56')}\n{marks.escape(body)}\n{marks.close_mark()}"
    left = marks.strip(f"{block}\n{marks.escape(words)}", lambda _line: False).text
    assert marks.OUR_TAG not in left or marks.OUR_TAG in words
    assert left.strip() == marks.escape(words).strip() or not words.strip()


@given(st.text(max_size=300))
def test_escaped_text_holds_no_mark(text: str) -> None:
    """After escaping, stripping finds nothing."""
    assert marks.strip(marks.escape(text), lambda _line: False).marks == ()


@given(st.text(max_size=300))
def test_classification_is_consistent(text: str) -> None:
    """Promoted exactly when a form was found; lore has no modality; spans lie within the text."""
    found = classify(text)
    assert found.promoted == (found.tier is not NodeTier.LORE) == bool(found.modalities)
    assert all(0 <= start < end <= len(text) for start, end in found.spans)
