"""Model folders: where they are, whether their files are the right ones, and the fingerprint of their vectors.

A folder holds ``manifest.json`` and the files that it lists. Nothing here loads a model runtime.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from libra.ground.errors import ModelDamaged, ModelMissing
from libra.ground.paths import shipped
from libra.inference.manifest import (
    MANIFEST,
    TOKENIZER_FILE,
    FileMark,
    Floors,
    Manifest,
    Prefixes,
    load_manifest,
)

__all__ = [
    "DEFAULT_PROFILE",
    "MANIFEST",
    "TOKENIZER_FILE",
    "FileMark",
    "Floors",
    "Manifest",
    "Prefixes",
    "find",
    "fingerprint",
    "load_manifest",
    "mark_of",
    "sha256_of",
    "verify",
]

DEFAULT_PROFILE = "minilm-l6-v2"
_HASH_CHUNK_BYTES = 1 << 20


def find(name_or_path: str, beside: Sequence[Path] = ()) -> Path:
    """Return the folder of a model.

    Args:
        name_or_path: A profile name (``minilm-l6-v2``) or a path to a folder that holds a model.
        beside: Further folders in which profiles are looked for by name (after those that came with Libra).

    Raises:
        ModelMissing: There is no such folder.
    """
    named = Path(name_or_path).expanduser()
    if name_or_path and named.name == name_or_path and name_or_path not in {".", ".."}:
        candidates = [root / name_or_path for root in (shipped("models"), *beside)]
    else:
        candidates = [named]
    for folder in candidates:
        if folder.is_dir():
            return folder
    places = ", ".join(str(folder) for folder in candidates)
    message = f"there is no model folder {places}"
    raise ModelMissing(message, where=places, hint="name a profile that came with Libra, or a model's folder")


class NamesFiles(Protocol):
    """A manifest of whatever kind of model."""

    @property
    def files(self) -> Mapping[str, FileMark]:
        """What each file of the folder must be."""
        ...

    @property
    def origin(self) -> Mapping[str, Any]:
        """Where the weights come from."""
        ...


def verify(folder: Path, manifest: NamesFiles) -> None:
    """Check that every file that the manifest names is there and is the very one.

    Sizes are compared before anything is hashed, so that a cut download is told at once.

    Raises:
        ModelMissing: A file is not there.
        ModelDamaged: A file has another size or another SHA-256, or cannot be read.
    """
    for name, mark in manifest.files.items():
        file = folder / name
        try:
            size_bytes = file.stat().st_size
            if size_bytes != mark.size_bytes:
                raise _damaged(file, f"has {size_bytes} bytes, its manifest says {mark.size_bytes}")
            found = sha256_of(file)
        except FileNotFoundError:
            message = f"model file {file} is missing"
            raise ModelMissing(message, where=str(file), hint=_hint(manifest)) from None
        except OSError as error:
            raise _damaged(file, f"cannot be read: {error.strerror}") from error
        if found != mark.sha256:
            raise _damaged(file, f"has SHA-256 {found[:12]}…, its manifest says {mark.sha256[:12]}…")


def _hint(manifest: NamesFiles) -> str:
    recipe = manifest.origin.get("recipe")
    return f"build it: {recipe}" if isinstance(recipe, str) else "copy the model folder anew"


def _damaged(file: Path, what: str) -> ModelDamaged:
    return ModelDamaged(
        f"model file {file} {what}", where=str(file), hint="it is not used; copy the model folder anew"
    )


def mark_of(file: Path) -> FileMark:
    """Return what a file is now.

    Raises:
        OSError: The file cannot be read.
    """
    return FileMark(sha256_of(file), file.stat().st_size)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hex, read piece by piece.

    Raises:
        OSError: The file cannot be read.
    """
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_HASH_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def fingerprint(manifest: Manifest, dims: int) -> str:
    """Return the identity of the vector space: ``<dims>-<16 hex digits>``.

    It follows the content of the model's files and all that shapes a vector; never the profile's name or a
    path, so that a moved folder keeps its vectors and another model of the same size does not mix with them.

    Source: architecture.md, Storage; lessons.md C82 to C84.
    """
    shape = [
        *(manifest.files[name].sha256 for name in sorted(manifest.files)),
        manifest.family,
        manifest.pooling,
        manifest.prefixes.query,
        manifest.prefixes.passage,
        str(dims),
    ]
    return f"{dims}-{hashlib.sha256(json.dumps(shape).encode()).hexdigest()[:16]}"
