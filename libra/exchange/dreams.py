"""An agent's dream diary: what it says it recalls again and again, and the gates that an entry must pass.

Bullets under headings that speak of deep sleep, promotion or dreams, each with its figures at the end:
``- The harbour opens at six. {score=0.82 recall=4 unique=3}``. Source: reference-systems.md 2.1, Dream promotion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*$")
_DREAMT: Final = re.compile(r"deep sleep|promot|dream", re.IGNORECASE)
_BULLET: Final = re.compile(r"^\s{0,8}[-*+]\s+(?P<text>[^{}]+?)\s*\{(?P<figures>[^{}]{1,200})\}\s*$")
_FIGURE: Final = re.compile(r"(?P<name>score|recall|unique)\s*[=:]\s*(?P<value>\d{1,9}(?:\.\d{1,9})?)")
_LINE_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class DreamParams:
    """The gates.

    Attributes:
        min_score: The diary's own score, [0, 1].
        min_recalls: Recalled so often.
        min_questions: For so many different questions.
        min_bytes: Of its text.
    """

    min_score: float = 0.6
    min_recalls: int = 2
    min_questions: int = 2
    min_bytes: int = 16


@dataclass(frozen=True, slots=True)
class Dream:
    """One entry: its words, its figures, and the line that it stands in, from 1."""

    text: str
    score: float
    recalls: int
    questions: int
    line: int


def dreams(text: str) -> list[Dream]:
    """Return the entries of a diary in order; what has no figures is none."""
    found, within = [], False
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")  # noqa: PLW2901 - the same line
        if len(line) > _LINE_CHARS:
            continue
        if heading := _HEADING.match(line):
            within = _DREAMT.search(heading["title"]) is not None
        elif within and (bullet := _BULLET.match(line)):
            figures = {m["name"]: float(m["value"]) for m in _FIGURE.finditer(bullet["figures"])}
            if figures:
                found.append(
                    Dream(
                        bullet["text"], figures.get("score", 0.0), int(figures.get("recall", 0)),
                        int(figures.get("unique", 0)), number,
                    )
                )  # fmt: skip
    return found


def refused(dream: Dream, params: DreamParams) -> str | None:
    """Return which gate an entry does not pass, None if it passes all."""
    gates = (
        ("score", dream.score >= params.min_score),
        ("recalls", dream.recalls >= params.min_recalls),
        ("questions", dream.questions >= params.min_questions),
        ("too short", len(dream.text.encode()) >= params.min_bytes),
    )
    return next((name for name, passed in gates if not passed), None)
