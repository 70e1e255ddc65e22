"""The embedder over tiny models that are built here: sizes, families, damage, no network, lazy imports."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from libra.ground.errors import ConfigError, ModelDamaged, ModelError, ModelMissing
from libra.ground.vectors import Vector
from libra.inference.embedder import Embedder
from libra.inference.protocol import EmbedderLike
from tests.inference import tiny

NOMIC: dict[str, Any] = {
    "name": "nomic-tiny",
    "family": "nomic",
    "dims": 768,
    "matryoshka": [64, 256, 768],
    "prefixes": {"query": "search_query: ", "passage": "search_document: "},
    "max_tokens": 64,
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny BERT-like model."""
    return tiny.write_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def nomic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny model of nomic's family and width."""
    return tiny.write_model(tmp_path_factory.mktemp("nomic"), **NOMIC)


def raw_mean(folder: Path, text: str) -> Vector:
    """Work out the mean of a text's token rows with ONNX Runtime and tokenizers alone."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return np.asarray(session.run(None, feed)[0][0].mean(axis=0), dtype=np.float32)


def test_is_what_the_rest_of_libra_asks_for(plain: Path) -> None:
    """The embedder fits the protocol, and says on what it runs and why."""
    opened: EmbedderLike = Embedder.open(plain, providers=["cpu"])
    assert (opened.provider, opened.provider_reason) == ("cpu", "CPU was asked for")
    assert (opened.dims, opened.manifest.name) == (32, "tiny")
    assert opened.count("the port is 1") == 4
    opened.close()


def test_question_equals_the_bare_model(plain: Path) -> None:
    """A question's vector is the normalised mean of the model's rows."""
    opened = Embedder.open(plain)
    expected = raw_mean(plain, "the gateway port")
    got = opened.embed_query("the gateway port")
    assert got == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert got.dtype == np.float32


@pytest.mark.parametrize("dims", [64, 256, 768])
def test_nomic_sizes(nomic: Path, dims: int) -> None:
    """A vector of nomic: prefix, mean, layer norm over all 768, cut, unit length."""
    opened = Embedder.open(nomic, dims=dims)
    raw = raw_mean(nomic, "search_query: the gateway port")
    normed = (raw - raw.mean()) / np.sqrt(raw.var() + 1e-5)
    expected = normed[:dims] / np.linalg.norm(normed[:dims])
    got = opened.embed_query("the gateway port")
    assert got.shape == (dims,)
    assert got == pytest.approx(expected, abs=1e-5)
    [[window]] = opened.embed_passages(["the gateway port"])
    assert window.vector.shape == (dims,)
    assert not np.allclose(window.vector, got), "passages have another prefix"
    assert opened.fingerprint.startswith(f"{dims}-")


def test_sizes_that_the_model_was_not_trained_for(nomic: Path, plain: Path) -> None:
    """Another size is refused with the sizes that there are."""
    with pytest.raises(ConfigError, match="expected one of 64, 256, 768"):
        Embedder.open(nomic, dims=128)
    with pytest.raises(ConfigError, match="expected one of 32"):
        Embedder.open(plain, dims=16)


def test_known_folder_without_a_manifest(nomic: Path, tmp_path: Path) -> None:
    """A folder as the hub has it is recognised by its config, with the model in its own sub-folder."""
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes((nomic / "model.onnx").read_bytes())
    (tmp_path / "tokenizer.json").write_bytes((nomic / "tokenizer.json").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nomic_bert"}))
    opened = Embedder.open(tmp_path, dims=256)
    same = Embedder.open(nomic, dims=256)
    assert opened.manifest.name == "nomic-embed-text-v1.5"
    assert opened.manifest.model_file == "onnx/model.onnx"
    assert (opened.embed_query("the port") == same.embed_query("the port")).all()
    before = opened.fingerprint
    (tmp_path / "tokenizer.json").write_text(json.dumps(tiny.tokenizer_json(cut=None)))
    assert Embedder.open(tmp_path, dims=256).fingerprint != before


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ({"model_type": "whisper"}, ModelMissing),
        ({"model_type": ["x"]}, ModelMissing),
        ({}, ModelMissing),
        ([], ModelMissing),
        ({"model_type": "nomic_bert"}, ModelMissing),
        ("{", ModelDamaged),
    ],
)
def test_unknown_folder_without_a_manifest(tmp_path: Path, config: object, error: type[ModelError]) -> None:
    """A folder that is not known asks for a manifest."""
    (tmp_path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    with pytest.raises(error):
        Embedder.open(tmp_path)


def test_known_folder_without_tokenizer(nomic: Path, tmp_path: Path) -> None:
    """A known folder that lacks its tokenizer names that file."""
    (tmp_path / "model.onnx").write_bytes((nomic / "model.onnx").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nomic_bert"}))
    with pytest.raises(ModelMissing, match=r"tokenizer\.json is missing"):
        Embedder.open(tmp_path)


def test_wrong_hash_is_not_loaded(tmp_path: Path) -> None:
    """A model file with a wrong hash never reaches ONNX Runtime."""
    folder = tiny.write_model(tmp_path)
    raw = bytearray((folder / "model.onnx").read_bytes())
    raw[-5] ^= 255
    (folder / "model.onnx").write_bytes(raw)
    with pytest.raises(ModelDamaged, match="SHA-256"):
        Embedder.open(folder)


def test_model_that_is_none(tmp_path: Path) -> None:
    """A file that is what its manifest says but no ONNX model is damage with a hint, not a traceback."""
    folder = tiny.write_model(tmp_path)
    (folder / "model.onnx").write_bytes(b"no model at all")
    tiny.write_manifest(folder, tiny.profile())
    with pytest.raises(ModelDamaged, match="cannot be loaded") as caught:
        Embedder.open(folder)
    assert caught.value.hint


def test_windows_of_a_long_text(plain: Path) -> None:
    """A text longer than the model's limit is embedded whole, in windows, each as if it stood alone."""
    opened = Embedder.open(plain)
    text = " ".join(tiny.WORDS * 6)
    [windows, nothing, short] = opened.embed_passages([text, " \n", "blue"])
    assert nothing == []
    assert len(short) == 1
    assert len(windows) > 5
    assert (windows[0].start, windows[-1].end) == (0, len(text))
    part = windows[3]
    alone = raw_mean(plain, text[part.start : part.end])
    assert part.vector == pytest.approx(alone / np.linalg.norm(alone), abs=1e-5)


