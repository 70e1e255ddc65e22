"""The manifest of a model: all that is not in its weights, and how it is read.

Every complaint names the file and the field. Nothing here loads a model runtime.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libra.ground.errors import ConfigError, ModelDamaged, ModelMissing

MANIFEST = "manifest.json"
TOKENIZER_FILE = "tokenizer.json"
FAMILIES = ("bert", "xlm-r", "nomic")
POOLINGS = ("mean", "cls")

_HEX_SHA256 = re.compile(r"[0-9a-f]{64}")
_SMALLEST_WINDOW_TOKENS = 16


@dataclass(frozen=True, slots=True)
class FileMark:
    """What a file of a model must be: its SHA-256 (hex) and its size in bytes."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Words that a model was trained to see before each text."""

    query: str
    passage: str


@dataclass(frozen=True, slots=True)
class Floors:
    """Cosines at which this model's vectors mean something; each in [0, 1].

    Attributes:
        recall: Items under it are not recalled unless asked for.
        near_duplicate: Two memories at or above it say the same.
        same_turn: An earlier turn at or above it counts as a repetition (the gate's F).
        saturation: A memory at or above it already covers the turn (the gate's S).
        guidance: Elevated guidance above it is relevant to a query.

    Source: memory-model.md §4, §5, §6; the values depend on the model (feasibility.md §2).
    """

    recall: float
    near_duplicate: float
    same_turn: float = 0.80
    saturation: float = 0.85
    guidance: float = 0.35


@dataclass(frozen=True, slots=True)
class Manifest:
    """A profile: everything about a model that is not in its weights.

    Attributes:
        name: Profile name, as in the configuration.
        family: ``bert``, ``xlm-r`` or ``nomic``: how vectors are made from the model's output.
        dims: Components of the full vector.
        matryoshka: Smaller sizes that vectors may be cut to; empty if the model was not trained for it.
        pooling: ``mean`` over the tokens, or ``cls``.
        prefixes: Put before queries and passages.
        max_tokens: The model's limit, special tokens included.
        window_tokens: Tokens of one window of a long passage, special tokens included.
        overlap_tokens: Tokens that neighbouring windows share.
        normalise: Whether vectors are scaled to unit length (always so for cosines; kept for the record).
        floors: Similarity floors.
        files: What each file of the folder must be.
        licence: SPDX name.
        attribution: Whose work it is.
        origin: Where the weights come from (package, version, hashes).
    """

    name: str
    family: str
    dims: int
    matryoshka: tuple[int, ...]
    pooling: str
    prefixes: Prefixes
    max_tokens: int
    window_tokens: int
    overlap_tokens: int
    normalise: bool
    floors: Floors
    files: Mapping[str, FileMark]
    licence: str
    attribution: str
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model_file(self) -> str:
        """The name of the ONNX file within the folder."""
        return next(name for name in self.files if name.endswith(".onnx"))


