"""Model folders: every wrong manifest names file and field, every wrong file is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from libra.ground.errors import ConfigError, ModelDamaged, ModelMissing
from libra.inference.profiles import find, fingerprint, load_manifest, verify
from tests.inference import tiny


def listed() -> dict[str, Any]:
    """Return a whole manifest whose files are named but need not exist."""
    return {
        **tiny.profile(),
        "files": {n: {"sha256": "0" * 64, "bytes": 1} for n in ("model.onnx", "tokenizer.json")},
    }


def write(folder: Path, data: object) -> Path:
    """Write a manifest as it is given."""
    (folder / "manifest.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def test_loads(tmp_path: Path) -> None:
    """A whole manifest is read, and floors that are left out have the memory model's values."""
    manifest = load_manifest(write(tmp_path, listed()))
    assert (manifest.name, manifest.dims, manifest.matryoshka, manifest.window_tokens) == ("tiny", 32, (), 24)
    assert (manifest.floors.same_turn, manifest.floors.saturation, manifest.floors.guidance) == (
        0.80,
        0.85,
        0.35,
    )
    assert manifest.model_file == "model.onnx"


WRONG: tuple[tuple[str, Callable[[dict[str, Any]], object]], ...] = (
    ("name", lambda d: d.pop("name")),
    ("name", lambda d: d.update(name="")),
    ("name", lambda d: d.update(name=3)),
    ("family", lambda d: d.update(family="gpt")),
    ("family", lambda d: d.update(family=["bert"])),
    ("dims", lambda d: d.pop("dims")),
    ("dims", lambda d: d.update(dims="384")),
    ("dims", lambda d: d.update(dims=True)),
    ("dims", lambda d: d.update(dims=0)),
    ("matryoshka", lambda d: d.pop("matryoshka")),
    ("matryoshka", lambda d: d.update(matryoshka=[64, 32])),
    ("matryoshka", lambda d: d.update(matryoshka=[12])),
    ("matryoshka", lambda d: d.update(matryoshka=[8, 4096])),
    ("matryoshka", lambda d: d.update(matryoshka="64")),
    ("pooling", lambda d: d.update(pooling="max")),
    ("prefixes", lambda d: d.update(prefixes=[])),
    ("prefixes.query", lambda d: d["prefixes"].pop("query")),
    ("prefixes.passage", lambda d: d["prefixes"].update(passage=None)),
    ("max_tokens", lambda d: d.update(max_tokens=8)),
    ("window_tokens", lambda d: d.update(window_tokens=65)),
    ("overlap_tokens", lambda d: d.update(overlap_tokens=13)),
    ("normalise", lambda d: d.update(normalise=False)),
    ("floors.recall", lambda d: d["floors"].pop("recall")),
    ("floors.near_duplicate", lambda d: d["floors"].update(near_duplicate=1.2)),
    ("floors.same_turn", lambda d: d["floors"].update(same_turn="high")),
    ("files", lambda d: d.pop("files")),
    ("files", lambda d: d["files"].pop("model.onnx")),
    ("files", lambda d: d["files"].update({"other.onnx": {"sha256": "0" * 64, "bytes": 1}})),
    ("files.tokenizer.json", lambda d: d["files"].pop("tokenizer.json")),
    (
        "files.../outside.bin",
        lambda d: d["files"].update({"../outside.bin": {"sha256": "0" * 64, "bytes": 1}}),
    ),
    ("files.model.onnx.sha256", lambda d: d["files"]["model.onnx"].update(sha256="XYZ")),
    ("files.model.onnx.bytes", lambda d: d["files"]["model.onnx"].update(bytes=-1)),
    ("files.model.onnx", lambda d: d["files"].update({"model.onnx": "sha"})),
    ("licence", lambda d: d.pop("licence")),
    ("attribution", lambda d: d.pop("attribution")),
    ("origin", lambda d: d.update(origin="here")),
)


