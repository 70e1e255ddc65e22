"""Settings in JSON, JSONC or JSON5, edited in place: comments, order, spacing, line ends and marks all stay.

A scanner reads the text into nodes with their places; an edit is made between two places. Whatever was edited is
read again, and has to be the old value with the new member, or the edit is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from libra.hosts.edits import Edit, Unreadable, apply, newline_of

_DEPTH = 100
_MAX_CHARS = 8_000_000
_SKIP = re.compile(r"(?:[\s\ufeff]+|//[^\n\r]*|/\*(?:[^*]|\*(?!/))*\*/)+")
_BARE = re.compile(r"""[^\s,:{}\[\]"'/]+""")
_STRING = re.compile(r""""(?:[^"\\\n]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\n]|\\(?:\r\n|[\s\S]))*'""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])")
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object (``key``), or an item of an array (``key`` is empty)."""

    key: str
    start: int
    node: Node


@dataclass(slots=True)
class Node:
    """A value and its place: ``start`` is its first character, ``end`` the one behind its last.

    ``kind`` is ``{``, ``[`` or ``v``; ``comma`` says whether the last member is followed by one, ``after_comma``
    is the place behind it.
    """

    kind: str
    start: int
    end: int = 0
    value: Any = None
    members: list[Member] = field(default_factory=list)
    after_comma: int | None = None


def parse(text: str) -> Node:
    """Read a text.

    Raises:
        Unreadable: It is no JSON of any of the three kinds.
    """
    if len(text) > _MAX_CHARS:
        raise Unreadable("the file is too large")
    node, at = _value(text, _skip(text, 0), 0)
    if _skip(text, at) != len(text):
        raise Unreadable(f"something follows the value (character {at})")
    return node


def read(text: str) -> Any:
    """Return the value of a text; an empty one is an empty object."""
    return _plain(parse(text)) if _skip(text, 0) < len(text) else {}


def _plain(node: Node) -> Any:
    if node.kind == "{":
        return {m.key: _plain(m.node) for m in node.members}
    if node.kind == "[":
        return [_plain(m.node) for m in node.members]
    return node.value


def _skip(text: str, at: int) -> int:
    found = _SKIP.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > _DEPTH:
        raise Unreadable("it nests too deep")
    first = text[at : at + 1]
    if first in {"{", "["}:
        return _container(text, at, depth)
    if first in {'"', "'"}:
        said, end = _string(text, at)
        return Node("v", at, end, said), end
    found = _BARE.match(text, at)
    if not found:
        raise Unreadable(f"a value was expected (character {at})")
    return Node("v", at, found.end(), _bare(found.group())), found.end()


def _container(text: str, at: int, depth: int) -> tuple[Node, int]:
    node = Node(text[at], at)
    closing = "}" if node.kind == "{" else "]"
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        if node.members and node.after_comma is None:
            raise Unreadable(f"a comma was expected (character {at})")
        start, key = at, ""
        if node.kind == "{":
            key, at = _key(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise Unreadable(f"a colon was expected (character {at})")
            at = _skip(text, at + 1)
        child, at = _value(text, at, depth + 1)
        node.members.append(Member(key, start, child))
        at, node.after_comma = _skip(text, at), None
        if text[at : at + 1] == ",":
            node.after_comma = at + 1
            at = _skip(text, at + 1)
    node.end = at + 1
    return node, node.end


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] in {'"', "'"}:
        return _string(text, at)
    found = _BARE.match(text, at)
    if not found:
        raise Unreadable(f"a name was expected (character {at})")
    return found.group(), found.end()


def _string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if not found:
        raise Unreadable(f"a text does not end (character {at})")
    return _ESCAPE.sub(_escaped, found.group()[1:-1]), found.end()


def _escaped(found: re.Match[str]) -> str:
    mark = found.group(1)
    if len(mark) > 1 and mark[0] in "ux":
        return chr(int(mark[1:], 16))
    return _SIMPLE.get(mark, mark)


def _bare(word: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    try:
        return json.loads(word)
    except ValueError:
        return ("bare", word)  # a number or name of JSON5: kept as it is written


# ------------------------------------------------------------------ edits


def put(text: str, path: Sequence[str], value: Any) -> list[Edit]:
    """Return the edits that give the member at a path this value; none if it has it already.

    Objects on the way that are missing are made. Each edit belongs to the text after the ones before it.

    Raises:
        Unreadable: The text cannot be read, or something on the way is no object.
    """
    wanted = _with(read(text), path, value)
    if wanted == read(text):
        return []
    if _skip(text, 0) == len(text):
        return _checked(text, [Edit(len(text), "", "{}" + newline_of(text))], path, value)
    return _checked(text, [], path, value)


def _checked(text: str, edits: list[Edit], path: Sequence[str], value: Any) -> list[Edit]:
    wanted = _with(read(text), path, value)
    done = text
    for edit in edits:
        done = apply(done, edit)
    more = _put(done, path, value)
    for edit in more:
        done = apply(done, edit)
    if read(done) != wanted:
        raise Unreadable("the edit would change something else")
    return [*edits, *more]


def _with(old: Any, path: Sequence[str], value: Any) -> Any:
    if not path:
        return value
    if not isinstance(old, dict):
        raise Unreadable(f"what holds {path[0]!r} is no object")
    return {**old, path[0]: _with(old.get(path[0], {}), path[1:], value)}


def _put(text: str, path: Sequence[str], value: Any) -> list[Edit]:
    node = parse(text)
    for depth, key in enumerate(path):
        found = [m for m in node.members if m.key == key]
        if not found:
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return _insert(text, node, key, value)
        node = found[-1].node
    indent = _indent_at(text, node.start)
    return [Edit(node.start, text[node.start : node.end], _written(text, value, indent))]


def append(text: str, path: Sequence[str], value: Any) -> list[Edit]:
    """Return the edits that add an item to the array at a path; none if it has it.

    Raises:
        Unreadable: The text cannot be read, or something else than an array is there.
    """
    found: Any = read(text)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if found is None:
        return put(text, path, [value])
    if not isinstance(found, list):
        raise Unreadable(f"{'.'.join(path)} is no list")
    if value in found:
        return []
    node = parse(text)
    for key in path:
        node = next(m for m in reversed(node.members) if m.key == key).node
    return _insert(text, node, "", value)


def _insert(text: str, node: Node, key: str, value: Any) -> list[Edit]:
    """Return the edits that add a last member to a container."""
    newline, outer = newline_of(text), _indent_at(text, node.start)
    if not node.members:
        inner = outer + _unit(text)
        between = text[node.start + 1 : node.end - 1]
        close = "" if between.lstrip(" \t\r")[:1] == "\n" and not between.strip() else newline + outer
        written = f"{newline}{inner}{_named(text, key, value, inner)}{close}"
        return [Edit(node.start + 1, "", written)]
    last = node.members[-1]
    own_line = _own_line(text, last.start)
    inner = _indent_at(text, last.start) if own_line else outer
    gap = newline + inner if own_line else " "
    written = gap + _named(text, key, value, inner if own_line else None)
    if node.after_comma is not None:
        return [Edit(_line_rest(text, node.after_comma, node.end), "", written + ",")]
    rest = _line_rest(text, last.node.end, node.end)
    if rest == last.node.end:
        return [Edit(rest, "", "," + written)]
    return [Edit(last.node.end, "", ","), Edit(rest + 1, "", written)]


def _line_rest(text: str, at: int, end: int) -> int:
    """Return the end of what belongs to the value before ``at`` on its line: a comment behind it stays its own."""
    found = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^*\n\r]*\*/)").match(text, at, end)
    return found.end() if found else at


