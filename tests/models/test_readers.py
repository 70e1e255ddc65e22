"""Readers of weight files: what they read from small files made here, and what they say of broken ones."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from models.recipes import e5_file, safetensors_file, unigram
from models.recipes.wheels import RecipeError

WIDTH, INNER, WORDS = 32, 64, 7
PIECES = ("<s>", "<pad>", "</s>", "<unk>", "\u2581blue", "\u2581", "s")


def safetensors(tensors: dict[str, np.ndarray], *, shift: int = 0) -> bytes:
    """Write a safetensors file."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        kind = {"f4": "F32", "f2": "F16", "i8": "I64"}[tensor.dtype.str[1:]]
        end = len(body) + tensor.nbytes + shift
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(body), end]}
        body += tensor.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def test_safetensors(tmp_path: Path) -> None:
    """Floats of both widths come back as float32, whole numbers are left out."""
    one = np.arange(6, dtype=np.float32).reshape(2, 3)
    half = np.array([0.5, 2.0], dtype=np.float16)
    file = tmp_path / "model.safetensors"
    file.write_bytes(safetensors({"one": one, "half": half, "ids": np.arange(3, dtype=np.int64)}))
    read = safetensors_file.read(file)
    assert sorted(read) == ["half", "one"]
    assert (read["one"] == one).all()
    assert read["half"].tolist() == [0.5, 2.0]
    assert read["half"].dtype == np.float32


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xff" * 8, struct.pack("<Q", 5) + b"{", safetensors({"x": np.ones(2, np.float32)}, shift=9)],
)
def test_broken_safetensors(tmp_path: Path, raw: bytes) -> None:
    """A header or tensor that does not fit the file is an error that names it."""
    file = tmp_path / "model.safetensors"
    file.write_bytes(raw)
    with pytest.raises(ValueError, match=r"model\.safetensors"):
        safetensors_file.read(file)


def blocks(values: np.ndarray) -> bytes:
    """Pack whole numbers from -8 to 7 into 4-bit blocks with scale 0.5."""
    out = b""
    for block in values.reshape(-1, 32):
        up = (block + 8).astype(np.uint8)
        out += struct.pack("<e", 0.5) + (up[:16] | (up[16:] << 4)).tobytes()
    return out


def e5(*, magic: bytes = b"E5S1", block: int = 32) -> tuple[bytes, dict[str, np.ndarray]]:
    """Write a file of one layer; also return its matrices' values."""
    rng = np.random.default_rng(3)
    matrices = {"emb.word": rng.integers(-8, 8, (WORDS, WIDTH))}
    for short in ("q", "k", "v", "ao"):
        matrices[f"l0.{short}.w"] = rng.integers(-8, 8, (WIDTH, WIDTH))
    matrices["l0.fi.w"] = rng.integers(-8, 8, (INNER, WIDTH))
    matrices["l0.fo.w"] = rng.integers(-8, 8, (WIDTH, INNER))
    floats = {"emb.pos": rng.normal(size=(16, WIDTH)), "emb.type": rng.normal(size=(2, WIDTH))}
    for name in ("emb.ln", "l0.aln", "l0.oln"):
        floats[f"{name}.w"], floats[f"{name}.b"] = np.ones(WIDTH), np.zeros(WIDTH)
    for short in ("q", "k", "v", "ao", "fi", "fo"):
        floats[f"l0.{short}.b"] = rng.normal(size=INNER if short == "fi" else WIDTH)
    head = magic + struct.pack("<I7ifi", 1, WIDTH, 1, 4, INNER, WORDS, 16, 2, 1e-12, block)
    text = [piece.encode() for piece in PIECES]
    offsets = np.cumsum([0, *map(len, text)]).astype("<u4")
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, text)))
    head += offsets.tobytes() + np.arange(0, -len(PIECES), -1).astype("<f4").tobytes() + b"".join(text)
    table = struct.pack("<IB2I", ord("ﬁ"), 2, ord("f"), ord("i"))
    head += struct.pack("<iI", 1, len(table)) + table
    packed = {name: blocks(value) for name, value in matrices.items()}
    packed |= {name: value.astype("<f4").tobytes() for name, value in floats.items()}
    sizes = {name: value.size for name, value in (matrices | floats).items()}
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in packed)
    directory, body = struct.pack("<i", len(packed)), b""
    for name, raw in packed.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", 1, sizes[name], start + len(body), len(raw))
        body += raw
    return head + directory + body, matrices


def test_e5_file(tmp_path: Path) -> None:
    """Sizes, vocabulary, replacements, floats and 4-bit blocks come out as they went in."""
    raw, matrices = e5()
    file = tmp_path / "e5.bin"
    file.write_bytes(raw)
    read = e5_file.read(file)
    assert (read.shape.hidden, read.shape.layers, read.shape.heads) == (WIDTH, 1, 4)
    assert read.shape.epsilon == 1e-12
    assert [piece for piece, _ in read.vocabulary.pieces] == list(PIECES)
    assert (read.vocabulary.bos, read.vocabulary.eos, read.vocabulary.unk) == (0, 2, 3)
    assert read.replacements == {"ﬁ": "fi"}
    assert (read.weights["embeddings.word_embeddings.weight"] == matrices["emb.word"] * 0.5).all()
    assert (read.weights["encoder.layer.0.output.dense.weight"] == matrices["l0.fo.w"] * 0.5).all()
    assert read.weights["encoder.layer.0.intermediate.dense.weight"].shape == (INNER, WIDTH)


@pytest.mark.parametrize(
    ("raw", "message"),
    [(b"GGUF" + bytes(100), "no E5S1"), (e5()[0][:150], "damaged"), (e5(block=64)[0], "blocks of 64")],
    ids=["other", "cut", "blocks"],
)
def test_broken_e5_file(tmp_path: Path, raw: bytes, message: str) -> None:
    """Another file, a cut one and one with other blocks are refused."""
    file = tmp_path / "e5.bin"
    file.write_bytes(raw)
    with pytest.raises(RecipeError, match=message):
        e5_file.read(file)


def test_unigram_tokenizer(tmp_path: Path) -> None:
    """The tokenizer that is written by hand loads, frames a text and normalises it."""
    from tokenizers import Tokenizer

    file = tmp_path / "tokenizer.json"
    pieces = tuple((piece, -float(n)) for n, piece in enumerate(PIECES))
    unigram.write(e5_file.Vocabulary(pieces, 0, 2, 1, 3), file)
    tokenizer = Tokenizer.from_file(str(file))
    assert tokenizer.encode("blue  ｂｌｕｅs").tokens == ["<s>", "\u2581blue", "\u2581blue", "s", "</s>"]
    assert tokenizer.truncation is None
    assert tokenizer.padding is None
    before = file.read_bytes()
    unigram.write(e5_file.Vocabulary(pieces, 0, 2, 1, 3), file)
    assert file.read_bytes() == before
