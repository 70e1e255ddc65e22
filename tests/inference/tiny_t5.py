"""A tiny encoder–decoder that the tests build themselves, and a second opinion on it in numpy.

Two layers, relative positions, RMS norms, caches: all that a T5 has, in Optimum's three layouts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.inference.tiny import mark

Floats = npt.NDArray[np.float32]
Weights = dict[str, Floats]

HEADS, HEAD, WIDTH, INNER, LAYERS, REACH = 2, 8, 16, 32, 2, 4
PAD, END, UNKNOWN = 0, 1, 2
WORDS = (
    "summarize : the harbour service reads config twice on a cold start and fails it works now we moved port limit queue "
    "worker billing is slow never restart one two three ."
).split()
PIECES = [
    "<pad>",
    "</s>",
    "<unk>",
    "▁",
    *(f"▁{w}" for w in WORDS),
    *"abcdefghijklmnopqrstuvwxyz0123456789.:_",
]
FAR = -1e9
LAYOUTS = ("optimum", "merged", "plain")
FILES = {
    "optimum": ("encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx"),
    "merged": ("encoder_model.onnx", "decoder_model_merged.onnx"),
    "plain": ("encoder_model.onnx", "decoder_model.onnx"),
}


def weights(seed: int = 0) -> Weights:
    """Return random weights."""
    rng = np.random.default_rng(seed)

    def noise(*shape: int, scale: float = 0.4) -> Floats:
        return rng.normal(0, scale, shape).astype(np.float32)

    made: Weights = {
        "embed": noise(len(PIECES), WIDTH, scale=1.0),
        "end_bias": np.zeros(len(PIECES), np.float32),
    }
    made["head"] = noise(WIDTH, len(PIECES), scale=0.8)
    made["end_bias"][END] = 7.0  # so that texts end before the limit, mostly
    made["end_bias"][[PAD, UNKNOWN]] = -20.0
    for side in ("encoder", "decoder"):
        made[f"{side}.bias"] = noise(2 * REACH + 1, HEADS, scale=1.0)
        made[f"{side}.norm"] = 1 + noise(WIDTH, scale=0.1)
        for layer in range(LAYERS):
            blocks = ("self", "cross") if side == "decoder" else ("self",)
            for block in blocks:
                name = f"{side}.{layer}.{block}"
                made[f"{name}.norm"] = 1 + noise(WIDTH, scale=0.1)
                made |= {f"{name}.{x}": noise(WIDTH, WIDTH) for x in "qkvo"}
            made[f"{side}.{layer}.ff.norm"] = 1 + noise(WIDTH, scale=0.1)
            made[f"{side}.{layer}.ff.in"] = noise(WIDTH, INNER)
            made[f"{side}.{layer}.ff.out"] = noise(INNER, WIDTH)
    return made


# ------------------------------------------------------------------ the second opinion


def _norm(x: Floats, w: Floats) -> Floats:
    return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w, np.float32)


def _attend(w: Weights, name: str, x: Floats, over: Floats, bias: Floats | float) -> Floats:
    def split(y: Floats) -> Floats:
        return y.reshape(len(y), HEADS, HEAD).transpose(1, 0, 2)

    q, k, v = split(x @ w[f"{name}.q"]), split(over @ w[f"{name}.k"]), split(over @ w[f"{name}.v"])
    scores = q @ k.transpose(0, 2, 1) + bias
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.asarray((shares @ v).transpose(1, 0, 2).reshape(len(x), WIDTH) @ w[f"{name}.o"], np.float32)


def _bias(table: Floats, count: int, *, causal: bool) -> Floats:
    away = np.arange(count)[None, :] - np.arange(count)[:, None]
    out = table[np.clip(away, -REACH, REACH) + REACH].transpose(2, 0, 1)
    return np.where(causal & (away > 0), np.float32(FAR), out)


def _inner(w: Weights, name: str, x: Floats) -> Floats:
    hidden = np.maximum(_norm(x, w[f"{name}.norm"]) @ w[f"{name}.in"], 0)
    return np.asarray(hidden @ w[f"{name}.out"], np.float32)


def encoded(w: Weights, ids: list[int]) -> Floats:
    """Return the encoder's output, ``(tokens, WIDTH)``."""
    x = w["embed"][ids]
    for layer in range(LAYERS):
        name = f"encoder.{layer}.self"
        normed = _norm(x, w[f"{name}.norm"])
        x = x + _attend(w, name, normed, normed, _bias(w["encoder.bias"], len(ids), causal=False))
        x = x + _inner(w, f"encoder.{layer}.ff", x)
    return _norm(x, w["encoder.norm"])


