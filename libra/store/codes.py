"""A vector in half a byte a component: near enough to say which few hundred are worth reading from the database.

Sixteen steps of equal width, put for each vector so that hardly any component falls off their ends (for normally distributed
ones 0.335 standard deviations are the best width: J. Max, 1960). A dot product taken with them is off by 0.006 (standard deviation), where one with the
signs alone is off by 0.03; measured on the default model's vectors.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from libra.ground.vectors import Vector

Bytes = npt.NDArray[np.uint8]
_STEPS = 16
_BEST, _WIDEST = 0.3352, 0.5
"""Width of a step in standard deviations of a component."""


def coded(vectors: Vector) -> tuple[Bytes, Vector]:
    """Return two components a byte, and the width of a step of each vector: shapes ``(n, dims / 2)`` and ``(n,)``.

    Args:
        vectors: Shape ``(n, dims)``, unit length; dims even.
    """
    if not len(vectors):
        return np.zeros((0, vectors.shape[1] // 2), np.uint8), np.zeros(0, np.float32)
    usual = 1.0 / np.sqrt(vectors.shape[1])
    half = _STEPS // 2
    step = np.clip(np.abs(vectors).max(axis=1) / half, _BEST * usual, _WIDEST * usual).astype(np.float32)
    steps = np.clip(np.floor(vectors / step[:, None]) + half, 0, _STEPS - 1).astype(np.uint8)
    return steps[:, ::2] | (steps[:, 1::2] << 4), step


def dots(codes: Bytes, step: Vector, query: Vector) -> Vector:
    """Return about the dot product of each vector with a query.

    Args:
        codes: From :func:`coded`.
        step: From :func:`coded`.
        query: Shape ``(dims,)``.
    """
    out = (codes & 15).astype(np.float32) @ np.ascontiguousarray(query[::2])
    out += (codes >> 4).astype(np.float32) @ np.ascontiguousarray(query[1::2])
    out -= (_STEPS - 1) / 2 * query.sum(dtype=np.float32)
    out *= step
    return out


def decoded(codes: Bytes, step: Vector) -> Vector:
    """Return about the vectors, shape ``(n, dims)``."""
    out = np.empty((len(codes), 2 * codes.shape[1]), np.float32)
    out[:, ::2], out[:, 1::2] = codes & 15, codes >> 4
    out -= (_STEPS - 1) / 2
    out *= step[:, None]
    return out
