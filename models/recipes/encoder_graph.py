"""Writes a BERT-like sentence encoder as an ONNX graph, with ``onnx`` and numpy alone.

Standard operators of opset 17 only, so that every execution provider can run it. Weights are kept as int8
with float scales (one for 64 inputs of an output column, one for a row of the word table) and turned into
floats by ``Cast``, ``Mul`` and ``Reshape``, which ONNX Runtime folds once when it loads the model. All arithmetic is then float32:
a text's vector does not depend on what it was batched with, which dynamic int8 cannot promise
(feasibility.md §2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "last_hidden_state"
MASKED = -1e4
"""Added to the scores of padding: exp() of it is exactly 0 in float32, and it still fits float16."""

GROUP = 64
"""Inputs that share a scale. One scale a whole column strays to a cosine of 0.9965 to float32 over the check's
texts, groups of 64 to 0.9992, for 0.7 MB more."""

Array = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float32]
Weights = dict[str, Floats]
"""Tensors under the names of Hugging Face's BERT, without a leading ``bert.``."""


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """Sizes of an encoder: width, layers, attention heads, and the epsilon of its layer norms."""

    hidden: int
    layers: int
    heads: int
    epsilon: float = 1e-12

    @property
    def head_width(self) -> int:
        """Components that one attention head sees."""
        return self.hidden // self.heads


