"""The labelled set of technical turns and everyday prose: what T calls technical, measured."""

from pathlib import Path

import pytest

from libra.gate.signals import signals, technical

SET = Path(__file__).resolve().parents[1] / "data" / "detector"
FLOOR = 0.95


def blocks(kind: str) -> list[str]:
    """Return the texts of one label, the later part behind the other."""
    texts: list[str] = []
    for part in ("", "_later"):
        texts += (SET / f"{kind}{part}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n%%%\n")
    return texts


def test_the_set_is_large_and_said_once() -> None:
    """A small or repeated set would prove nothing about what people write."""
    technical_turns, prose = blocks("technical"), blocks("prose")
    assert len(technical_turns) >= 200
    assert len(prose) >= 200
    assert len(set(technical_turns + prose)) == len(technical_turns) + len(prose)


def test_precision_and_recall_of_t() -> None:
    """Else work would be weighed as talk, or talk as work, and the wrong things be remembered."""
    right = sum(technical(text) > 0 for text in blocks("technical"))
    wrong = sum(technical(text) > 0 for text in blocks("prose"))
    assert right / len(blocks("technical")) >= FLOOR
    assert right / (right + wrong) >= FLOOR


@pytest.mark.parametrize("text", blocks("prose"))
def test_no_artifact_is_seen_in_prose(text: str) -> None:
    """No path in "and/or", no error code in "room C301", no definition in "first class" (memory model §4)."""
    found = signals(text)
    assert found.p == 0.0
    assert found.dtech == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "We use SQLite in WAL mode for the store.",
        "Our staging server is called zeta-9.",
        "The unit tests of the parser need four minutes.",
    ],
)
def test_a_fact_in_technical_words_stays_mostly_a_fact(text: str) -> None:
    """Technical talk alone must not take the weight off what a person tells: the fact would not be kept."""
    assert 0.0 < technical(text) < 0.01
