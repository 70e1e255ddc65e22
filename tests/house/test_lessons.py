"""The page of lessons is whole, and what it leans on exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_ROW = re.compile(r"^\| (C\d+) \| (proved|built|not yet) \| (.+?) \|(?: (.*?))? \|$")
_LESSONS = 109


def _rows(root: Path) -> list[tuple[str, str, list[str], str]]:
    text = (root / "docs" / "lessons-covered.md").read_text("utf-8")
    found = [match for line in text.splitlines() if (match := _ROW.match(line))]
    return [(m[1], m[2], re.findall(r"`([^`]+)`", m[3]), m[4] or "") for m in found]


def _tests_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_lesson_is_there_once(root: Path) -> None:
    """A fault that people met elsewhere would be forgotten here."""
    assert [row[0] for row in _rows(root)] == [f"C{n:02}" for n in range(1, _LESSONS + 1)]


def test_what_a_lesson_leans_on_exists(root: Path) -> None:
    """A test that was renamed or taken out would leave a promise without proof."""
    missing = []
    for lesson, state, named, _ in _rows(root):
        for name in named:
            path, _, test = name.partition("::")
            there = (root / path).is_file() and (not test or test in _tests_of(root / path))
            missing += [] if there and bool(test) is (state != "built") else [f"{lesson} {name}"]
    assert missing == []


def test_each_state_says_enough(root: Path) -> None:
    """Proved without a test, built without a module, or missing without a word of what is missing would be no answer."""
    for lesson, state, named, remark in _rows(root):
        assert named or state == "not yet", lesson
        assert remark or state == "proved", lesson
