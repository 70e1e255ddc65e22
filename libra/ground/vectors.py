"""Small vector arithmetic: float32, L2-normalised, checked for NaN before anything is stored."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""Shape ``(dims,)`` or ``(n, dims)``."""


def normalise(x: Vector) -> Vector:
    """Return ``x`` scaled to unit length along its last axis; zero vectors stay zero.

    Args:
        x: Shape ``(dims,)`` or ``(n, dims)``.
    """
    norm = np.linalg.norm(x, axis=-1, keepdims=True)
    out: Vector = np.divide(x, norm, out=np.zeros_like(x, dtype=np.float32), where=norm > 0)
    return out


def is_usable(x: Vector) -> bool:
    """Return True if every component is finite and the vector is not all zero.

    sqlite-vec accepts a NaN vector and then sorts it first (feasibility.md §3), so nothing is stored
    without this check.
    """
    return bool(np.isfinite(x).all() and np.any(x))


def to_blob(x: Vector) -> bytes:
    """Return the little-endian float32 bytes that SQLite keeps."""
    return np.ascontiguousarray(x, dtype="<f4").tobytes()


def from_blob(blob: bytes) -> Vector:
    """Return the vector of :func:`to_blob`, shape ``(dims,)``, read-only."""
    return np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False)


def sign_bits(x: Vector) -> npt.NDArray[np.uint8]:
    """Return one bit a component (1 where it is positive), packed little-endian as sqlite-vec's ``bit``.

    Args:
        x: Shape ``(dims,)`` or ``(n, dims)``; dims a multiple of 8.
    """
    return np.packbits(x > 0, axis=-1, bitorder="little")
