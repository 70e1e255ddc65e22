"""Token estimates without a tokenizer: a few regular expressions over character classes."""

from __future__ import annotations

import math
import re
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z]+")
_DIGIT: Final = re.compile(r"\d")
_CJK: Final = re.compile("[\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]")
_HIGH: Final = re.compile("[\u0080-\u2e7f\ud7b0-\uffff\U00010000-\U0010ffff]")
_SIGN: Final = re.compile(r"[!-/:-@\[-`{-~]")


def estimate(text: str) -> int:
    """Return an upper-leaning estimate of the BPE tokens of ``text``; 0 only for the empty string."""
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    sum_ = (
        len(words) * 0.75
        + letters * 0.11
        + len(_DIGIT.findall(text)) * 0.5
        + len(_CJK.findall(text)) * 1.2
        + len(_HIGH.findall(text)) * 1.2
        + len(_SIGN.findall(text)) * 0.75
        + text.count("\n") * 0.5
    )
    return max(math.ceil(sum_), 1) if text else 0


def cheap_length(text: str) -> int:
    """Return the gate's length norm, ``max(floor(codepoints / 4), 1)``.

    Source: memory-model.md §2.
    """
    return max(len(text) // 4, 1)
