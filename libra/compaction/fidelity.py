"""How much of a cluster a summary still holds: nearness in the retrieval space, and exact identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from libra.ground.vectors import Vector
from libra.text import terms


@dataclass(frozen=True, slots=True)
class Judgement:
    """Figures of a summary s over its turns t_i.

    Attributes:
        align: cos(E(s), mean E(t_i)), [-1, 1].
        cover: mean of max(0, cos(E(s), E(t_i))), [0, 1].
        worst: The least cos(E(s), E(t_i)): a turn that was dropped shows here first.
        confidence: clamp01((align + cover) / 2).

    Source: memory-model.md §8.
    """

    align: float
    cover: float
    worst: float
    confidence: float


def judge(summary: Vector, turns: Vector) -> Judgement:
    """Return the figures of a summary.

    Args:
        summary: Shape ``(dims,)``, unit length or zero.
        turns: Shape ``(n, dims)``, n ≥ 1, unit length or zero rows.
    """
    cosines = turns @ summary
    align = float(centre(turns) @ summary)
    cover = float(np.maximum(cosines, 0.0).mean())
    return Judgement(
        _cosine(align), _cosine(cover), _cosine(float(cosines.min())), min(max((align + cover) / 2, 0.0), 1.0)
    )


def _cosine(x: float) -> float:
    """Return ``x`` without rounding outside of [-1, 1]; what is no number counts as 0."""
    return min(max(x, -1.0), 1.0) if np.isfinite(x) else 0.0


def centre(turns: Vector) -> Vector:
    """Return the normalised mean of ``(n, dims)`` vectors, shape ``(dims,)``; zero if they cancel out."""
    mean: Vector = turns.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / np.float32(length) if length > 0 else mean


_EXACT = re.compile(
    r"""
      (?:(?<![\w.@~-])~?|/)(?:[\w.@~-]+/)+[\w.@-]+(?::\d+)?   # paths, pairs and fractions with a slash
    | (?<![\w-])[\w-]+\.(?:\w{1,5})(?<=[a-z])(?::\d+)?(?=\b)  # file names, dotted names
    | \#\d+\b
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b   # hashes
    | -?(?<![\w.])\d+(?:[.,:]\d+)*(?:[a-zA-Z%µ°]{1,4}\b|%|(?!\w))   # numbers, with unit
    | \b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b | \b[A-Z]{1,6}-?\d{2,}\b | \bE[A-Z]{3,}\b    # constants, codes
    | \b[a-z]+\d*[A-Z]\w*\b | \b[A-Z]+[a-z]+\d*[A-Z]\w*\b      # camelCase, PascalCase
    | \b\w+_\w+\b                                  # snake_case
    | \b\w+(?:Error|Exception|Warning)\b
    """,
    re.VERBOSE,
)
"""What looks behind itself does so that a run of letters is tried from its start only: it bounds the time (C67)."""
_TRIM = ".,:;-"
_MAX_NAME_CHARS = 256
_NO_NAMES = frozenset(["e.g", "i.e", "a.m", "p.m", "and/or", "etc"])
_DIGITS = re.compile(r"-?\d")
_RUN_ON = re.compile(r"[a-zà-ỹ]+[.:;!?][A-ZÀ-Ỹ][a-zà-ỹ]*")
"""Two sentences without a space between them ("done.Next"): no dotted name."""
_GOES_ON = re.compile(r"[,.]?(?:\s+[^\W\d_]|\s*$)", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][\w-]{0,20}>")
_MAX_SCAN_CHARS = 200_000


def exact_terms(text: str) -> list[str]:
    """Return what must survive to the letter: identifiers and numbers, distinct, in order of appearance.

    More than ``terms.identifiers``, which looks for names worth searching: here each number counts too.
    """
    text = _TAG.sub(" ", text[:_MAX_SCAN_CHARS])
    places: dict[str, int] = {}
    for m in _EXACT.finditer(text):
        name = m.group().strip(_TRIM)
        if name and name.lower() not in _NO_NAMES and not _runs_on(text, name, m.start()):
            places.setdefault(name, m.start())
    for name in terms.identifiers(text):
        at = text.find(name)
        if name not in places and not any(c.isspace() for c in name) and not _runs_on(text, name, at):
            places[name] = at
    return sorted(places, key=places.__getitem__)


def _runs_on(text: str, name: str, at: int) -> bool:
    """Return True for the seam of two sentences; the same letters with code around them are a member of something."""
    if not _RUN_ON.fullmatch(name):
        return False
    before = text[at - 1 : at]
    return (not before or before.isspace()) and bool(_GOES_ON.match(text, at + len(name)))


_BARE = re.compile(r"-?\d{1,2}(?:\.0)?")


def holds(text: str, name: str) -> bool:
    """Return True if ``name`` stands in ``text`` as a whole, not as a part of another number or word.

    A bare number of one or two digits says nothing without its sentence, so any place where its digits
    stand will do; listing it would only cost tokens.
    """
    at = text.find(name)
    if len(name) > _MAX_NAME_CHARS:
        # In text that repeats itself each beginning of it would be compared to its end.
        return at >= 0
    if at >= 0 and _BARE.fullmatch(name):
        return True
    while at >= 0:
        if _whole(text, name, at):
            return True
        at = text.find(name, at + 1)
    return False


def _whole(text: str, name: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 2]
    if name[0].isalnum() and (before.isalnum() or before == "_"):
        return False
    if name[-1].isalnum() and (after[:1].isalnum() or after[:1] == "_"):
        return False
    if not _DIGITS.match(name):
        return True
    inside_fraction = before == "." and text[at - 2 : at - 1].isdigit()
    return not inside_fraction and not (after[:1] == "." and after[1:].isdigit())


def lost(names: Iterable[str], text: str) -> list[str]:
    """Return those ``names`` that do not stand in ``text``, in their order."""
    return [name for name in names if not holds(text, name)]


def kept_share(names: Sequence[str], text: str) -> float:
    """Return the share of ``names`` that stand in ``text``, [0, 1]; 1.0 if there are none."""
    return 1.0 - len(lost(names, text)) / len(names) if names else 1.0
