"""Pooling: numbers that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from libra.inference.pooling import finish, pool


def test_mean_leaves_padding_out() -> None:
    """The mean is over a text's own tokens only."""
    hidden = np.array([[[1, 2], [3, 4], [9, 9]], [[2, 2], [4, 4], [6, 6]]], dtype=np.float32)
    assert pool(hidden, np.array([2, 3]), "mean").tolist() == [[2, 3], [4, 4]]


def test_same_sum_alone_and_padded() -> None:
    """A text's mean is the same bit for bit whatever stands behind it."""
    rng = np.random.default_rng(5)
    row = rng.normal(size=(37, 384)).astype(np.float32)
    padded = np.concatenate([row, rng.normal(size=(27, 384)).astype(np.float32)])
    alone = pool(row[None], np.array([37]), "mean")[0]
    beside = pool(np.stack([padded, padded]), np.array([37, 64]), "mean")[0]
    assert (alone == beside).all()


def test_cls_takes_the_first() -> None:
    """CLS pooling takes the first token's row."""
    hidden = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    assert pool(hidden, np.array([3, 1]), "cls").tolist() == [[0, 1], [6, 7]]


@pytest.mark.parametrize("family", ["bert", "xlm-r"])
def test_plain_families_cut_and_scale(family: str) -> None:
    """Without layer norm a vector is cut and scaled to unit length."""
    out = finish(np.array([[3, 4, 100, 7]], dtype=np.float32), family, 2)
    assert out == pytest.approx(np.array([[0.6, 0.8]]))


def test_nomic_norms_before_it_cuts() -> None:
    """Nomic's vectors are layer-normalised over all components first, so that a cut one has another direction."""
    raw = np.array([[1.0, 2.0, 3.0, 6.0]], dtype=np.float32)
    normed = (raw - 3.0) / np.sqrt(3.5)
    out = finish(raw, "nomic", 2)
    assert out == pytest.approx(normed[:, :2] / np.linalg.norm(normed[:, :2]), abs=1e-5)
    assert not np.allclose(out, finish(raw, "bert", 2))


def test_zero_vector_stays_finite() -> None:
    """A model that gives zeros gives no NaN."""
    for family in ("bert", "nomic"):
        assert np.isfinite(finish(np.zeros((1, 8), dtype=np.float32), family, 4)).all()
