"""Standing instructions in seven languages, in lists that were written before the forms that they measure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from libra.lifecycle.standing import standing_rules

_DATA: Final = Path(__file__).parents[1] / "data" / "lifecycle"
LANGUAGES: Final = ("german", "french", "spanish", "japanese", "chinese", "vietnamese", "english")


def rows() -> list[tuple[str, str, str]]:
    """Return language, label (``rule``, ``none``) and sentence of all lists."""
    lines = [
        line for file in sorted(_DATA.glob("standing*.tsv")) for line in file.read_text("utf-8").splitlines()
    ]
    return [(language, label, text) for language, label, text in (line.split("\t") for line in lines)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_heard_and_tales_are_not(language: str) -> None:
    """Who talks another language than English would have to tell an agent the same thing every day."""
    said = Counter((label, bool(standing_rules(text))) for own, label, text in rows() if own == language)
    assert said["rule", True] + said["rule", False] >= 8
    assert said["rule", True] >= 0.9 * (said["rule", True] + said["rule", False])
    assert said["none", True] == 0


def test_what_others_say_instructs_nobody() -> None:
    """A rule that was quoted or pasted would be followed as if the person had given it."""
    for _, label, text in rows():
        if label == "rule":
            assert standing_rules(f"> {text}") == ()
            assert standing_rules(f"```\n{text}\n```") == ()
