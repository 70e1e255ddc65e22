"""Documents: each leaf in one tier, with its exact place; nothing an author wrote is lost."""

from __future__ import annotations

import pytest

from libra.ground.records import Modality, NodeTier
from libra.text.headings import Topic, topic
from libra.text.partition import classify, degrade, partition

DOC = """---
title: Rules
rules:
  - never push to main
---

# How to work

<!-- for people only: always delete everything -->

You must read `MEMORY.md` before the first answer.

The relay is a plain loop. It was a thread pool once.

## Rules

- Queue: port 5671 with TLS.
  - Never fall back to 5672.
- [ ] an open box

1. Run `pytest -q` first.

> Do not answer in prose.

```python
# You must never treat this as an instruction: it is code.
```

| a | b |
|---|---|
| 1 | 2 |

## 约定

- 不要在周末发布。
"""


def by_text(text: str, part: str) -> tuple[NodeTier, str, int, int, tuple[str, ...]]:
    """Return tier, kind, lines and headings of the node that holds ``part``."""
    (node,) = [n for n in partition(text, instructions=True) if part in n.text]
    return node.tier, node.kind, node.line_start, node.line_end, node.heading


@pytest.mark.parametrize(
    ("part", "tier", "kind", "lines", "heading"),
    [
        ("never push to main", NodeTier.HARD, "front_matter", (1, 5), ()),
        ("You must read", NodeTier.SOFT, "paragraph", (11, 11), ("How to work",)),
        ("thread pool", NodeTier.LORE, "paragraph", (13, 13), ("How to work",)),
        ("fall back to 5672", NodeTier.HARD, "list_item", (17, 18), ("How to work", "Rules")),
        ("an open box", NodeTier.HARD, "list_item", (19, 19), ("How to work", "Rules")),
        ("Run `pytest", NodeTier.HARD, "list_item", (21, 21), ("How to work", "Rules")),
        ("answer in prose", NodeTier.SOFT, "quote", (23, 23), ("How to work", "Rules")),
        ("it is code", NodeTier.LORE, "code", (25, 27), ("How to work", "Rules")),
        ("| 1 | 2 |", NodeTier.LORE, "table", (29, 31), ("How to work", "Rules")),
        ("周末", NodeTier.HARD, "list_item", (35, 35), ("How to work", "约定")),
    ],
)
def test_tiers_kinds_and_places(
    part: str, tier: NodeTier, kind: str, lines: tuple[int, int], heading: tuple[str, ...]
) -> None:
    """Lists and front matter are hard, quotes and imperative paragraphs soft, the rest lore (memory model §3)."""
    assert by_text(DOC, part) == (tier, kind, *lines, heading)


def test_comments_are_no_content() -> None:
    """What stands in an HTML comment is for people only."""
    assert all("delete everything" not in n.text for n in partition(DOC, instructions=True))


def test_spans_are_exact_bytes() -> None:
    """The bytes of a span are the node's own."""
    raw = DOC.encode()
    for node in partition(DOC, instructions=True):
        cut = raw[node.start : node.end].decode()
        assert node.text.strip().splitlines()[-1].strip() in cut
        assert DOC[: len(raw[: node.start].decode())].count("\n") + 1 == node.line_start


def test_notes_are_all_lore() -> None:
    """A watched note makes no rule, whatever it says."""
    assert {n.tier for n in partition(DOC, instructions=False)} == {NodeTier.LORE}


@pytest.mark.parametrize(
    ("text", "hard"),
    [
        ("---\nthis never closes\n\n# Title\n\n- a rule after it\n", ["a rule after it"]),
        ("- a rule\n\n```\nan unclosed fence: - never a rule\n", ["a rule"]),
        ("\ufeff---\r\nname: x\r\n---\r\n\r\n- crlf item\r\n", ["name: x", "crlf item"]),
        ("", []),
        ("* star\n+ plus\n", ["star", "plus"]),
    ],
)
def test_broken_documents(text: str, hard: list[str]) -> None:
    """Unclosed front matter or fence, BOM, CRLF, nothing at all: the rules that are there are found."""
    nodes = [
        n.text for n in partition(text.removeprefix("\ufeff"), instructions=True) if n.tier is NodeTier.HARD
    ]
    assert [n.strip() for n in nodes] == hard


MANY = """# Project

## Conventions

- tabs and a blank line at the end
- Never push to main.

## Contacts

- the release team, room 4
- the night desk, room 5

## Build

- the relay, a plain loop
- the store, one file
"""


