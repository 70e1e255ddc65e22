"""Settings in TOML, edited in place: a table of ours at the end, or a line of ours in a person's table, and out again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from libra.ground import toml
from libra.hosts.edits import Edit, Unreadable, apply, newline_of

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str) -> dict[str, Any]:
    """Return the value of a text.

    Raises:
        Unreadable: It is no TOML.
    """
    try:
        return toml.loads(text.removeprefix("\ufeff"))
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
    edits.append(_appended(text, path, table))
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
    heads = re.compile(rf"^[ \t]*\[[ \t]*{_name(path)}[ \t]*(?:\.[^\]\n]*)?\][^\n]*\n?", re.MULTILINE)
    done, edits = text, []
    while (head := next((h for h in heads.finditer(done) if _reads(done[: h.start()])), None)) is not None:
        end = _end_of_table(done, head.end())
        start = head.start()
        edits.append(Edit(start, done[start:end], ""))
        done = apply(done, edits[-1])
    if _at(read(done), path) is not None or _without(read(done), path) != _without(old, path):
        raise Unreadable(f"{'.'.join(path)} is written in a form that is left to its owner")
    return edits


def only_differs_at(before: str, after: str, path: Sequence[str]) -> bool:
    """Whether two texts say the same but for what is at a path."""
    try:
        return _without(read(before), path) == _without(read(after), path)
    except Unreadable:
        return False


def put_key(text: str, path: Sequence[str], value: Any) -> list[Edit]:
    """Return the edit that gives a key of a table this value; none if it has it. The table's other keys stay.

    Raises:
        Unreadable: The text is no TOML, or says the table in a form that cannot be added to.
    """
    old = read(text)
    if _at(old, path) == value:
        return []
    *table, name = path
    body = _body(text, table)
    if body is None:
        edit = _appended(text, table, {name: value})
    elif (line := _line(text, body, name)) is not None:
        edit = Edit(line.start("value"), line["value"], _value(value))
    else:
        newline = newline_of(text)
        lead = "" if text[body[0] - 1] == "\n" else newline
        edit = Edit(body[0], "", f"{lead}{_key(name)} = {_value(value)}{newline}")
    return [_proven(text, old, path, value, edit)]


def cut_key(text: str, path: Sequence[str], value: Any) -> list[Edit]:
    """Return the edit that takes the line of a key out of its table; none if it is not there with this value.

    Raises:
        Unreadable: It is there, but not on a line of its own.
    """
    old = read(text)
    if _at(old, path) != value:
        return []
    body = _body(text, path[:-1])
    line = _line(text, body, path[-1]) if body is not None else None
    if line is None:
        raise Unreadable(f"{'.'.join(path)} is written in a form that is left to its owner")
    return [_proven(text, old, path, None, Edit(line.start(), line.group(), ""))]


def _proven(text: str, old: dict[str, Any], path: Sequence[str], value: Any, edit: Edit) -> Edit:
    """Return an edit that sets what is at a path and nothing else.

    Raises:
        Unreadable: It would do something else.
    """
    done = read(apply(text, edit))
    if _at(done, path) != value or _without(done, path) != _without(old, path):
        raise Unreadable("the edit would change something else")
    return edit


def _appended(text: str, path: Sequence[str], table: Mapping[str, Any]) -> Edit:
    """Return the edit that adds a table at the end."""
    newline = newline_of(text)
    lead = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    lines = [f"[{'.'.join(_key(name) for name in path)}]"]
    lines += [f"{_key(name)} = {_value(value)}" for name, value in table.items()]
    return Edit(len(text), "", lead + newline.join(lines) + newline)


def _body(text: str, table: Sequence[str]) -> tuple[int, int] | None:
    """Return where the lines of a table are, without its head; None if it has none of its own."""
    heads = re.compile(rf"^\ufeff?[ \t]*\[[ \t]*{_name(table)}[ \t]*\][^\n]*\n?", re.MULTILINE)
    head = next((h for h in heads.finditer(text) if _reads(text[: h.start()])), None)
    return None if head is None else (head.end(), _end_of_table(text, head.end()))


def _line(text: str, body: tuple[int, int], name: str) -> re.Match[str] | None:
    """Return the line of a key with a plain value."""
    lines = re.compile(
        rf"^[ \t]*{_name([name])}[ \t]*=[ \t]*(?P<value>true|false|\"[^\"\\\n]*\")[^\n]*\n?", re.MULTILINE
    )
    found = lines.finditer(text, *body)
    return next((line for line in found if _reads(text[body[0] : line.start()])), None)


def _name(path: Sequence[str]) -> str:
    """Return the pattern of a name, bare or in quotes."""
    return r"\s*\.\s*".join(rf"(?:{re.escape(p)}|\"{re.escape(p)}\"|'{re.escape(p)}')" for p in path)


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
