"""Folders that hold an encoder and a decoder of the T5 family: their manifest, or an Optimum export without one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from libra.ground.errors import ConfigError, ModelDamaged, ModelMissing
from libra.inference.adopt import with_outside_data
from libra.inference.manifest import MANIFEST, TOKENIZER_FILE, Fields, FileMark, file_marks, read_fields
from libra.inference.profiles import mark_of, verify

FAMILIES = ("t5",)
_MOST_TOKENS = 4096
_FEWEST_TOKENS = 16

ROLES = ("encoder", "decoder_with_past", "decoder_model_merged", "decoder")
"""What a file is, by how its name begins: Optimum's own names, and the short ones. The first that fits."""

_PLACES = ("", "onnx/")
_KINDS = ("", "_quantized", "_int8")
_PREFIXES: Mapping[str, str] = MappingProxyType({"t5": "summarize: ", "mt5": "", "umt5": "", "longt5": ""})
"""Task prefixes by ``model_type`` where a folder's ``config.json`` names none; also: the types that are known."""


@dataclass(frozen=True, slots=True)
class Seq2SeqManifest:
    """All about an encoder–decoder that is not in its weights.

    Attributes:
        name: For people.
        family: ``t5``: how text becomes input and output becomes text.
        prefix: Words before each text that tell the model its task.
        pad_id, end_id, start_id: Tokens for padding, for the end of a text, and before the first of an output.
        max_tokens: Longest input, prefix and special tokens included.
        files: What each file of the folder must be.
        licence, attribution, origin: See :class:`libra.inference.manifest.Manifest`.
    """

    name: str
    family: str
    prefix: str
    pad_id: int
    end_id: int
    start_id: int
    max_tokens: int
    files: Mapping[str, FileMark]
    licence: str
    attribution: str
    origin: Mapping[str, Any] = field(default_factory=dict)

    def file_of(self, role: str) -> str | None:
        """Return the file of one of :data:`ROLES`, None if there is none."""
        return next((name for name in self.files if role_of(name) == role), None)


def role_of(name: str) -> str | None:
    """Return which of :data:`ROLES` an ONNX file is, None if it is none of them."""
    path = PurePosixPath(name)
    if path.suffix != ".onnx":
        return None
    return next((role for role in ROLES if path.name.startswith(role)), None)


def verified_seq2seq(folder: Path) -> Seq2SeqManifest:
    """Return the manifest of a folder whose files are those that it names.

    Without a manifest it is made of what an Optimum export of a known type says of itself; its files are then as
    they are.

    Raises:
        ModelMissing: Neither a manifest nor a known model is there, or a file is not.
        ModelDamaged: A file is not the one that is named, or cannot be read.
        ConfigError: A field is wrong.
    """
    if (folder / MANIFEST).exists() or not (folder / "config.json").exists():
        manifest = _manifest(read_fields(folder))
        verify(folder, manifest)
        return manifest
    try:
        return _adopted(folder)
    except FileNotFoundError as error:
        raise ModelMissing(f"model file {error.filename} is missing", where=str(error.filename)) from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelDamaged(f"{folder} cannot be read as a model", where=str(folder)) from error


def _manifest(top: Fields) -> Seq2SeqManifest:
    files = file_marks(top)
    roles = [role for role in map(role_of, files) if role is not None]
    if "encoder" not in roles or not {"decoder", "decoder_model_merged"} & set(roles):
        raise top.fault(
            "files", "an encoder and a decoder among them (encoder_model.onnx, decoder_model.onnx)"
        )
    if len(roles) != len(set(roles)):
        raise top.fault("files", "only one file of each kind among them")
    return Seq2SeqManifest(
        name=top.text("name"),
        family=top.choice("family", FAMILIES),
        prefix=top.text("prefix", empty=True),
        pad_id=top.whole("pad_id", 0, 1 << 24),
        end_id=top.whole("end_id", 0, 1 << 24),
        start_id=top.whole("start_id", 0, 1 << 24),
        max_tokens=top.whole("max_tokens", _FEWEST_TOKENS, _MOST_TOKENS),
        files=files,
        licence=top.text("licence"),
        attribution=top.text("attribution", empty=True),
        origin=dict(top.table("origin")),
    )


def _adopted(folder: Path) -> Seq2SeqManifest:
    """Return the manifest of an Optimum export.

    Raises:
        OSError, ValueError: A file cannot be read.
    """
    config = _config(folder)
    kind = config.get("model_type")
    found = _found(folder)
    known = isinstance(kind, str) and kind in _PREFIXES and config.get("is_encoder_decoder", True) is True
    if not known or found is None:
        raise ModelMissing(
            f"{folder} holds neither {MANIFEST} nor an encoder and a decoder that are known",
            where=str(folder),
            hint=f"known without a manifest: Optimum exports of {', '.join(_PREFIXES)}; for others write {MANIFEST}",
        )
    ids = {
        key: _id(config, key, folder) for key in ("pad_token_id", "eos_token_id", "decoder_start_token_id")
    }
    names = [name for model in found for name in with_outside_data(folder, model)]
    longest = config.get("n_positions", 512)
    return Seq2SeqManifest(
        name=folder.name,
        family="t5",
        prefix=_prefix(config, str(kind)),
        pad_id=ids["pad_token_id"],
        end_id=ids["eos_token_id"],
        start_id=ids["decoder_start_token_id"],
        max_tokens=min(max(longest, _FEWEST_TOKENS), _MOST_TOKENS) if isinstance(longest, int) else 512,
        files={name: mark_of(folder / name) for name in (*names, TOKENIZER_FILE)},
        licence="unknown",
        attribution="",
        origin={"model_type": kind},
    )


def _config(folder: Path) -> dict[str, Any]:
    """Return ``config.json``, with what ``generation_config.json`` says beyond it."""
    out: dict[str, Any] = {}
    for name in ("generation_config.json", "config.json"):
        if name == "config.json" or (folder / name).exists():
            value = json.loads((folder / name).read_text(encoding="utf-8"))
            out |= value if isinstance(value, dict) else {}
    return out


def _id(config: Mapping[str, Any], key: str, folder: Path) -> int:
    value = config.get(key)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        where = f"{folder / 'config.json'}: {key}"
        raise ConfigError(f"{where}: expected a token's number", reason="model_manifest", where=where)
    return value


def _prefix(config: Mapping[str, Any], kind: str) -> str:
    """Return the words that tell the model to summarise, as its own configuration has them."""
    tasks = config.get("task_specific_params")
    task = tasks.get("summarization") if isinstance(tasks, dict) else None
    prefix = task.get("prefix") if isinstance(task, dict) else None
    return prefix if isinstance(prefix, str) else _PREFIXES[kind]


def _found(folder: Path) -> Sequence[str] | None:
    """Return the files of an export: encoder and decoder, with the one for later steps if there is one."""
    for place in _PLACES:
        for kind in _KINDS:
            name = f"{place}{{}}{kind}.onnx".format
            encoder, decoder = name("encoder_model"), name("decoder_model")
            past, merged = name("decoder_with_past_model"), name("decoder_model_merged")
            if not (folder / encoder).is_file():
                continue
            if (folder / decoder).is_file() and (folder / past).is_file():
                return [encoder, decoder, past]
            if (folder / merged).is_file():
                return [encoder, merged]
            if (folder / decoder).is_file():
                return [encoder, decoder]
    return None
