"""What the deontic lexer's languages share: a sentence in, findings out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from libra.ground.records import Modality

CODE: Final = "\ue000"
"""Stands for each character of inline code, a URL or a quotation: a noun, never a verb."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One deontic form.

    Attributes:
        modality: What it says.
        start, end: Code point span in the text.
        form: Which form it is (``imperative``, ``second_person``, ``scoped``, ``label``, ``identity``, …).
        strong: It leaves no choice (must, never, always, do not, required, forbidden).
    """

    modality: Modality
    start: int
    end: int
    form: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with markup blanked out.

    Attributes:
        start: Code point offset in the text.
        text: As written.
        lower: The same length in lower case, with plain apostrophes.
    """

    start: int
    text: str
    lower: str


def finding(
    sentence: Sentence, modality: Modality, start: int, end: int, form: str, *, strong: bool = False
) -> Finding:
    """Return a finding at offsets of the sentence, moved to its place in the whole text."""
    return Finding(modality, sentence.start + start, sentence.start + end, form, strong)
