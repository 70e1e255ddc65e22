"""JSON as people write it in configuration files: comments, trailing commas, bare keys, single quotes."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_TOKEN: Final = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<double>"(?:[^"\\]|\\.)*")
    |(?P<single>'(?:[^'\\]|\\.)*')
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<space>\s+)
    |(?P<number>[-+]?(?:0[xX][0-9a-fA-F]+|\.?\d[\w.+-]*))
    |(?P<mark>[{}\[\]:,])""",
    re.VERBOSE | re.DOTALL,
)
_LITERALS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "undefined": "null",
    "NaN": "null",
    "Infinity": "null",
}


def loads(text: str) -> Any:
    """Return the value of a JSON text, or of a JSON5-like one.

    Raises:
        ValueError: It is neither.
    """
    text = text.removeprefix("\ufeff")
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_strict(text))


def _strict(text: str) -> str:
    """Return ``text`` rewritten as strict JSON.

    Raises:
        ValueError: A character fits no token.
    """
    out: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"unexpected character at {at}")
        at = match.end()
        kind, token = match.lastgroup, match.group()
        if kind in {"comment", "space"}:
            continue
        if token in {"}", "]"} and out and out[-1] == ",":
            out.pop()
        out.append(_token(kind, token))
    return "".join(out)


def _token(kind: str | None, token: str) -> str:
    """Return one token in strict JSON."""
    if kind == "single":
        inner = token[1:-1].replace("\\'", "'").replace('"', '\\"')
        return f'"{inner}"'
    if kind == "double":
        return token.replace("\\'", "'").replace("\\\n", "")
    if kind == "word":
        return _LITERALS.get(token) or json.dumps(token)
    if kind == "number":
        number = token.removeprefix("+")
        if number[:2].lower() == "0x":
            return str(int(number, 16))
        return f"0{number}" if number.startswith(".") else number.removesuffix(".")
    return token
