"""Which windows run together: few at a time and of about the same length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatchParams:
    """Limits of one run of the model.

    Attributes:
        max_texts: Texts in a batch.
        max_tokens: Tokens in a batch, padding included. Time per token no longer falls above 512 on CPU, while
            memory and the wait of a question behind the batch keep growing (docs/inference.md).
    """

    max_texts: int = 8
    max_tokens: int = 512


def plan(lengths: Sequence[int], params: BatchParams) -> list[list[int]]:
    """Return the numbers of the windows of each batch, shortest first; each window once.

    Args:
        lengths: Tokens of each window.
        params: Limits; a window longer than ``max_tokens`` makes a batch of its own.
    """
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        last = batches[-1] if batches else None
        if last and len(last) < params.max_texts and (len(last) + 1) * lengths[number] <= params.max_tokens:
            last.append(number)
        else:
            batches.append([number])
    return batches
