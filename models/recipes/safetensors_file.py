"""Reads a safetensors file: eight bytes of header length, a JSON header, raw little-endian tensors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

_LENGTH_BYTES = 8
_DTYPES = {"F32": "<f4", "F16": "<f2"}


def read(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Return all floating-point tensors of the file by name, as float32; others are left out.

    Raises:
        ValueError: The file is no safetensors file, or a tensor lies outside it.
    """
    raw = path.read_bytes()
    start = _LENGTH_BYTES + int.from_bytes(raw[:_LENGTH_BYTES], "little")
    if not _LENGTH_BYTES < start <= len(raw):
        raise ValueError(f"{path}: the header does not fit the file")
    header = json.loads(raw[_LENGTH_BYTES:start])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in _DTYPES:
            continue
        first, last = (start + offset for offset in entry["data_offsets"])
        if not start <= first <= last <= len(raw):
            raise ValueError(f"{path}: tensor {name} lies outside the file")
        flat = np.frombuffer(raw[first:last], dtype=_DTYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"]).astype(np.float32)
    return tensors