@pytest.mark.parametrize(
    ("limit", "soft"),
    [
        (100, []),
        (42, ["release team"]),
        (30, ["release team", "night desk"]),
        (22, ["release team", "night desk", "relay"]),
        (16, ["release team", "night desk", "relay", "store"]),
        (0, ["tabs", "release team", "night desk", "relay", "store"]),
    ],
)
def test_degraded_load_steps_down_in_order(limit: int, soft: list[str]) -> None:
    """Too much: contacts step down first, then what is neither, then conventions; what binds stays, nothing is cut."""
    nodes = partition(MANY, instructions=True)
    fewer, load = degrade(nodes, limit)
    stepped = [n.text for n in fewer if n.tier is NodeTier.SOFT]
    assert [word for word in soft if not any(word in text for text in stepped)] == []
    assert len(stepped) == len(soft)
    assert "Never push to main." in [n.text for n in fewer if n.tier is NodeTier.HARD]
    assert [n.text for n in fewer] == [n.text for n in nodes]
    assert load.kept_tokens == sum(n.tokens for n in fewer if n.tier is NodeTier.HARD)
    assert (load.degraded, sum(n for _, n in load.stepped)) == (bool(soft), len(soft))


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        (("Handbook", "Rules"), Topic.RULES),
        (("Rules", "Contacts"), Topic.LORE),
        (("Glossary", "Never do"), Topic.RULES),
        (("Team conventions",), Topic.RULES),
        (("Overview", "Parser"), Topic.LORE),
        (("Parser",), Topic.PLAIN),
        ((), Topic.PLAIN),
        (("编码规范",), Topic.RULES),
        (("术语",), Topic.LORE),
        (("Quy tắc",), Topic.RULES),
        (("Liên hệ",), Topic.LORE),
        (("Grundsätze",), Topic.RULES),
        (("Änderungen",), Topic.LORE),
        (("Règles",), Topic.RULES),
        (("Historique",), Topic.LORE),
        (("Normas",), Topic.RULES),
        (("Glosario",), Topic.LORE),
        (("禁止事項",), Topic.RULES),
        (("用語集",), Topic.LORE),
    ],
)
def test_headings_tell_rules_from_lore(heading: tuple[str, ...], said: Topic) -> None:
    """A list of contacts gives way before a list of conventions, in each language; the innermost heading decides."""
    assert topic(heading) is said


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("**Never:**", "Never"),
        ("❌ Don't:", "Don't"),
        ("Things to avoid:", "Things to avoid"),
        ("Do not use the old API for any of these:", "Do not use the old API for any of these"),
        ("禁止：", "禁止"),
        ("Niemals:", "Niemals"),
        ("Prohibido:", "Prohibido"),
    ],
)
def test_a_line_that_forbids_stays_with_its_list(line: str, heading: str) -> None:
    """The words "push to main" under "Never:" must not reach an agent as an order to push."""
    nodes = partition(
        f"# Work\n\n{line}\n\n- push to main\n- skip a test\n\nLater.\n\n- lint\n", instructions=True
    )
    items = {n.text: n.heading for n in nodes if n.kind == "list_item"}
    assert items["push to main"] == items["skip a test"] == ("Work", heading)
    assert items["lint"] == ("Work",)


@pytest.mark.parametrize("line", ["Use these:", "Never push to main.", "The parts are:", "Steps:"])
def test_other_lines_are_no_headings(line: str) -> None:
    """A list keeps its own headings under a line that turns nothing round."""
    nodes = partition(f"# Work\n\n{line}\n\n- push to main\n", instructions=True)
    assert [n.heading for n in nodes if n.kind == "list_item"] == [("Work",)]


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("You must never edit a shipped migration.", Modality.PROHIBITION),
        ("Use pathlib, not os.path.", Modality.OBLIGATION),
        ("If a test fails, fix it before you go on.", Modality.OBLIGATION),
        ("Before committing, run the linter.", Modality.OBLIGATION),
        ("All endpoints must validate their input.", Modality.OBLIGATION),
        ("No file may exceed 400 lines.", Modality.PROHIBITION),
        ("Direct pushes are forbidden.", Modality.PROHIBITION),
        ("Don't repeat documentation.", Modality.PROHIBITION),
        ("迁移必须先在副本上执行。", Modality.OBLIGATION),
        ("不要在周末发布。", Modality.PROHIBITION),
        ("Đừng gửi cảnh báo vào cuối tuần.", Modality.PROHIBITION),
        ("Luôn luôn chạy kiểm thử trước.", Modality.OBLIGATION),
    ],
)
def test_rules_are_heard(text: str, modality: Modality) -> None:
    """Imperatives, modals, lead-ins, scoped rules, in three languages."""
    found = classify(text)
    assert found.promoted
    assert modality in found.modalities