def scores(w: Weights, hidden: Floats, ids: list[int]) -> Floats:
    """Return the scores of what follows ``ids``, ``(vocabulary,)``."""
    x = w["embed"][ids]
    for layer in range(LAYERS):
        name = f"decoder.{layer}.self"
        normed = _norm(x, w[f"{name}.norm"])
        x = x + _attend(w, name, normed, normed, _bias(w["decoder.bias"], len(ids), causal=True))
        name = f"decoder.{layer}.cross"
        x = x + _attend(w, name, _norm(x, w[f"{name}.norm"]), hidden, 0.0)
        x = x + _inner(w, f"decoder.{layer}.ff", x)
    return np.asarray(_norm(x, w["decoder.norm"])[-1] @ w["head"] + w["end_bias"], np.float32)


def greedy(w: Weights, ids: list[int], max_tokens: int) -> tuple[list[int], list[float]]:
    """Return the greedy output, end mark included, with its log-probabilities."""
    hidden, out, logs = encoded(w, ids), [PAD], []
    while len(out) <= max_tokens and (len(out) == 1 or out[-1] != END):
        s = scores(w, hidden, out).astype(np.float64)
        token = int(s.argmax())
        logs.append(float(s[token] - s.max() - np.log(np.exp(s - s.max()).sum())))
        out.append(token)
    return out[1:], logs


# ------------------------------------------------------------------ the graphs


class _Graph:
    """Collects nodes; each method returns the name of what it made."""

    def __init__(self, w: Weights, prefix: str = "") -> None:
        self.w, self.prefix = w, prefix
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, out: str | None = None, **attributes: Any) -> str:
        name = out or f"{self.prefix}{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def const(self, value: Any, kind: Any = np.int64) -> str:
        array = np.array(value, kind)
        name = f"{self.prefix}c{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def weight(self, name: str) -> str:
        self.constants[f"{self.prefix}{name}"] = numpy_helper.from_array(self.w[name], f"{self.prefix}{name}")
        return f"{self.prefix}{name}"

    def norm(self, x: str, name: str) -> str:
        mean = self.op("ReduceMean", self.op("Mul", x, x), axes=[-1], keepdims=1)
        root = self.op("Sqrt", self.op("Add", mean, self.const(1e-6, np.float32)))
        return self.op("Mul", self.op("Div", x, root), self.weight(name))

    def split(self, x: str, name: str, out: str | None = None) -> str:
        parts = self.op("Reshape", self.op("MatMul", x, self.weight(name)), self.const([0, 0, HEADS, HEAD]))
        return self.op("Transpose", parts, perm=[0, 2, 1, 3], out=out)

    def attend(self, q: str, k: str, v: str, bias: str, name: str) -> str:
        product = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        shares = self.op("Softmax", self.op("Add", product, bias), axis=-1)
        joined = self.op("Transpose", self.op("MatMul", shares, v), perm=[0, 2, 1, 3])
        flat = self.op("Reshape", joined, self.const([0, 0, WIDTH]))
        return self.op("MatMul", flat, self.weight(f"{name}.o"))

    def length(self, x: str, axis: int) -> str:
        return self.op("Gather", self.op("Shape", x), self.const(axis), axis=0)

    def bias(self, name: str, past: str, new: str, *, causal: bool) -> str:
        zero, one = self.const(0), self.const(1)
        total = self.op("Add", past, new)
        keys = self.op("Unsqueeze", self.op("Range", zero, total, one), self.const([0]))
        rows = self.op("Unsqueeze", self.op("Range", past, total, one), self.const([1]))
        away = self.op("Sub", keys, rows)
        near = self.op("Max", self.op("Min", away, self.const(REACH)), self.const(-REACH))
        looked_up = self.op("Gather", self.weight(name), self.op("Add", near, self.const(REACH)), axis=0)
        out = self.op("Transpose", looked_up, perm=[2, 0, 1])
        if causal:
            out = self.op("Where", self.op("Greater", away, zero), self.const(FAR, np.float32), out)
        return out

    def inner(self, x: str, name: str) -> str:
        first = self.op("MatMul", self.norm(x, f"{name}.norm"), self.weight(f"{name}.in"))
        return self.op("Add", x, self.op("MatMul", self.op("Relu", first), self.weight(f"{name}.out")))

    def masked(self, mask: str) -> str:
        hidden = self.op("Sub", self.const(1.0, np.float32), self.op("Cast", mask, to=TensorProto.FLOAT))
        far = self.op("Mul", hidden, self.const(FAR, np.float32))
        return self.op("Unsqueeze", far, self.const([1, 2]))


