"""Memories as readable Markdown, and back: one list item each, with its id in a comment that no reader shows.

Whatever a person does to the words in an editor is understood: an item with an id is that memory, one without is a new one. A
file that does not begin with our mark is not ours (or was emptied by a program that was stopped), so that nothing follows from
what is missing in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from libra.ground.records import digest, normal_text

_MARK: Final = "<!-- libra mirror -->"
_ADVICE: Final = (
    "<!-- Change words and Libra keeps them, the old ones in its history; delete an item and it goes to the archive;"
    " add one and it is remembered. -->"
)
_ID: Final = re.compile(r"[ \t]*<!-- (m[0-9a-zA-Z_-]{1,60})(?: [^>\n]{0,80})? -->[ \t]*\Z")
_ITEM: Final = re.compile(r"[-*+] ")
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory in a file.

    Attributes:
        uid: Its id; None for one that a person has added.
        text: Its words.
    """

    uid: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A memory as it is written.

    Attributes:
        uid: Its id.
        text: Its words.
        about: Shown in the comment beside the id: a date.
        heading: Under what it stands: its project; empty for none.
    """

    uid: str
    text: str
    about: str = ""
    heading: str = ""


def render(title: str, memories: Iterable[Mirrored]) -> str:
    """Return the text of a file; memories of one heading stand together, in the order in which they come."""
    groups: dict[str, list[Mirrored]] = {}
    for memory in memories:
        groups.setdefault(memory.heading, []).append(memory)
    lines = [_MARK, _ADVICE, f"# {title}"]
    for heading in sorted(groups):
        lines += ["", f"## {heading}"] if heading else [""]
        for memory in groups[heading]:
            first, *rest = plain(memory.text).split("\n")
            item = [f"- {first}", *(f"{_INDENT}{line}" if line else "" for line in rest)]
            item[-1] += f" <!-- {memory.uid}{' ' if memory.about else ''}{memory.about} -->"
            lines += item
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Return a text with one kind of line end and nothing around it: the form that is compared."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def is_ours(text: str) -> bool:
    """Say whether a file begins as one of ours, so that what is missing in it was deleted by somebody."""
    return text.removeprefix("\ufeff").startswith(_MARK)


def parse(text: str) -> list[Entry]:
    """Return the items of a file, in order; what stands outside of items is a person's own and left alone."""
    found: list[list[str]] = []
    inside = False
    for line in plain(text.removeprefix("\ufeff")).split("\n"):
        if start := _ITEM.match(line):
            found.append([line[start.end() :]])
            inside = True
        elif inside and (not line.strip() or line.startswith((_INDENT, "\t"))):
            found[-1].append(line.removeprefix("\t") if line.startswith("\t") else line.removeprefix(_INDENT))
        else:
            inside = False
    return [entry for lines in found if (entry := _entry("\n".join(lines))) is not None]


def _entry(text: str) -> Entry | None:
    text = text.rstrip()
    named = _ID.search(text)
    words = plain(text[: named.start()] if named else text)
    if not words and named is None:
        return None
    return Entry(named[1] if named else None, words)


def words_hash(text: str) -> str:
    """Return a hash of words that is the same however an editor breaks their lines."""
    return digest(normal_text(text))
