"""The content words of a text; and vectors made of them, for when no model is there."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence

import numpy as np

from libra.ground.vectors import Vector, normalise
from libra.text.scripts import cjk_bigrams, fold
from libra.text.stopwords import STOP_WORDS

DIMS = 512
"""Buckets; a cluster has a few hundred distinct content words."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MAX_CHARS = 20_000
_MIN_CHARS = 3
_CHATTER = frozenset(
    re.findall(
        r"\w+",
        "wow hey hello hiya thanks thank thx yeah yep yes nope sure okay great good nice awesome amazing cool sounds sound lovely glad happy"
        " wonderful perfect totally definitely absolutely exactly really pretty very super well right true bye care soon luck love lol haha"
        " congrats congratulations please sorry worries problem course anytime appreciate looks look thing things stuff gonna wanna gotta lot"
        " lots going know think guess mean feel let lets take keep get got make made see say said tell told try way kind much many also still"
        " just maybe back even one time cam ơn cảm dạ vâng chào nhé ạ",
    )
)
"""Words that carry little in a conversation, beside the stop words."""


def content_words(text: str, names: Iterable[str] = ()) -> list[str]:
    """Return the words of a text that carry its matter, folded, in order, with repetitions.

    Args:
        text: Any text; CJK gives bigrams.
        names: Words that say nothing here, such as the speakers' names; folded by this function.
    """
    shown = text[:_MAX_CHARS]
    dull = {fold(name) for name in names}
    words = (fold(m.group()) for m in _WORD.finditer(shown))
    kept = [
        w
        for w in words
        if len(w) >= _MIN_CHARS and w not in STOP_WORDS and w not in _CHATTER and w not in dull
    ]
    return kept + cjk_bigrams(shown)


def lexical_vectors(texts: Sequence[str]) -> Vector:
    """Return one unit vector a text, shape ``(n, DIMS)``, of its content words' damped counts.

    A text without content words gives a zero row. Deterministic on every platform.
    """
    out = np.zeros((len(texts), DIMS), dtype=np.float32)
    for row, text in zip(out, texts, strict=True):
        for word in content_words(text):
            code = zlib.crc32(word.encode("utf-8", "surrogatepass"))
            row[code % DIMS] += 1.0 if code & 0x8000_0000 else -1.0
    return normalise(np.sign(out) * np.log1p(np.abs(out)))
