"""From the model's output, one row a token, to one vector a text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from libra.ground.vectors import Vector, normalise

_LAYER_NORM_EPSILON = 1e-5


def pool(hidden: Vector, lengths: npt.NDArray[np.int64], pooling: str) -> Vector:
    """Return one raw vector a text, shape ``(batch, width)``.

    Args:
        hidden: Shape ``(batch, tokens, width)``.
        lengths: Tokens of each text; what lies behind is padding and left out. Shape ``(batch,)``.
        pooling: ``mean`` or ``cls``.
    """
    if pooling == "cls":
        return hidden[:, 0].astype(np.float32, copy=False)
    if len(lengths) == 1 or bool((lengths == hidden.shape[1]).all()):
        return np.asarray(hidden.mean(axis=1), dtype=np.float32)
    # Row by row, so that a text is summed in the same order whatever it was batched with.
    return np.stack([row[:n].mean(axis=0) for row, n in zip(hidden, lengths, strict=True)])


def finish(raw: Vector, family: str, dims: int) -> Vector:
    """Return unit vectors of the wanted size, shape ``(batch, dims)``.

    nomic's are layer-normalised over their full width before they are cut: that is how they were trained to
    keep their meaning in their first components.

    Args:
        raw: Shape ``(batch, width)``, ``width >= dims``.
        family: The manifest's.
        dims: Components to keep.

    Source: model card of nomic-embed-text-v1.5 (layer norm, truncate, L2).
    """
    if family == "nomic":
        centred = raw - raw.mean(axis=1, keepdims=True)
        raw = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(_LAYER_NORM_EPSILON))
    return normalise(raw[:, :dims])