def _named(text: str, key: str, value: Any, indent: str | None) -> str:
    written = _written(text, value, indent)
    return f"{json.dumps(key, ensure_ascii=False)}: {written}" if key else written


def _written(text: str, value: Any, indent: str | None) -> str:
    """Return a value in the text's own style; on one line without an indent."""
    if indent is None or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline_of(text) + indent).join(lines)


def _own_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t\r\ufeff") and "\n" in text[:at]


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return what the text indents by: the first indent in it, else two spaces."""
    found = re.search(r"\n([ \t]+)[^\s/*]", text)
    return found.group(1) if found else "  "


# ------------------------------------------------------------------ taking out without a record


def cut(text: str, path: Sequence[str]) -> list[Edit]:
    """Return the edit that takes the member at a path out, with its comma; none if it is not there."""
    if _skip(text, 0) == len(text):
        return []
    node = parse(text)
    for key in path[:-1]:
        found = [m for m in node.members if m.key == key]
        if not found:
            return []
        node = found[-1].node
    at = next((n for n, m in enumerate(node.members) if m.key == path[-1]), None)
    if at is None or node.kind != "{":
        return []
    return [_cut_member(text, node, at)]


def drop(text: str, path: Sequence[str], value: Any) -> list[Edit]:
    """Return the edit that takes an item out of the array at a path; none if it is not there."""
    if _skip(text, 0) == len(text):
        return []
    node = parse(text)
    for key in path:
        found = [m for m in node.members if m.key == key]
        if not found:
            return []
        node = found[-1].node
    at = next((n for n, m in enumerate(node.members) if _plain(m.node) == value), None)
    return [] if at is None or node.kind != "[" else [_cut_member(text, node, at)]


def _cut_member(text: str, node: Node, at: int) -> Edit:
    start, end = node.members[at].start, node.members[at].node.end
    if at + 1 < len(node.members):
        end = node.members[at + 1].start
    elif at > 0:
        start = node.members[at - 1].node.end
        end = node.after_comma or end
        kept = "," if node.after_comma is not None else ""
        return Edit(start, text[start:end], kept)
    else:
        start, end = node.start + 1, node.end - 1
    return Edit(start, text[start:end], "")
