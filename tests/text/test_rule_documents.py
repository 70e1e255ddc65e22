"""Whole instruction files of our own, each line labelled: what comes into the prompt, and as what."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from libra.ground.records import NodeTier
from libra.text.partition import classify, partition

_DATA: Final = Path(__file__).parents[1] / "data" / "deontic"
FILES: Final = sorted(_DATA.glob("documents*/*"))
LINES: Final = 290
"""Labelled lines in all documents together."""


def labelled(file: Path) -> tuple[str, list[tuple[int, str, str]]]:
    """Return a document without its labels, and number, letter and text of each labelled line."""
    rows = [line.partition("|") for line in file.read_text(encoding="utf-8").splitlines()]
    said = [(n, letter, text) for n, (letter, _, text) in enumerate(rows, 1) if letter in "HSL"]
    return "\n".join(text for _, _, text in rows) + "\n", said


def test_most_rules_are_heard_and_few_are_invented() -> None:
    """An agent would break rules of its user's files, or be bound by what they only tell."""
    said = [row for file in FILES for row in labelled(file)[1]]
    assert len(said) >= LINES
    judged = [(letter, classify(text).promoted) for _, letter, text in said]
    heard = sum(promoted for letter, promoted in judged if letter in "HS")
    invented = sum(promoted for letter, promoted in judged if letter == "L")
    missed = sum(not promoted for letter, promoted in judged if letter in "HS")
    hard = [promoted for letter, promoted in judged if letter == "H"]
    assert heard / (heard + invented) >= 0.95
    assert 2 * heard / (2 * heard + invented + missed) >= 0.9
    assert sum(hard) / len(hard) >= 0.9


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_listed_rule_is_in_the_first_tier(file: Path) -> None:
    """A rule of a list would be missing from the prompt, or a line of a code block would become one."""
    text, said = labelled(file)
    nodes = partition(text, instructions=True)
    for number, letter, line in said:
        node = next(node for node in nodes if node.line_start <= number <= node.line_end)
        if (
            letter == "H"
            and line.lstrip().startswith(("-", "*", "1", "2", "3", "4", "5", "6"))
            and "**" not in line
        ):
            assert node.tier is NodeTier.HARD, line
    assert all(node.tier is NodeTier.LORE for node in nodes if node.kind in {"code", "table"})
