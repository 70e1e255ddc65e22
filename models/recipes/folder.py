"""Writes a profile's folder: the manifest beside the files that it names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .wheels import sha256_of

MANIFEST = "manifest.json"
NEEDED = ("model.onnx", "tokenizer.json")
"""What a model cannot run without."""


def write_manifest(folder: Path, profile: Mapping[str, Any], papers: Sequence[str]) -> dict[str, str]:
    """Write ``manifest.json``.

    Args:
        folder: The profile's folder.
        profile: All fields of the manifest but ``files``, in order.
        papers: Licence and notice: they belong to the folder, but a model runs without them.

    Returns:
        The SHA-256 of each file of the folder, the manifest's own among them.
    """
    marks = {
        name: {"sha256": sha256_of(folder / name), "bytes": (folder / name).stat().st_size} for name in NEEDED
    }
    text = json.dumps({**profile, "files": marks}, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
    return {name: sha256_of(folder / name) for name in (*NEEDED, *papers, MANIFEST)}


def write_text(target: Path, text: str) -> None:
    """Write a text file with Unix line ends on every platform."""
    target.write_text(text, encoding="utf-8", newline="\n")
