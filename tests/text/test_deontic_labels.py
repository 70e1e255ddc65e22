"""Sentences in seven languages, written for this test and labelled by hand: how many rules are heard, how many invented."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from libra.text.partition import classify

_DATA = Path(__file__).parents[1] / "data" / "deontic"
LANGUAGES = ("english", "chinese", "vietnamese", "german", "french", "spanish", "japanese")
FEWEST = {"english": 400}
"""Sentences that a language's sample must hold; others at least 100."""


def sample(language: str) -> list[tuple[str, str]]:
    """Return label (``hard``, ``soft`` or ``lore``) and text of each sentence of a language."""
    files = sorted(_DATA.glob(f"{language}*.json"))
    return [
        (label, text)
        for file in files
        for label, kinds in json.loads(file.read_text(encoding="utf-8")).items()
        for texts in kinds.values()
        for text in texts
    ]


def counts(language: str) -> Counter[str]:
    """Return how many sentences were heard rightly, invented and missed."""
    said: Counter[str] = Counter()
    for label, text in sample(language):
        promoted = classify(text).promoted
        rule = label != "lore"
        said[
            "heard" if promoted and rule else "invented" if promoted else "missed" if rule else "silent"
        ] += 1
        said["hard"] += label == "hard"
        said["hard heard"] += label == "hard" and promoted
    return said


def f1(said: Counter[str]) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * said["heard"] / max(2 * said["heard"] + said["invented"] + said["missed"], 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_is_heard(language: str) -> None:
    """An agent would break rules of, or be bound by tales in, a language that falls below these floors."""
    said = counts(language)
    assert said["heard"] / (said["heard"] + said["invented"]) >= 0.95
    assert f1(said) >= 0.9
    assert said["hard heard"] / said["hard"] >= 0.95


def test_all_together() -> None:
    """Over all languages nearly every rule is heard and nearly nothing is invented."""
    said = sum((counts(language) for language in LANGUAGES), Counter[str]())
    assert said["heard"] / (said["heard"] + said["invented"]) >= 0.97
    assert f1(said) >= 0.97


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_is_balanced(language: str) -> None:
    """A sample without enough silence, or with a sentence twice, would prove nothing."""
    rows = sample(language)
    lore = sum(label == "lore" for label, _ in rows)
    assert len(rows) >= FEWEST.get(language, 100)
    assert 0.4 <= lore / len(rows) <= 0.6
    assert len({text for _, text in rows}) == len(rows)
