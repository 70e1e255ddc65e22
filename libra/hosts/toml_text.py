"""Settings in TOML, edited in place: a table of ours is added at the end, and taken out again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from libra.hosts.edits import Edit, Unreadable, apply, newline_of

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str) -> dict[str, Any]:
    """Return the value of a text.

    Raises:
        Unreadable: It is no TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def put(text: str, path: Sequence[str], table: Mapping[str, Any]) -> list[Edit]:
    """Return the edits that make this the table at a path; none if it is there already.

    Args:
        text: The file.
        path: Names from the top down to the table.
        table: Strings, numbers, booleans and lists of strings.

    Raises:
        Unreadable: The text is no TOML, or says the tables above in a form that cannot be added to.
    """
    old = read(text)
    if _at(old, path) == dict(table):
        return []
    edits = cut(text, path)
    for edit in edits:
        text = apply(text, edit)
    newline = newline_of(text)
    lead = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    lines = [f"[{'.'.join(_key(name) for name in path)}]"]
    lines += [f"{_key(name)} = {_value(value)}" for name, value in table.items()]
    edits.append(Edit(len(text), "", lead + newline.join(lines) + newline))
    done = apply(text, edits[-1])
    if _at(read(done), path) != dict(table) or _without(read(done), path) != _without(old, path):
        raise Unreadable("the edit would change something else")
    return edits


def cut(text: str, path: Sequence[str]) -> list[Edit]:
    """Return the edit that takes the table at a path out, with its sub-tables; none if it is not there.

    Raises:
        Unreadable: It is there, but not as a table of its own.
    """
    old = read(text)
    if _at(old, path) is None:
        return []
    name = r"\s*\.\s*".join(rf"(?:{re.escape(p)}|\"{re.escape(p)}\"|'{re.escape(p)}')" for p in path)
    heads = re.compile(rf"^[ \t]*\[[ \t]*{name}[ \t]*(?:\.[^\]\n]*)?\][^\n]*\n?", re.MULTILINE)
    done, edits = text, []
    while (head := next((h for h in heads.finditer(done) if _reads(done[: h.start()])), None)) is not None:
        end = _end_of_table(done, head.end())
        start = head.start()
        edits.append(Edit(start, done[start:end], ""))
        done = apply(done, edits[-1])
    if _at(read(done), path) is not None or _without(read(done), path) != _without(old, path):
        raise Unreadable(f"{'.'.join(path)} is written in a form that is left to its owner")
    return edits


def _end_of_table(text: str, at: int) -> int:
    """Return where the table ends: at the next head that leaves the rest readable as it was, else at the end."""
    for found in re.compile(r"^[ \t]*\[", re.MULTILINE).finditer(text, at):
        if _reads(text[at : found.start()]):
            return found.start()
    return len(text)


def _reads(text: str) -> bool:
    """Return True if a part is whole: it does not end within a text or a list."""
    try:
        read(text)
    except Unreadable:
        return False
    return True


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _without(value: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a value without the table at a path, and without tables that are empty then."""
    if path[0] not in value:
        return value
    rest = {k: v for k, v in value.items() if k != path[0]}
    inner = value[path[0]]
    if len(path) == 1 or not isinstance(inner, dict):
        return rest
    inner = _without(inner, path[1:])
    return {**value, path[0]: inner} if inner else rest


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name)


def _value(value: Any) -> str:
    """Return a value as TOML writes it; its basic strings are JSON's, control characters escaped."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_value(v) for v in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