def quantise(weight: Floats, axis: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return ``weight`` as int8 and the scales that give it back, one for each slice along ``axis``.

    Symmetric: the largest magnitude of a slice becomes 127, so the error is at most half a step,
    ``scale / 2``.
    """
    largest = np.abs(weight).max(axis=axis, keepdims=True)
    scale = (np.maximum(largest, np.float32(1e-12)) / np.float32(127)).astype(np.float32)
    steps = np.clip(np.rint(weight / scale), -127, 127)
    return steps.astype(np.int8), scale


class _Graph:
    """Collects nodes and constants; each method returns the name of what it made."""

    def __init__(self, weights: Weights, shape: EncoderShape, *, int8: bool) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self._weights = weights
        self._shape = shape
        self._int8 = int8

    def op(self, kind: str, *inputs: str, out: str | None = None, **attributes: Any) -> str:
        """Add a node with one output."""
        name = out or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"node_{name}", **attributes))
        return name

    def constant(self, name: str, value: Array) -> str:
        """Add a constant once; a scalar stays a scalar (Range needs one)."""
        if name not in self.constants:
            whole = value if value.ndim == 0 else np.ascontiguousarray(value)
            self.constants[name] = numpy_helper.from_array(whole, name)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"float_{value:g}", np.array(value, dtype=np.float32))

    def whole(self, name: str, value: int | list[int]) -> str:
        return self.constant(name, np.array(value, dtype=np.int64))

    def weight(self, name: str) -> str:
        return self.constant(name, self._weights[name])

    def linear(self, x: str, name: str) -> str:
        """``x @ W.T + b``."""
        matrix = np.ascontiguousarray(self._weights[f"{name}.weight"].T)
        if self._int8:
            inputs, outputs = matrix.shape
            group = math.gcd(inputs, GROUP)
            steps, scale = quantise(matrix.reshape(inputs // group, group, outputs), axis=1)
            as_float = self.op("Cast", self.constant(f"{name}.int8", steps), to=TensorProto.FLOAT)
            grouped = self.op("Mul", as_float, self.constant(f"{name}.scale", scale))
            shape = self.whole(f"shape_{inputs}_{outputs}", [inputs, outputs])
            right = self.op("Reshape", grouped, shape)
        else:
            right = self.constant(f"{name}.float", matrix)
        return self.op("Add", self.op("MatMul", x, right), self.weight(f"{name}.bias"))

    def words(self, ids: str) -> str:
        """Rows of the word table; only the rows that are asked for are turned into floats."""
        table = "embeddings.word_embeddings.weight"
        if not self._int8:
            return self.op("Gather", self.weight(table), ids)
        steps, scale = quantise(self._weights[table], axis=1)
        rows = self.op("Gather", self.constant(f"{table}.int8", steps), ids)
        scales = self.op("Gather", self.constant(f"{table}.scale", scale), ids)
        return self.op("Mul", self.op("Cast", rows, to=TensorProto.FLOAT), scales)

    def norm(self, x: str, name: str, out: str | None = None) -> str:
        weight, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, weight, bias, out=out, axis=-1, epsilon=self._shape.epsilon)

    def embeddings(self) -> str:
        """Word + token type + position, normalised: shape (batch, tokens, hidden)."""
        length = self.op("Squeeze", self.op("Shape", "input_ids", start=1, end=2))
        places = self.op("Range", self.whole("zero", 0), length, self.whole("one", 1))
        kinds = self.op("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        positions = self.op("Gather", self.weight("embeddings.position_embeddings.weight"), places)
        total = self.op("Add", self.op("Add", self.words("input_ids"), kinds), positions)
        return self.norm(total, "embeddings.LayerNorm")

    def mask(self) -> str:
        """0 for tokens, ``MASKED`` for padding: shape (batch, 1, 1, tokens)."""
        spread = self.op("Unsqueeze", "attention_mask", self.whole("axes_1_2", [1, 2]))
        seen = self.op("Cast", spread, to=TensorProto.FLOAT)
        return self.op("Mul", self.op("Sub", self.number(1.0), seen), self.number(MASKED))

    def attention(self, x: str, name: str, mask: str) -> str:
        """Scaled dot-product self-attention over all heads."""
        shape = self._shape
        split = self.whole("split_heads", [0, 0, shape.heads, shape.head_width])

        def heads(part: str, perm: list[int]) -> str:
            flat = self.linear(x, f"{name}.self.{part}")
            return self.op("Transpose", self.op("Reshape", flat, split), perm=perm)

        query, value = heads("query", [0, 2, 1, 3]), heads("value", [0, 2, 1, 3])
        key = heads("key", [0, 2, 3, 1])
        scores = self.op("Div", self.op("MatMul", query, key), self.number(float(np.sqrt(shape.head_width))))
        shares = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", shares, value), perm=[0, 2, 1, 3])
        joined = self.op("Reshape", mixed, self.whole("join_heads", [0, 0, shape.hidden]))
        return self.linear(joined, f"{name}.output.dense")

    def feed_forward(self, x: str, name: str) -> str:
        """Two layers with the exact (erf) GELU between them."""
        wide = self.linear(x, f"{name}.intermediate.dense")
        bent = self.op("Erf", self.op("Div", wide, self.number(float(np.sqrt(2.0)))))
        gelu = self.op("Mul", self.op("Mul", wide, self.op("Add", bent, self.number(1.0))), self.number(0.5))
        return self.linear(gelu, f"{name}.output.dense")

    def encoder(self) -> None:
        """All layers, post-norm as in BERT; the last norm's output is the graph's."""
        x, mask = self.embeddings(), self.mask()
        for number in range(self._shape.layers):
            name = f"encoder.layer.{number}"
            seen = self.op("Add", self.attention(x, f"{name}.attention", mask), x)
            x = self.norm(seen, f"{name}.attention.output.LayerNorm")
            out = OUTPUT if number == self._shape.layers - 1 else None
            x = self.norm(self.op("Add", self.feed_forward(x, name), x), f"{name}.output.LayerNorm", out=out)


def build(weights: Weights, shape: EncoderShape, *, int8: bool) -> onnx.ModelProto:
    """Return the checked ONNX model.

    Args:
        weights: Tensors by name; matrices are (out, in).
        shape: Sizes.
        int8: Keep matrices and word table as int8 with scales; False keeps float32.

    Returns:
        A model with inputs ``input_ids``, ``attention_mask``, ``token_type_ids`` (int64, batch × tokens)
        and output ``last_hidden_state`` (float32, batch × tokens × hidden).
    """
    graph = _Graph(weights, shape, int8=int8)
    graph.encoder()
    axes: list[str | int | None] = ["batch", "tokens"]
    proto = helper.make_graph(
        graph.nodes,
        "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in INPUTS],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [*axes, shape.hidden])],
        list(graph.constants.values()),
    )
    model = helper.make_model(
        proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="libra"
    )
    onnx.checker.check_model(model)
    return model
