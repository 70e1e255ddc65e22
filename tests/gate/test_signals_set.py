"""Ordinary sentences in seven languages that were written before anything was fitted to them: what the signals make of them."""

from __future__ import annotations

from pathlib import Path

from libra.gate.patterns import NATURAL

SET = Path(__file__).resolve().parents[1] / "data" / "gate" / "signals.tsv"
ROWS = [line.split("\t") for line in SET.read_text(encoding="utf-8").splitlines()]
FORMS = {form.name: form.pattern for form in NATURAL}


def test_prose_is_no_preference_and_no_fact() -> None:
    """Else what nobody said about themselves would be kept as theirs: one of 90 sentences may."""
    quiet = [text for _, label, text in ROWS if label == "none"]
    assert len(quiet) == 90
    assert sum(FORMS["preference"].search(text) is not None for text in quiet) <= 1
    assert sum(FORMS["fact"].search(text) is not None for text in quiet) == 0


def test_preferences_and_facts_are_heard() -> None:
    """Three of five are, of sentences that no pattern was made for; fewer would be a step back."""
    for name in ("preference", "fact"):
        said = [text for _, label, text in ROWS if label == name]
        assert sum(FORMS[name].search(text) is not None for text in said) >= 0.55 * len(said)
