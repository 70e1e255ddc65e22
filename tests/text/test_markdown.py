"""The block scanner: the same structure as a CommonMark parser sees, and safe on hostile input."""

from __future__ import annotations

import threading
from collections import Counter

import mistletoe
import pytest
from mistletoe.block_token import BlockCode, CodeFence, List, Paragraph, Quote, Table

from libra.text.blocks import BlockKind
from libra.text.imports import imports
from libra.text.markdown import blocks

PLAIN = """# One

A paragraph
over two lines.

* a
* b
    * nested

1. one
2. two

> quoted
> twice

```sh
ls
```

    indented code

| a | b |
|---|---|
| 1 | 2 |

Last words.
"""


def test_the_same_structure_as_mistletoe() -> None:
    """Leaves of each kind are as many as the parser's."""
    tree = mistletoe.Document(PLAIN)
    theirs: Counter[BlockKind] = Counter()
    for token in tree.children:
        if isinstance(token, List):
            theirs[BlockKind.LIST_ITEM] += len(list(token.children))
        for kind, sort in (
            (BlockKind.PARAGRAPH, Paragraph),
            (BlockKind.QUOTE, Quote),
            (BlockKind.CODE, (CodeFence, BlockCode)),
            (BlockKind.TABLE, Table),
        ):
            theirs[kind] += isinstance(token, sort)
    assert Counter(b.kind for b in blocks(PLAIN)) == +theirs


@pytest.mark.parametrize(
    "hostile",
    [
        "[a](b) " * 140_000,
        "- " * 400_000,
        ">" * 1_000_000,
        "`" * 1_000_000,
        "<!-- " * 200_000,
        "| a " * 250_000,
        ("  " * 200 + "- x\n") * 2_000,
        "*_" * 500_000,
    ],
    ids=["links", "lists", "quotes", "ticks", "comments", "cells", "indents", "stars"],
)
def test_a_megabyte_of_anything_ends(hostile: str) -> None:
    """No recursion, no quadratic time: the scan of one megabyte ends (lessons C67)."""
    done = threading.Event()

    def scan() -> None:
        blocks(hostile)
        done.set()

    threading.Thread(target=scan, daemon=True).start()
    assert done.wait(30)


def test_imports() -> None:
    """Only what a person would take for an import is one (hosts.md §2.3)."""
    text = (
        "See @docs/style.md and @~/mine.md, not `@docs/no.md`, nor me@example.org.\n\n"
        "```\n@docs/code.md\n```\n\n- a list may name @lib/rules.md.\n"
    )
    assert imports(text) == ["docs/style.md", "~/mine.md", "lib/rules.md"]
