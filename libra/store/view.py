"""The vectors' sign bits with what a search filters by, as arrays: an immutable view for readers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
_WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class View:
    """Rows of one state; arrays have ``n`` entries and are not written to within them.

    Attributes:
        fingerprint: The model whose vectors these are.
        dims: Components of a vector.
        words: Shape ``(dims / 64, n)``: sign bits, one row a word, so that a scan runs along memory.
        alive: False where the vector was deleted or replaced.
        half: The vectors, shape ``(n, dims)``; without rows when there are too many to hold.
        code, step: The vectors in half a byte a component (:mod:`~libra.store.codes`); without rows where even that is too much.
    """

    fingerprint: str
    dims: int
    n: int
    words: npt.NDArray[np.uint64]
    chunk: Ints
    item: Ints
    scope: npt.NDArray[np.int32]
    ts: Ints
    kind: npt.NDArray[np.uint8]
    type: npt.NDArray[np.uint16]
    active: Bools
    alive: Bools
    half: npt.NDArray[np.float16]
    code: npt.NDArray[np.uint8]
    step: npt.NDArray[np.float32]
    layout: int = 0
    """Another number as soon as a row's place is another one's."""
    marks: int = 0
    """Another number as soon as a row's scope, type or mark has changed."""

    @property
    def holds_vectors(self) -> bool:
        """Whether :attr:`half` has every row."""
        return len(self.half) == self.n

    @property
    def holds_codes(self) -> bool:
        """Whether :attr:`code` has every row."""
        return len(self.code) == self.n


def empty_view(fingerprint: str = "", dims: int = 0) -> View:
    """Return a view without rows."""
    count = -(-dims // _WORD_BITS)
    return View(
        fingerprint, dims, 0,
        words=np.zeros((count, 0), np.uint64), chunk=np.zeros(0, np.int64), item=np.zeros(0, np.int64),
        scope=np.zeros(0, np.int32), ts=np.zeros(0, np.int64), kind=np.zeros(0, np.uint8),
        type=np.zeros(0, np.uint16), active=np.zeros(0, np.bool_), alive=np.zeros(0, np.bool_),
        half=np.zeros((0, dims), np.float16), code=np.zeros((0, dims // 2), np.uint8), step=np.zeros(0, np.float32),
    )  # fmt: skip


def words_of(packed: npt.NDArray[np.uint8], dims: int) -> npt.NDArray[np.uint64]:
    """Return packed bits as words of 64, missing bits zero.

    Args:
        packed: Shape ``(n, dims / 8)``.
        dims: Components of a vector.

    Returns:
        Shape ``(ceil(dims / 64), n)``.
    """
    count = -(-dims // _WORD_BITS)
    padded = np.zeros((packed.shape[0], count * _WORD_BITS // 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view(np.uint64).T)
