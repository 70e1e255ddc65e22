"""Talk that shows nothing technical in its words is judged by its meaning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from libra.gate.admission import GateInput, GateParams, admits, score
from libra.gate.signals import technical
from libra.gate.talk import is_talk, log_odds, may_judge
from libra.gate.talk_weights import FINGERPRINT
from libra.ground.records import MemoryType, Origin, Role

if TYPE_CHECKING:
    from libra.inference.embedder import Embedder

SET = Path(__file__).resolve().parents[1] / "data" / "detector"
FLOOR = 0.93
"""Of the part that nothing was learnt from; bench/detector.py prints the figures themselves."""


@pytest.mark.model
def test_unseen_talk_is_told_from_everyday_words(embedder: Embedder) -> None:
    """Half of the one-line talk of developers was weighed as small talk while words alone were asked."""
    assert embedder.fingerprint == FINGERPRINT
    called: dict[str, list[bool]] = {}
    for kind in ("technical", "prose"):
        texts = (SET / f"{kind}_fifth.txt").read_text(encoding="utf-8").rstrip("\n").split("\n%%%\n")
        vectors = embedder.embed_texts(texts)
        called[kind] = [
            technical(text, log_odds(text, vector, FINGERPRINT)) > 0
            for text, vector in zip(texts, vectors, strict=True)
        ]
    right, wrong = sum(called["technical"]), sum(called["prose"])
    assert right / len(called["technical"]) >= FLOOR
    assert right / (right + wrong) >= FLOOR


def test_vectors_of_another_model_say_nothing() -> None:
    """Numbers of one model mean nothing to another: the words decide then."""
    vector = np.ones(384, np.float32)
    assert log_odds("some words", vector, "another") is None
    assert log_odds("some words", np.ones(8, np.float32), FINGERPRINT) is None
    assert log_odds("some words", vector, FINGERPRINT) is not None


def test_long_and_foreign_texts_are_left_to_their_words() -> None:
    """The probe has learnt short English lines; elsewhere it would guess."""
    assert may_judge("the queue is stuck")
    assert not may_judge("")
    assert not may_judge("x" * 500)
    assert not may_judge("Hôm nay trời đẹp, mình đi dạo nhé.")


def test_words_and_meaning_are_weighed_together() -> None:
    """Neither a word of the trade in a walk through the woods nor a vague vector decides alone."""
    assert is_talk(by_words=True, meaning=None)
    assert not is_talk(by_words=False, meaning=None)
    assert is_talk(by_words=False, meaning=1.0)
    assert is_talk(by_words=True, meaning=-1.0)
    assert not is_talk(by_words=True, meaning=-4.0)


def test_meaning_is_enough_to_be_seen_and_too_little_to_decide() -> None:
    """A fact told in technical words stays a fact (field case B22)."""
    seen = score(GateInput("it returns nothing on every read", meaning=3.0), GateParams())
    assert 0.0 < seen.t < 1e-6
    assert score(GateInput("it returns nothing on every read"), GateParams()).t == 0.0
    assert admits(seen, Role.USER, Origin.OWNER, MemoryType.FACT, GateParams())
