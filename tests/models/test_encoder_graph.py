"""The graph writer: right against a second implementation, standard operators only, the same bytes each time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from models.recipes import encoder_graph
from tests.inference import tiny

SHAPE = encoder_graph.EncoderShape(hidden=32, layers=2, heads=4)
Doubles = npt.NDArray[np.float64]


def run(model: object, ids: npt.NDArray[np.int64], mask: npt.NDArray[np.int64], tmp_path: Path) -> Doubles:
    """Run a model in ONNX Runtime."""
    import onnxruntime

    file = tmp_path / "model.onnx"
    file.write_bytes(model.SerializeToString())  # type: ignore[attr-defined]
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return np.asarray(session.run(None, feed)[0], dtype=np.float64)


def norm(x: Doubles, weights: encoder_graph.Weights, name: str) -> Doubles:
    """Layer norm over the last axis."""
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + SHAPE.epsilon)
    return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"], dtype=np.float64)


def reference(weights: encoder_graph.Weights, ids: list[int]) -> Doubles:
    """BERT in float64, one text, one head and one token at a time: slow, and written from the paper."""
    erf = np.vectorize(math.erf)

    def linear(rows: Doubles, name: str) -> Doubles:
        product = rows @ weights[f"{name}.weight"].T.astype(np.float64)
        return np.asarray(product + weights[f"{name}.bias"], dtype=np.float64)

    x = np.stack(
        [
            weights["embeddings.word_embeddings.weight"][token].astype(np.float64)
            + weights["embeddings.position_embeddings.weight"][place]
            + weights["embeddings.token_type_embeddings.weight"][0]
            for place, token in enumerate(ids)
        ]
    )
    x = norm(x, weights, "embeddings.LayerNorm")
    width = SHAPE.head_width
    for layer in range(SHAPE.layers):
        name = f"encoder.layer.{layer}"
        query, key, value = (linear(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        mixed = np.zeros_like(x)
        for head in range(SHAPE.heads):
            own = slice(head * width, (head + 1) * width)
            for place in range(len(ids)):
                scores = np.exp(query[place, own] @ key[:, own].T / np.sqrt(width))
                mixed[place, own] = scores / scores.sum() @ value[:, own]
        x = norm(
            x + linear(mixed, f"{name}.attention.output.dense"), weights, f"{name}.attention.output.LayerNorm"
        )
        wide = linear(x, f"{name}.intermediate.dense")
        gelu = 0.5 * wide * (1 + erf(wide / np.sqrt(2)))
        x = norm(x + linear(gelu, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")
    return x


def test_agrees_with_a_second_implementation(tmp_path: Path) -> None:
    """The float32 graph gives what BERT's formulas give in float64, with padding beside it."""
    weights = tiny.weights(SHAPE.hidden)
    ids = [2, 7, 9, 11, 30, 3]
    padded = np.array([[*ids, 0, 0, 0], [2, 5, 6, 7, 8, 9, 10, 11, 3]], dtype=np.int64)
    mask = (padded > 0).astype(np.int64)
    got = run(encoder_graph.build(weights, SHAPE, int8=False), padded, mask, tmp_path)
    assert got[0, : len(ids)] == pytest.approx(reference(weights, ids), abs=2e-5)
    assert got[1] == pytest.approx(reference(weights, padded[1].tolist()), abs=2e-5)


def test_int8_stays_close(tmp_path: Path) -> None:
    """Weights in int8 turn a text's vector by very little."""
    weights = tiny.weights(SHAPE.hidden)
    ids = np.array([[2, 7, 9, 11, 30, 3]], dtype=np.int64)
    one, other = (
        run(encoder_graph.build(weights, SHAPE, int8=int8), ids, np.ones_like(ids), tmp_path)[0].mean(0)
        for int8 in (False, True)
    )
    assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.9995


def test_standard_operators_only() -> None:
    """Opset 17 of the standard domain, and weights that are really int8."""
    model = encoder_graph.build(tiny.weights(SHAPE.hidden), SHAPE, int8=True)
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 17)]
    assert {node.domain for node in model.graph.node} == {""}
    int8 = [c for c in model.graph.initializer if c.data_type == 3]
    assert len(int8) == 1 + 6 * SHAPE.layers
    assert [i.name for i in model.graph.input] == ["input_ids", "attention_mask", "token_type_ids"]


def test_same_bytes_each_time() -> None:
    """Two builds of the same weights are equal byte for byte."""
    one, two = (
        encoder_graph.build(tiny.weights(SHAPE.hidden), SHAPE, int8=True).SerializeToString(
            deterministic=True
        )
        for _ in range(2)
    )
    assert one == two


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=2, max_dims=3, max_side=12),
        elements=st.floats(-100, 100, width=32),
    ),
    st.integers(0, 1),
)
def test_quantise_errs_by_half_a_step_at_most(weight: encoder_graph.Floats, axis: int) -> None:
    """Each weight comes back within half a step of its slice's scale; zero slices stay zero."""
    steps, scale = encoder_graph.quantise(weight, axis)
    assert steps.dtype == np.int8
    assert (np.abs(steps.astype(int)) <= 127).all()
    error = np.abs(steps * scale.astype(np.float64) - weight)
    assert (error <= scale * 0.5 * (1 + 1e-4) + 1e-9).all()
    assert (
        steps[np.broadcast_to(np.abs(weight).max(axis=axis, keepdims=True) == 0, weight.shape)] == 0
    ).all()