def _cache(layer: int, kind: str, part: str, begin: str) -> str:
    return f"{begin}.{layer}.{kind}.{part}"


def _encoder(w: Weights) -> onnx.ModelProto:
    g = _Graph(w)
    x = g.op("Gather", g.weight("embed"), "input_ids", axis=0)
    count = g.length("input_ids", 1)
    bias = g.op("Add", g.bias("encoder.bias", g.const(0), count, causal=False), g.masked("attention_mask"))
    for layer in range(LAYERS):
        name = f"encoder.{layer}.self"
        n = g.norm(x, f"{name}.norm")
        q, k, v = (g.split(n, f"{name}.{p}") for p in "qkv")
        x = g.inner(g.op("Add", x, g.attend(q, k, v, bias, name)), f"encoder.{layer}.ff")
    g.op("Identity", g.norm(x, "encoder.norm"), out="last_hidden_state")
    inputs = [_ids("input_ids"), _ids("attention_mask")]
    return _model(g, inputs, [_floats("last_hidden_state", ["b", "t", WIDTH])])


def _decode(g: _Graph, *, past: bool, end: str = "", dead_cross: bool = False) -> list[str]:
    """Add a decoder; return the names of its outputs, which all end with ``end``."""
    x = g.op("Gather", g.weight("embed"), "input_ids", axis=0)
    before = g.length(_cache(0, "decoder", "key", "past_key_values"), 2) if past else g.const(0)
    bias = g.bias("decoder.bias", before, g.length("input_ids", 1), causal=True)
    mask = g.masked("encoder_attention_mask")
    own: list[str] = []
    cross: list[str] = []
    for layer in range(LAYERS):
        name = f"decoder.{layer}.self"
        n = g.norm(x, f"{name}.norm")
        q = g.split(n, f"{name}.q")
        kv: list[str] = []
        for part, letter in (("key", "k"), ("value", "v")):
            new = g.split(n, f"{name}.{letter}")
            old = _cache(layer, "decoder", part, "past_key_values")
            out = _cache(layer, "decoder", part, "present") + end
            kv.append(g.op("Concat", old, new, axis=2, out=out) if past else g.op("Identity", new, out=out))
        own += kv
        x = g.op("Add", x, g.attend(q, kv[0], kv[1], bias, name))
        name = f"decoder.{layer}.cross"
        q = g.split(g.norm(x, f"{name}.norm"), f"{name}.q")
        kv = []
        for part, letter in (("key", "k"), ("value", "v")):
            if past:
                kv.append(_cache(layer, "encoder", part, "past_key_values"))
                if dead_cross:
                    dead = g.const(np.zeros((0, HEADS, 1, HEAD)), np.float32)
                    cross.append(g.op("Identity", dead, out=_cache(layer, "encoder", part, "present") + end))
            else:
                made = _cache(layer, "encoder", part, "present") + end
                kv.append(g.split("encoder_hidden_states", f"{name}.{letter}", out=made))
                cross.append(kv[-1])
        x = g.op("Add", x, g.attend(q, kv[0], kv[1], mask, name))
        x = g.inner(x, f"decoder.{layer}.ff")
    product = g.op("MatMul", g.norm(x, "decoder.norm"), g.weight("head"))
    logits = g.op("Add", product, g.weight("end_bias"), out="logits" + end)
    return [logits, *own, *cross]


def _decoder(w: Weights, *, past: bool) -> onnx.ModelProto:
    g = _Graph(w)
    outputs = _decode(g, past=past)
    inputs = [_ids("encoder_attention_mask"), _ids("input_ids")]
    inputs += (
        _caches(["decoder", "encoder"]) if past else [_floats("encoder_hidden_states", ["b", "s", WIDTH])]
    )
    # Optimum puts the outputs in an order of its own; only their names count.
    return _model(g, inputs, [_output(name) for name in reversed(outputs)])


