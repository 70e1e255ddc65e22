"""Tiny models that the tests build themselves: random weights, a real graph, a real tokenizer."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from models.recipes import encoder_graph

WORDS = re.findall(
    r"\w+",
    "the gateway port is listens on staging we moved billing worker queue never push main branch vault number "
    "secret fact end start middle green blue colour favourite alpha beta gamma delta a b c d e f g h 1 2 3 4",
)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
EXTRA = (":", "_", ".", ",", "search", "query", "document", "passage", "中", "文", "端", "口")


def vocabulary() -> dict[str, int]:
    """Return words and ids of the tiny tokenizer."""
    return {word: number for number, word in enumerate((*SPECIAL, *WORDS, *EXTRA))}


def tokenizer_json(*, cut: int | None = 128) -> dict[str, Any]:
    """Return a WordPiece tokenizer that truncates and pads to ``cut`` tokens, as MiniLM's packaged one does."""
    words = vocabulary()
    special = [
        {
            "id": words[w],
            "content": w,
            "special": True,
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
        }
        for w in SPECIAL
    ]
    padding = {
        "strategy": {"Fixed": cut},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    marks = {t: {"SpecialToken": {"id": t, "type_id": 0}} for t in ("[CLS]", "[SEP]")}
    return {
        "version": "1.0",
        "truncation": {"max_length": cut, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
        if cut
        else None,
        "padding": padding if cut else None,
        "added_tokens": special,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [marks["[CLS]"], sequence, marks["[SEP]"]],
            "pair": [marks["[CLS]"], sequence, marks["[SEP]"], sequence, marks["[SEP]"]],
            "special_tokens": {t: {"id": t, "ids": [words[t]], "tokens": [t]} for t in ("[CLS]", "[SEP]")},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": words,
        },
    }


def weights(
    hidden: int, *, layers: int = 2, inner: int = 64, positions: int = 64, seed: int = 0
) -> encoder_graph.Weights:
    """Return random weights of a BERT-like encoder."""
    rng = np.random.default_rng(seed)

    def noise(*shape: int, scale: float = 0.2) -> encoder_graph.Floats:
        return rng.normal(0, scale, shape).astype(np.float32)

    made: encoder_graph.Weights = {
        "embeddings.word_embeddings.weight": noise(len(vocabulary()), hidden, scale=0.5),
        "embeddings.position_embeddings.weight": noise(positions, hidden, scale=0.1),
        "embeddings.token_type_embeddings.weight": noise(2, hidden),
        "embeddings.LayerNorm.weight": np.ones(hidden, np.float32),
        "embeddings.LayerNorm.bias": noise(hidden, scale=0.02),
    }
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        for part, outs, ins in (
            ("attention.self.query", hidden, hidden),
            ("attention.self.key", hidden, hidden),
            ("attention.self.value", hidden, hidden),
            ("attention.output.dense", hidden, hidden),
            ("intermediate.dense", inner, hidden),
            ("output.dense", hidden, inner),
        ):
            made[f"{name}.{part}.weight"] = noise(outs, ins)
            made[f"{name}.{part}.bias"] = noise(outs, scale=0.02)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            made[f"{name}.{part}.weight"] = np.ones(hidden, np.float32)
            made[f"{name}.{part}.bias"] = noise(hidden, scale=0.02)
    return made


def profile(**changes: Any) -> dict[str, Any]:
    """Return the fields of a tiny model's manifest but ``files``."""
    return {
        "name": "tiny",
        "family": "bert",
        "dims": 32,
        "matryoshka": None,
        "pooling": "mean",
        "prefixes": {"query": "", "passage": ""},
        "max_tokens": 64,
        "window_tokens": 24,
        "overlap_tokens": 6,
        "normalise": True,
        "floors": {"recall": 0.3, "near_duplicate": 0.95},
        "licence": "MIT",
        "attribution": "made by a test",
        "origin": {},
        **changes,
    }


def mark(file: Path) -> dict[str, Any]:
    """Return size and hash of a file, as a manifest keeps them."""
    return {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}


def write_manifest(folder: Path, data: dict[str, Any]) -> None:
    """Write a manifest that names model and tokenizer of the folder as they are."""
    files = {name: mark(folder / name) for name in ("model.onnx", "tokenizer.json")}
    (folder / "manifest.json").write_text(json.dumps({**data, "files": files}), encoding="utf-8")


def write_model(folder: Path, *, seed: int = 0, **changes: Any) -> Path:
    """Build a tiny model's whole folder; ``changes`` go into its manifest.

    Returns:
        The folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = profile(**changes)
    shape = encoder_graph.EncoderShape(hidden=data["dims"], layers=2, heads=4)
    made = weights(shape.hidden, positions=data["max_tokens"], seed=seed)
    model = encoder_graph.build(made, shape, int8=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json()), encoding="utf-8")
    write_manifest(folder, data)
    return folder
