"""Which notes of a folder are wanted: patterns of paths, tags, and what is never a note. Pure.

Patterns are those of ``.gitignore`` in small: ``*`` within a name, ``**`` over folders; one without a slash is
about the file's name, wherever it lies. A tag is one of Obsidian's: in the front matter (``tags:``) or ``#tag`` in
the text; ``work`` also means ``work/harbour``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

NEVER: Final = ("*.excalidraw.md", "*.sync-conflict-*", "*.tmp", "*~")
"""Drawings, copies of a conflict, temporary files (lessons.md C78); hidden folders are left out anyway."""

_PIECES: Final = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_AS_REGEX: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_INLINE: Final = re.compile(r"(?:^|(?<=\s))#([\w/-]{1,100})", re.MULTILINE)
_FRONT_MAX_LINES: Final = 200
_SEPARATORS: Final = re.compile(r"[\s,\[\]\"']+")


def wanted(path: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """Whether a note is wanted.

    Args:
        path: Its path below the root, with slashes.
        include: Patterns of which one must fit; none for all.
        exclude: Patterns of which none may fit.
    """
    if any(_fits(path, pattern) for pattern in (*exclude, *NEVER)):
        return False
    return not include or any(_fits(path, pattern) for pattern in include)


def tagged(text: str, tags: tuple[str, ...]) -> bool:
    """Whether a note has one of the tags; True if none are asked for."""
    if not tags:
        return True
    have = {tag.lower() for tag in (*_front_tags(text), *_INLINE.findall(text))}
    return any(
        tag == own or own.startswith(f"{tag}/")
        for tag in (t.lower().lstrip("#") for t in tags)
        for own in have
    )


def _front_tags(text: str) -> list[str]:
    """Return the tags in the front matter: on one line, or one a line below."""
    lines = text.split("\n", _FRONT_MAX_LINES)[:_FRONT_MAX_LINES]
    if lines[0].rstrip() != "---":
        return []
    out: list[str] = []
    inside = False
    for line in lines[1:]:
        if line.rstrip() == "---":
            return out
        key, colon, value = line.partition(":")
        if colon and not line.startswith((" ", "\t", "-")):
            inside = key.strip().lower() in {"tags", "tag"}
        else:
            value = line.strip().removeprefix("-")
        if inside:
            out += [tag.lstrip("#") for tag in _SEPARATORS.split(value) if tag]
    return []  # front matter that never ends is none


def _fits(path: str, pattern: str) -> bool:
    where = path if "/" in pattern else path.rpartition("/")[2]
    return _regex(pattern.lstrip("/")).fullmatch(where) is not None


@lru_cache(maxsize=256)
def _regex(pattern: str) -> re.Pattern[str]:
    if pattern.endswith("/"):
        pattern += "**"
    return re.compile("".join(_AS_REGEX.get(piece) or re.escape(piece) for piece in _PIECES.findall(pattern)))