def test_one_vector_a_text(plain: Path) -> None:
    """``embed_texts`` gives unit rows in order, and zeros for a white text."""
    opened = Embedder.open(plain)
    rows = opened.embed_texts(["blue", "", "the gateway " * 40])
    assert rows.shape == (3, 32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)
    assert opened.embed_texts([]).shape == (0, 32)


def test_closed_model_says_so(plain: Path) -> None:
    """After closing, calls raise a model error; closing again is harmless."""
    opened = Embedder.open(plain)
    opened.close()
    opened.close()
    with pytest.raises(ModelError, match="closed"):
        opened.embed_query("blue")
    with pytest.raises(ModelError, match="closed"):
        opened.embed_passages(["blue"])


def test_many_threads_get_the_same_vectors(plain: Path) -> None:
    """Questions and passages from several threads at a time do not disturb each other."""
    opened = Embedder.open(plain)
    texts = [" ".join(tiny.WORDS[n : n + 9]) for n in range(20)]
    expected = [opened.embed_query(text) for text in texts]
    wrong: list[str] = []

    def ask() -> None:
        for text, vector in zip(texts, expected, strict=True):
            if float(opened.embed_query(text) @ vector) < 0.99999:
                wrong.append(text)

    def learn() -> None:
        for [window], vector in zip(opened.embed_passages(texts), expected, strict=True):
            if float(window.vector @ vector) < 0.99999:
                wrong.append("passage")

    threads = [threading.Thread(target=f, daemon=True) for f in (ask, learn, ask, learn)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert wrong == []


@pytest.mark.parametrize("name", ["onnxruntime", "tokenizers"])
def test_missing_runtime_is_a_model_error(plain: Path, root: Path, name: str) -> None:
    """Without ONNX Runtime or tokenizers the error says which, and text search can go on."""
    code = (
        "import sys; from pathlib import Path; sys.modules[sys.argv[2]] = None\n"
        "from libra.inference.embedder import Embedder; from libra.ground.errors import ModelError\n"
        "try:\n    Embedder.open(Path(sys.argv[1]))\n"
        "except ModelError as error:\n    print(error.reason, error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(plain), name],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == f"model_runtime the model runtime cannot be loaded: {name}", done.stderr


OFFLINE = """
import os, socket, sys
from pathlib import Path

def refuse(*_args, **_kwargs):
    raise AssertionError("network")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
import libra.inference.profiles, libra.inference.protocol
assert "numpy" not in sys.modules, "a manifest needs no numpy"
from libra.inference.embedder import Embedder
heavy = {"onnxruntime", "tokenizers", "huggingface_hub", "onnx", "torch"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
opened = Embedder.open(Path(sys.argv[1]))
opened.embed_query("the port")
assert not {"huggingface_hub", "onnx", "torch", "transformers"} & set(sys.modules)
assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
print("fine")
"""


def test_no_network_and_lazy_imports(plain: Path, root: Path) -> None:
    """Importing loads no runtime; opening and embedding need no socket and no hub."""
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(plain)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "fine", done.stderr
