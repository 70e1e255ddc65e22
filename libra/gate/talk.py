"""Does a turn sound technical? Judged by its meaning, where its words alone show nothing.

"The sensor returns nothing on every read" names no path, command or error, and "we painted the hall" uses the words of the
trade. Lists of words generalise badly to such lines (docs/quality.md), so the vector that every turn has anyway is asked: a
linear probe, learnt from labelled lines (bench/make_talk_probe.py).
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from libra.gate.talk_weights import BIAS, FINGERPRINT, MARGIN, SCALE, WEIGHTS

if TYPE_CHECKING:
    from libra.ground.vectors import Vector

_CHARS: Final = 400
"""Longer turns show what they are by their artifacts, and their first piece's vector says little of the rest."""
_LINE_CHARS: Final = 90
"""The probe learnt from single lines; the longest one of its four later parts has 69 characters."""
_DOUBT: Final = 2.0
"""Log odds that a longer turn must show beyond: several sentences of advice or thanks lie between the kinds."""
_WORDS: Final = 2.5
"""Log odds that the words of the trade are worth: they are right nineteen times of twenty (docs/quality.md)."""
_PLAIN: Final = 0.95
"""Share of characters in ASCII: the model that the probe is for reads English."""


def may_judge(text: str) -> bool:
    """Return True for a short text in plain letters; others have too little in common with what the probe learnt."""
    return 0 < len(text) <= _CHARS and sum(map(str.isascii, text)) >= _PLAIN * len(text)


def log_odds(text: str, vector: Vector, fingerprint: str) -> float | None:
    """Return how sure a turn's vector makes it that it is technical talk, as log odds; None where the probe cannot judge.

    Args:
        text: The turn.
        vector: Its vector, shape ``(dims,)``, unit length.
        fingerprint: Of the model that made it; of another model than the probe's nothing is said.
    """
    weights = _weights()
    if fingerprint != FINGERPRINT or vector.shape != weights.shape or not may_judge(text):
        return None
    return float(vector @ weights) * SCALE + BIAS - (_DOUBT if len(text) > _LINE_CHARS else 0.0)


def is_talk(by_words: bool, meaning: float | None) -> bool:  # noqa: FBT001 - the two witnesses, in their order
    """Return True if a turn is technical talk: by its words where nothing else is known, else by both together."""
    if meaning is None:
        return by_words
    return meaning + (_WORDS if by_words else 0.0) > MARGIN


@lru_cache(maxsize=1)
def _weights() -> Vector:
    """Return the probe's weights, shape ``(dims,)``, still to be multiplied by the scale."""
    import numpy as np

    return np.frombuffer(base64.b85decode("".join(WEIGHTS)), dtype=np.int8).astype(np.float32)
