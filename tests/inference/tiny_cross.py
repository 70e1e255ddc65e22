"""A tiny cross-encoder that the tests build themselves: it counts a word of the text, a real graph and tokenizer around it."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from tests.inference import tiny

LIKED = "vault"
"""The word that a text is liked for; the question's own does not count."""


def write_cross(folder: Path, *, classes: int = 1, **changes: object) -> Path:
    """Build the folder; ``changes`` go into its manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = copy.deepcopy(tiny.tokenizer_json(cut=None))
    first = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 1}}
    start, end = ({"SpecialToken": {"id": t, "type_id": 0}} for t in ("[CLS]", "[SEP]"))
    last = {"SpecialToken": {"id": "[SEP]", "type_id": 1}}
    tokenizer["post_processor"]["pair"] = [start, first, end, second, last]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    (folder / "model.onnx").write_bytes(_graph(classes).SerializeToString(deterministic=True))
    data = {"name": "tiny-cross", "family": "cross-encoder", "max_tokens": 64, **changes}
    tiny.write_manifest(folder, data)
    return folder


def _graph(classes: int) -> onnx.ModelProto:
    """Return logits: for each text how often it holds the liked word, less one half; for two classes ``[0, that]``."""
    ids = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    liked = helper.make_tensor("liked", TensorProto.INT64, [], [tiny.vocabulary()[LIKED]])
    half = helper.make_tensor("half", TensorProto.FLOAT, [], [0.5])
    none = helper.make_tensor("none", TensorProto.FLOAT, [], [0.0])
    along = helper.make_tensor("along", TensorProto.INT64, [1], [1])
    nodes = [
        helper.make_node("Equal", ["input_ids", "liked"], ["same"]),
        helper.make_node("Cast", ["same"], ["found"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["token_type_ids", "attention_mask"], ["second"]),
        helper.make_node("Cast", ["second"], ["of_text"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["found", "of_text"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "along"], ["sum"], keepdims=1),
        helper.make_node("Sub", ["sum", "half"], ["yes"]),
        helper.make_node("Mul", ["yes", "none"], ["no"]),
    ]
    parts = ["yes"] if classes == 1 else ["no", "yes"]
    nodes.append(helper.make_node("Concat", parts, ["logits"], axis=1))
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])
    graph = helper.make_graph(nodes, "tiny", ids, [out], [liked, half, none, along])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