@pytest.mark.parametrize(("field", "spoil"), WRONG, ids=[f"{n}-{f}" for n, (f, _) in enumerate(WRONG)])
def test_wrong_field_is_named(tmp_path: Path, field: str, spoil: Callable[[dict[str, Any]], object]) -> None:
    """A missing or wrong field gives an error that names the file and the field."""
    data = listed()
    spoil(data)
    with pytest.raises(ConfigError) as caught:
        load_manifest(write(tmp_path, data))
    assert caught.value.where == f"{tmp_path / 'manifest.json'}: {field}"
    assert f"field {field}: expected" in caught.value.message


def test_no_manifest(tmp_path: Path) -> None:
    """A folder without a manifest is a missing model, not a crash."""
    with pytest.raises(ModelMissing, match=r"manifest\.json is missing"):
        load_manifest(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '"\udcff"'])
def test_no_json(tmp_path: Path, text: str) -> None:
    """What is no JSON object is a damaged model that names its file."""
    (tmp_path / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelDamaged) as caught:
        load_manifest(tmp_path)
    assert caught.value.where == str(tmp_path / "manifest.json")


def test_whole_folder_verifies(tmp_path: Path) -> None:
    """The files that the manifest names are accepted."""
    folder = tiny.write_model(tmp_path)
    verify(folder, load_manifest(folder))


def test_wrong_hash(tmp_path: Path) -> None:
    """One changed byte is noticed, in the right file, with both hashes."""
    folder = tiny.write_model(tmp_path)
    file = folder / "model.onnx"
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(raw)
    with pytest.raises(ModelDamaged, match=r"model\.onnx has SHA-256 .* its manifest says") as caught:
        verify(folder, load_manifest(folder))
    assert caught.value.where == str(file)
    assert caught.value.hint


def test_cut_file(tmp_path: Path) -> None:
    """A file that was cut short is told by its size."""
    folder = tiny.write_model(tmp_path)
    file = folder / "tokenizer.json"
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(ModelDamaged, match="bytes, its manifest says"):
        verify(folder, load_manifest(folder))


def test_missing_file_says_how_to_build_it(tmp_path: Path) -> None:
    """A manifest without its weights, as a profile that is not kept in git, names the recipe."""
    folder = tiny.write_model(tmp_path, origin={"recipe": "python models/build.py tiny"})
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelMissing, match=r"model\.onnx is missing") as caught:
        verify(folder, load_manifest(folder))
    assert caught.value.hint == "build it: python models/build.py tiny"


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    """A folder where a file should be is damage, not a traceback."""
    folder = tiny.write_model(tmp_path)
    manifest = load_manifest(folder)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").mkdir()
    with pytest.raises(ModelDamaged):
        verify(folder, manifest)


def test_find_by_name_and_path(tmp_path: Path) -> None:
    """A bare name is looked for among the shipped profiles and those beside them, a path is taken as it is."""
    own = tmp_path / "mine"
    own.mkdir()
    assert find("minilm-l6-v2").name == "minilm-l6-v2"
    assert find("mine", beside=[tmp_path]) == own
    assert find(str(own)) == own
    assert find("..").is_dir()
    for wanted in ("nothing-like-it", str(tmp_path / "gone"), "./no/such/folder"):
        with pytest.raises(ModelMissing):
            find(wanted)


def test_fingerprint_follows_content_not_name(tmp_path: Path) -> None:
    """The fingerprint changes with files, prefixes, pooling, family and dims, and not with name or folder."""
    one = load_manifest(tiny.write_model(tmp_path / "one"))
    moved = load_manifest(tiny.write_model(tmp_path / "two", name="other"))
    assert fingerprint(one, 32) == fingerprint(moved, 32)
    other = load_manifest(tiny.write_model(tmp_path / "three", seed=1))
    prefixed = load_manifest(
        tiny.write_model(tmp_path / "four", prefixes={"query": "query: ", "passage": ""})
    )
    seen = {
        fingerprint(one, 32),
        fingerprint(one, 16),
        fingerprint(other, 32),
        fingerprint(prefixed, 32),
        fingerprint(replace(one, pooling="cls"), 32),
        fingerprint(replace(one, family="nomic"), 32),
    }
    assert len(seen) == 6
