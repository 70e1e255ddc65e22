"""TOML as people write it: :mod:`tomllib`, except for names that no settings have."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

_MOST_PARTS: Final = 32
_LONG_NAME: Final = re.compile(rf"(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")


def loads(text: str) -> dict[str, Any]:
    """Return the tables of a text.

    A name of a great many parts (``a.a.a.a…``) is refused: the library's time grows with the square of their number, a megabyte of
    one name takes it a quarter of an hour.

    Raises:
        tomllib.TOMLDecodeError: It is no TOML, or a name has more than 32 parts.
        RecursionError: It nests too deep.
    """
    if any(line.count(".") >= _MOST_PARTS and _LONG_NAME.search(line) for line in text.split("\n")):
        raise tomllib.TOMLDecodeError(f"a name has more than {_MOST_PARTS} parts")
    return tomllib.loads(text)
