"""One setting two levels deep in a YAML file, edited line by line: what is not plainly a block of lines is left alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from libra.hosts.edits import Edit, Unreadable, newline_of

_CHILD = re.compile(r"^([ ]+)(?![ #\r\n])", re.MULTILINE)


def put(text: str, path: Sequence[str], value: str) -> list[Edit]:
    """Return the edit that gives ``section: name:`` this plain word; none if it has it.

    Raises:
        Unreadable: The section is there in another form than a block.
    """
    found = _value(text, path)
    if found is not None:
        start, old = found
        return [] if old.strip("\"'") == value else [Edit(start, old, value if old else f" {value}")]
    section, name = path
    newline = newline_of(text)
    block = _block(text, section)
    if block is None:
        lead = "" if not text.strip("\ufeff") or text.endswith("\n") else newline
        return [Edit(len(text), "", f"{lead}{section}:{newline}  {name}: {value}{newline}")]
    start, end = block
    child = _CHILD.search(text, start, end)
    indent = child.group(1) if child else "  "
    lead = "" if text[start - 1 : start] == "\n" else newline
    return [Edit(start, "", f"{lead}{indent}{name}: {value}{newline}")]


def cut(text: str, path: Sequence[str], value: str) -> list[Edit]:
    """Return the edit that takes the line of ``section: name: value`` out; none if it says something else."""
    found = _value(text, path)
    if found is None or found[1].strip("\"'") != value:
        return []
    start = text.rfind("\n", 0, found[0]) + 1
    end = text.find("\n", found[0]) + 1 or len(text)
    return [Edit(start, text[start:end], "")]


def _block(text: str, section: str) -> tuple[int, int] | None:
    """Return where a section's lines begin and end; None if it is not there."""
    head = re.search(rf"^\ufeff?{re.escape(section)}[ ]*:([^\r\n]*)\r?(?:\n|\Z)", text, re.MULTILINE)
    if head is None:
        return None
    if head.group(1).split("#")[0].strip():
        raise Unreadable(f"{section} is written in a form that is left to its owner")
    after = re.compile(r"^[^\s#]", re.MULTILINE).search(text, head.end())
    return head.end(), after.start() if after else len(text)


def _value(text: str, path: Sequence[str]) -> tuple[int, str] | None:
    """Return the place and the words of a setting; None if it is not there."""
    section, name = path
    block = _block(text, section)
    child = _CHILD.search(text, *block) if block else None
    if block is None or child is None:
        return None
    line = re.compile(
        rf"^{child.group(1)}{re.escape(name)}[ ]*:[ ]*([^\r\n#]*?)[ ]*(?:#[^\r\n]*)?\r?$", re.MULTILINE
    )
    found = line.search(text, *block)
    return (found.start(1), found.group(1)) if found else None