@pytest.mark.parametrize(
    "text",
    [
        "You must be wondering why this is so slow.",
        "I should have tested it earlier.",
        "It must have been raining that night.",
        "You can never tell with old disks.",
        "Should we use tabs or spaces?",
        "The harbour was built in 1901 and has two piers.",
        "Build: `zig build`",
        "The relay is a plain loop with one worker.",
        "今天天气很好。",
        "Hôm nay trời đẹp.",
    ],
)
def test_narrative_is_not_mistaken(text: str) -> None:
    """Stories, questions and descriptions promote nothing."""
    assert not classify(text).promoted


RULES = """\ufeff---\r\nname: x\r\n---\r\n\r\n# Quy tắc\r\n\r\n- đừng đẩy\r\n  tiếp theo\r\n\r\n> trích dẫn\r\n\r\n## 约定\r\n\r\nLast words.\r\n"""


def test_spans_are_exact_under_bom_and_crlf() -> None:
    """Bytes and lines count the byte order mark, both characters of a line end, and every byte of a letter."""
    raw = RULES.encode()
    found = [
        (raw[n.start : n.end].decode(), n.line_start, n.line_end, n.heading)
        for n in partition(RULES, instructions=True)
    ]
    assert found == [
        ("---\r\nname: x\r\n---", 1, 3, ()),
        ("- đừng đẩy\r\n  tiếp theo", 7, 8, ("Quy tắc",)),
        ("> trích dẫn", 10, 10, ("Quy tắc",)),
        ("Last words.", 14, 14, ("Quy tắc", "约定")),
    ]


def test_texts_are_without_their_marks() -> None:
    """List marks, quote signs and container indent are no words of the author; task boxes are."""
    assert [n.text for n in partition(RULES, instructions=True)] == [
        "name: x",
        "đừng đẩy\ntiếp theo",
        "trích dẫn",
        "Last words.",
    ]
    assert partition("* [x] done", instructions=True)[0].text == "[x] done"


def test_an_item_owns_what_is_indented_under_it() -> None:
    """Nested items, fences and paragraphs of an item stay in it, in order; the next item is another node."""
    text = "- one\n  - inner\n\n    more\n\n  ```sh\n  - no item\n  ```\n- two\n"
    nodes = partition(text, instructions=True)
    assert [n.text for n in nodes] == ["one\n- inner\n\n  more\n\n```sh\n- no item\n```", "two"]
    assert [(n.line_start, n.line_end) for n in nodes] == [(1, 8), (9, 9)]


def test_lists_in_quotes_are_hard() -> None:
    """A rule stays a rule where somebody quotes it."""
    tiers = {n.text: n.tier for n in partition("> - inside\n> talk\n\n> only talk\n", instructions=True)}
    assert tiers["inside\ntalk"] is NodeTier.HARD
    assert tiers["only talk"] is NodeTier.SOFT


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("<important>\nNever push.\n</important>\n", ["<important>", "Never push.", "</important>"]),
        ("Never push to main.\n---\nmore\n", ["Never push to main.", "more"]),
        ("a <!-- hidden\nstill hidden --> b\n", ["a\nb"]),
        ("`<!-- shown -->`\n", ["`<!-- shown -->`"]),
        ("<!-- never closed\n\n- a rule\n", ["<!-- never closed", "a rule"]),
        ("#hashtag is no heading\n", ["#hashtag is no heading"]),
        ("1986. A year\n", ["A year"]),
        ("-no item\n", ["-no item"]),
    ],
)
def test_where_habits_and_commonmark_part(text: str, texts: list[str]) -> None:
    """The reading that loses no rule wins: tags, underlines and comments swallow nothing else."""
    assert [n.text.strip() for n in partition(text, instructions=True)] == texts


def test_tokens_and_modalities_are_carried() -> None:
    """Each node has its own estimate, rules have their modality, code has none."""
    nodes = partition("- Never push.\n\n```\nnever push\n```\n", instructions=True)
    assert nodes[0].modalities == (Modality.PROHIBITION,)
    assert nodes[1].modalities == ()
    assert all(n.tokens > 0 for n in nodes)


def test_far_down_a_list_is_still_a_list() -> None:
    """In a file of thousands of rules the last one binds as the first; only its words are no longer weighed."""
    nodes = partition("- Never push to main.\n" * 5_000, instructions=True)
    assert [nodes[0].tier, nodes[-1].tier] == [NodeTier.HARD, NodeTier.HARD]
    assert nodes[0].modalities == (Modality.PROHIBITION,)
