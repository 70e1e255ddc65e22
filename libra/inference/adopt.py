"""Folders that people have downloaded themselves: a known model is recognised without a manifest."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from libra.ground.errors import ModelDamaged, ModelMissing
from libra.inference.profiles import (
    MANIFEST,
    TOKENIZER_FILE,
    Floors,
    Manifest,
    Prefixes,
    load_manifest,
    mark_of,
    verify,
)

MODEL_PLACES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
)
"""Where the hubs' repositories keep the ONNX file; the first that is there is taken."""

_NOMIC = Manifest(
    name="nomic-embed-text-v1.5",
    family="nomic",
    dims=768,
    matryoshka=(64, 128, 256, 512, 768),
    pooling="mean",
    prefixes=Prefixes("search_query: ", "search_document: "),
    max_tokens=2048,
    window_tokens=256,
    overlap_tokens=32,
    normalise=True,
    floors=Floors(recall=0.30, near_duplicate=0.95),
    files=MappingProxyType({}),
    licence="Apache-2.0",
    attribution="nomic-embed-text-v1.5 by Nomic AI",
    origin=MappingProxyType({"model": "nomic-ai/nomic-embed-text-v1.5"}),
)
KNOWN = MappingProxyType({"nomic_bert": _NOMIC})
"""Profiles by the ``model_type`` of a folder's ``config.json``. Source: the models' cards."""


def verified_profile(folder: Path) -> Manifest:
    """Return the manifest of a folder whose files are those that it names.

    Without a manifest it is that of the known model that the folder holds. Its files are then hashed as they
    are: there is nothing to compare them with, but a change of them still changes the fingerprint.

    Raises:
        ModelMissing: Neither a manifest nor a known model is there, or a file is not.
        ModelDamaged: A file is not the one that is named, or cannot be read.
        ConfigError: A field of the manifest is wrong.
    """
    config_file = folder / "config.json"
    if (folder / MANIFEST).exists() or not config_file.exists():
        manifest = load_manifest(folder)
        verify(folder, manifest)
        return manifest
    try:
        config = json.loads(config_file.read_text(encoding="utf-8"))
        kind = config.get("model_type") if isinstance(config, dict) else None
        known = KNOWN.get(kind) if isinstance(kind, str) else None
        model = next((name for name in MODEL_PLACES if (folder / name).is_file()), None)
        if known is None or model is None:
            raise ModelMissing(
                f"{folder} holds neither {MANIFEST} nor an ONNX model that is known",
                where=str(folder),
                hint=f"known without a manifest: {', '.join(KNOWN)}; for others write {MANIFEST}",
            )
        files = {name: mark_of(folder / name) for name in (*with_outside_data(folder, model), TOKENIZER_FILE)}
    except FileNotFoundError as error:
        raise ModelMissing(f"model file {error.filename} is missing", where=str(error.filename)) from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelDamaged(f"{folder} cannot be read as a model", where=str(folder)) from error
    return replace(known, files=files)


def with_outside_data(folder: Path, model: str) -> list[str]:
    """Return a model's file and those in which a large one keeps its weights, by ONNX's habit of naming them."""
    return [model, *(name for name in (f"{model}_data", f"{model}.data") if (folder / name).is_file())]
