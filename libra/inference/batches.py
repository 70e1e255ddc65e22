"""Which windows run together: few at a time and of about the same length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatchParams:
    """Limits of one run of the model.

    Attributes:
        max_texts: Texts in a batch.
        max_tokens: Tokens in a batch on CPU, padding included. Above 256 the time per token no longer falls,
            while memory grows (by 11 MB for 512) and so does what a question may have to share the machine with.
        accelerator_tokens: The same on other execution providers, which need more at a time.

    Source: docs/inference.md.
    """

    max_texts: int = 8
    max_tokens: int = 256
    accelerator_tokens: int = 1024


def plan(lengths: Sequence[int], max_texts: int, max_tokens: int) -> list[list[int]]:
    """Return the numbers of the windows of each batch, shortest first; each window once.

    Args:
        lengths: Tokens of each window.
        max_texts: Texts in a batch.
        max_tokens: Tokens in a batch, padding included; a longer window makes a batch of its own.
    """
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        last = batches[-1] if batches else None
        if last and len(last) < max_texts and (len(last) + 1) * lengths[number] <= max_tokens:
            last.append(number)
        else:
            batches.append([number])
    return batches
