"""Laws of the text package as properties (memory model §3, §4, §7)."""

from __future__ import annotations

import re
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from libra.ground.records import NodeTier
from libra.text import marks
from libra.text.partition import classify, degrade, partition
from libra.text.redact import redact
from libra.text.scripts import cjk_bigrams
from libra.text.terms import (
    encode,
    identifiers,
    parse_query,
    phrase_match,
    side_match,
    side_terms,
    word_match,
)
from libra.text.tokens import estimate

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
    """Steps down keep every node, in order, make none harder, and stop as soon as the rest fits."""
    nodes = partition(text, instructions=True)
    fewer, load = degrade(nodes, limit)
    assert degrade(nodes, limit) == (fewer, load)
    assert load.kept_tokens == sum(n.tokens for n in fewer if n.tier is NodeTier.HARD)
    changed = [a for a, b in zip(nodes, fewer, strict=True) if a.tier is not b.tier]
    assert all(n.kind == "list_item" and not n.modalities for n in changed)
    assert len(changed) == sum(count for _, count in load.stepped)
    assert not changed or load.kept_tokens + max(n.tokens for n in changed) > limit
    firm = [n for n in fewer if n.kind == "front_matter" or (n.kind == "list_item" and n.modalities)]
    assert all(n.tier is NodeTier.HARD for n in firm)
    if load.kept_tokens > limit:
        assert all(n.modalities or n.kind != "list_item" for n in fewer if n.tier is NodeTier.HARD)
    assert [(n.text, n.start) for n in fewer] == [(n.text, n.start) for n in nodes]
    order = (NodeTier.HARD, NodeTier.SOFT, NodeTier.LORE)
    assert all(order.index(a.tier) >= order.index(b.tier) for a, b in zip(fewer, nodes, strict=True))


@given(st.text(max_size=300))
def test_redaction_is_idempotent(text: str) -> None:
    """What was redacted holds nothing to redact."""
    once = redact(text).text
    assert redact(once).text == once


@given(st.text(max_size=200), st.text(st.characters(exclude_characters="<>|&"), max_size=80))
def test_wrapping_and_stripping_leaves_the_rest(body: str, words: str) -> None:
    """A block of ours around any content is cut whole; no mark of ours is left.

    The words hold no quote sign: one that stands alone beside a block belongs to a host's quoting of it.
    """
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


_SAID = st.lists(
    st.text(max_size=20)
    | st.sampled_from(
        [
            "password=hunter2x",
            'token: "',
            "[redacted:password]",
            "the api key is ",
            "://a:b@c",
            "-----BEGIN PRIVATE KEY-----",
            "sk-aB3dE5gH7jK9mN1pQ2rS4t",
            "4111 1111 1111 1111",
            "</libra-context>",
            '<libra-context tier="hard" id="ab12cd34ef56">',
            "&lt;recalled_memories&gt;",
            "\n",
            "\r\n",
            "> ",
            "<lib",
            "ra-context>",
        ]
    ),
    max_size=8,
).map("".join)


@given(_SAID)
def test_redaction_of_secrets_is_idempotent(text: str) -> None:
    """Also where secrets, names and marks stand side by side."""
    once = redact(text)
    assert redact(once.text).text == once.text
    assert bool(once.kinds) == (once.text != text)


@given(_SAID)
def test_stripping_twice_changes_nothing(text: str) -> None:
    """What was stripped holds no block of ours, whatever halves came together."""
    once = marks.strip(text, lambda _line: False).text
    assert marks.strip(once, lambda _line: False).text == once
    assert "<libra-context tier" not in once.lower()


@given(st.text(max_size=200))
def test_escaping_changes_nothing_but_marks(text: str) -> None:
    """At most single signs become another sign; a text that names no tag stays as it is."""
    escaped = marks.escape(text)
    assert marks.escape(escaped) == escaped
    if not any(name in text.lower() for name in (marks.OUR_TAG, *marks.FOREIGN_TAGS)):
        assert escaped == text


@given(st.text(max_size=300))
def test_an_estimate_is_bounded_by_its_text(text: str) -> None:
    """Nothing costs nothing, something costs at least one token, and no character more than four."""
    assert (estimate(text) == 0) == (text == "")
    assert estimate(text) <= 4 * len(text) + 1


_ASKED = st.text(max_size=60) | st.lists(
    st.sampled_from(
        [
            '"',
            "'",
            "*",
            "(",
            ")",
            "NEAR",
            "AND",
            "OR",
            "NOT",
            "-",
            "^",
            ":",
            "{",
            "}",
            "+",
            "\0",
            "猫",
            "a.b",
            "x_y",
        ]
    ),
    max_size=12,
).map(" ".join)


@given(_ASKED)
def test_every_query_is_valid_in_both_indexes(text: str) -> None:
    """No input makes an FTS5 expression that the index refuses."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE word USING fts5(t, tokenize='porter unicode61 remove_diacritics 0')")
        db.execute(
            "CREATE VIRTUAL TABLE side USING fts5(t, tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")"
        )
        query = parse_query(text)
        for sql, match in (
            ("SELECT rowid FROM word WHERE word MATCH ?", word_match(query)),
            ("SELECT rowid FROM word WHERE word MATCH ?", phrase_match(query)),
            ("SELECT rowid FROM side WHERE side MATCH ?", side_match(query)),
        ):
            if match is not None:
                db.execute(sql, (match,)).fetchall()
    finally:
        db.close()


@given(
    st.lists(
        st.sampled_from(["src/app.py:41", "fetch_all", "记忆体", "E1234", "word", "`a b`", "v2.1"]),
        max_size=6,
    ).map(" ".join)
)
def test_what_a_document_holds_a_query_asks_for(text: str) -> None:
    """Document and query are cut by the same functions: every identifier and pair of characters meets."""
    held = set(side_terms(text).split())
    asked = set(parse_query(text).side)
    assert {encode(name) for name in identifiers(text)} <= held & asked
    assert {pair for pair in cjk_bigrams(text) if len(pair) > 1} <= held & asked
