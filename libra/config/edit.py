"""One key of the settings file changed in place: everything else of it, comments and order, stays as it was."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from libra.ground import toml
from libra.ground.errors import Conflict

_HEAD = re.compile(r"[ \t]*\[[ \t]*([A-Za-z0-9_.\- \t]+?)[ \t]*\][ \t]*(?:#.*)?")
_ANY_HEAD = re.compile(r"[ \t]*\[")


def put(text: str, key: str, value: Any) -> str:
    """Return the file with a key set, or taken out where the value is None.

    Args:
        text: The file: TOML.
        key: Its full name: ``store.writer.busy_ms``; one without a table stands at the file's top.
        value: A boolean, a number, a text or a list of texts.

    Raises:
        Conflict: The file says the key in a form that is left to its owner (an inline table, a dotted key).
    """
    table, _, name = key.rpartition(".")
    old = toml.loads(text)
    wanted = _with(old, key.split("."), value)
    if wanted == old:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    # Not splitlines(): a text may hold signs that only Python takes for the end of a line.
    lines = text.removesuffix("\n").replace("\r\n", "\n").split("\n") if text else []
    first, end = _span(lines, table)
    fresh = [] if value is None else [f"{name} = {_written(value)}"]
    if first is None:
        lead = [""] if lines and lines[-1].strip() else []
        lines += [*lead, f"[{table}]", *fresh]
        attempts: Iterator[list[str]] = iter([lines])
    else:
        attempts = _replaced(lines, first, end, name, fresh)
    for attempt in attempts:
        done = newline.join(attempt) + newline
        if _reads(done) == wanted:
            return done
    raise Conflict(
        f"{key} is written in a form that is left to you",
        reason="own_form",
        hint="change the file by hand",
        where=key,
    )


def _span(lines: list[str], table: str) -> tuple[int | None, int]:
    """Return the first line in a table and the first one behind it; None if the file has no head for it.

    The table without a name is the file's top, which needs none.
    """
    if not table:
        return 0, next((n for n, line in enumerate(lines) if _ANY_HEAD.match(line)), len(lines))
    for n, line in enumerate(lines):
        head = _HEAD.fullmatch(line)
        if head and re.sub(r"\s", "", head[1]) == table:
            behind = (m for m in range(n + 1, len(lines)) if _ANY_HEAD.match(lines[m]))
            return n + 1, next(behind, len(lines))
    return None, len(lines)


def _replaced(lines: list[str], first: int, end: int, name: str, fresh: list[str]) -> Iterator[list[str]]:
    """Yield what the file may become: the key's line replaced, or as many lines as its value takes."""
    is_key = re.compile(rf"[ \t]*(?:{re.escape(name)}|\"{re.escape(name)}\")[ \t]*=")
    at = next((n for n in range(first, end) if is_key.match(lines[n])), None)
    if at is None:
        # At the top behind what stands there, often words about the file; in a table as its first.
        place = first
        if not first:
            place = next((n for n in range(end, 0, -1) if lines[n - 1].strip()), 0)
        yield [*lines[:place], *fresh, *lines[place:]]
        return
    for behind in range(at + 1, len(lines) + 1):
        yield [*lines[:at], *fresh, *lines[behind:]]


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    if isinstance(value, str):
        # JSON's strings are TOML's, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _with(table: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """Return a table with another value at a path; a table that has become empty stays."""
    name, *rest = path
    out = dict(table)
    if rest:
        inner = out.get(name, {})
        if not isinstance(inner, dict):
            return table
        if value is not None or name in out:
            out[name] = _with(inner, rest, value)
    elif value is None:
        out.pop(name, None)
    else:
        out[name] = value
    return out


def _reads(text: str) -> dict[str, Any] | None:
    try:
        return toml.loads(text)
    except tomllib.TOMLDecodeError:
        return None