class Fields:
    """Reads fields of a manifest's JSON; every complaint names the file and the field.

    Args:
        data: The JSON object.
        file: Where it stands.
        within: Name of the object that it is in, with a dot behind it.
    """

    def __init__(self, data: Mapping[str, Any], file: Path, within: str = "") -> None:
        self._data = data
        self._file = file
        self._within = within

    def fault(self, key: str, expected: str) -> ConfigError:
        """Return the error for a field."""
        name = f"{self._within}{key}"
        return ConfigError(
            f"{self._file}: field {name}: expected {expected}",
            reason="model_manifest",
            where=f"{self._file}: {name}",
            hint="rebuild the model folder, or copy it anew",
        )

    def get(self, key: str, expected: str) -> Any:
        """Return a value of any kind."""
        if key not in self._data:
            raise self.fault(key, f"{expected}, but it is missing")
        return self._data[key]

    def text(self, key: str, *, empty: bool = False) -> str:
        """Return a string, which may be empty only where that is said."""
        value = self.get(key, "a string")
        if not isinstance(value, str) or not (value or empty):
            raise self.fault(key, "a string" if empty else "a string that is not empty")
        return value

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """Return one of the allowed strings."""
        expected = "one of " + ", ".join(allowed)
        value = self.get(key, expected)
        if value not in allowed:
            raise self.fault(key, expected)
        return str(value)

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number within bounds; with a default the field may be absent."""
        if default is not None and key not in self._data:
            return default
        value = self.get(key, "a whole number")
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.fault(key, f"a whole number from {low} to {high}")
        return value

    def share(self, key: str, default: float | None = None) -> float:
        """Return a number from 0 to 1; with a default the field may be absent."""
        if default is not None and key not in self._data:
            return default
        value = self.get(key, "a number from 0 to 1")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise self.fault(key, "a number from 0 to 1")
        return float(value)

    def table(self, key: str) -> Mapping[str, Any]:
        """Return an object."""
        value = self.get(key, "an object")
        if not isinstance(value, dict):
            raise self.fault(key, "an object")
        return value

    def inner(self, key: str) -> Fields:
        """Return a reader of an inner object."""
        return Fields(self.table(key), self._file, f"{self._within}{key}.")


def load_manifest(folder: Path) -> Manifest:
    """Read and check ``manifest.json`` of a model folder; the model's files are not touched.

    Raises:
        ModelMissing: There is no manifest.
        ModelDamaged: It is not JSON, or it cannot be read.
        ConfigError: A field is missing or wrong; file and field are named.
    """
    return _manifest(read_fields(folder))


def read_fields(folder: Path) -> Fields:
    """Read ``manifest.json`` of a folder.

    Raises:
        ModelMissing: There is no manifest.
        ModelDamaged: It is not a JSON object, or it cannot be read.
    """
    file = folder / MANIFEST
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"{file} is missing"
        raise ModelMissing(message, where=str(file), hint="name a folder that holds a model") from None
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}"
        raise ModelDamaged(message, where=str(file)) from error
    except (ValueError, RecursionError) as error:
        message = f"{file} is not JSON"
        raise ModelDamaged(message, where=str(file), hint="copy the model folder anew") from error
    if not isinstance(data, dict):
        message = f"{file} does not hold a JSON object"
        raise ModelDamaged(message, where=str(file))
    return Fields(data, file)


def _manifest(top: Fields) -> Manifest:
    prefixes, floors = top.inner("prefixes"), top.inner("floors")
    dims = top.whole("dims", 8, 8192)
    max_tokens = top.whole("max_tokens", _SMALLEST_WINDOW_TOKENS, 1 << 20)
    window = top.whole("window_tokens", _SMALLEST_WINDOW_TOKENS, max_tokens, default=min(256, max_tokens))
    return Manifest(
        name=top.text("name"),
        family=top.choice("family", FAMILIES),
        dims=dims,
        matryoshka=_matryoshka(top, dims),
        pooling=top.choice("pooling", POOLINGS),
        prefixes=Prefixes(prefixes.text("query", empty=True), prefixes.text("passage", empty=True)),
        max_tokens=max_tokens,
        window_tokens=window,
        overlap_tokens=top.whole("overlap_tokens", 0, window // 2, default=window // 8),
        normalise=_true(top, "normalise"),
        floors=Floors(
            recall=floors.share("recall"),
            near_duplicate=floors.share("near_duplicate"),
            same_turn=floors.share("same_turn", 0.80),
            saturation=floors.share("saturation", 0.85),
            guidance=floors.share("guidance", 0.35),
        ),
        files=_files_of_one(top),
        licence=top.text("licence"),
        attribution=top.text("attribution", empty=True),
        origin=dict(top.table("origin")),
    )


def _true(top: Fields, key: str) -> bool:
    if top.get(key, "true") is not True:
        raise top.fault(key, "true (every similarity here is a cosine)")
    return True


def _matryoshka(top: Fields, dims: int) -> tuple[int, ...]:
    value = top.get("matryoshka", "a list of sizes, or null")
    if value is None:
        return ()
    expected = f"a rising list of multiples of 8 up to dims ({dims}), or null"
    if not isinstance(value, list) or not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        raise top.fault("matryoshka", expected)
    sizes = tuple(value)
    if sizes != tuple(sorted(set(sizes))) or any(v <= 0 or v % 8 or v > dims for v in sizes):
        raise top.fault("matryoshka", expected)
    return sizes


def _files_of_one(top: Fields) -> dict[str, FileMark]:
    out = file_marks(top)
    if sum(name.endswith(".onnx") for name in out) != 1:
        raise top.fault("files", "one .onnx file among them")
    return out


def file_marks(top: Fields) -> dict[str, FileMark]:
    """Return what each file of the folder must be; a tokenizer is among them.

    Raises:
        ConfigError: A name leads out of the folder, or a mark is wrong.
    """
    table = top.inner("files")
    out = {}
    for name in top.table("files"):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise table.fault(name, "a name inside the model's folder")
        mark = table.inner(name)
        sha256 = mark.text("sha256")
        if not _HEX_SHA256.fullmatch(sha256):
            raise mark.fault("sha256", "64 lower-case hex digits")
        out[name] = FileMark(sha256, mark.whole("bytes", 0, 1 << 40))
    if TOKENIZER_FILE not in out:
        raise table.fault(TOKENIZER_FILE, "a size and a hash, but it is missing")
    return out