def _merged(w: Weights) -> onnx.ModelProto:
    main = _Graph(w)
    branches = {}
    names: list[str] = []
    for past in (True, False):
        g = _Graph(w, "then_" if past else "else_")
        made = _decode(g, past=past, end="_then" if past else "_else", dead_cross=True)
        main.constants |= g.constants
        names = [name.rsplit("_", 1)[0] for name in made]
        branches[past] = helper.make_graph(
            g.nodes, g.prefix, [], [_output(n, name) for n, name in zip(made, names, strict=True)]
        )
    node = helper.make_node(
        "If", ["use_cache_branch"], names, then_branch=branches[True], else_branch=branches[False]
    )
    main.nodes.append(node)
    inputs = [
        _ids("encoder_attention_mask"),
        _ids("input_ids"),
        _floats("encoder_hidden_states", ["b", "s", WIDTH]),
        *_caches(["decoder", "encoder"]),
        helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1]),
    ]
    return _model(main, inputs, [_output(name) for name in names])


def _ids(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["b", f"{name}_t"])


def _floats(name: str, shape: list[Any]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def _output(name: str, like: str | None = None) -> onnx.ValueInfoProto:
    last = len(PIECES) if (like or name) == "logits" else None
    return _floats(name, ["b", "n", last] if last else ["ob", HEADS, f"{name}_t", HEAD])


def _caches(kinds: list[str]) -> list[onnx.ValueInfoProto]:
    return [
        _floats(_cache(layer, kind, part, "past_key_values"), ["b", HEADS, f"past_{kind}", HEAD])
        for layer in range(LAYERS)
        for kind in kinds
        for part in ("key", "value")
    ]


def _model(
    g: _Graph, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]
) -> onnx.ModelProto:
    graph = helper.make_graph(g.nodes, "tiny", inputs, outputs, list(g.constants.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


# ------------------------------------------------------------------ the folder


def tokenizer_json() -> dict[str, Any]:
    """Return a Unigram tokenizer with T5's marks."""
    special = [
        {"id": i, "content": PIECES[i], "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for i in (PAD, END, UNKNOWN)
    ]
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    end = {"SpecialToken": {"id": "</s>", "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": {"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": None,
        "added_tokens": special,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": space,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [text, end],
            "pair": [text, end, text, end],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [END], "tokens": ["</s>"]}},
        },
        "decoder": space,
        "model": {
            "type": "Unigram",
            "unk_id": UNKNOWN,
            "vocab": [
                [piece, -1.0 if piece.startswith("▁") and len(piece) > 1 else -8.0] for piece in PIECES
            ],
        },
    }


def profile(**changes: Any) -> dict[str, Any]:
    """Return the fields of the manifest but ``files``."""
    return {
        "name": "tiny-t5",
        "family": "t5",
        "prefix": "summarize: ",
        "pad_id": PAD,
        "end_id": END,
        "start_id": PAD,
        "max_tokens": 48,
        "licence": "MIT",
        "attribution": "made by a test",
        "origin": {},
        **changes,
    }


def config(**changes: Any) -> dict[str, Any]:
    """Return what an Optimum export says of itself."""
    return {
        "model_type": "t5",
        "is_encoder_decoder": True,
        "pad_token_id": PAD,
        "eos_token_id": END,
        "decoder_start_token_id": PAD,
        "n_positions": 48,
        "task_specific_params": {"summarization": {"prefix": "summarize: "}},
        **changes,
    }


def write_manifest(folder: Path, layout: str, **changes: Any) -> None:
    """Write a manifest that names the folder's files as they are."""
    files = {name: mark(folder / name) for name in (*FILES[layout], "tokenizer.json")}
    (folder / "manifest.json").write_text(
        json.dumps({**profile(**changes), "files": files}), encoding="utf-8"
    )


def write_t5(folder: Path, layout: str = "optimum", *, seed: int = 0, manifest: bool = True) -> Weights:
    """Build a model's whole folder; return its weights. Without a manifest it has a ``config.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    w = weights(seed)
    models = {
        "encoder_model.onnx": lambda: _encoder(w),
        "decoder_model.onnx": lambda: _decoder(w, past=False),
        "decoder_with_past_model.onnx": lambda: _decoder(w, past=True),
        "decoder_model_merged.onnx": lambda: _merged(w),
    }
    for name in FILES[layout]:
        (folder / name).write_bytes(models[name]().SerializeToString(deterministic=True))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json()), encoding="utf-8")
    if manifest:
        write_manifest(folder, layout)
    else:
        (folder / "config.json").write_text(json.dumps(config()), encoding="utf-8")
    return w
