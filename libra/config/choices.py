"""What a value may be beyond its type and its bounds: closed lists of words, folders that have to be there, names of variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from libra.assembly.packer import TailPolicy
from libra.config import named
from libra.ground.errors import InvalidParams, ModelMissing
from libra.inference.reranker import STYLES
from libra.lifecycle.decay import DecayModel
from libra.sources.service import SourceParams

_PROVIDERS = ("cpu", "directml", "coreml", "cuda")
"""As :data:`libra.inference.providers.ORT_NAMES`; not read from there, since that loads a model's runtime."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "assemble.tail_policy": tuple(TailPolicy),
    "decay.model": tuple(DecayModel),
    "rerank.style": STYLES,
    "sources.hosts": SourceParams("").hosts,
    "model.providers": _PROVIDERS,
}
"""All words that a key may have, or that may stand in its list."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check(path: str, value: Any, file: Path) -> None:
    """Check a value that a person sets now, of the right type as far as that is known.

    It asks for more than a start does: a folder may be on a drive that is away at a start, but whoever names it can name one that is there.

    Args:
        path: The key's full name.
        value: What it is to be.
        file: The settings file: relative folders are meant from its own.

    Raises:
        InvalidParams: It cannot be that.
    """
    if path in CHOICES:
        _words(CHOICES[path], value)
    if path in _CHECKS and isinstance(value, str):
        _CHECKS[path](value, file)


def _refused(expected: str) -> InvalidParams:
    return InvalidParams(f"expected {expected}", where="value")


def _words(known: tuple[str, ...], value: Any) -> None:
    if isinstance(value, str) and value not in known:
        raise _refused(f"one of {', '.join(known)}")
    if isinstance(value, list) and any(word not in known for word in value):
        raise _refused(f"none but {', '.join(known)}")


def _folder(value: str, file: Path) -> None:
    if not value.strip() or not named.place(value, file).is_dir():
        raise _refused("a folder that is there")


def _any_folder(value: str, file: Path) -> None:
    if not value.strip() or (named.place(value, file).exists() and not named.place(value, file).is_dir()):
        raise _refused("a folder")


def _profile(value: str, _file: Path) -> None:
    from libra.inference.profiles import find

    try:
        if value.strip():
            find(value)
            return
    except ModelMissing:
        pass
    raise _refused("the name of a model that came with Libra, or a model's folder that is there")


def _variable(value: str, _file: Path) -> None:
    if not _VARIABLE.fullmatch(value):
        raise _refused("the name of an environment variable: letters, digits and _")


_CHECKS: Final[Mapping[str, Callable[[str, Path], None]]] = {
    "model.profile": _profile,
    "model.folder": _folder,
    "summarizer.model": _folder,
    "rerank.model": _folder,
    "mirror.folder": _any_folder,
    "summarizer.key_env": _variable,
    "rerank.key_env": _variable,
}
